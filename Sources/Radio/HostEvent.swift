// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// An event of another program's host on a virtual air.
public struct HostEvent: Hashable, Sendable {
    /// The event.
    public enum Action: Hashable, Sendable {
        /// It connected, and has a controller.
        case joined
        /// Its connection ended, and its controller was removed.
        case left
        /// Its connection was closed, because it did not send HCI packets; the reason is a clause for people.
        case refused(reason: String)
        /// It started a scan.
        case scanStarted(isActive: Bool)
        /// It stopped its scan.
        case scanStopped
    }

    /// The event.
    public let action: Action
    /// The server that it connected to: `tcp:127.0.0.1:6402`, `vhci`.
    public let transport: String
    /// The host's end of the connection: `127.0.0.1:53412`, `hci1`.
    public let peer: String
    /// The public address of its controller.
    public let address: BluetoothAddress

    /// An event of these values.
    public init(_ action: Action, transport: String, peer: String, address: BluetoothAddress) {
        self.action = action
        self.transport = transport
        self.peer = peer
        self.address = address
    }
}
