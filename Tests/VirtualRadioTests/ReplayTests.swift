// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import Testing
import VirtualRadio

@Suite struct ReplayTests {
    private static func packet(
        at milliseconds: Int64, of transmitter: ControllerIdentifier, number: UInt8 = 1, isRandom: Bool = true,
        _ properties: AdvertisingEventProperties = .legacyNonConnectable, isScanResponse: Bool = false,
        data: [UInt8] = [2, 1, 6], rssi: RSSI? = RSSI(-71)
    ) -> ReplayedPacket {
        ReplayedPacket(
            time: milliseconds * 1000, transmitter: transmitter, address: Bench.address(number), isRandom: isRandom,
            properties: properties, isScanResponse: isScanResponse, data: data, rssi: rssi)
    }

    @Test func packetsHaveTheirTimesAddressesTypesAndRSSI() {
        var bench = Bench()
        let transmitter = bench.add(1)
        let scanner = bench.add(2)
        bench.air.replay([
            Self.packet(at: 5, of: transmitter, rssi: RSSI(-40)),
            Self.packet(
                at: 30, of: transmitter, number: 7, isRandom: false, .legacyConnectable, data: [2, 10, 4], rssi: nil),
            Self.packet(at: 30, of: transmitter, .legacyScannable, data: [], rssi: RSSI(-99)),
        ])
        // It waits for the first scan.
        bench.run(milliseconds: 1000)
        bench.scan(scanner)
        var received: [(Int64, LEAdvertisingReport.Report)] = []
        for millisecond in Int64(0)..<100 {
            received += bench.takeReports(scanner).map { (millisecond, $0) }
            bench.run(milliseconds: 1)
        }
        #expect(received.map(\.0) == [5, 30, 30])
        let reports = received.map(\.1)
        #expect(reports.map(\.rssi) == [RSSI(-40), .unavailable, RSSI(-99)])
        #expect(reports.map(\.address) == [1, 7, 1].map { Bench.address($0) })
        #expect(reports.map(\.addressType) == [.random, .public, .random])
        #expect(reports.map(\.eventType) == [.nonConnectableUndirected, .connectableUndirected, .scannableUndirected])
        #expect(reports.map(\.data) == [[2, 1, 6], [2, 10, 4], []])
    }

    @Test func endIsReportedOnceAfterTheLastPacket() {
        var bench = Bench()
        let transmitter = bench.add(1)
        let scanner = bench.add(2)
        bench.air.replay([Self.packet(at: 5, of: transmitter), Self.packet(at: 30, of: transmitter)])
        bench.run(milliseconds: 100)
        #expect(bench.air.takeReplayEnd() == nil, "it waits for the first scan")
        bench.scan(scanner)
        bench.run(milliseconds: 29)
        #expect(bench.air.takeReplayEnd() == nil)
        bench.run(milliseconds: 2)
        #expect(bench.air.takeReplayEnd() == 2)
        bench.run(milliseconds: 100)
        #expect(bench.air.takeReplayEnd() == nil)
    }

    /// The pause is the mean time between two packets, and a second for a recording of one moment.
    @Test(arguments: [
        ([Int64(0), 10, 40], [Int64(0), 10, 40, 60, 70, 100, 120, 130, 160]),
        ([0, 0], [0, 0, 1000, 1000, 2000, 2000]),
    ])
    func loopSendsTheRecordingAgain(_ times: [Int64], _ expected: [Int64]) {
        var bench = Bench()
        let transmitter = bench.add(1)
        let scanner = bench.add(2)
        bench.air.replay(times.map { Self.packet(at: $0, of: transmitter) }, loops: true)
        bench.run(milliseconds: 50)
        bench.scan(scanner)
        var received: [Int64] = []
        var millisecond: Int64 = 0
        while received.count < expected.count, millisecond < 5000 {
            received += bench.takeReports(scanner).map { _ in millisecond }
            bench.run(milliseconds: 1)
            millisecond += 1
        }
        #expect(received == expected)
        #expect(bench.air.takeReplayEnd() == nil)
    }

