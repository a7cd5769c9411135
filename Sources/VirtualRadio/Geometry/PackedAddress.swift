// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// A device address and its type in one word, for comparing and hashing without memory of its own.
struct PackedAddress: Hashable, Sendable {
    /// The address in the lower 48 bits, the most significant octet uppermost; the type above.
    let rawValue: UInt64

    /// What an anonymous advertisement has for an address.
    static let anonymous = PackedAddress(bits: 0, type: AddressType.anonymous.rawValue)

    /// Zeros.
    static let zero = PackedAddress(bits: 0, type: 0)

    private init(bits: UInt64, type: UInt8) {
        rawValue = bits | UInt64(type) << 48
    }

    /// An address of a type as it is.
    init(_ address: BluetoothAddress, type: UInt8) {
        var bits: UInt64 = 0
        for octet in address.octets { bits = bits << 8 | UInt64(octet) }
        self.init(bits: bits, type: type)
    }

    /// A peer's address as it is on the air, where an identity's type is that of the address.
    init(onAir address: BluetoothAddress, type: AddressType) {
        self.init(address, type: type == .anonymous ? type.rawValue : type.rawValue & 1)
    }

    /// 0 public, 1 random, 0xFF anonymous.
    var type: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 48) }
    var isAnonymous: Bool { type == AddressType.anonymous.rawValue }

    /// Random, with the uppermost bits 01 (Core 5.4, Vol 6, Part B, 1.3.2.2).
    var isResolvablePrivate: Bool { type == 1 && rawValue >> 46 & 0x03 == 0x01 }

    /// The octets as a packet has them, the least significant first.
    func append(to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(0), to: 48, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: rawValue >> shift))
        }
    }

    /// The address without its type.
    var address: BluetoothAddress {
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: rawValue >> (40 - 8 * UInt64($0))) }
        return BluetoothAddress(octets: octets) ?? .zero
    }
}
