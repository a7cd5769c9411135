// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import HCI
import Space
import Testing
import VirtualRadio

/// The first event of sets, by who enables them and when.
@Suite struct AdvertisingPhaseTests {
    /// The milliseconds from the start to the first packet of each beacon.
    private func firsts(
        seed: UInt64, beacons: [UInt8] = [10], interval: UInt32 = 1600, isOfBeacon: Bool = true,
        drawsPhases: Bool = true
    ) throws -> [BluetoothAddress: Double] {
        var bench = Bench(AirConfiguration(seed: seed))
        let scanner = bench.add(1)
        bench.scan(scanner)
        bench.air.setDrawsPhases(drawsPhases)
        for beacon in beacons {
            try bench.advertise(
                bench.add(beacon, isOfBeacon: isOfBeacon), .nonConnectableUndirected, interval: interval)
        }
        bench.air.setDrawsPhases(false)
        return try firsts(of: beacons.count, interval: interval, scanner, &bench)
    }

    private func firsts(
        of count: Int, interval: UInt32, _ scanner: ControllerIdentifier, _ bench: inout Bench
    ) throws -> [BluetoothAddress: Double] {
        var firsts: [BluetoothAddress: Double] = [:]
        let start = bench.air.now
        while firsts.count < count, bench.air.now - start <= Int64(interval) * 625 {
            bench.air.advance(to: try #require(bench.air.nextDeadline))
            for report in bench.takeReports(scanner) where firsts[report.address] == nil {
                firsts[report.address] = Double(bench.air.now - start) / 1000
            }
        }
        return firsts
    }

    @Test(arguments: [UInt32(160), 1600, 16384])
    func phaseIsUniformInTheInterval(interval: UInt32) throws {
        let milliseconds = Double(interval) * 0.625
        let phases = try (1...120).flatMap { seed in
            try firsts(seed: UInt64(seed), beacons: Array(10..<20), interval: interval).values.map { $0 / milliseconds }
        }.sorted()
        #expect(phases.count == 1200)
        // Kolmogorov and Smirnov, with a probability of 0.1 % for a uniform distribution.
        let distance = phases.enumerated().map { abs($0.element - (Double($0.offset) + 0.5) / 1200) }.max() ?? 1
        #expect(distance < 1.95 / 1200.squareRoot())
    }

    @Test func anotherBeaconChangesNoPhase() throws {
        let few = try firsts(seed: 7, beacons: [10, 11])
        let more = try firsts(seed: 7, beacons: [12, 10, 13, 11])
        for (address, phase) in few { #expect(more[address] == phase) }
        #expect(Set(more.values).count == 4)
        #expect(try firsts(seed: 7, beacons: [10, 11]) == few)
    }

    @Test(arguments: [(true, false), (false, true)])
    func othersBeginAtOnce(isOfBeacon: Bool, drawsPhases: Bool) throws {
        for seed in 1...50 {
            let first = try #require(
                firsts(seed: UInt64(seed), isOfBeacon: isOfBeacon, drawsPhases: drawsPhases).values.first)
            #expect(first <= 10)
        }
    }

    @Test func setThatIsEnabledAgainBeginsAtOnce() throws {
        var bench = Bench()
        let (scanner, beacon) = (bench.add(1), bench.add(10, isOfBeacon: true))
        bench.scan(scanner)
        bench.air.setDrawsPhases(true)
        try bench.advertise(beacon, interval: 16384)
        bench.air.setDrawsPhases(false)
        bench.expectSuccess(LESetAdvertisingEnable(enable: 0), beacon)
        bench.expectSuccess(LESetAdvertisingEnable(enable: 1), beacon)
        bench.run(milliseconds: 10)
        #expect(bench.takeReports(scanner).count == 1)
    }

    /// The delays after the first event are those of a beacon that begins at once.
    @Test func intervalsDoNotDependOnThePhase() throws {
        func times(_ drawsPhases: Bool) throws -> [AirTime] {
            var bench = Bench()
            let (scanner, beacon) = (bench.add(1), bench.add(10, isOfBeacon: true))
            bench.scan(scanner)
            bench.air.setDrawsPhases(drawsPhases)
            try bench.advertise(beacon)
            var times: [AirTime] = []
            while times.count < 20 {
                bench.air.advance(to: try #require(bench.air.nextDeadline))
                if !bench.takeReports(scanner).isEmpty { times.append(bench.air.now) }
            }
            return zip(times, times.dropFirst()).map { $1 - $0 }
        }
        #expect(try times(true) == times(false))
    }

    // MARK: - Collisions

    struct Crowd: Sendable {
        let beacons: UInt8
        /// In ticks.
        let interval: UInt32
        let seeds: UInt64
    }

    /// The formula of docs/physics.md.
    @Test(arguments: [
        Crowd(beacons: 20, interval: 160, seeds: 100), Crowd(beacons: 20, interval: 1600, seeds: 200),
        Crowd(beacons: 100, interval: 160, seeds: 20), Crowd(beacons: 100, interval: 1600, seeds: 40),
    ])
    func shareThatIsLostIsThatOfTheFormula(_ crowd: Crowd) throws {
        let interval = Double(crowd.interval) * 0.625
        let expected = 1 - exp(-2 * 0.376 * Double(crowd.beacons - 1) / (interval + 5))
        let losses = try (1...crowd.seeds).map { seed in
            var bench = Bench(AirConfiguration(seed: seed, propagation: Propagation(capture: 8)))
            let scanner = bench.add(1)
            bench.scan(scanner, interval: 16384, window: 16384)
            bench.air.setDrawsPhases(true)
            let data = [30, 0xFF] + [UInt8](repeating: 7, count: 29)
            for beacon in 2..<2 + crowd.beacons {
                try bench.advertise(
                    bench.add(beacon, isOfBeacon: true), .nonConnectableUndirected, interval: crowd.interval, data: data
                )
            }
            bench.run(milliseconds: Int64(interval * 9))
            return 1 - Double(bench.takeReports(scanner).count) / Double(bench.air.advertisingEvents)
        }
        let mean = losses.reduce(0, +) / Double(losses.count)
        let variance = losses.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(losses.count - 1)
        let error = (variance / Double(losses.count)).squareRoot()
        #expect(abs(mean - expected) < 3.3 * error + 0.001, "\(mean) ± \(error), \(expected)")
    }
}
