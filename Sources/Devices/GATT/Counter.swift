// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A whole number that is increased or decreased periodically.
package struct Counter: Hashable, Sendable {
    /// The value when power comes on; in the range.
    package let start: Int64
    /// The increment; negative to count down.
    package let step: Int64
    /// The time between two values, at least 1 ms.
    package let every: Duration
    /// The lowest and the highest value.
    package let range: ClosedRange<Int64>
    /// Whether it continues at the other end of the range; else it stays at the end.
    package let wraps: Bool

    /// A counter; a start outside of the range becomes the nearer end.
    package init(start: Int64 = 0, step: Int64 = 1, every: Duration, range: ClosedRange<Int64>, wraps: Bool = true) {
        self.start = min(max(start, range.lowerBound), range.upperBound)
        self.step = step
        self.every = max(every, .shortestStep)
        self.range = range
        self.wraps = wraps
    }

    /// The value at a time since power came on.
    package func value(at elapsed: Duration) -> Int64 {
        // Two numbers of 64 bits have a product of 128.
        let distance = Int128(elapsed.steps(every: every)) * Int128(step)
        let sum = distance + Int128(start)
        guard wraps else { return Int64(min(max(sum, Int128(range.lowerBound)), Int128(range.upperBound))) }
        let count = Int128(range.upperBound) - Int128(range.lowerBound) + 1
        let remainder = (sum - Int128(range.lowerBound)) % count
        return Int64(Int128(range.lowerBound) + (remainder < 0 ? remainder + count : remainder))
    }

    func nextChange(after elapsed: Duration) -> Duration? {
        guard step != 0, range.lowerBound < range.upperBound else { return nil }
        let isAtEnd = value(at: elapsed) == (step > 0 ? range.upperBound : range.lowerBound)
        return !wraps && isAtEnd ? nil : elapsed.nextStep(every: every)
    }
}
