// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Durations, counted by their length.
package struct DurationHistogram: Hashable, Sendable {
    /// The longest duration of each class but the last, in microseconds; the last class has all longer ones.
    package static let bounds: [Int64] = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000]

    /// The number of durations of each class.
    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all durations, in microseconds.
    package private(set) var sum: Int64 = 0

    /// No durations.
    package init() {}

    /// Counts a duration, in microseconds.
    package mutating func add(_ microseconds: Int64) {
        sum += microseconds
        var place = 0
        while place < Self.bounds.count, microseconds > Self.bounds[place] { place += 1 }
        counts[place] += 1
    }
}
