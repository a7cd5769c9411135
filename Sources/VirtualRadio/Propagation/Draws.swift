// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Random numbers by number: each depends on the seed, on the names of what it concerns, and on its number, and on nothing else.
///
/// A sequence that all parts share would give every beacon other numbers when one more beacon takes some of them. Here a
/// beacon that is added, or a host that joins late, changes no number of the others.
struct Draws: Hashable, Sendable {
    private let key: UInt64

    /// The draws for one subject.
    init(seed: UInt64, _ names: String...) { self.init(seed: seed, names) }

    /// The draws for one subject.
    init(seed: UInt64, _ names: [String]) {
        var key = Self.mixed(seed ^ 0x9E37_79B9_7F4A_7C15)
        for name in names {
            for byte in name.utf8 { key = (key ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            key = Self.mixed(key)
        }
        self.key = key
    }

    /// 64 random bits.
    /// - Parameters:
    ///   - number: counts the draws for one purpose.
    ///   - purpose: distinguishes draws with the same number.
    func bits(_ number: UInt64, _ purpose: UInt64) -> UInt64 {
        Self.mixed(Self.mixed(key &+ number &* 0x9E37_79B9_7F4A_7C15) &+ purpose &* 0xD6E8_FEB8_6659_FD93)
    }

    /// A number from 0 up to but excluding 1.
    func unit(_ number: UInt64, _ purpose: UInt64) -> Double { Double(bits(number, purpose) >> 11) * 0x1p-53 }

    /// A whole number from 0 to `bound`.
    func upTo(_ bound: Int64, _ number: UInt64, _ purpose: UInt64) -> Int64 {
        Int64(truncatingIfNeeded: bits(number, purpose).multipliedFullWidth(by: UInt64(bound) + 1).high)
    }

    /// Two independent numbers of the standard normal distribution (Box and Muller, 1958).
    func normals(_ number: UInt64, _ purpose: UInt64) -> (Double, Double) {
        let bits = bits(number, purpose)
        // 32 bits each: the radius reaches 6.6 standard deviations.
        let radius = (-2 * log((Double(bits >> 32) + 0.5) * 0x1p-32)).squareRoot()
        let angle = 2 * Double.pi * Double(bits & 0xFFFF_FFFF) * 0x1p-32
        return (radius * cos(angle), radius * sin(angle))
    }

    /// A value whose bits all depend on all bits of another one: the next number of SplitMix64 with this state.
    @inline(__always)
    static func mixed(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
