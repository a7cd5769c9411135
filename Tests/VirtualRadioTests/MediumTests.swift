// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import Testing

@testable import VirtualRadio

@Suite struct MediumTests {
    struct Case: Sendable {
        let distance: Double
        let exponent: Double
        let power: Int8
        let rssi: Int8
    }

    @Test(arguments: [
        Case(distance: 1, exponent: 2, power: 0, rssi: -59),
        Case(distance: 1, exponent: 2, power: -20, rssi: -79),
        Case(distance: 2, exponent: 2, power: 0, rssi: -65),
        Case(distance: 10, exponent: 2, power: 0, rssi: -79),
        Case(distance: 10, exponent: 3, power: 0, rssi: -89),
        Case(distance: 0.1, exponent: 2, power: 0, rssi: -39),
        Case(distance: 0, exponent: 2, power: 0, rssi: -19),
        Case(distance: 0, exponent: 4, power: 20, rssi: 20),
        Case(distance: 1e9, exponent: 2, power: 0, rssi: -127),
        Case(distance: .infinity, exponent: 2, power: 0, rssi: -127),
        Case(distance: .nan, exponent: 2, power: 0, rssi: -127),
    ])
    func rssiFallsWithDistance(_ testCase: Case) {
        var medium = Medium(Propagation(exponent: testCase.exponent), seed: 1)
        for (index, x) in [0, testCase.distance].enumerated() {
            medium.addController(
                index, ControllerConfiguration(publicAddress: .zero, position: Position(x: x, y: 0)))
        }
        let rssi = medium.rssi(
            of: Packet(transmitter: 0, power: testCase.power, channel: 0, bits: 376), at: 1, now: 0)
        #expect(rssi == testCase.rssi)
    }

    @Test func noiseHasItsDeviationAndNoBias() {
        var medium = Medium(Propagation(packetDeviation: 4), seed: 1)
        for index in 0...1 { medium.addController(index, ControllerConfiguration(publicAddress: .zero)) }
        let count = 100_000
        let values = (0..<count).compactMap { number in
            medium.rssi(of: Packet(transmitter: 0, power: 0, channel: 0, bits: nil), at: 1, now: AirTime(number) * 100)
                .map(Double.init)
        }
        #expect(values.count == count)
        let mean = values.reduce(0, +) / Double(count)
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
        #expect(abs(mean + 59) < 0.05)
        #expect(abs(variance.squareRoot() - 4) < 0.05)
    }

    @Test func reportsFollowPositionsPowerAndOffset() throws {
        var bench = Bench()
        let advertiser = bench.add(1, position: Position(x: 0, y: 0), power: 4)
        let scanner = bench.add(2, position: Position(x: 6, y: 8))
        bench.scan(scanner)
        try bench.advertise(advertiser)
        func nextRSSI() throws -> RSSI {
            _ = bench.takeReports(scanner)
            bench.run(milliseconds: 200)
            return try #require(bench.takeReports(scanner).last).rssi
        }
        #expect(try nextRSSI() == RSSI(-75))
        bench.air.setMotion(.rest(Position(x: 1, y: 0)), of: scanner)
        #expect(try nextRSSI() == RSSI(-55))
        #expect(bench.air.position(of: scanner) == Position(x: 1, y: 0))
        bench.air.setRSSIOffset(-7, of: advertiser)
        #expect(try nextRSSI() == RSSI(-62))
        bench.air.setRSSIOffset(2, of: scanner)
        #expect(try nextRSSI() == RSSI(-60))
        bench.air.setMotion(nil, of: scanner)
        #expect(try nextRSSI() == RSSI(-60))
    }

    /// One advertising event reaches the receivers that are on one of its channels and know its PDUs.
    @Test func mediumDecidesWhoReceivesAnEvent() {
        var medium = Medium(Propagation(), seed: 1)
        for (index, x) in [0.0, 1, 10].enumerated() {
            medium.addController(
                index, ControllerConfiguration(publicAddress: .zero, position: Position(x: x, y: 0)))
        }
        func receiver(_ controller: Int, isExtended: Bool = true) -> Receiver {
            Receiver(controller: controller, isExtended: isExtended, start: 0, interval: 10_000, window: 5_000)
        }
        func event(channels: UInt8 = 7, isLegacy: Bool = true) -> AdvertisingEvent {
            AdvertisingEvent(transmitter: 0, power: 0, channels: channels, isLegacy: isLegacy, bits: 376)
        }
        #expect(medium.rssi(of: event(), at: receiver(0), now: 0) == nil)
        #expect(medium.rssi(of: event(), at: receiver(1), now: 0) == -59)
        #expect(medium.rssi(of: event(), at: receiver(2), now: 0) == -79)
        #expect(medium.rssi(of: event(), at: receiver(2), now: 5_000) == nil)
        #expect(medium.rssi(of: event(channels: 1), at: receiver(2), now: 10_000) == nil)
        #expect(medium.rssi(of: event(channels: 2), at: receiver(2), now: 10_000) == -79)
        #expect(medium.rssi(of: event(isLegacy: false), at: receiver(2, isExtended: false), now: 0) == nil)
        #expect(medium.rssi(of: event(isLegacy: false), at: receiver(2), now: 0) == -79)
    }
}
