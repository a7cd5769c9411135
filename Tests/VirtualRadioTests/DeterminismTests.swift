// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import TestSupport
import Testing
import VirtualRadio

@Suite struct DeterminismTests {
    /// All bytes that three hosts receive in ten seconds of a busy air.
    private func run(seed: UInt64) throws -> [UInt8] {
        var bench = Bench(AirConfiguration(seed: seed, propagation: Propagation(packetDeviation: 3)))
        let hosts = [UInt8(1), 2, 3].map { bench.add($0, position: Position(x: Double($0), y: 0)) }
        bench.scan(hosts[0], .active, interval: 32, window: 16)
        bench.scan(hosts[2])
        for number in UInt8(10)..<30 {
            try bench.advertise(bench.add(number, position: Position(x: 0, y: Double(number))), scanResponse: [1, 2])
        }
        try bench.advertise(hosts[1])
        bench.expectSuccess(Bench.createConnection(Bench.address(2)), hosts[2])
        var writer = ByteWriter()
        for step in 0..<100 {
            bench.run(milliseconds: 100)
            if step == 50 { bench.air.removeController(hosts[1]) }
            for host in bench.air.takeControllersWithOutput() {
                for packet in bench.takePackets(host) { packet.serialize(into: &writer) }
            }
            let random = try bench.returned(LERand(), hosts[0])
            random.serialize(into: &writer)
        }
        return writer.bytes
    }

    @Test func sameSeedGivesTheSameBytes() throws {
        let first = try run(seed: 7)
        #expect(first.count > 50_000)
        #expect(try run(seed: 7) == first)
        #expect(try run(seed: 8) != first)
    }

    /// The RSSI of all packets that a scanner receives in ten seconds, with other models from some of the seconds on.
    private func levels(
        _ first: Propagation, then changes: [Int: Propagation] = [:], from second: Int = 0
    ) throws -> [String] {
        var bench = Bench(AirConfiguration(seed: 7, propagation: first))
        let scanner = bench.add(1)
        bench.scan(scanner)
        for number in UInt8(10)..<20 {
            try bench.advertise(bench.add(number, position: Position(x: 0, y: Double(number))))
        }
        var levels: [String] = []
        for time in 0..<10 {
            if let next = changes[time] { bench.air.setPropagation(next) }
            bench.run(milliseconds: 1000)
            let reports = bench.takeReports(scanner).map { "\($0.address) \($0.rssi)" }
            if time >= second { levels += reports }
        }
        return levels
    }

    private static let models = [Propagation()] + Propagation.environments.map(\.propagation)

    /// Each model after each other one: packets that collide after packets that do not, and the reverse.
    @Test(arguments: models, models)
    func changedModelRepeats(_ first: Propagation, _ next: Propagation) throws {
        let levels = try levels(first, then: [3: next])
        #expect(levels.count > 100)
        #expect(try self.levels(first, then: [3: next]) == levels)
    }

    /// The random numbers are those of an air that had the model from the start: the advertising events are at the same times.
    @Test func changedModelIsThatOfAnAirThatBeganWithIt() throws {
        let (noisy, quiet) = (Propagation(exponent: 2.4, packetDeviation: 3), Propagation())
        #expect(try levels(quiet, then: [3: noisy], from: 3) == levels(noisy, from: 3))
        #expect(try levels(noisy, then: [3: quiet], from: 3) == levels(quiet, from: 3))
        #expect(try levels(noisy, then: [2: quiet, 3: noisy], from: 3) == levels(noisy, from: 3))
        #expect(try levels(quiet, from: 3) != levels(noisy, from: 3))
    }

    @Test func scannerDoesNotAffectOthers() throws {
        func times(listeners: Int) throws -> [AirTime] {
            var bench = Bench(AirConfiguration(seed: 3, propagation: Propagation(packetDeviation: 3)))
            try bench.advertise(bench.add(1))
            let scanner = bench.add(2)
            bench.scan(scanner)
            for number in 0..<listeners { bench.scan(bench.add(UInt8(10 + number)), .active) }
            var times: [AirTime] = []
            while times.count < 100 {
                bench.air.advance(to: try #require(bench.air.nextDeadline))
                if bench.air.takeOutput(of: scanner) != nil { times.append(bench.air.now) }
            }
            return times
        }
        #expect(try times(listeners: 0) == times(listeners: 5))
    }

    @Test func controllersWithOutputAreReportedOnce() throws {
        var bench = Bench()
        let first = bench.add(1)
        let second = bench.add(2)
        _ = bench.air.takeControllersWithOutput()
        try bench.advertise(first)
        _ = bench.air.takeControllersWithOutput()
        bench.scan(second)
        bench.run(milliseconds: 1000)
        #expect(bench.air.takeControllersWithOutput() == [second])
        #expect(bench.air.takeControllersWithOutput() == [])
        bench.air.removeController(second)
        #expect(bench.air.takeControllersWithOutput() == [])
        let third = bench.air.addController(ControllerConfiguration(publicAddress: Bench.address(3)))
        let isTaken = bench.air.receive(.command(HCICommandPacket(HCIReset())), from: second)
        #expect(third != second && !isTaken)
        #expect(bench.air.takeOutput(of: second) == nil && !bench.air.canAccept(from: second))
    }
}
