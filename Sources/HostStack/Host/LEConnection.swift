// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import HCI

/// A connection as its owner sees it.
public struct LEConnection: Hashable, Sendable, Identifiable {
    /// Which end of a connection this host is.
    public enum Role: Hashable, Sendable {
        /// It asked for the connection.
        case central
        /// It advertised.
        case peripheral
    }

    /// Which connection.
    public let id: ConnectionIdentifier
    /// This host's role.
    public let role: Role
    /// The other device's address.
    public let peerAddress: BluetoothAddress
    /// The kind of that address.
    public let peerAddressType: AddressType
    /// The beacon that was connected to; `nil` as central.
    public let advertisingSet: AdvertisingSetIdentifier?
    /// The peer's address in its bond, where it has one: the same however its private addresses change.
    public internal(set) var identity: PeerAddress?
    /// What the link offers now.
    public internal(set) var security = LinkSecurity.open
    /// The connection interval.
    public internal(set) var interval: Ticks<1250>
    /// The connection events that the peripheral may skip.
    public internal(set) var latency: UInt16
    /// How long a silent peer is still there.
    public internal(set) var supervisionTimeout: Ticks<10000>
}
