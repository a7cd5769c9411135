// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import VirtualRadio

@Suite struct RiceQuantilesTests {
    /// The power in dB with this share of the distribution below it.
    private func quantile(_ share: Double, ratio: Double) -> Double {
        RiceQuantiles.quantiles(ratio: ratio).power(UInt32(share * 0x1p32))
    }

    @Test(arguments: [0.0, 0.5, 4, 20, 1_000])
    func meanPowerIsOne(ratio: Double) {
        let quantiles = RiceQuantiles.quantiles(ratio: ratio)
        let count: UInt32 = 1 << 14
        let sum = (0..<count).reduce(0.0) { sum, number in
            sum + pow(10, quantiles.power(number << 18 | 1 << 17) / 10)
        }
        #expect(abs(sum / Double(count) - 1) < 0.002)
    }

    @Test(arguments: [1e-6, 1e-5, 0.0002, 0.0006, 0.01, 0.3, 0.5, 0.9, 0.99, 0.9997, 0.99999])
    func withoutADirectPathPowerIsExponential(share: Double) {
        // Between two quantiles of the second bin, the distribution is the least uniform.
        let tolerance = share < 0.001 ? 0.25 : 0.05
        #expect(abs(quantile(share, ratio: 0) - 10 * log10(-log1p(-share))) < tolerance)
    }

    /// Percentiles of 200,000 pairs of normal numbers of another generator.
    @Test(arguments: [
        (4.0, [-11.69, -6.86, -2.57, -0.45, 1.28, 3.28, 4.44]), (20.0, [-3.99, -2.67, -1.07, -0.10, 0.76, 1.88, 2.56]),
    ])
    func percentilesAreThoseOfRice(ratio: Double, percentiles: [Double]) {
        for (share, percentile) in zip([0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99], percentiles) {
            #expect(abs(quantile(share, ratio: ratio) - percentile) < 0.25)
        }
    }

    @Test(arguments: [0.0, 4, 1e9])
    func quantilesRise(ratio: Double) {
        let quantiles = RiceQuantiles.quantiles(ratio: ratio)
        var last = -90.5
        for bits in stride(from: 0, to: 0x1_0000_0000, by: 99_991) {
            let power = quantiles.power(UInt32(bits))
            #expect(power >= last)
            last = power
        }
        #expect(quantiles.power(.max) <= quantiles.highest + 1e-5)
    }
}
