// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The power of a direct path and of reflections in dB (Rice, 1944) from random bits, by a table of quantiles.
///
/// The mean power is 1. Between two of the 2,048 quantiles the distribution is uniform in dB; in the first and the last bin
/// there are another 2,048 each (bench: two normal numbers and a logarithm for each packet and receiver take twice the time).
struct RiceQuantiles: Sendable {
    private static let binBits: UInt32 = 11
    private static let binCount = 1 << 11
    /// The parts in which the distribution is integrated.
    private static let stepCount = 4_096

    /// The tables by the ratio of direct path to reflections; a process has few of them.
    private static let tables = Mutex<[Double: RiceQuantiles]>([:])

    /// The highest power in dB. Without a limit, the reflections have a higher amplitude with a probability of 1e-6.
    let highest: Double
    /// The quantiles at 0, 1/2048, …, 1; then the quantiles in the first bin; then the quantiles in the last bin.
    private let table: ConstantTable<Float>

    /// The table for a ratio of the powers of direct path and reflections, of at least 0.
    static func quantiles(ratio: Double) -> RiceQuantiles {
        tables.withLock { tables in
            if let table = tables[ratio] { return table }
            let table = RiceQuantiles(ratio: ratio)
            tables[ratio] = table
            return table
        }
    }

    private init(ratio: Double) {
        let distribution = Distribution(ratio: ratio, stepCount: Self.stepCount)
        let (count, width) = (Self.binCount, 1 / Double(Self.binCount))
        highest = distribution.highest
        table = ConstantTable(
            distribution.quantiles(from: 0, length: 1, count)
                + distribution.quantiles(from: 0, length: width, count)
                + distribution.quantiles(from: 1 - width, length: width, count))
    }

    /// The amplitude of reflections in the phase of the direct path.
    /// - Parameter reflections: the amplitude of the reflections, as a multiple of its most frequent value.
    static func amplitude(ratio: Double, reflections: Double) -> Double {
        (ratio / (ratio + 1)).squareRoot() + reflections * (1 / (2 * (ratio + 1))).squareRoot()
    }

    /// The power in dB of 32 random bits.
    @inline(__always)
    func power(_ bits: UInt32) -> Double {
        let bin = Int(bits >> (32 - Self.binBits))
        guard bin > 0, bin < Self.binCount - 1 else { return tail(bits) }
        return between(bin, Float(bits & ((1 << (32 - Self.binBits)) - 1)) * (1 / Float(1 << (32 - Self.binBits))))
    }

    /// The power of bits in the first or the last bin.
    @inline(never)
    private func tail(_ bits: UInt32) -> Double {
        let rest = bits & ((1 << (32 - Self.binBits)) - 1)
        let shift = 32 - 2 * Self.binBits
        let bin = Int(rest >> shift) + (Self.binCount + 1) * (bits >> 31 == 0 ? 1 : 2)
        return between(bin, Float(rest & ((1 << shift) - 1)) * (1 / Float(1 << shift)))
    }

    @inline(__always)
    private func between(_ bin: Int, _ fraction: Float) -> Double {
        let low = table[bin]
        return Double(low + (table[bin + 1] - low) * fraction)
    }
}

/// Rice's distribution, integrated.
private struct Distribution {
    /// The highest power in dB.
    let highest: Double
    private let lowest: Double, step: Double
    /// The probability of each step from `lowest` on.
    private let probabilities: [Double]

    init(ratio: Double, stepCount: Int) {
        let direct = (ratio / (ratio + 1)).squareRoot()
        let reflected = (1 / (2 * (ratio + 1))).squareRoot()
        let (lowest, highest) = (
            // Lower powers have a probability below 1e-8.
            20 * log10(max(direct - 6 * reflected, 3e-5)),
            20 * log10(direct + reflected * (-2 * log(1e-6)).squareRoot())
        )
        let step = (highest - lowest) / Double(stepCount)
        let densities = (0...stepCount).map { number in
            Self.density(lowest + Double(number) * step, direct: direct, reflected: reflected)
        }
        probabilities = zip(densities, densities.dropFirst()).map { ($0 + $1) / 2 * step }
        (self.lowest, self.highest, self.step) = (lowest, highest, step)
    }

    /// The density of a power in dB.
    private static func density(_ decibels: Double, direct: Double, reflected: Double) -> Double {
        let amplitude = pow(10, decibels / 20)
        let variance = reflected * reflected
        let exponent = -(amplitude - direct) * (amplitude - direct) / (2 * variance)
        let density = amplitude / variance * exp(exponent) * scaledBessel(amplitude * direct / variance)
        // By the amplitude, times the amplitude's derivative by the power in dB.
        return density * amplitude * log(10) / 20
    }

    /// The modified Bessel function of order 0, times e^-x, with an error below 2e-7 (Abramowitz and Stegun, 9.8.1, 9.8.2).
    private static func scaledBessel(_ x: Double) -> Double {
        let small = [1, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813]
        let large = [
            0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537, -0.01647633,
            0.00392377,
        ]
        func polynomial(_ coefficients: [Double], _ t: Double) -> Double {
            coefficients.reversed().reduce(0) { $0 * t + $1 }
        }
        return x < 3.75
            ? exp(-x) * polynomial(small, (x / 3.75) * (x / 3.75)) : polynomial(large, 3.75 / x) / x.squareRoot()
    }

    /// The powers in dB with these shares of the distribution below them, at the ends of `count` equal parts.
    func quantiles(from start: Double, length: Double, _ count: Int) -> [Float] {
        var quantiles: [Float] = []
        var (place, below) = (0, 0.0)
        for number in 0...count {
            let share = start + length * Double(number) / Double(count)
            while place < probabilities.count, below + probabilities[place] <= share {
                below += probabilities[place]
                place += 1
            }
            let fraction = place < probabilities.count ? max((share - below) / probabilities[place], 0) : 0
            quantiles.append(Float(lowest + (Double(place) + fraction) * step))
        }
        return quantiles
    }
}
