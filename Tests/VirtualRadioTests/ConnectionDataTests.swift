// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

@Suite struct ConnectionDataTests {
    @Test func dataCrossesInBothDirectionsInFragments() throws {
        var bench = Bench()
        let pair = try bench.connect()
        let long = (0..<60).map { UInt8($0) }
        bench.sendData(long, pair.centralHandle, pair.central)
        bench.sendData([1, 2, 3], pair.peripheralHandle, pair.peripheral)
        bench.run(milliseconds: 31)
        let atPeripheral = bench.takeData(pair.peripheral)
        #expect(atPeripheral.map(\.payload.count) == [27, 27, 6])
        #expect(atPeripheral.map(\.boundary) == [.firstFlushable, .continuing, .continuing])
        #expect(atPeripheral.flatMap(\.payload) == long)
        #expect(atPeripheral.allSatisfy { $0.handle == pair.peripheralHandle })
        #expect(bench.takeData(pair.central).map(\.payload) == [[1, 2, 3]])
        for (identifier, handle) in [
            (pair.central, pair.centralHandle), (pair.peripheral, pair.peripheralHandle),
        ] {
            let completed = bench.takeEvents(NumberOfCompletedPackets.self, identifier)
            #expect(completed.flatMap(\.completedPackets) == [CompletedPackets(connectionHandle: handle, count: 1)])
        }
    }

    @Test func dataLengthIsNegotiatedAndReportedToBothHosts() throws {
        var bench = Bench()
        let pair = try bench.connect()
        bench.expectSuccess(
            LESetDataLength(
                connectionHandle: pair.centralHandle, transmitOctets: 100, transmitTime: Microseconds(2120)),
            pair.central)
        bench.run(milliseconds: 31)
        let atCentral = try #require(bench.takeEvents(LEDataLengthChange.self, pair.central).first)
        let atPeripheral = try #require(bench.takeEvents(LEDataLengthChange.self, pair.peripheral).first)
        #expect(atCentral.maximumTransmitOctets == 100 && atCentral.maximumReceiveOctets == 27)
        #expect(atPeripheral.maximumTransmitOctets == 27 && atPeripheral.maximumReceiveOctets == 100)
        bench.sendData([UInt8](repeating: 1, count: 150), pair.centralHandle, pair.central)
        bench.run(milliseconds: 31)
        #expect(bench.takeData(pair.peripheral).map(\.payload.count) == [100, 50])
        // The same request again changes nothing.
        bench.expectSuccess(
            LESetDataLength(
                connectionHandle: pair.centralHandle, transmitOctets: 100, transmitTime: Microseconds(2120)),
            pair.central)
        bench.run(milliseconds: 31)
        #expect(bench.takeEvents(LEDataLengthChange.self, pair.central).isEmpty)
    }

    /// Core 5.4, Vol 6, Part B, 4.5.10: 328 µs fit 27 bytes on LE 1M, even if more bytes are allowed.
    @Test(arguments: [(328, 1, 27), (328, 2, 67), (1000, 1, 111), (1064, 2, 251), (2120, 1, 251)])
    func packetsRespectTheMaximumTime(microseconds: UInt32, phy: UInt8, octets: Int) throws {
        var bench = Bench()
        let pair = try bench.connect()
        if phy == 2 {
            bench.expectSuccess(
                LESetPHY(
                    connectionHandle: pair.centralHandle, transmitPHYs: .twoMegabit, receivePHYs: .twoMegabit),
                pair.central)
            bench.run(milliseconds: 31)
        }
        bench.expectSuccess(
            LESetDataLength(
                connectionHandle: pair.centralHandle, transmitOctets: 251, transmitTime: Microseconds(microseconds)),
            pair.central)
        bench.run(milliseconds: 31)
        bench.sendData([UInt8](repeating: 1, count: 251), pair.centralHandle, pair.central)
        bench.run(milliseconds: 31)
        let crossed = bench.takeData(pair.peripheral).map(\.payload.count)
        #expect(crossed.first == octets && crossed.reduce(0, +) == 251)
    }

    @Test func suggestedDataLengthIsNegotiatedAutomatically() throws {
        var bench = Bench()
        let central = bench.add(1)
        let peripheral = bench.add(2)
        bench.expectSuccess(
            LEWriteSuggestedDefaultDataLength(
                suggestedMaximumTransmitOctets: 251, suggestedMaximumTransmitTime: Microseconds(2120)), peripheral)
        try bench.advertise(peripheral)
        bench.expectSuccess(Bench.createConnection(Bench.address(2)), central)
        bench.run(milliseconds: 100)
        let change = try #require(bench.takeEvents(LEDataLengthChange.self, peripheral).first)
        #expect(change.maximumTransmitOctets == 251 && change.maximumReceiveOctets == 27)
    }

