// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

/// The address in a host's own PDUs (Core 5.4, Vol 6, Part B, 1.3).
package enum OwnAddress: Hashable, Sendable {
    /// The controller's public device address.
    case publicDevice
    /// A static random address, whose two most significant bits are one.
    case random(BluetoothAddress)
    /// Resolvable private addresses of this identity, a new one every `BluetoothAddress.privateAddressInterval`.
    case resolvable(LocalIdentity)

    /// The Own_Address_Type of commands.
    package var type: OwnAddressType {
        switch self {
        case .publicDevice: .public
        case .random, .resolvable: .random
        }
    }

    /// The static random address; `nil` for the other kinds.
    package var randomAddress: BluetoothAddress? {
        if case .random(let address) = self { address } else { nil }
    }

    /// The identity behind private addresses; `nil` for the other kinds.
    package var identity: LocalIdentity? {
        if case .resolvable(let identity) = self { identity } else { nil }
    }
}

/// The address and address type of another device.
package struct PeerAddress: Hashable, Sendable {
    /// Its address.
    package var address: BluetoothAddress
    /// The type of that address.
    package var type: AddressType

    /// A device with this address.
    package init(_ address: BluetoothAddress, type: AddressType) {
        self.address = address
        self.type = type
    }
}
