// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import HCI
import Space
import Testing

@testable import VirtualRadio

/// Controllers that move: the RSSI of each packet follows the positions at its time.
@Suite struct MovementTests {
    /// From 10 m in front of a beacon to 10 m behind it, 1 m beside it, in 20 s.
    private static func walk() throws -> Motion {
        .path(
            try #require(
                Motion.Path(through: [Position(x: -10, y: 1), Position(x: 10, y: 1)], speed: 1)))
    }

    @Test func rssiFollowsThePathExactly() throws {
        var medium = Medium(Propagation(exponent: 2), seed: 1)
        medium.addController(0, ControllerConfiguration(publicAddress: .zero, position: Position(x: 0, y: 0)))
        medium.addController(1, ControllerConfiguration(publicAddress: .zero, motion: try Self.walk()))
        for step in 0...2_500 {
            let time = AirTime(step) * 10_000
            let x = min(-10 + Double(step) / 100, 10)
            let expected = (-59 - 10 * log10(x * x + 1)).rounded()
            for (from, to) in [(0, 1), (1, 0)] {
                let rssi = medium.rssi(
                    of: Packet(transmitter: from, power: 0, channel: 0, bits: 376), at: to, now: time)
                #expect(rssi == Int8(expected), "\(time)")
            }
        }
    }

    @Test func reportsFollowAMotionUntilTheControllerIsMoved() throws {
        var bench = Bench()
        let advertiser = bench.add(1, position: Position(x: 0, y: 0))
        let scanner = bench.add(2)
        bench.scan(scanner)
        try bench.advertise(advertiser)
        bench.run(milliseconds: 10_000)
        bench.air.setMotion(try Self.walk(), of: scanner)
        // The time counts from the start of the air: after 10 s it is beside the beacon.
        #expect(try #require(bench.air.position(of: scanner)).distance(to: Position(x: 0, y: 1)) < 1e-9)
        _ = bench.takeReports(scanner)
        bench.run(milliseconds: 10_000)
        let walking = bench.takeReports(scanner).map(\.rssi.decibelMilliwatts)
        #expect(walking.count > 80 && walking.first == -59 && walking.last == -79)
        #expect(walking == walking.sorted(by: >) && Set(walking) == Set(-79 ... -59))
        bench.air.setMotion(.rest(Position(x: 2, y: 0)), of: scanner)
        bench.run(milliseconds: 1_000)
        #expect(Set(bench.takeReports(scanner).map(\.rssi.decibelMilliwatts)) == [-65])
        bench.air.setMotion(nil, of: scanner)
        #expect(bench.air.position(of: scanner) == nil)
        bench.run(milliseconds: 1_000)
        #expect(Set(bench.takeReports(scanner).map(\.rssi.decibelMilliwatts)) == [-59])
    }

    /// Without a motion of the one, the position of the other has no effect.
    @Test func pathStatusHasThePresentDistance() throws {
        var medium = Medium(Propagation(exponent: 2), seed: 1)
        medium.addController(0, ControllerConfiguration(publicAddress: .zero, position: Position(x: 0, y: 0)))
        medium.addController(1, ControllerConfiguration(publicAddress: .zero, motion: try Self.walk()))
        medium.addController(2, ControllerConfiguration(publicAddress: .zero))
        let passing = medium.path(from: 0, power: 0, to: 1, at: 10_000_000)
        #expect(abs(try #require(passing.distance) - 1) < 1e-9 && abs(passing.meanRSSI + 59) < 1e-9)
        let end = medium.path(from: 0, power: 0, to: 1, at: 60_000_000)
        #expect(abs(try #require(end.distance) - 101.squareRoot()) < 1e-9)
        #expect(medium.path(from: 0, power: 0, to: 2, at: 0).distance == nil)
        #expect(medium.path(from: 1, power: 0, to: 2, at: 0).meanRSSI == -59)
    }

    /// Shadowing and fading change while one end moves, and are constant while both rest.
    @Test func fadingChangesWithMovementOnly() throws {
        func values(_ motion: Motion) -> Set<Int8?> {
            let propagation = Propagation(
                shadowing: Propagation.Shadowing(deviation: 2.7, distance: 0.75), directPathRatio: 4)
            var medium = Medium(propagation, seed: 3)
            medium.addController(
                0, ControllerConfiguration(publicAddress: .zero, name: "a", position: Position(x: 0, y: 0)))
            medium.addController(1, ControllerConfiguration(publicAddress: .zero, name: "b", motion: motion))
            return Set(
                (0..<200).map { step in
                    medium.rssi(
                        of: Packet(transmitter: 0, power: 0, channel: 1, bits: nil), at: 1, now: AirTime(step) * 100_000
                    )
                })
        }
        // The circle has a constant distance, so that only chance changes the RSSI.
        let orbit = try #require(Motion.Orbit(centre: Position(x: 0, y: 0), radius: 3, period: .seconds(20)))
        #expect(values(.orbit(orbit)).count > 4)
        #expect(values(.rest(Position(x: 3, y: 0))).count == 1)
    }

    @Test func maximumSpeedIsThatOfTheFastestPart() throws {
        let walk = try Self.walk()
        #expect(abs(walk.maximumSpeed - 1) < 1e-9)
        #expect(Motion.rest(Position(x: 3, y: 0)).maximumSpeed == 0)
        let orbit = try #require(Motion.Orbit(centre: Position(x: 0, y: 0), radius: 10, period: .seconds(20)))
        #expect(abs(Motion.orbit(orbit).maximumSpeed - .pi) < 1e-9)
        let points = [(0.0, 0.0), (1, 2), (3, 12), (4, 12)].map { Motion.Path.Point($0, Position(x: $1, y: 0)) }
        #expect(Motion.path(try #require(Motion.Path(points))).maximumSpeed == 5)
        // One that begins again elsewhere, or is at two places at one time, jumps.
        #expect(Motion.path(try #require(Motion.Path(points, repeats: true))).maximumSpeed == .infinity)
        let jump = Motion.Path.Point(4, Position(x: 0, y: 0))
        #expect(Motion.path(try #require(Motion.Path(points + [jump]))).maximumSpeed == .infinity)
    }
}
