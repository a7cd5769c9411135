// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import HCI

/// The connections that the owner requested as central; the controller makes one at a time.
///
///     idle --(begin)--> requested --(the controller accepts)--> connecting --(connection, or failure)--> idle
///     requested or connecting --(timeout, or cancelled)--> cancelling --(connection, failure, or timeout)--> idle
///
/// A controller that cannot scan and make a connection at the same time refuses the command while the scan is on. The
/// request then waits until the scan rests.
struct ConnectionInitiator: Sendable {
    /// The number of requests that may wait.
    private static let capacity = 64

    private struct Request: Hashable, Sendable {
        let peer: PeerAddress
        let parameters: ConnectionParameters
        let timeout: Duration
    }

    private enum State: Hashable, Sendable {
        case idle
        /// The command is on its way.
        case requested
        /// The controller looks for the peer.
        case connecting
        /// The controller is to give up, for this reason.
        case cancelling(LEHostFailure)
    }

    /// What the host does after the reply to a command.
    enum Outcome {
        case nothing
        /// Pause the scan, and begin again when it rests.
        case pauseScanning
        /// The request has ended: begin what waited for its end.
        case ended
    }

    private var waiting: [Request] = []
    private var current: Request?
    private var state = State.idle
    /// The time limit for the peer, or for the controller to cancel.
    private(set) var deadline: Duration?

    /// Whether the controller makes a connection, or gives one up.
    var isBusy: Bool { current != nil }

    /// Whether a request can begin.
    var canBegin: Bool { current == nil && !waiting.isEmpty }

    /// Whether the connection that the controller is making is still requested.
    var expectsConnection: Bool {
        if case .cancelling = state { false } else { current != nil }
    }

    // MARK: - From the owner

    mutating func connect(
        to peer: PeerAddress, parameters: ConnectionParameters, timeout: Duration, _ context: inout HostContext
    ) {
        guard waiting.count < Self.capacity else { return context.emit(.connectionFailed(peer, .busy)) }
        waiting.append(Request(peer: peer, parameters: parameters, timeout: timeout))
    }

    /// Cancels all requests for a peer.
    mutating func cancel(_ peer: PeerAddress, _ context: inout HostContext) {
        let count = waiting.count { $0.peer == peer }
        waiting.removeAll { $0.peer == peer }
        for _ in 0..<count { context.emit(.connectionFailed(peer, .cancelled)) }
        if current?.peer == peer { giveUp(.cancelled, &context) }
    }

    // MARK: - From other parts of the host

    /// Begins the next request; `canBegin` is true.
    mutating func begin(ownAddressType: OwnAddressType, _ context: inout HostContext) {
        let request = waiting.removeFirst()
        current = request
        state = .requested
        deadline = context.now + request.timeout
        let isExtended = context.knownCapabilities.hasExtendedConnecting
        context.send(
            request.peer.connectionCommand(
                request.parameters, ownAddressType: ownAddressType, isExtended: isExtended),
            then: .connecting(.create))
    }

    /// Cancels a request whose peer took too long, and drops one that the controller does not cancel in time.
    /// - Returns: whether the request has ended.
    mutating func advance(_ context: inout HostContext) -> Bool {
        guard let deadline, deadline <= context.now else { return false }
        if case .cancelling(let reason) = state { return end(reason, &context) }
        giveUp(.timedOut, &context)
        return false
    }

    private mutating func giveUp(_ reason: LEHostFailure, _ context: inout HostContext) {
        switch state {
        case .idle, .cancelling: return
        case .requested, .connecting: break
        }
        state = .cancelling(reason)
        deadline = context.now + context.configuration.commandTimeout * 2
        context.send(LECreateConnectionCancel(), then: .connecting(.cancel))
    }

    // MARK: - From the controller

    /// Takes the reply to a command.
    /// - Parameter canPauseScanning: whether the scan is on and not about to be paused.
    mutating func finish(
        _ step: InitiatorStep, _ reply: CommandReply, canPauseScanning: Bool, _ context: inout HostContext
    ) -> Outcome {
        switch (step, state, reply.failure) {
        case (.create, .requested, nil):
            state = .connecting
            return .nothing
        case (.create, .requested, .some(let failure)):
            // A controller need not support scanning and connecting at the same time.
            if reply.status == .commandDisallowed, canPauseScanning {
                restart()
                return .pauseScanning
            }
            return end(failure, &context) ? .ended : .nothing
        case (.create, .cancelling(let reason), .some): return end(reason, &context) ? .ended : .nothing
        default: return .nothing
        }
    }

    /// The controller could not make the connection.
    /// - Returns: whether a request has ended.
    mutating func fail(_ status: HCIStatus, _ context: inout HostContext) -> Bool {
        if case .cancelling(let reason) = state { return end(reason, &context) }
        return end(.connection(status), &context)
    }

    /// The controller made a connection.
    mutating func complete(_ context: inout HostContext) {
        if case .cancelling(let reason) = state { _ = end(reason, &context) }
        clear()
    }

    /// The controller restarts: the request that was under way begins again.
    mutating func restart() {
        if let current { waiting.insert(current, at: 0) }
        clear()
    }

    private mutating func end(_ failure: LEHostFailure, _ context: inout HostContext) -> Bool {
        guard let request = current else { return false }
        clear()
        context.emit(.connectionFailed(request.peer, failure))
        return true
    }

    private mutating func clear() {
        current = nil
        state = .idle
        deadline = nil
    }
}

/// A command of the initiator.
enum InitiatorStep: Hashable, Sendable {
    case create
    case cancel
}

extension PeerAddress {
    /// The command that connects to the peer, scanning without a break for 60 ms on each channel.
    fileprivate func connectionCommand(
        _ parameters: ConnectionParameters, ownAddressType: OwnAddressType, isExtended: Bool
    ) -> HCICommandPacket {
        let scan = ScanTime(96)
        guard isExtended else {
            return HCICommandPacket(
                LECreateConnection(
                    scanInterval: scan, scanWindow: scan, peerAddressType: type, peerAddress: address,
                    ownAddressType: ownAddressType, minimumConnectionInterval: parameters.interval.lowerBound,
                    maximumConnectionInterval: parameters.interval.upperBound, maximumLatency: parameters.latency,
                    supervisionTimeout: parameters.supervisionTimeout))
        }
        let create = LEExtendedCreateConnection.Parameters(
            scanInterval: scan, scanWindow: scan, minimumConnectionInterval: parameters.interval.lowerBound,
            maximumConnectionInterval: parameters.interval.upperBound, maximumLatency: parameters.latency,
            supervisionTimeout: parameters.supervisionTimeout)
        return HCICommandPacket(
            LEExtendedCreateConnection(
                ownAddressType: ownAddressType, peerAddressType: type, peerAddress: address, parameters: [create]))
    }
}