    @Test(arguments: [ScanType.passive, .active])
    func scanResponsesReachActiveScansOnly(_ type: ScanType) {
        var bench = Bench()
        let transmitter = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner, type)
        bench.air.replay([
            Self.packet(at: 1, of: transmitter, .legacyScannable),
            Self.packet(at: 2, of: transmitter, .legacyScannable, isScanResponse: true, data: [2, 10, 0]),
        ])
        bench.run(milliseconds: 10)
        let all: [AdvertisingReportType] = [.scannableUndirected, .scanResponse]
        #expect(bench.takeReports(scanner).map(\.eventType) == (type == .active ? all : [.scannableUndirected]))
    }

    @Test func extendedPacketsReachExtendedScansOnlyAndAreWhole() {
        var bench = Bench()
        let transmitter = bench.add(1)
        let legacy = bench.add(2)
        let extended = bench.add(3, masked: [])
        let data = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        bench.scan(legacy)
        bench.expectSuccess(
            LESetExtendedScanParameters(
                scanningPHYs: .oneMegabit,
                parameters: [.init(scanType: .passive, scanInterval: ScanTime(16), scanWindow: ScanTime(16))]), extended
        )
        bench.expectSuccess(LESetExtendedScanEnable(enable: 1, filterDuplicates: 0), extended)
        bench.air.replay([
            Self.packet(at: 1, of: transmitter, [], data: data),
            Self.packet(at: 2, of: transmitter, .legacyConnectable),
        ])
        bench.run(milliseconds: 10)
        #expect(bench.takeReports(legacy).map(\.eventType) == [.connectableUndirected])
        let reports = bench.takeExtendedReports(extended)
        #expect(reports.map(\.eventType) == [.incomplete, [], .legacyConnectable])
        #expect(reports.prefix(2).flatMap(\.data) == data)
        #expect(reports.allSatisfy { $0.rssi == RSSI(-71) })
    }

    @Test func receiversOutsideTheirWindowMissPackets() {
        var bench = Bench()
        let transmitter = bench.add(1)
        let scanner = bench.add(2)
        // The window is the first quarter of each 100 ms.
        bench.scan(scanner, interval: 160, window: 40)
        bench.air.replay((0..<1000).map { Self.packet(at: Int64($0), of: transmitter) })
        bench.run(milliseconds: 2000)
        #expect(bench.takeReports(scanner).count == 250)
    }

    @Test func duplicateAndAcceptListFiltersApply() {
        var bench = Bench()
        let transmitter = bench.add(9)
        let scanner = bench.add(2)
        bench.expectSuccess(LEAddDeviceToFilterAcceptList(addressType: .random, address: Bench.address(1)), scanner)
        bench.scan(scanner, policy: .filtered, filterDuplicates: true)
        bench.air.replay(
            (0..<10).flatMap {
                [Self.packet(at: $0, of: transmitter), Self.packet(at: $0, of: transmitter, number: 3)]
            })
        bench.run(milliseconds: 100)
        #expect(bench.takeReports(scanner).map(\.address) == [Bench.address(1)])
    }

    @Test func overridesAndPositionsOfBothEndsChangeTheRSSI() {
        var bench = Bench()
        let transmitter = bench.add(1)
        let scanner = bench.add(2)
        func rssi(_ bench: inout Bench) -> [RSSI] {
            bench.air.replay([Self.packet(at: 1, of: transmitter)])
            bench.run(milliseconds: 10)
            return bench.takeReports(scanner).map(\.rssi)
        }
        bench.scan(scanner)
        bench.air.setMotion(.rest(Position(x: 0, y: 0)), of: scanner)
        #expect(rssi(&bench) == [RSSI(-71)])
        bench.air.setOverride(LinkOverride(loss: 10), between: transmitter, and: scanner)
        #expect(rssi(&bench) == [RSSI(-81)])
        bench.air.setOverride(LinkOverride(rssi: -50), between: transmitter, and: scanner)
        #expect(rssi(&bench) == [RSSI(-50)])
        bench.air.setOverride(LinkOverride(packetLoss: 1), between: transmitter, and: scanner)
        #expect(rssi(&bench) == [])
        bench.air.setOverride(nil, between: transmitter, and: scanner)
        // 0 dBm, less 59 dB at 1 m, less 20 dB at 10 m.
        bench.air.setMotion(.rest(Position(x: 10, y: 0)), of: transmitter)
        #expect(rssi(&bench) == [RSSI(-79)])
        bench.air.setMuted(true, transmitter)
        #expect(rssi(&bench) == [])
    }

    @Test func modelsNeitherLoseNorChangeRecordedPackets() {
        let office = Propagation.environments.first { $0.name == "office" }?.propagation
        var bench = Bench(AirConfiguration(seed: 3, propagation: office ?? Propagation()))
        let transmitter = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner)
        bench.air.replay((0..<500).map { Self.packet(at: Int64($0), of: transmitter, rssi: RSSI(-104)) })
        bench.run(milliseconds: 1000)
        let reports = bench.takeReports(scanner)
        #expect(office != nil && reports.count == 500 && Set(reports.map(\.rssi)) == [RSSI(-104)])
    }

    @Test func anotherRecordingReplacesTheFirst() {
        var bench = Bench()
        let transmitter = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner)
        bench.air.replay([Self.packet(at: 1, of: transmitter), Self.packet(at: 50, of: transmitter)])
        bench.run(milliseconds: 10)
        bench.air.replay([Self.packet(at: 20, of: transmitter, rssi: RSSI(-30))])
        bench.run(milliseconds: 100)
        #expect(bench.takeReports(scanner).map(\.rssi) == [RSSI(-71), RSSI(-30)])
    }
}