    @Test func connectionEventLimitsItsAirtime() throws {
        var bench = Bench()
        let pair = try bench.connect(interval: 6)
        for _ in 0..<16 {
            bench.sendData([UInt8](repeating: 7, count: 251), pair.centralHandle, pair.central)
        }
        let anchor = try #require(bench.air.nextDeadline)
        bench.air.advance(to: anchor + 7499)
        // A packet of 27 bytes, an empty answer and two spaces take 676 microseconds of 7,500.
        let first = bench.takeData(pair.peripheral)
        #expect(first.count == 11)
        bench.run(milliseconds: 1000)
        let rest = bench.takeData(pair.peripheral)
        #expect((first + rest).reduce(0) { $0 + $1.payload.count } == 16 * 251)
        let completed = bench.takeEvents(NumberOfCompletedPackets.self, pair.central).flatMap(\.completedPackets)
        #expect(completed.reduce(0) { $0 + $1.count } == 16)
    }

    @Test func packetsCompleteAtConnectionEventsOnly() throws {
        var bench = Bench()
        let pair = try bench.connect(interval: 80)
        bench.sendData([1], pair.centralHandle, pair.central)
        #expect(bench.takePackets(pair.central).isEmpty)
        bench.run(milliseconds: 100)
        #expect(bench.takeEvents(NumberOfCompletedPackets.self, pair.central).count == 1)
    }

    @Test func hostThatIgnoresFlowControlIsDisconnected() throws {
        var bench = Bench()
        let pair = try bench.connect()
        for _ in 0..<32 { bench.sendData([1], pair.centralHandle, pair.central) }
        #expect(bench.takePackets(pair.central).isEmpty)
        bench.sendData([1], pair.centralHandle, pair.central)
        #expect(bench.takeEvents(DataBufferOverflow.self, pair.central).count == 1)
        #expect(
            bench.takeEvents(DisconnectionComplete.self, pair.central).map(\.reason) == [.memoryCapacityExceeded])
        #expect(
            bench.takeEvents(DisconnectionComplete.self, pair.peripheral).map(\.reason)
                == [.remoteDeviceTerminatedLowResources])
    }

    @Test(arguments: [ConnectionTiming.spec, .immediate])
    func slowReaderBlocksItsSenderAndLosesNothing(timing: ConnectionTiming) throws {
        var bench = Bench(AirConfiguration(seed: 1, timing: timing, packetLimit: 20))
        let pair = try bench.connect(interval: 6)
        var credits = 16
        var sent = 0
        func sendAll() {
            while credits > 0 {
                bench.sendData([UInt8(truncatingIfNeeded: sent)], pair.centralHandle, pair.central)
                credits -= 1
                sent += 1
            }
        }
        for _ in 0..<50 {
            sendAll()
            bench.run(milliseconds: 100)
            let completed = bench.takeEvents(NumberOfCompletedPackets.self, pair.central).flatMap(\.completedPackets)
            credits += Int(completed.reduce(0) { $0 + $1.count })
        }
        #expect(sent == 36 && !bench.air.canAccept(from: pair.peripheral))
        var received: [UInt8] = []
        for _ in 0..<50 {
            received += bench.takeData(pair.peripheral).flatMap(\.payload)
            bench.run(milliseconds: 10)
        }
        #expect(received == (0..<36).map { UInt8($0) })
        #expect(bench.air.canAccept(from: pair.peripheral))
    }

    @Test func hostFlowControlLimitsThePacketsInFlight() throws {
        var bench = Bench()
        let central = bench.add(1)
        let peripheral = bench.add(2)
        bench.expectSuccess(SetControllerToHostFlowControl(flowControlEnable: 1), peripheral)
        bench.expectSuccess(HostBufferSize(aclDataPacketLength: 251, totalACLDataPackets: 3), peripheral)
        try bench.advertise(peripheral)
        bench.expectSuccess(Bench.createConnection(Bench.address(2)), central)
        bench.run(milliseconds: 100)
        let handle = try #require(bench.takeEvents(LEConnectionComplete.self, central).first).connectionHandle
        let remote = try #require(bench.takeEvents(LEConnectionComplete.self, peripheral).first).connectionHandle
        for number in UInt8(0)..<10 { bench.sendData([number], handle, central) }
        bench.run(milliseconds: 1000)
        #expect(bench.takeData(peripheral).map(\.payload) == [[0], [1], [2]])
        #expect(
            bench.send(
                HostNumberOfCompletedPackets(completedPackets: [
                    CompletedPackets(connectionHandle: remote, count: 2)
                ]), peripheral) == nil)
        bench.run(milliseconds: 1000)
        #expect(bench.takeData(peripheral).map(\.payload) == [[3], [4]])
    }

    @Test func dataForAnUnknownConnectionIsIgnored() throws {
        var bench = Bench()
        let pair = try bench.connect()
        bench.sendData([1], ConnectionHandle(0x0EFF), pair.central)
        bench.run(milliseconds: 1000)
        #expect(bench.takePackets(pair.central).isEmpty && bench.takePackets(pair.peripheral).isEmpty)
    }
}
