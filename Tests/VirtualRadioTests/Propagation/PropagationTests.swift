// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import VirtualRadio

@Suite
struct PropagationTests {
    // MARK: - Mean loss

    @Test(arguments: [(2.0, 1.0, 59.0), (2, 10, 79), (2, 100, 99), (1.6, 10, 75), (3, 0.1, 29)])
    func lossGrowsWithTheLogarithmOfTheDistance(exponent: Double, distance: Double, loss: Double) {
        #expect(abs(Propagation(exponent: exponent).loss(overMetres: distance) - loss) < 1e-9)
    }

    @Test
    func placesOfTheSameAntennaHaveAFiniteLoss() {
        #expect(Propagation().loss(overMetres: 0) == 19)
        #expect(Propagation().loss(overMetres: .infinity) == .infinity)
    }

    @Test
    func everythingElseIsOffByDefault() {
        #expect(Propagation().isDeterministic)
        #expect(Propagation().receptionProbability(rssi: -127, bits: 376) == 1)
        for (name, propagation) in Propagation.environments { #expect(!propagation.isDeterministic, "\(name)") }
    }

    // MARK: - Walls

    @Test
    func wallLossesOfAPathAreAdded() {
        var propagation = Propagation()
        propagation.walls = [
            .init(from: Position(x: 4, y: 0), to: Position(x: 4, y: 6), loss: 6),
            .init(from: Position(x: 6, y: 0), to: Position(x: 6, y: 6), loss: 3),
        ]
        let west = Position(x: 0, y: 3)
        #expect(propagation.wallLoss(from: west, to: Position(x: 3, y: 3)) == 0)
        #expect(propagation.wallLoss(from: west, to: Position(x: 5, y: 3)) == 6)
        #expect(propagation.wallLoss(from: Position(x: 9, y: 3), to: west) == 9)
        #expect(propagation.wallLoss(from: west, to: Position(x: 9, y: 30)) == 0, "the path passes the ends")
        #expect(propagation.wallLoss(from: west, to: Position(x: -9, y: 3)) == 0)
    }

    // MARK: - Reception

    /// An iBeacon frame: 47 bytes on the air.
    @Test(arguments: [(3.0, 0.001), (2, 0.010), (1, 0.07), (0, 0.31), (-1, 0.74), (-2, 0.98)])
    func packetsNearTheSensitivityAreLost(margin: Double, loss: Double) {
        let propagation = Propagation(sensitivity: -95)
        let measured = 1 - propagation.receptionProbability(rssi: -95 + margin, bits: 376)
        #expect(abs(measured - loss) < max(0.01, loss * 0.05))
    }
}

@Suite
struct DrawsTests {
    @Test
    func drawsDependOnSeedNamesNumberAndPurpose() {
        let draws = Draws(seed: 1, "door", "phone")
        let all: Set<UInt64> = [
            draws.bits(0, 0), draws.bits(1, 0), draws.bits(0, 1), Draws(seed: 2, "door", "phone").bits(0, 0),
            Draws(seed: 1, "phone", "door").bits(0, 0), Draws(seed: 1, "doorphone").bits(0, 0),
            Draws(seed: 1, "door").bits(0, 0),
        ]
        #expect(all.count == 7)
        #expect(Draws(seed: 1, "door", "phone").bits(7, 3) == draws.bits(7, 3))
    }

    @Test
    func normalsAreNormal() {
        let draws = Draws(seed: 5, "x")
        let numbers = (0..<20_000).flatMap { [draws.normals($0, 0).0, draws.normals($0, 0).1] }
        #expect(abs(numbers.mean) < 0.02)
        #expect(abs(numbers.deviation - 1) < 0.02)
        #expect(abs(numbers.correlation(lag: 2)) < 0.02)
        #expect(abs(Double(numbers.count { abs($0) < 1.96 }) / Double(numbers.count) - 0.95) < 0.005)
    }

