// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

@Suite struct ExtendedAdvertisingTests {
    private static func parameters(
        _ handle: UInt8 = 0, _ properties: AdvertisingEventProperties = .legacyConnectable, interval: UInt32 = 160,
        peer: BluetoothAddress = .zero, own: OwnAddressType = .public, power: Int8 = 127, secondary: PHY = .oneMegabit,
        notify: UInt8 = 0
    ) -> LESetExtendedAdvertisingParameters {
        LESetExtendedAdvertisingParameters(
            advertisingHandle: handle, properties: properties, minimumInterval: AdvertisingInterval(interval),
            maximumInterval: AdvertisingInterval(interval), ownAddressType: own, peerAddress: peer,
            transmitPower: TransmitPower(power), secondaryPHY: secondary, advertisingSetIdentifier: 5,
            scanRequestNotificationEnable: notify)
    }

    private static func enable(
        _ handle: UInt8 = 0, duration: UInt32 = 0, maximumEvents: UInt8 = 0
    ) -> LESetExtendedAdvertisingEnable {
        LESetExtendedAdvertisingEnable(
            enable: 1,
            sets: [.init(advertisingHandle: handle, duration: Ticks(duration), maximumEvents: maximumEvents)])
    }

    private func startScan(
        _ bench: inout Bench, _ scanner: ControllerIdentifier, _ type: ScanType = .active, filter: UInt8 = 0,
        duration: UInt32 = 0, period: UInt32 = 0
    ) {
        bench.expectSuccess(
            LESetExtendedScanParameters(
                parameters: [.init(scanType: type, scanInterval: ScanTime(16), scanWindow: ScanTime(16))]), scanner)
        bench.expectSuccess(
            LESetExtendedScanEnable(
                enable: 1, filterDuplicates: filter, duration: Ticks(duration), period: Ticks(period)), scanner)
    }

    struct Case: Sendable {
        let properties: AdvertisingEventProperties
        let scan: ScanType
        let types: [ExtendedAdvertisingEventType]
    }

