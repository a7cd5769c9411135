// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A duration as a number of ticks of fixed length, as controllers count.
///
/// The length of a tick is part of the type, so that an advertising interval (625 microseconds) and a connection interval
/// (1,250) cannot be confused.
public struct Ticks<let microsecondsEach: Int>: Hashable, Comparable, Sendable {
    /// The number of ticks.
    public let count: UInt32

    /// This number of ticks, whether a controller accepts it or not.
    public init(_ count: UInt32) {
        self.count = count
    }

    /// The ticks nearest to `duration`, rounding halves away from zero; `nil` if negative or more than 32 bits.
    public init?(nearest duration: Duration) {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0, seconds < 1 << 32 else { return nil }
        // Half of a tick is a whole number of nanoseconds, so finer parts do not affect the rounding.
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let step = Int64(microsecondsEach) * 1000
        guard let count = UInt32(exactly: (nanoseconds + step / 2) / step) else { return nil }
        self.count = count
    }

    /// The ticks that are exactly `duration`; `nil` if no whole number is.
    public init?(exactly duration: Duration) {
        guard let nearest = Self(nearest: duration), nearest.duration == duration else { return nil }
        self = nearest
    }

    /// The exact duration.
    public var duration: Duration { .microseconds(Int64(count) * Int64(microsecondsEach)) }

    public static func < (left: Self, right: Self) -> Bool { left.count < right.count }
}

extension Ticks: CustomStringConvertible {
    /// Milliseconds without trailing zeros: `100 ms`, `152.5 ms`.
    public var description: String {
        let microseconds = Int64(count) * Int64(microsecondsEach)
        let whole = microseconds / 1000
        var fraction = String(microseconds % 1000 + 1000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? "\(whole) ms" : "\(whole).\(fraction) ms"
    }
}

/// The time between advertising events, in ticks of 0.625 ms (Core 5.4, Vol 4, Part E, 7.8.5).
public typealias AdvertisingInterval = Ticks<625>

extension Ticks where microsecondsEach == 625 {
    /// The range of legacy advertising commands: 20 ms to 10.24 s (Core 5.4, Vol 4, Part E, 7.8.5).
    public static var legacyRange: ClosedRange<Self> { Self(0x0020)...Self(0x4000) }
}
