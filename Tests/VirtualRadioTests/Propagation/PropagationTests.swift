// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import Space
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
        #expect(propagation.obstacleLoss(from: west, to: Position(x: 3, y: 3)) == 0)
        #expect(propagation.obstacleLoss(from: west, to: Position(x: 5, y: 3)) == 6)
        #expect(propagation.obstacleLoss(from: Position(x: 9, y: 3), to: west) == 9)
        #expect(propagation.obstacleLoss(from: west, to: Position(x: 9, y: 30)) == 0, "the path passes the ends")
        #expect(propagation.obstacleLoss(from: west, to: Position(x: -9, y: 3)) == 0)
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
struct FadingTests {
    private static let office = Propagation.environments[2].propagation
    private static let hall = Propagation.environments[1].propagation

    /// The gains of packets while the second antenna walks from (1, 0) to the east.
    /// - Parameter step: the movement between two packets in metres.
    private static func gains(
        _ count: Int, in model: Propagation = office, pair: Int, step: Double, channel: (Int) -> Int
    ) -> [Double] {
        let fading = Fading(model, seed: 7 + UInt64(pair))
        var beacon = fading.antenna(Draws(seed: 7, "beacon \(pair)"))
        var phone = fading.antenna(Draws(seed: 7, "phone \(pair)"))
        fading.move(&beacon, to: Position(x: 0, y: 0), heading: nil)
        return (0..<count).map { number in
            fading.move(&phone, to: Position(x: 1 + Double(number) * step, y: 0), heading: 0)
            return fading.gain(
                beacon, phone, bits: fading.bits(beacon, phone, number: UInt64(number)),
                packetDeviation: model.packetDeviation, channel: channel(number), isInSight: true, least: -.infinity)
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
        let walks = (0..<100).map { pair in Self.gains(600, in: Self.hall, pair: pair, step: 0.125) { $0 % 3 } }
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

    /// An antenna that returns to a place finds the same shadowing and fading there; the noise of packets differs.
    @Test
    func sameNumberAtTheSamePlaceHasTheSameGain() {
        let fading = Fading(Self.office)
        var antennas = ["a", "b"].map { fading.antenna(Draws(seed: 3, $0)) }
        func gain(_ x: Double, number: UInt64, reverse: Bool = false) -> Double {
            fading.move(&antennas[1], to: Position(x: x, y: 0, z: 0), heading: 0)
            let (one, other) = reverse ? (antennas[1], antennas[0]) : (antennas[0], antennas[1])
            return fading.gain(
                one, other, bits: fading.bits(one, other, number: number), packetDeviation: Self.office.packetDeviation,
                channel: 1, isInSight: true, least: -.infinity)
        }
        let here = gain(0.2, number: 5)
        #expect(gain(7, number: 5) != here && gain(0.2, number: 6) != here)
        #expect(gain(0.2, number: 5) == here && gain(0.2, number: 5, reverse: true) == here)
        // So have other antennas without a place.
        let others = (0..<20).map { fading.antenna(Draws(seed: 3, "\($0)")) }
        let gains = others.map {
            fading.gain(
                antennas[0], $0, bits: 0, packetDeviation: Self.office.packetDeviation, channel: 1, isInSight: true,
                least: -.infinity)
        }
        #expect(Set(gains).count == 20)
        // A place that is not finite has a gain as well.
        #expect(gain(.infinity, number: 5).isFinite && gain(.nan, number: 5).isFinite)
    }

    @Test
    func gainsBelowTheLeastAreNotCalculatedExactly() {
        let fading = Fading(Self.office)
        let one = fading.antenna(Draws(seed: 3, "a"))
        for number in 0..<2_000 {
            let other = fading.antenna(Draws(seed: 3, "\(number)"))
            let bits = fading.bits(one, other, number: 1)
            func gain(_ least: Double) -> Double {
                fading.gain(
                    one, other, bits: bits, packetDeviation: Self.office.packetDeviation, channel: 0,
                    isInSight: number % 2 == 0, least: least)
            }
            let exact = gain(-.infinity)
            for least in [-20.0, -5, 0, 5, 12, 25] {
                #expect(gain(least) == exact || gain(least) < least && exact < least)
            }
        }
    }

    /// The upper bound of the distribution is one, and not far from it.
    @Test
    func boundOfTheGainsIsAboveAllOfThem() {
        for (name, propagation) in Propagation.environments {
            let fading = Fading(propagation)
            let gains = fading.boundedGains()
            #expect(abs(gains.map(\.probability).reduce(0, +) - 1) < 1e-6, "\(name)")
            let one = fading.antenna(Draws(seed: 3, "a"))
            let drawn = (0..<50_000).map { number in
                let other = fading.antenna(Draws(seed: 3, "\(number)"))
                return fading.gain(
                    one, other, bits: fading.bits(one, other, number: 1), packetDeviation: propagation.packetDeviation,
                    channel: 0, isInSight: true, least: -.infinity)
            }
            for limit in [0.0, 5, 8, 12] {
                let share = Double(drawn.count { $0 > limit }) / Double(drawn.count)
                let bound = gains.filter { $0.gain > limit }.map(\.probability).reduce(0, +)
                #expect(share <= bound + 0.002, "\(name), above \(limit) dB")
            }
            let reception = PacketReception(propagation, fading)
            #expect(drawn.allSatisfy { $0 < reception.bounds.maximumGain })
        }
    }
}

@Suite
struct ReceptionTests {
    @Test
    func lossesFollowTheProbability() {
        let propagation = Propagation(sensitivity: -95)
        let reception = PacketReception(propagation, Fading(propagation))
        let draws = Draws(seed: 3, "a")
        for rssi in [-97.5, -96, -95, -94, -92, -88] {
            for bits in [128, 376] {
                let received = (0..<4_000).count { number in
                    let draw = draws.unit(UInt64(number), 0)
                    return rssi + 95 >= reception.threshold(draw: draw)
                        && reception.decodes(excess: rssi + 95, bits: bits, draw: draw)
                }
                let expected = propagation.receptionProbability(rssi: rssi, bits: bits)
                #expect(abs(Double(received) / 4_000 - expected) < 0.03, "\(rssi) dBm, \(bits) bits")
            }
        }
    }

    /// The tables decide as the formula does.
    @Test
    func thresholdsChangeNoDecision() {
        let propagation = Propagation(sensitivity: -95)
        let reception = PacketReception(propagation, Fading(propagation))
        let draws = Draws(seed: 4, "a")
        for number in UInt64(0)..<20_000 {
            let draw = draws.unit(number, 0)
            let rssi = -105 + 20 * draws.unit(number, 1)
            let bits = [128, 136, 376][Int(number % 3)]
            let isDecoded =
                rssi + 95 >= reception.threshold(draw: draw)
                && reception.decodes(excess: rssi + 95, bits: bits, draw: draw)
            #expect(isDecoded == (draw < propagation.receptionProbability(rssi: rssi, bits: bits)))
        }
    }

    /// Computed by hand: a receiver without fading decodes 128 bits with a probability of 1e-6 at 5.96 dB below the
    /// sensitivity.
    @Test
    func rangeEndsWhereReceptionIsNegligible() {
        let plain = Propagation(sensitivity: -95)
        #expect(abs(PacketReception(plain, Fading(plain)).minimumMean + 100.9) < 0.3)
        #expect(PacketReception(Propagation(capture: 8), Fading(Propagation())).minimumMean == -.infinity)
        let office = Propagation.environments[2].propagation
        let minimum = PacketReception(office, Fading(office)).minimumMean
        #expect(minimum < -105 && minimum > -125)
    }

    @Test
    func logarithmsAreThoseOfTheLibrary() {
        let logarithm = NaturalLogarithm()
        for number in 0..<10_000 {
            let value = exp(Double(number) / 100 - 50)
            #expect(abs(logarithm(value) - log(value)) < 1e-7)
        }
        #expect(logarithm(.infinity) > 700)
    }

    @Test
    func quantilesAreThoseOfTheNormalDistribution() {
        let normals = NormalQuantiles()
        // Of a published table: the probabilities below 1, 1.959964, 3.090232 and 4.753424.
        for (probability, quantile) in [(0.841344746, 1), (0.975, 1.959964), (0.999, 3.090232), (0.999999, 4.753424)] {
            let bits = UInt32(probability * 0x1p32)
            #expect(abs(normals.number(bits) - quantile) < 0.003, "\(quantile)")
            #expect(abs(normals.number(~bits) + quantile) < 0.003, "-\(quantile)")
        }
        #expect(normals.number(0) < -6 && normals.number(.max) > 6)
        #expect(abs(normals.number(1 << 31)) < 1e-6)
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
