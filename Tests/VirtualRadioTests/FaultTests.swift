// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

/// Controllers that are muted, and connections that are ended from outside.
@Suite struct FaultTests {
    @Test func mutedAdvertiserIsNotReceived() throws {
        var bench = Bench()
        let (advertiser, other, scanner) = (bench.add(1), bench.add(2), bench.add(3))
        for each in [advertiser, other] { try bench.advertise(each, interval: 32, scanResponse: [2, 9, 65]) }
        bench.scan(scanner, .active)
        bench.run(milliseconds: 500)
        #expect(bench.takeReports(scanner).contains { $0.address == Bench.address(1) })
        bench.air.setMuted(true, advertiser)
        bench.run(milliseconds: 500)
        let received = bench.takeReports(scanner)
        #expect(received.count > 20 && received.allSatisfy { $0.address == Bench.address(2) })
        #expect(bench.takePackets(advertiser).isEmpty)
        bench.air.setMuted(false, advertiser)
        bench.run(milliseconds: 500)
        #expect(bench.takeReports(scanner).contains { $0.address == Bench.address(1) })
    }

    /// The events of a muted advertiser take place: the others receive what they would have received without it.
    @Test func mutingDoesNotShiftAdvertisingEvents() throws {
        func times(mutedFor milliseconds: Int64) throws -> [AirTime] {
            var bench = Bench()
            let (advertiser, scanner) = (bench.add(1), bench.add(2))
            try bench.advertise(advertiser, interval: 32)
            bench.scan(scanner)
            bench.air.setMuted(milliseconds > 0, advertiser)
            bench.run(milliseconds: milliseconds)
            bench.air.setMuted(false, advertiser)
            var times: [AirTime] = []
            while bench.air.now < 1_000_000 {
                bench.air.advance(to: try #require(bench.air.nextDeadline))
                if !bench.takeReports(scanner).isEmpty { times.append(bench.air.now) }
            }
            return times
        }
        let all = try times(mutedFor: 0)
        let late = try times(mutedFor: 500)
        #expect(all.count > 30 && late == all.filter { $0 > 500_000 })
    }

    /// The central receives nothing from the beginning of the silence; the peripheral receives nothing when the central has
    /// given up.
    @Test func connectionOfAMutedPeripheralIsLostAtBothEndsInTurn() throws {
        var bench = Bench()
        let pair = try bench.connect(timeout: 100)
        bench.air.setMuted(true, pair.peripheral)
        bench.sendData([1], pair.centralHandle, pair.central)
        bench.sendData([2], pair.peripheralHandle, pair.peripheral)
        bench.run(milliseconds: 999)
        #expect(bench.takePackets(pair.central).isEmpty && bench.takePackets(pair.peripheral).isEmpty)
        bench.run(milliseconds: 1)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.central).map(\.reason) == [.connectionTimeout])
        bench.run(milliseconds: 999)
        #expect(bench.takePackets(pair.peripheral).isEmpty)
        bench.run(milliseconds: 1)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.peripheral).map(\.reason) == [.connectionTimeout])
        #expect(bench.air.nextDeadline == nil)
        // Both ends are free for another connection.
        bench.air.setMuted(false, pair.peripheral)
        try bench.advertise(pair.peripheral)
        bench.expectSuccess(Bench.createConnection(Bench.address(2)), pair.central)
        bench.run(milliseconds: 200)
        #expect(bench.takeEvents(LEConnectionComplete.self, pair.central).count == 1)
    }

    @Test func connectionContinuesAfterAShortSilence() throws {
        var bench = Bench()
        let pair = try bench.connect(timeout: 100)
        bench.air.setMuted(true, pair.peripheral)
        bench.sendData([1], pair.centralHandle, pair.central)
        bench.sendData([2], pair.peripheralHandle, pair.peripheral)
        bench.run(milliseconds: 900)
        #expect(bench.takeData(pair.peripheral).isEmpty)
        bench.air.setMuted(false, pair.peripheral)
        bench.run(milliseconds: 5000)
        #expect(bench.takeData(pair.peripheral).map(\.payload) == [[1]])
        #expect(bench.takeData(pair.central).map(\.payload) == [[2]])
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.central).isEmpty)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.peripheral).isEmpty)
    }

    /// The peripheral that loses its power while it is muted was not received before, either.
    @Test func controllerThatIsRemovedWhileMutedIsLostFromTheBeginningOfTheSilence() throws {
        var bench = Bench()
        let pair = try bench.connect(timeout: 100)
        bench.air.setMuted(true, pair.peripheral)
        bench.run(milliseconds: 600)
        bench.air.removeController(pair.peripheral)
        bench.run(milliseconds: 399)
        #expect(bench.takePackets(pair.central).isEmpty)
        bench.run(milliseconds: 1)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.central).map(\.reason) == [.connectionTimeout])
        // The controller that gets its index is not muted.
        let next = bench.add(7)
        let scanner = bench.add(8)
        try bench.advertise(next, interval: 32)
        bench.scan(scanner)
        bench.run(milliseconds: 200)
        #expect(!bench.takeReports(scanner).isEmpty)
    }

    /// The reason of a muted peripheral that disconnects does not arrive.
    @Test func disconnectOfAMutedPeripheralIsATimeoutForTheCentral() throws {
        var bench = Bench()
        let pair = try bench.connect(timeout: 100)
        bench.air.setMuted(true, pair.peripheral)
        bench.expectSuccess(Disconnect(connectionHandle: pair.peripheralHandle), pair.peripheral)
        bench.run(milliseconds: 1001)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.central).map(\.reason) == [.connectionTimeout])
        bench.run(milliseconds: 1000)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.peripheral).count == 1)
    }

    @Test(
        arguments: [
            (.connectionTimeout, .connectionTimeout),
            (.connectionTerminatedMICFailure, .connectionTerminatedMICFailure),
            (.remoteUserTerminatedConnection, .connectionTerminatedByLocalHost),
            (.remoteDeviceTerminatedPowerOff, .connectionTerminatedByLocalHost),
        ] as [(HCIStatus, HCIStatus)])
    func endedConnectionHasTheReason(_ reason: HCIStatus, _ ownReason: HCIStatus) throws {
        var bench = Bench()
        let pair = try bench.connect()
        bench.sendData([1], pair.centralHandle, pair.central)
        #expect(bench.air.endConnections(of: pair.peripheral, with: .all, reason) == [Bench.address(1)])
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.central).map(\.reason) == [reason])
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.peripheral).map(\.reason) == [ownReason])
        #expect(bench.air.nextDeadline == nil)
        #expect(bench.air.endConnections(of: pair.peripheral, with: .all, reason).isEmpty)
    }

    @Test func onlyTheConnectionsOfAPeerEnd() throws {
        var bench = Bench()
        let peripherals = (bench.add(2), bench.add(3))
        let central = bench.add(1)
        for (number, each) in [(UInt8(2), peripherals.0), (3, peripherals.1)] {
            try bench.advertise(each)
            bench.expectSuccess(Bench.createConnection(Bench.address(number)), central)
            bench.run(milliseconds: 200)
        }
        let reason = HCIStatus.remoteUserTerminatedConnection
        #expect(bench.air.endConnections(of: central, with: .address(Bench.address(9)), reason).isEmpty)
        #expect(bench.air.endConnections(of: central, with: .controller(central), reason).isEmpty)
        #expect(
            bench.air.endConnections(of: central, with: .address(Bench.address(2)), reason) == [Bench.address(2)])
        #expect(bench.takeEvents(DisconnectionComplete.self, peripherals.0).map(\.reason) == [reason])
        #expect(bench.takeEvents(DisconnectionComplete.self, peripherals.1).isEmpty)
        #expect(
            bench.air.endConnections(of: central, with: .controller(peripherals.1), reason) == [Bench.address(3)])
        bench.air.removeController(central)
        #expect(bench.air.endConnections(of: central, with: .all, reason).isEmpty)
    }
}
