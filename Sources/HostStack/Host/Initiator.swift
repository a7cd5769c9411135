// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The connections that the owner asked for, one of them under way.
struct Initiator: Sendable {
    /// How many may wait.
    static let capacity = 64

    /// A connection that was asked for.
    struct Request: Hashable, Sendable {
        let peer: PeerAddress
        let parameters: ConnectionParameters
        let timeout: Duration
    }

    /// How far the first request is.
    enum State: Hashable, Sendable {
        case idle
        /// The command is on its way.
        case asking
        /// The controller looks for the peer.
        case connecting
        /// The controller was told to give up, for this reason.
        case cancelling(LEHostFailure)
    }

    var waiting: [Request] = []
    var current: Request?
    var state = State.idle
    /// When the peer was silent for too long, or the controller about giving up.
    var deadline: Duration?

    /// Whether the controller's initiator is at work.
    var isBusy: Bool { current != nil }

    mutating func forgetController() {
        // What was under way begins anew.
        if let current { waiting.insert(current, at: 0) }
        current = nil
        state = .idle
        deadline = nil
    }
}

/// One command of the initiator.
enum InitiatorStep: Hashable, Sendable {
    case create
    case cancel
}
