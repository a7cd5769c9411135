// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A recorded number: each value lasts until the time of the next one.
package struct Trace: Hashable, Sendable {
    /// A value and its time.
    package struct Point: Hashable, Sendable {
        /// The time since power came on.
        package let time: Duration
        /// The value from then on.
        package let value: Double

        /// A value from a time on.
        package init(_ time: Duration, _ value: Double) {
            self.time = time
            self.value = value
        }
    }

    /// The values in the order of their times.
    package let points: [Point]
    /// Whether it restarts when the last value has lasted as long as the one before; else the last one stays.
    package let repeats: Bool
    /// The time until it restarts; `nil` when it does not.
    private let length: Duration?
    /// Bounds of all its values.
    package let bounds: ClosedRange<Double>

    /// A trace; `nil` without points, with a negative time, with times that do not increase, or with a value that is
    /// not finite. The first value also holds before its time.
    package init?(_ points: [Point], repeats: Bool) {
        guard let first = points.first, let last = points.last, first.time >= .zero,
            points.allSatisfy(\.value.isFinite), zip(points, points.dropFirst()).allSatisfy({ $0.time < $1.time }),
            let lowest = points.map(\.value).min(), let highest = points.map(\.value).max()
        else { return nil }
        self.points = points
        self.repeats = repeats
        bounds = lowest...highest
        length = repeats ? points.dropLast().last.map { last.time + (last.time - $0.time) } : nil
    }

    /// The value at a time since power came on.
    package func value(at elapsed: Duration) -> Double {
        let next = index(behind: place(of: elapsed))
        return points[max(next, 1) - 1].value
    }

    func nextChange(after elapsed: Duration) -> Duration? {
        let place = place(of: elapsed)
        let next = index(behind: place)
        if next < points.count { return elapsed + (points[next].time - place) }
        return length.map { elapsed + ($0 - place) }
    }

    /// The time within one round.
    private func place(of elapsed: Duration) -> Duration {
        guard let length, elapsed > .zero else { return max(elapsed, .zero) }
        return elapsed.remainder(of: length)
    }

    /// The index of the first point whose time is in the future.
    private func index(behind time: Duration) -> Int {
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
