// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The failure of the next connections of a device that still advertises.
package struct ConnectionFault: Hashable, Sendable {
    /// When a connection fails.
    package enum Phase: String, CaseIterable, Hashable, Sendable {
        /// The device does not answer the connection request: the central gets "connection failed to be established" (0x3E) after six
        /// connection intervals (Core 5.4, Vol 6, Part B, 4.5), and many hosts request the connection again until their time limit.
        case establishment
        /// The device ends the connection as soon as it is established.
        case connected
        /// The device ends the connection when the first packet of the central arrives, such as a request of GATT discovery.
        case request
    }

    /// The number of connections that fail; 0 for none.
    package var count: Int
    package var phase: Phase
    /// What the central gets. Not of `.establishment`, which has its own.
    package var reason: DisconnectionReason

    /// The most connections that can be set to fail.
    package static let counts = 0...1000

    package init(count: Int, phase: Phase = .connected, reason: DisconnectionReason = .remoteUser) {
        self.count = count
        self.phase = phase
        self.reason = reason
    }
}
