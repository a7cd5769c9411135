// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import Testing
import VirtualRadio

/// Direct test mode (Core 5.4, Vol 6, Part F).
@Suite struct DirectTestTests {
    private static func packets(_ bench: inout Bench, _ controller: ControllerIdentifier) throws -> UInt16 {
        try bench.returned(LETestEnd(), controller).packets
    }

    /// A packet each 625 µs with up to 37 bytes on LE 1M, each 2.5 ms with 255; LE 2M fits more.
    @Test(arguments: [(0, 1, 1600), (37, 1, 1600), (38, 1, 800), (255, 1, 400), (83, 2, 1600), (255, 2, 533)])
    func packetsAreCounted(length: UInt8, phy: UInt8, expected: UInt16) throws {
        var bench = Bench()
        let (transmitter, receiver) = (bench.add(1), bench.add(2))
        let phy = PHY(rawValue: phy)
        bench.expectSuccess(LEReceiverTestV2(channel: 39, phy: phy), receiver)
        bench.run(milliseconds: 100)
        bench.expectSuccess(LETransmitterTestV2(channel: 39, length: length, phy: phy), transmitter)
        bench.run(milliseconds: 1000)
        #expect(try Self.packets(&bench, transmitter) == 0)
        bench.run(milliseconds: 1000)
        #expect(try Self.packets(&bench, receiver) == expected)
    }

    @Test func onlyCompletePacketsCount() throws {
        var bench = Bench()
        let (transmitter, receiver) = (bench.add(1), bench.add(2))
        bench.expectSuccess(LETransmitterTest(channel: 0, length: 37), transmitter)
        bench.air.advance(to: 1)
        bench.expectSuccess(LEReceiverTest(channel: 0), receiver)
        // The packet at 0 began before the receiver, those at 625 and 1250 are complete, and the one at 1875 takes 376
        // µs.
        bench.air.advance(to: 1875 + 375)
        #expect(try Self.packets(&bench, receiver) == 2)
        bench.expectSuccess(LEReceiverTest(channel: 0), receiver)
        bench.air.advance(to: 2500 + 376)
        #expect(try Self.packets(&bench, receiver) == 1)
    }

    @Test func packetsOfOtherChannelsAreNotCounted() throws {
        var bench = Bench()
        let (receiver, same, channel, phy) = (bench.add(1), bench.add(2), bench.add(3), bench.add(4))
        bench.expectSuccess(LEReceiverTest(channel: 5), receiver)
        bench.expectSuccess(LETransmitterTest(channel: 6, length: 0), channel)
        bench.expectSuccess(LETransmitterTestV2(channel: 5, length: 0, phy: .twoMegabit), phy)
        bench.expectSuccess(LETransmitterTest(channel: 5, length: 0), same)
        bench.run(milliseconds: 1)
        // A reset ends a test, too, and a removed controller sends nothing.
        bench.expectSuccess(HCIReset(), same)
        bench.run(milliseconds: 100)
        #expect(try Self.packets(&bench, receiver) == 2)
        #expect(bench.send(LETestEnd(), receiver) == .commandDisallowed)
    }

    @Test func testExcludesOtherActivities() throws {
        var bench = Bench()
        let controller = bench.add(1)
        bench.expectSuccess(LETransmitterTest(channel: 0, length: 0), controller)
        let others: [any HCICommand] = [
            LEReceiverTest(channel: 0), LETransmitterTest(channel: 0, length: 0), LESetAdvertisingEnable(enable: 1),
            LESetScanEnable(enable: 1, filterDuplicates: 0), Bench.createConnection(Bench.address(2)),
        ]
        for command in others { #expect(bench.send(command, controller) == .commandDisallowed, "\(command)") }
        bench.expectSuccess(LETestEnd(), controller)
        bench.scan(controller)
        #expect(bench.send(LEReceiverTest(channel: 0), controller) == .commandDisallowed)
    }

    @Test func parametersAreChecked() {
        var bench = Bench()
        let controller = bench.add(1)
        let cases: [(any HCICommand, HCIStatus)] = [
            (LEReceiverTest(channel: 40), .invalidCommandParameters),
            (LETransmitterTest(channel: 40, length: 0), .invalidCommandParameters),
            (LETransmitterTest(channel: 0, length: 0, payload: 8), .invalidCommandParameters),
            (LEReceiverTestV2(channel: 0, phy: PHY(rawValue: 0)), .invalidCommandParameters),
            (LEReceiverTestV2(channel: 0, phy: .coded), .unsupportedFeatureOrParameterValue),
            (LEReceiverTestV2(channel: 0, phy: PHY(rawValue: 4)), .invalidCommandParameters),
            (LEReceiverTestV2(channel: 0, phy: .oneMegabit, modulationIndex: 2), .invalidCommandParameters),
            (LETransmitterTestV2(channel: 0, length: 0, phy: PHY(rawValue: 4)), .unsupportedFeatureOrParameterValue),
            (LETransmitterTestV2(channel: 0, length: 0, phy: PHY(rawValue: 5)), .invalidCommandParameters),
        ]
        for (command, status) in cases { #expect(bench.send(command, controller) == status, "\(command)") }
    }
}
