// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import HCI

/// A connection as its owner sees it.
package struct LEConnection: Hashable, Sendable, Identifiable {
    /// Which end of a connection this host is.
    package enum Role: Hashable, Sendable {
        /// It asked for the connection.
        case central
        /// It advertised.
        case peripheral
    }

    /// Which connection.
    package let id: ConnectionIdentifier
    /// This host's role.
    package let role: Role
    /// The other device's address.
    package let peerAddress: BluetoothAddress
    /// The kind of that address.
    package let peerAddressType: AddressType
    /// The beacon that was connected to; `nil` as central.
    package let advertisingSet: AdvertisingSetIdentifier?
    /// The peer's address in its bond, where it has one: the same however its private addresses change.
    package internal(set) var identity: PeerAddress?
    /// What the link offers now.
    package internal(set) var security = LinkSecurity.open
    /// The connection interval.
    package internal(set) var interval: Ticks<1250>
    /// The connection events that the peripheral may skip.
    package internal(set) var latency: UInt16
    /// How long a silent peer is still there.
    package internal(set) var supervisionTimeout: Ticks<10000>
}
