// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How many of a number of runs passed.
struct PassRate: Hashable, Sendable {
    /// The quantile of the standard normal distribution for 95 %, two-sided.
    private static let quantile = 1.959_963_985

    /// The number of runs that passed.
    let passed: Int
    /// The number of runs, at least 1.
    let runs: Int

    /// The part of the runs that passed, from 0 to 1.
    var rate: Double { Double(passed) / Double(runs) }

    /// The 95 % interval of the pass rate of all seeds, of which these are a sample: Wilson's score interval (Wilson,
    /// "Probable inference, the law of succession, and statistical inference", 1927). From 0 to 1.
    var interval: ClosedRange<Double> {
        let square = Self.quantile * Self.quantile
        let count = Double(runs)
        let centre = (rate + square / (2 * count)) / (1 + square / count)
        let half =
            Self.quantile / (1 + square / count)
            * (rate * (1 - rate) / count + square / (4 * count * count)).squareRoot()
        // At the ends, rounding must not leave out 0 or 1.
        let lowest = passed == 0 ? 0 : max(0, centre - half)
        let highest = passed == runs ? 1 : min(1, centre + half)
        return lowest...highest
    }

    /// Whether the rate is at least this part, from 0 to 1.
    func reaches(_ required: Double) -> Bool { Double(passed) >= required * Double(runs) - 1e-9 }

    /// `92.9 to 100 %`
    var intervalText: String { "\(Self.number(interval.lowerBound)) to \(Self.percent(interval.upperBound))" }

    /// A part as a percentage with up to one decimal: `92.9 %`. Only all is 100 %, and only nothing is 0 %.
    static func percent(_ part: Double) -> String { "\(number(part)) %" }

    private static func number(_ part: Double) -> String {
        var tenths = Int((part * 1000).rounded())
        if part > 0, part < 1 { tenths = min(max(tenths, 1), 999) }
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
