// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The 64-bit FNV-1a hash of the UTF-8 bytes (Fowler, Noll and Vo, 1991): the same in every process, unlike
    /// `hashValue`. Similar texts have similar low bytes; not for keys.
    package var stableHash: UInt64 {
        utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
