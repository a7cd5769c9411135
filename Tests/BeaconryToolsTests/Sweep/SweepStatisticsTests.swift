// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Foundation
import Testing

@testable import BeaconryTools

/// The statistics of sweeps. The values are those of scipy 1.17.1, by the expressions in front of them.
struct SweepStatisticsTests {
    private static func isClose(_ value: Double?, _ expected: Double, within error: Double = 1e-9) -> Bool {
        value.map { abs($0 - expected) <= error * max(1e-6, abs(expected)) } ?? false
    }

    /// `stats.t.ppf(0.975, degrees)`
    @Test(arguments: [
        (1, 12.706204736174694), (2, 4.302652729749462), (3, 3.1824463052837078), (9, 2.262157162798205),
        (29, 2.045229642132703), (199, 1.9719565442517533), (9999, 1.960201263621357), (99999, 1.9599877077718442),
    ])
    func quantilesOfStudentsDistributionAreExact(_ degrees: Double, _ quantile: Double) {
        #expect(Self.isClose(StudentT(degrees: degrees).quantile(twoSided: 0.05), quantile))
    }

    /// `2 * stats.t.sf(value, degrees)`
    @Test(arguments: [
        (0.5, 1, 0.7048327646991335), (1, 2, 0.4226497308103742), (2.262157, 9, 0.05000001330443163),
        (3, 29, 0.005499192133903412), (5, 199, 1.2547393252500863e-06), (0.001, 9, 0.9992239303259733),
        (40, 3, 3.4380680789158506e-05), (1.96, 99999, 0.049998563222030994), (0, 5, 1), (.infinity, 5, 0),
    ])
    func probabilitiesOfStudentsDistributionAreExact(_ value: Double, _ degrees: Double, _ probability: Double) {
        #expect(Self.isClose(StudentT(degrees: degrees).twoSided(value), probability))
        #expect(StudentT(degrees: degrees).twoSided(-value) == StudentT(degrees: degrees).twoSided(value))
    }

    /// `special.betainc(a, b, x)`
    @Test(arguments: [
        (0.5, 0.5, 0.1, 0.20483276469913345), (2, 3, 0.4, 0.5248), (100, 0.5, 0.99, 0.1567758654244408),
        (5000, 0.5, 0.9999, 0.3173105072579534), (2, 3, 0, 0), (2, 3, 1, 1),
    ])
    func incompleteBetaFunctionIsExact(_ a: Double, _ b: Double, _ x: Double, _ part: Double) {
        #expect(Self.isClose(IncompleteBeta.regularised(x, a, b), part))
    }

    /// `mean(a)`, `std(a, ddof=1)`, `stats.t.interval(0.95, 5, mean(a), stats.sem(a))`, and `stats.ttest_rel(a, b)` with its
    /// `confidence_interval(0.95)`.
    @Test func samplesAreThoseOfAnotherImplementation() throws {
        let first = [2.1, 3.4, 1.9, 4.4, 2.8, 3.0]
        let second = [1.8, 2.9, 2.2, 3.1, 2.5, 2.4]
        let sample = SampleStatistics(first)
        #expect(Self.isClose(sample.mean, 2.9333333333333336) && Self.isClose(sample.spread, 0.9114091653405))
        #expect(Self.isClose(sample.interval?.lowerBound, 1.9768680726971608))
        #expect(Self.isClose(sample.interval?.upperBound, 3.8897985939695063))
        let differences = SampleStatistics(zip(first, second).map { $0 - $1 })
        #expect(Self.isClose(differences.mean, 0.45))
        #expect(Self.isClose(differences.interval?.lowerBound, -0.09631164089641686))
        #expect(Self.isClose(differences.interval?.upperBound, 0.9963116408964168))
        #expect(Self.isClose(differences.probability, 0.08779406994248112))
    }

    @Test func smallAndConstantSamplesHaveWhatThereIs() {
        let none = SampleStatistics([])
        #expect(none.mean == nil && none.spread == nil && none.interval == nil && none.probability == nil)
        let one = SampleStatistics([3])
        #expect(one.mean == 3 && one.spread == nil && one.interval == nil && one.probability == nil)
        let constant = SampleStatistics([2, 2, 2])
        // Both sides of the four combinations of signs.
        #expect(constant.spread == 0 && constant.interval == nil && constant.probability == 0.25)
        #expect(SampleStatistics([-2, -2]).probability == 0.5 && SampleStatistics([0, 0]).probability == 1)
    }

    /// The example of `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")` in R, worked out by hand: 0.005 * 4, 0.01 * 3, 0.03 * 2, and 0.04, which
    /// is not below the one before.
    @Test func severalProbabilitiesAreCorrected() throws {
        let adjusted = Holm.adjusted([0.01, 0.04, nil, 0.03, 0.005])
        #expect(adjusted[2] == nil)
        for (value, expected) in zip([0, 1, 3, 4].map { adjusted[$0] }, [0.03, 0.06, 0.06, 0.02]) {
            #expect(Self.isClose(value, expected))
        }
        #expect(Holm.adjusted([0.6, 0.9]) == [1, 1])
    }

    // MARK: - Coverage

    /// Intervals hold the true value in about 95 % of samples.
    @Test(arguments: [3, 10, 50]) func intervalsOfMeansHoldTheTrueMean(_ count: Int) {
        var generator = SplitMix64(seed: 7)
        var held = (single: 0, paired: 0)
        for _ in 0..<1000 {
            let first = (0..<count).map { _ in 1.5 + 0.5 * Self.gaussian(&generator) }
            // As with common random numbers, the second depends on the first.
            let second = first.map { $0 + 0.2 + 0.3 * Self.gaussian(&generator) }
            if SampleStatistics(first).interval?.contains(1.5) == true { held.single += 1 }
            let differences = SampleStatistics(zip(second, first).map { $0 - $1 })
            if differences.interval?.contains(0.2) == true { held.paired += 1 }
        }
        #expect((930...970).contains(held.single) && (930...970).contains(held.paired), "\(held)")
    }

    /// The exact coverage of Wilson's interval is 94.1, 95.6 and 95.3 % here (`sum` of `stats.binom.pmf`).
    @Test(arguments: [(0.8, 100), (0.12, 60), (0.5, 199)]) func intervalsOfRatesHoldTheTrueRate(
        _ rate: Double, _ runs: Int
    ) {
        var generator = SplitMix64(seed: 3)
        var held = 0
        for _ in 0..<1000 {
            let passed = (0..<runs).count { _ in Double.random(in: 0..<1, using: &generator) < rate }
            if PassRate(passed: passed, runs: runs).interval.contains(rate) { held += 1 }
        }
        #expect((930...970).contains(held), "\(held)")
    }

    private static func gaussian(_ generator: inout SplitMix64) -> Double {
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }

    // MARK: - Texts

    @Test(arguments: [
        (1.33372, "1.334"), (0.021234, "0.02123"), (12345.6, "12346"), (0, "0"), (-2.5, "-2.5"), (100, "100"),
        (0.1, "0.1"),
        (1e-12, "0"), (99.999, "100"),
    ])
    func numbersHaveFourDigits(_ value: Double, _ text: String) { #expect(SignificantDigits.text(value) == text) }

    @Test(arguments: [(1.23456789, 1.23457), (123_456_789, 123_457_000), (0, 0), (-0.000123456789, -0.000123457)])
    func numbersOfRecordsHaveSixDigits(_ value: Double, _ rounded: Double) {
        #expect(abs(SignificantDigits.rounded(value) - rounded) <= 1e-12 * abs(rounded))
    }
}
