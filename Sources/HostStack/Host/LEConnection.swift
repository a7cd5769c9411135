// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

/// Identifies a connection of a host. Unlike the controller's connection handles, an identifier is never reused.
package struct ConnectionIdentifier: Hashable, Sendable {
    /// The number, counted from 1 since the host was created.
    package let rawValue: UInt32
}

extension ConnectionIdentifier: CustomStringConvertible {
    /// `connection 3`
    package var description: String { "connection \(rawValue)" }
}

/// The state of a connection as its owner sees it.
package struct LEConnection: Hashable, Sendable, Identifiable {
    /// The role of this host in a connection.
    package enum Role: Hashable, Sendable {
        /// This host connected to an advertiser.
        case central
        /// This host advertised.
        case peripheral
    }

    /// The identifier of the connection.
    package let id: ConnectionIdentifier
    /// This host's role.
    package let role: Role
    /// The address that the peer used to connect.
    package let peerAddress: BluetoothAddress
    /// The type of that address.
    package let peerAddressType: AddressType
    /// The advertising set that the central connected to; `nil` as central.
    package let advertisingSet: AdvertisingSetIdentifier?
    /// The peer's address in its bond, if there is one: the same however its private addresses change.
    package internal(set) var identity: PeerAddress?
    /// The security of the link.
    package internal(set) var security = LinkSecurity.open
    /// The connection interval.
    package internal(set) var interval: Ticks<1250>
    /// The number of connection events that the peripheral may skip.
    package internal(set) var latency: UInt16
    /// The supervision timeout.
    package internal(set) var supervisionTimeout: Ticks<10000>

    /// The address and type that the peer used to connect.
    var peer: PeerAddress { PeerAddress(peerAddress, type: peerAddressType) }
}