    @Test
    func wholeNumbersReachBothEnds() {
        let draws = Draws(seed: 5, "x")
        #expect(Set((0..<200).map { draws.upTo(3, $0, 0) }) == [0, 1, 2, 3])
    }
}

/// The statistics of the model, against those of recordings (docs/physics.md).
@Suite
struct PairFadingTests {
    private static let office = Propagation.environments[2].propagation

    /// The gains of packets while the second antenna walks from (1, 0) to the east.
    /// - Parameter step: the movement between two packets in metres.
    private static func gains(_ count: Int, pair: Int, step: Double, channel: (Int) -> Int) -> [Double] {
        let fixed = Position(x: 0, y: 0)
        var fading = PairFading(office, Draws(seed: 7, "beacon \(pair)", "phone"), fixed, Position(x: 1, y: 0))
        return (0..<count).map { number in
            fading.gain(
                office, packet: UInt64(number + 1), channel: channel(number), isInSight: true, from: fixed,
                to: Position(x: 1 + Double(number) * step, y: 0))
        }
    }

    @Test
    func restingLinkHasOneMeanPerChannel() {
        var ranges: [Double] = []
        var within: [Double] = []
        for pair in 0..<400 {
            let channels = (0..<3).map { channel in Self.gains(60, pair: pair, step: 0) { _ in channel } }
            let means = channels.map(\.mean)
            ranges.append((means.max() ?? 0) - (means.min() ?? 0))
            within += channels.map(\.deviation)
        }
        #expect(abs(ranges.sorted()[200] - 4.8) < 0.7)
        #expect(abs(ranges.sorted()[360] - 9.1) < 1.5)
        #expect(abs(within.mean - 3.8) < 0.7)
    }

    @Test
    func movingLinkHasTheSpreadAndCorrelationOfRecordings() {
        let walks = (0..<100).map { pair in Self.gains(600, pair: pair, step: 0.125) { $0 % 3 } }
        let all = walks.flatMap { walk in walk.map { $0 - walk.mean } }
        #expect(abs(all.deviation - 5.2) < 0.7)
        let sorted = all.sorted()
        for (percent, value) in [(1, -14.8), (5, -9.6), (25, -3.2), (50, 0.6), (75, 3.8), (95, 7.5), (99, 10.2)] {
            let measured = sorted[sorted.count * percent / 100]
            #expect(abs(measured - value) < 1.5, "percentile \(percent): \(measured)")
        }
        for (metres, correlation) in [(0.25, 0.18), (0.5, 0.13), (0.75, 0.10), (1, 0.07), (1.5, 0.04), (2, 0.02)] {
            let lag = Int(metres / 0.125)
            let measured = walks.map { $0.correlation(lag: lag) }.mean
            #expect(abs(measured - correlation) < 0.06, "over \(metres) m")
        }
    }

    @Test
    func oneMorePairChangesNothing() {
        #expect(Self.gains(50, pair: 1, step: 0.3) { $0 % 3 } == Self.gains(50, pair: 1, step: 0.3) { $0 % 3 })
        #expect(Self.gains(50, pair: 1, step: 0.3) { $0 % 3 } != Self.gains(50, pair: 2, step: 0.3) { $0 % 3 })
    }

    @Test
    func lossesFollowTheProbability() {
        let here = Position(x: 0, y: 0)
        let propagation = Propagation(sensitivity: -95)
        var fading = PairFading(propagation, Draws(seed: 3, "a", "b"), here, here)
        let received = (0..<4000).count { number in
            fading.receives(propagation, packet: UInt64(number), rssi: -95, bits: 376)
        }
        #expect(abs(Double(received) / 4000 - 0.69) < 0.03)
    }
}

extension [Double] {
    fileprivate var mean: Double { reduce(0, +) / Double(count) }

    fileprivate var deviation: Double {
        let mean = mean
        return (map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(count - 1)).squareRoot()
    }

    /// The autocorrelation at a distance.
    fileprivate func correlation(lag: Int) -> Double {
        let mean = mean
        let variance = map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(count)
        let covariance = zip(self, dropFirst(lag)).map { ($0 - mean) * ($1 - mean) }.reduce(0, +) / Double(count - lag)
        return covariance / variance
    }
}
