// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A time counted in steps of a fixed length, as the radio counts it.
///
/// The unit is part of the type, so that an advertising interval (625 microseconds a step) and a connection interval
/// (1,250) cannot be confused.
public struct Ticks<let microsecondsEach: Int>: Hashable, Comparable, Sendable {
    /// How many steps.
    public let count: UInt32

    /// So many steps; whether the radio can do them is for the caller to ask.
    public init(_ count: UInt32) {
        self.count = count
    }

    /// The steps nearest to `duration`, halves away from zero; `nil` when negative or more than 32 bits hold.
    public init?(nearest duration: Duration) {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0, seconds < 1 << 32 else { return nil }
        // Half of a step is a whole number of nanoseconds, so what is finer does not decide.
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let step = Int64(microsecondsEach) * 1000
        guard let count = UInt32(exactly: (nanoseconds + step / 2) / step) else { return nil }
        self.count = count
    }

    /// The steps that make exactly `duration`; `nil` when no whole number does.
    public init?(exactly duration: Duration) {
        guard let nearest = Self(nearest: duration), nearest.duration == duration else { return nil }
        self = nearest
    }

    /// The same time, exactly.
    public var duration: Duration { .microseconds(Int64(count) * Int64(microsecondsEach)) }

    public static func < (left: Self, right: Self) -> Bool { left.count < right.count }
}

extension Ticks: CustomStringConvertible {
    /// Milliseconds for people, without needless decimals: `100 ms`, `152.5 ms`.
    public var description: String {
        let microseconds = Int64(count) * Int64(microsecondsEach)
        let whole = microseconds / 1000
        var fraction = String(microseconds % 1000 + 1000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? "\(whole) ms" : "\(whole).\(fraction) ms"
    }
}

/// The time between advertising events, in steps of 0.625 ms (Core 5.4, Vol 4, Part E, 7.8.5).
public typealias AdvertisingInterval = Ticks<625>

extension Ticks where microsecondsEach == 625 {
    /// What a legacy advertising command takes: 20 ms to 10.24 s (Core 5.4, Vol 4, Part E, 7.8.5).
    public static var legacyRange: ClosedRange<Self> { Self(0x0020)...Self(0x4000) }
}
