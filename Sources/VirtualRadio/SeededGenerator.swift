// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Random numbers from a seed, so that a run can be repeated.
///
/// SplitMix64: a Weyl sequence and a mixing function (Steele, Lea and Flood, 2014). Fast, and good enough for jitter.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator of one of many independent streams of a seed.
    init(seed: UInt64, stream: UInt64) {
        state = seed ^ (stream &* 0xD6E8_FEB8_6659_FD93)
        state = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A whole number from 0 to `bound`, without a loop: the bias of the multiplication is too small to measure.
    mutating func upTo(_ bound: Int64) -> Int64 {
        Int64(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound) + 1).high)
    }

    /// A number from 0 up to but excluding 1, with 53 random bits.
    mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
