// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import HCI

/// The address that a host's own PDUs carry (Core 5.4, Vol 6, Part B, 1.3).
public enum OwnAddress: Hashable, Sendable {
    /// The controller's public device address.
    case publicDevice
    /// A static random address, whose two most significant bits are one.
    case random(BluetoothAddress)

    /// The Own_Address_Type that commands take.
    public var type: OwnAddressType {
        switch self {
        case .publicDevice: .public
        case .random: .random
        }
    }

    /// The random address, when it is one.
    public var randomAddress: BluetoothAddress? {
        if case .random(let address) = self { address } else { nil }
    }
}
