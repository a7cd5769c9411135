// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Student's t distribution with a number of degrees of freedom.
struct StudentT {
    /// At least 1.
    let degrees: Double

    /// The probability of a value that is at least as far from 0, to either side.
    func twoSided(_ value: Double) -> Double {
        guard value.isFinite else { return 0 }
        return IncompleteBeta.regularised(degrees / (degrees + value * value), degrees / 2, 0.5)
    }

    /// The value from 0 that is exceeded to either side with a probability, from 0 to 1.
    func quantile(twoSided probability: Double) -> Double {
        guard probability < 1 else { return 0 }
        // The probability falls with the value: an interval is halved down to neighbouring numbers.
        var (low, high) = (0.0, 1.0)
        while twoSided(high) > probability, high < 1e300 { (low, high) = (high, high * 2) }
        for _ in 0..<200 {
            let middle = low + (high - low) / 2
            guard middle > low, middle < high else { break }
            if twoSided(middle) > probability { low = middle } else { high = middle }
        }
        return low + (high - low) / 2
    }
}

/// The regularised incomplete beta function.
enum IncompleteBeta {
    /// The part of a beta distribution below x, from 0 to 1, by its continued fraction (Abramowitz and Stegun, 26.5.8),
    /// which is evaluated by Lentz's method (Thompson and Barnett, "Coulomb and Bessel functions of complex arguments
    /// and order", 1986). The relative error is below 1e-9 for parameters up to 1e5.
    static func regularised(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        let logarithm = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)
        let factor = exp(logarithm)
        // The fraction converges fast up to the mean of the distribution.
        if x < (a + 1) / (a + b + 2) { return factor * fraction(x, a, b) / a }
        return 1 - factor * fraction(1 - x, b, a) / b
    }

    private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        // Instead of 0, which would divide.
        let tiny = 1e-300
        func notZero(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
        var upper = 1.0
        var lower = 1 / notZero(1 - (a + b) * x / (a + 1))
        var result = lower
        for step in 1...10_000 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            lower = 1 / notZero(1 + even * lower)
            upper = notZero(1 + even / upper)
            result *= lower * upper
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            lower = 1 / notZero(1 + odd * lower)
            upper = notZero(1 + odd / upper)
            let change = lower * upper
            result *= change
            if abs(change - 1) < 1e-15 { break }
        }
        return result
    }
}
