// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A random walk between two bounds, the same for the same seed.
package struct RandomWalk: Hashable, Sendable {
    /// The seed of the random numbers.
    package let seed: UInt64
    /// The value when power comes on; in the range.
    package let start: Double
    /// The largest step, up or down.
    package let step: Double
    /// The bounds, at which it is reflected.
    package let range: ClosedRange<Double>
    /// The time between two steps, at least 1 ms.
    package let every: Duration
    /// A position that was computed, from which later ones are.
    private var milestone: Milestone

    private struct Milestone: Hashable {
        var steps: Int64
        var value: Double
    }

    /// A walk; a start outside of the range becomes the nearer end, and a step is at most the range.
    package init(seed: UInt64, start: Double, step: Double, range: ClosedRange<Double>, every: Duration) {
        self.seed = seed
        self.start = min(max(start, range.lowerBound), range.upperBound)
        self.step = min(abs(step), range.upperBound - range.lowerBound)
        self.range = range
        self.every = max(every, .shortestStep)
        milestone = Milestone(steps: 0, value: self.start)
    }

    /// The value at a time since power came on.
    package func value(at elapsed: Duration) -> Double { place(at: elapsed).value }

    mutating func settle(at elapsed: Duration) { milestone = place(at: elapsed) }

    private func place(at elapsed: Duration) -> Milestone {
        let target = elapsed.steps(every: every)
        var place = target < milestone.steps ? Milestone(steps: 0, value: start) : milestone
        while place.steps < target {
            place.steps += 1
            place.value = turned(place.value + step * direction(of: place.steps))
        }
        return place
    }

    /// Reflects a value at the bounds.
    private func turned(_ value: Double) -> Double {
        let reflected =
            value > range.upperBound
            ? 2 * range.upperBound - value : value < range.lowerBound ? 2 * range.lowerBound - value : value
        return min(max(reflected, range.lowerBound), range.upperBound)
    }

    /// From -1 to 1: the random number of this position in the sequence of the seed.
    private func direction(of number: Int64) -> Double {
        var generator = SplitMix64(seed: seed, skipping: UInt64(bitPattern: number &- 1))
        return 2 * generator.unit() - 1
    }
}
