// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The mean of a sample and its 95 % interval.
struct SampleStatistics: Hashable, Sendable {
    /// The number of values.
    let count: Int
    /// The mean; `nil` without values.
    let mean: Double?
    /// The standard deviation; `nil` below two values.
    let spread: Double?
    /// The 95 % interval of the mean of all possible values, of which these are a sample, by Student's t; `nil` below
    /// two values, and for equal ones, which do not show how far others are.
    let interval: ClosedRange<Double>?

    /// The statistics of values; their order decides the last digits.
    init(_ values: some Collection<Double>) {
        count = values.count
        guard count > 0 else {
            (mean, spread, interval) = (nil, nil, nil)
            return
        }
        let mean = values.reduce(0, +) / Double(count)
        self.mean = mean
        guard count > 1 else {
            (spread, interval) = (nil, nil)
            return
        }
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let spread = (squares / Double(count - 1)).squareRoot()
        self.spread = spread
        guard spread > 0 else {
            interval = nil
            return
        }
        let half = StudentT(degrees: Double(count - 1)).quantile(twoSided: 0.05) * spread / Double(count).squareRoot()
        interval = mean - half...mean + half
    }

    /// The probability of a mean that is at least as far from 0, if the mean of all possible values is 0, by Student's
    /// t; of equal values, by their signs. `nil` below two values.
    var probability: Double? {
        guard let mean, let spread else { return nil }
        guard spread > 0 else { return mean == 0 ? 1 : scalbn(1, 1 - count) }
        return StudentT(degrees: Double(count - 1)).twoSided(mean / (spread / Double(count).squareRoot()))
    }
}

/// Holm's correction of the probabilities of several comparisons.
enum Holm {
    /// The probabilities such that, with a limit for each of them, one of all is below it by chance at most so often
    /// (Holm, "A simple sequentially rejective multiple test procedure", 1979). `nil` values are not counted.
    static func adjusted(_ probabilities: [Double?]) -> [Double?] {
        let known = probabilities.enumerated().compactMap { index, value in value.map { (index: index, value: $0) } }
        let ordered = known.sorted { ($0.value, $0.index) < ($1.value, $1.index) }
        var adjusted = probabilities
        var least = 0.0
        for (rank, entry) in ordered.enumerated() {
            least = max(least, min(1, entry.value * Double(ordered.count - rank)))
            adjusted[entry.index] = least
        }
        return adjusted
    }
}
