// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A generator of random numbers from a seed, so that a run can be repeated.
///
/// A Weyl sequence and a mixing function (Steele, Lea and Flood, 2014). Fast, and good enough for jitter; not for keys.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    @inlinable static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

    @usableFromInline var state: UInt64

    /// The numbers of a seed.
    package init(seed: UInt64) { state = seed }

    /// The numbers of a seed from position `skipped` on: there is no loop, so that any position takes the same time.
    package init(seed: UInt64, skipping skipped: UInt64) { state = seed &+ skipped &* Self.increment }

    /// One of many independent sequences of a seed.
    package init(seed: UInt64, stream: UInt64) {
        state = seed ^ (stream &* 0xD6E8_FEB8_6659_FD93)
        state = next()
    }

    /// The next number.
    @inlinable package mutating func next() -> UInt64 {
        state &+= Self.increment
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A whole number from 0 to `bound`, without a loop: the bias of the multiplication is too small to measure.
    @inlinable package mutating func upTo(_ bound: Int64) -> Int64 {
        Int64(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound) + 1).high)
    }

    /// A number from 0 up to but excluding 1, with 53 random bits.
    @inlinable package mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
