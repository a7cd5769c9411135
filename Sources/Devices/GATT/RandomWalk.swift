// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A number that wanders at random between two bounds, the same way for the same seed.
package struct RandomWalk: Hashable, Sendable {
    /// What decides the way.
    package let seed: UInt64
    /// The value when power comes; in the range.
    package let start: Double
    /// The farthest that one step goes, up or down.
    package let step: Double
    /// The bounds, at which it turns.
    package let range: ClosedRange<Double>
    /// The time between two steps, at least a millisecond.
    package let every: Duration
    /// A place that it has come to, so that the way there need not be gone again.
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

    /// The value, so long after power came.
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

    /// A value that has gone past a bound comes back as far.
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
