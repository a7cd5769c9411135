// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

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

    /// From -1 to 1: a number's place in a Weyl sequence, mixed (Steele, Lea and Flood, 2014).
    private func direction(of number: Int64) -> Double {
        var value = seed &+ UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((value ^ (value >> 31)) >> 11) * 0x1p-52 - 1
    }
}
