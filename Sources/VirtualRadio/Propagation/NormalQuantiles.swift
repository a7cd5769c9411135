// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Numbers of the standard normal distribution from random bits, by a table of quantiles.
///
/// The hottest path of an air with chance takes several for each packet and receiver (bench: a logarithm, a square root and
/// a cosine take ten times as long). Between two of the 2,048 quantiles the distribution is uniform; the tails are exact.
struct NormalQuantiles: Sendable {
    private static let binBits: UInt32 = 11
    private static let binCount = 1 << 11
    /// The quantiles at 0, 1/2048, …, 1; the first and the last are not used.
    private static let table = ConstantTable(quantiles)
    private static let quantiles: [Float] = {
        var upper: [Float] = []
        var quantile = 0.0
        for number in binCount / 2..<binCount {
            quantile = Self.quantile(above: quantile, tail: 1 - Double(number) / Double(binCount))
            upper.append(Float(quantile))
        }
        return [0] + upper.dropFirst().reversed().map { -$0 } + upper + [0]
    }()

    private let table = Self.table

    /// The number of 32 random bits.
    @inline(__always)
    func number(_ bits: UInt32) -> Double {
        let bin = Int(bits >> (32 - Self.binBits))
        guard bin > 0, bin < Self.binCount - 1 else { return Self.tail(bits) }
        let fraction = Float(bits & ((1 << (32 - Self.binBits)) - 1)) * (1 / Float(1 << (32 - Self.binBits)))
        let low = table[bin]
        return Double(low + (table[bin + 1] - low) * fraction)
    }

    @inline(never)
    private static func tail(_ bits: UInt32) -> Double {
        let isUpper = bits >= 1 << 31
        let probability = (Double(isUpper ? ~bits : bits) + 0.5) * 0x1p-32
        let quantile = quantile(above: 3, tail: probability)
        return isUpper ? quantile : -quantile
    }

    /// The quantile with a probability above it, by Newton's method from a lower one on, which cannot overshoot: the tail is
    /// convex.
    private static func quantile(above start: Double, tail: Double) -> Double {
        var quantile = start
        for _ in 0..<100 {
            let density = exp(-quantile * quantile / 2) / (2 * Double.pi).squareRoot()
            let step = (probability(above: quantile) - tail) / density
            quantile += step
            if step < 1e-9 { break }
        }
        return quantile
    }

    /// The probability of a number above this one.
    static func probability(above number: Double) -> Double { erfc(number / 2.0.squareRoot()) / 2 }
}

/// A table that is never freed: a copy of a value with such tables retains nothing (bench: with arrays, the medium copies them
/// for each packet).
struct ConstantTable<Element: Sendable>: @unchecked Sendable {
    private let start: UnsafePointer<Element>

    /// A table of the elements, for the rest of the process: for static properties only.
    init(_ elements: [Element]) {
        let start = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        start.initialize(from: elements, count: elements.count)
        self.start = UnsafePointer(start)
    }

    /// - Parameter index: not checked.
    @inline(__always)
    subscript(index: Int) -> Element { start[index] }
}
