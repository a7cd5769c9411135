// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// A device address and its type in 64 bits: compared and hashed without an allocation (hot path).
struct PackedAddress: Hashable, Sendable {
    /// The address in the lower 48 bits, the most significant byte uppermost; the type above.
    let rawValue: UInt64

    /// The address of an anonymous advertisement.
    static let anonymous = PackedAddress(bits: 0, type: AddressType.anonymous.rawValue)

    /// Zeros.
    static let zero = PackedAddress(bits: 0, type: 0)

    private init(bits: UInt64, type: UInt8) {
        rawValue = bits | UInt64(type) << 48
    }

    /// An address and its type.
    init(_ address: BluetoothAddress, type: UInt8) {
        self.init(bits: address.bits, type: type)
    }

    /// A peer's address as on the air, where an identity address has the type of the address.
    init(onAir address: BluetoothAddress, type: AddressType) {
        self.init(address, type: type == .anonymous ? type.rawValue : type.rawValue & 1)
    }

    /// 0 public, 1 random, 0xFF anonymous.
    var type: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 48) }
    var isAnonymous: Bool { type == AddressType.anonymous.rawValue }

    /// Random, with the uppermost bits 01 (Core 5.4, Vol 6, Part B, 1.3.2.2).
    var isResolvablePrivate: Bool { type == 1 && rawValue >> 46 & 0x03 == 0x01 }

    /// Appends the bytes in wire order, the least significant first.
    func append(to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(0), to: 48, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: rawValue >> shift))
        }
    }

    /// The address without its type.
    var address: BluetoothAddress { BluetoothAddress(bits: rawValue) }
}
