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
