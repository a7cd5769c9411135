// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

@Suite struct PathLossTests {
    struct Case: Sendable {
        let distance: Double
        let exponent: Double
        let power: Int8
        let strength: Int8
    }

    @Test(arguments: [
        Case(distance: 1, exponent: 2, power: 0, strength: -59),
        Case(distance: 1, exponent: 2, power: -20, strength: -79),
        Case(distance: 2, exponent: 2, power: 0, strength: -65),
        Case(distance: 10, exponent: 2, power: 0, strength: -79),
        Case(distance: 10, exponent: 3, power: 0, strength: -89),
        Case(distance: 0.1, exponent: 2, power: 0, strength: -39),
        Case(distance: 0, exponent: 2, power: 0, strength: -19),
        Case(distance: 0, exponent: 4, power: 20, strength: 20),
        Case(distance: 1e9, exponent: 2, power: 0, strength: -127),
        Case(distance: .infinity, exponent: 2, power: 0, strength: -127),
        Case(distance: .nan, exponent: 2, power: 0, strength: -127),
    ])
    func strengthFallsWithDistance(_ testCase: Case) {
        var generator = SeededGenerator(seed: 1, stream: 1)
        let strength = PathLoss(exponent: testCase.exponent).receivedStrength(
            transmitted: testCase.power, distance: testCase.distance, correction: 0, generator: &generator)
        #expect(strength == testCase.strength)
    }

    @Test func noiseHasItsDeviationAndNoBias() {
        var generator = SeededGenerator(seed: 1, stream: 1)
        let model = PathLoss(noise: 4)
        let count = 100_000
        let strengths = (0..<count).map { _ in
            Double(model.receivedStrength(transmitted: 0, distance: 1, correction: 0, generator: &generator))
        }
        let mean = strengths.reduce(0, +) / Double(count)
        let variance = strengths.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
        #expect(abs(mean + 59) < 0.05)
        #expect(abs(variance.squareRoot() - 4) < 0.05)
    }

    @Test func reportsFollowPositionsPowerAndCorrection() throws {
        var bench = Bench()
        let advertiser = bench.add(1, position: Position(x: 0, y: 0), power: 4)
        let scanner = bench.add(2, position: Position(x: 6, y: 8))
        bench.scan(scanner)
        try bench.advertise(advertiser)
        func nextStrength() throws -> RSSI {
            _ = bench.takeReports(scanner)
            bench.run(milliseconds: 200)
            return try #require(bench.takeReports(scanner).last).rssi
        }
        #expect(try nextStrength() == RSSI(-75))
        bench.air.setPosition(Position(x: 1, y: 0), of: scanner)
        #expect(try nextStrength() == RSSI(-55))
        #expect(bench.air.position(of: scanner) == Position(x: 1, y: 0))
        bench.air.setStrengthCorrection(-7, of: advertiser)
        #expect(try nextStrength() == RSSI(-62))
        bench.air.setStrengthCorrection(2, of: scanner)
        #expect(try nextStrength() == RSSI(-60))
        bench.air.setPosition(nil, of: scanner)
        #expect(try nextStrength() == RSSI(-60))
    }
}
