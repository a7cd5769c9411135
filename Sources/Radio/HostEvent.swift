// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Something that another program's host does on a virtual radio's air.
public struct HostEvent: Hashable, Sendable {
    /// What it does.
    public enum Action: Hashable, Sendable {
        /// It connected to a port, and has a controller.
        case joined
        /// Its connection ended, and its controller is gone.
        case left
        /// Its connection was closed, because what it sends is not HCI; the reason is a clause for people.
        case refused(reason: String)
        /// It scans, actively or passively, from now on.
        case scanStarted(isActive: Bool)
        /// It does not scan any more.
        case scanStopped
    }

    /// What it does.
    public let action: Action
    /// Where it joined: `tcp:127.0.0.1:6402`, `vhci`.
    public let transport: String
    /// The host's own end of it: `127.0.0.1:53412`, `hci1`.
    public let peer: String
    /// The public address of its controller.
    public let address: BluetoothAddress

    /// An event of these.
    public init(_ action: Action, transport: String, peer: String, address: BluetoothAddress) {
        self.action = action
        self.transport = transport
        self.peer = peer
        self.address = address
    }
}
