// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import HCI

/// The address that a host's own PDUs carry (Core 5.4, Vol 6, Part B, 1.3).
package enum OwnAddress: Hashable, Sendable {
    /// The controller's public device address.
    case publicDevice
    /// A static random address, whose two most significant bits are one.
    case random(BluetoothAddress)
    /// Private addresses of this identity's key, another every `BluetoothAddress.privateAddressInterval`.
    case resolvable(LocalIdentity)

    /// The Own_Address_Type that commands take.
    package var type: OwnAddressType {
        switch self {
        case .publicDevice: .public
        case .random, .resolvable: .random
        }
    }

    /// The random address, when it is one that stays.
    package var randomAddress: BluetoothAddress? {
        if case .random(let address) = self { address } else { nil }
    }

    /// Who is behind private addresses, where it is those.
    package var identity: LocalIdentity? {
        if case .resolvable(let identity) = self { identity } else { nil }
    }
}