    @Test(arguments: [
        Case(properties: .legacyConnectable, scan: .passive, types: [.legacyConnectable]),
        Case(
            properties: .legacyConnectable, scan: .active,
            types: [.legacyConnectable, .legacyScanResponseOfConnectable]),
        Case(properties: .legacyScannable, scan: .active, types: [.legacyScannable, .legacyScanResponseOfScannable]),
        Case(properties: .legacyNonConnectable, scan: .active, types: [.legacyNonConnectable]),
        Case(properties: [], scan: .active, types: [[]]),
        Case(properties: .connectable, scan: .active, types: [.connectable]),
        Case(properties: .scannable, scan: .passive, types: [.scannable]),
        Case(properties: .scannable, scan: .active, types: [.scannable, [.scannable, .scanResponse]]),
        Case(properties: [.anonymous, .includesTransmitPower], scan: .active, types: [[]]),
    ])
    func reportHasTheTypeOfThePDU(_ testCase: Case) throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        let isLegacy = testCase.properties.contains(.legacy)
        startScan(&bench, scanner, testCase.scan, filter: 1)
        bench.expectSuccess(Self.parameters(0, testCase.properties, power: 7), advertiser)
        let takesData = isLegacy || !testCase.properties.contains(.scannable)
        if takesData {
            bench.expectSuccess(LESetExtendedAdvertisingData(advertisingHandle: 0, data: [2, 1, 6]), advertiser)
        }
        if testCase.properties.contains(.scannable) {
            bench.expectSuccess(LESetExtendedScanResponseData(advertisingHandle: 0, data: [2, 10, 1]), advertiser)
        }
        bench.expectSuccess(Self.enable(), advertiser)
        bench.run(milliseconds: 1000)
        let reports = bench.takeExtendedReports(scanner)
        #expect(reports.map(\.eventType) == testCase.types)
        for report in reports {
            let isAnonymous = testCase.properties.contains(.anonymous)
            #expect(report.addressType == (isAnonymous ? .anonymous : .public))
            #expect(report.address == (isAnonymous ? .zero : Bench.address(1)))
            #expect(report.secondaryPHY == (isLegacy ? .none : .oneMegabit))
            #expect(report.advertisingSetIdentifier == (isLegacy ? 0xFF : 5))
            #expect(report.rssi == RSSI(-52))
            #expect(report.transmitPower == (isAnonymous ? TransmitPower(7) : .unspecified))
            let isResponse = report.eventType.contains(.scanResponse)
            #expect(report.data == (isResponse ? [2, 10, 1] : takesData ? [2, 1, 6] : []))
        }
    }

    @Test func scanResponseOfOtherPropertiesIsIgnoredOrCleared() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        startScan(&bench, scanner, filter: 1)
        bench.expectSuccess(Self.parameters(0, .legacyScannable), advertiser)
        bench.expectSuccess(LESetExtendedScanResponseData(advertisingHandle: 0, data: [2, 10, 1]), advertiser)
        bench.expectSuccess(Self.parameters(0, .legacyNonConnectable), advertiser)
        bench.expectSuccess(Self.enable(), advertiser)
        bench.run(milliseconds: 1000)
        #expect(bench.takeExtendedReports(scanner).map(\.eventType) == [.legacyNonConnectable])
        let response = LESetExtendedScanResponseData(advertisingHandle: 0, data: [2, 10, 1])
        #expect(bench.send(response, advertiser) == .invalidCommandParameters)
        bench.expectSuccess(LESetExtendedScanResponseData(advertisingHandle: 0, data: []), advertiser)
    }

    @Test func legacyScannersDoNotReceiveExtendedPDUs() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner)
        bench.expectSuccess(Self.parameters(0, []), advertiser)
        bench.expectSuccess(Self.enable(), advertiser)
        bench.run(milliseconds: 1000)
        #expect(bench.takeReports(scanner).isEmpty)
        bench.expectSuccess(Self.parameters(1, .legacyNonConnectable), advertiser)
        bench.expectSuccess(Self.enable(1), advertiser)
        bench.run(milliseconds: 1000)
        #expect(Set(bench.takeReports(scanner).map(\.eventType)) == [.nonConnectableUndirected])
    }

    @Test func longDataIsDividedIntoReports() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        startScan(&bench, scanner, filter: 1)
        let data = (0..<251).map { UInt8($0) }
        bench.expectSuccess(Self.parameters(0, [], secondary: .twoMegabit), advertiser)
        bench.expectSuccess(
            LESetExtendedAdvertisingData(
                advertisingHandle: 0, operation: .firstFragment, fragmentPreference: 0, data: Array(data[..<200])),
            advertiser)
        #expect(bench.send(Self.enable(), advertiser) == .commandDisallowed)
        bench.expectSuccess(
            LESetExtendedAdvertisingData(
                advertisingHandle: 0, operation: .lastFragment, fragmentPreference: 0, data: Array(data[200...])),
            advertiser)
        bench.expectSuccess(Self.enable(), advertiser)
        bench.run(milliseconds: 1000)
        let reports = bench.takeExtendedReports(scanner)
        // The first PDU has 242 bytes, a report at most 229.
        #expect(reports.map(\.eventType) == [.incomplete, .incomplete, []])
        #expect(reports.map(\.data.count) == [229, 13, 9] && reports.flatMap(\.data) == data)
        #expect(reports.allSatisfy { $0.secondaryPHY == .twoMegabit })
        // New data is not a duplicate.
        bench.expectSuccess(LESetExtendedAdvertisingData(advertisingHandle: 0, data: [1]), advertiser)
        bench.run(milliseconds: 1000)
        #expect(bench.takeExtendedReports(scanner).map(\.data) == [[1]])
    }

    @Test func directedAdvertisingReachesOnlyItsTarget() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let target = bench.add(2)
        let other = bench.add(3)
        for scanner in [target, other] { startScan(&bench, scanner, filter: 1) }
        bench.expectSuccess(Self.parameters(0, .directed, peer: Bench.address(2)), advertiser)
        bench.expectSuccess(Self.enable(), advertiser)
        bench.run(milliseconds: 1000)
        #expect(bench.takeExtendedReports(other).isEmpty)
        let report = try #require(bench.takeExtendedReports(target).first)
        #expect(report.directAddress == Bench.address(2) && report.eventType == .directed)
    }

    @Test func eachSetHasItsOwnAddressAndInterval() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        startScan(&bench, scanner, .passive)
        for handle in UInt8(0)..<64 {
            let interval = handle == 0 ? UInt32(32) : 1600
            bench.expectSuccess(
                Self.parameters(handle, .legacyNonConnectable, interval: interval, own: .random), advertiser)
            #expect(bench.send(Self.enable(handle), advertiser) == .invalidCommandParameters)
            bench.expectSuccess(
                LESetAdvertisingSetRandomAddress(advertisingHandle: handle, randomAddress: Bench.address(handle)),
                advertiser)
            bench.expectSuccess(Self.enable(handle), advertiser)
        }
        #expect(bench.send(Self.parameters(64, .legacyNonConnectable), advertiser) == .memoryCapacityExceeded)
        bench.run(milliseconds: 10_000)
        let reports = bench.takeExtendedReports(scanner)
        #expect(Set(reports.map(\.address)).count == 64)
        #expect((390...410).contains(reports.count { $0.address == Bench.address(0) }))
        #expect((9...11).contains(reports.count { $0.address == Bench.address(63) }))
    }

    @Test func setEndsAfterItsEventsOrItsDuration() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        bench.expectSuccess(Self.parameters(3), advertiser)
        bench.expectSuccess(Self.enable(3, maximumEvents: 5), advertiser)
        bench.run(milliseconds: 1000)
        #expect(
            bench.takeEvents(LEAdvertisingSetTerminated.self, advertiser) == [
                LEAdvertisingSetTerminated(
                    status: .limitReached, advertisingHandle: 3, completedExtendedAdvertisingEvents: 5)
            ])
        bench.expectSuccess(Self.enable(3, duration: 45), advertiser)
        bench.run(milliseconds: 449)
        #expect(bench.takePackets(advertiser).isEmpty)
        bench.run(milliseconds: 2)
        let terminated = try #require(bench.takeEvents(LEAdvertisingSetTerminated.self, advertiser).first)
        #expect(terminated.status == .advertisingTimeout)
        #expect((4...5).contains(terminated.completedExtendedAdvertisingEvents))
        #expect(bench.air.nextDeadline == nil)
    }

    @Test func enablingAgainRestartsTheCount() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        bench.expectSuccess(Self.parameters(3, interval: 0x4000), advertiser)
        bench.expectSuccess(Self.enable(3), advertiser)
        bench.run(milliseconds: 100)
        bench.expectSuccess(Self.enable(3, duration: 10), advertiser)
        bench.run(milliseconds: 101)
        #expect(bench.takeEvents(LEAdvertisingSetTerminated.self, advertiser).count == 1)
    }

    @Test func scanRequestsAreNotified() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        startScan(&bench, scanner, filter: 1)
        bench.expectSuccess(Self.parameters(9, notify: 1), advertiser)
        bench.expectSuccess(Self.enable(9), advertiser)
        bench.run(milliseconds: 1000)
        let requests = bench.takeEvents(LEScanRequestReceived.self, advertiser)
        #expect(requests.count >= 9)
        #expect(
            requests.allSatisfy {
                $0.advertisingHandle == 9 && $0.scannerAddress == Bench.address(2) && $0.scannerAddressType == .public
            })
    }

    @Test func scanEndsAfterItsDuration() throws {
        var bench = Bench()
        let scanner = bench.add(2)
        startScan(&bench, scanner, duration: 100)
        bench.run(milliseconds: 999)
        #expect(bench.takeEvents(LEScanTimeout.self, scanner).isEmpty)
        bench.run(milliseconds: 2)
        #expect(bench.takeEvents(LEScanTimeout.self, scanner).count == 1)
    }

    @Test func periodicScanReportsOnceInEachPeriod() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        startScan(&bench, scanner, .passive, filter: 2, duration: 50, period: 1)
        bench.expectSuccess(Self.parameters(0, .legacyNonConnectable, interval: 32), advertiser)
        bench.expectSuccess(Self.enable(0), advertiser)
        for period in 1...5 {
            bench.air.advance(to: Int64(period) * 1_280_000)
            #expect(bench.takeExtendedReports(scanner).count == 1)
        }
    }

    @Test func connectionOfASetIsReportedWithItsHandle() throws {
        var bench = Bench()
        let central = bench.add(1)
        let peripheral = bench.add(2)
        bench.expectSuccess(Self.parameters(7, .connectable), peripheral)
        bench.expectSuccess(Self.enable(7), peripheral)
        // Legacy commands do not receive extended PDUs.
        let third = bench.add(3)
        bench.expectSuccess(Bench.createConnection(Bench.address(2)), third)
        bench.run(milliseconds: 500)
        bench.expectSuccess(
            LEExtendedCreateConnection(
                peerAddress: Bench.address(2),
                parameters: [
                    .init(
                        scanInterval: ScanTime(16), scanWindow: ScanTime(16),
                        minimumConnectionInterval: ConnectionInterval(24),
                        maximumConnectionInterval: ConnectionInterval(40), supervisionTimeout: SupervisionTimeout(100))
                ]), central)
        bench.run(milliseconds: 500)
        #expect(bench.takeEvents(LEConnectionComplete.self, third).isEmpty)
        #expect(bench.takeEvents(LEConnectionComplete.self, central).count == 1)
        let complete = try #require(bench.takeEvents(LEConnectionComplete.self, peripheral).first)
        let terminated = try #require(bench.takeEvents(LEAdvertisingSetTerminated.self, peripheral).first)
        #expect(terminated.status == .success && terminated.advertisingHandle == 7)
        #expect(terminated.connectionHandle == complete.connectionHandle)
        #expect(complete.connectionInterval == ConnectionInterval(24))
    }
}
