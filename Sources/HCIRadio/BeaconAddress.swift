// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio

/// The address of a beacon that its profile gives none, and of a central that is to be known again.
enum BeaconAddress {
    /// A static random address (Core 5.4, Vol 6, Part B, 1.3.2.1) that is the same in every run.
    static func derived(from key: String) -> BluetoothAddress {
        // FNV-1a: short, known, and nothing here needs to be hard to guess.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for octet in key.utf8 { hash = (hash ^ UInt64(octet)) &* 0x0000_0100_0000_01B3 }
        // Its low octets follow the text too closely.
        hash ^= hash >> 32
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
        guard let address = BluetoothAddress(octets: [octets[0] | 0xC0] + octets[1...]) else {
            preconditionFailure("six octets are an address")
        }
        return address
    }
}
