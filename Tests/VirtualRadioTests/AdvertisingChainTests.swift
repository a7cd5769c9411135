// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import Testing
import VirtualRadio

/// Advertising data in several PDUs (Core 5.4, Vol 6, Part B, 2.3.1.8).
@Suite struct AdvertisingChainTests {
    private static let whole = (0..<1650).map { UInt8(truncatingIfNeeded: $0 / 7) }

    /// Sets data in parts, as long as possible.
    private func setData(
        _ data: [UInt8], isScanResponse: Bool = false, _ bench: inout Bench, _ advertiser: ControllerIdentifier
    ) {
        var operations: [(AdvertisingDataOperation, [UInt8])] = []
        for start in stride(from: 0, to: data.count, by: 251) {
            let isLast = start + 251 >= data.count
            let operation: AdvertisingDataOperation =
                start == 0 ? (isLast ? .complete : .firstFragment) : (isLast ? .lastFragment : .intermediateFragment)
            operations.append((operation, Array(data[start..<min(start + 251, data.count)])))
        }
        for (operation, part) in operations {
            if isScanResponse {
                bench.expectSuccess(
                    LESetExtendedScanResponseData(
                        advertisingHandle: 0, operation: operation, fragmentPreference: 1, data: part), advertiser)
            } else {
                bench.expectSuccess(
                    LESetExtendedAdvertisingData(
                        advertisingHandle: 0, operation: operation, fragmentPreference: 1, data: part), advertiser)
            }
        }
    }

    private func advertise(
        _ data: [UInt8], as properties: AdvertisingEventProperties = [], interval: UInt32 = 160,
        phy: PHY = .oneMegabit, _ bench: inout Bench, _ advertiser: ControllerIdentifier
    ) {
        bench.expectSuccess(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 0, properties: properties, minimumInterval: AdvertisingInterval(interval),
                maximumInterval: AdvertisingInterval(interval), secondaryPHY: phy, advertisingSetIdentifier: 3),
            advertiser)
        setData(data, isScanResponse: properties.contains(.scannable), &bench, advertiser)
        bench.expectSuccess(Bench.extendedEnable(), advertiser)
    }

    private func scan(
        _ bench: inout Bench, _ scanner: ControllerIdentifier, _ type: ScanType = .passive, filter: UInt8 = 0
    ) {
        bench.expectSuccess(
            LESetExtendedScanParameters(
                parameters: [.init(scanType: type, scanInterval: ScanTime(16), scanWindow: ScanTime(16))]), scanner)
        bench.expectSuccess(LESetExtendedScanEnable(enable: 1, filterDuplicates: filter), scanner)
    }

    /// The reports of a time, each with its time.
    private func reports(
        _ bench: inout Bench, _ scanner: ControllerIdentifier, for milliseconds: Int64
    ) -> [(time: AirTime, report: LEExtendedAdvertisingReport.Report)] {
        var reports: [(AirTime, LEExtendedAdvertisingReport.Report)] = []
        let end = bench.air.now + milliseconds * 1000
        while let next = bench.air.nextDeadline, next <= end {
            bench.air.advance(to: next)
            reports += bench.takeExtendedReports(scanner).map { (bench.air.now, $0) }
        }
        bench.air.advance(to: end)
        return reports
    }

    private func assembled(_ reports: [(time: AirTime, report: LEExtendedAdvertisingReport.Report)]) -> [ScanReport] {
        var assembler = ReportAssembler()
        return reports.compactMap { assembler.take($0.report) }
    }

    /// 242 bytes in an AUX_ADV_IND, 248 in each AUX_CHAIN_IND: 2,120 and 1,064 µs with 300 µs between them.
    @Test(arguments: [(PHY.oneMegabit, AirTime(2420), AirTime(1756)), (.twoMegabit, 1364, 1032)])
    func partsArriveWhenTheirPDUsEnd(_ phy: PHY, _ longest: AirTime, _ last: AirTime) throws {
        var bench = Bench()
        let (advertiser, scanner) = (bench.add(1), bench.add(2))
        scan(&bench, scanner, filter: 1)
        advertise(Self.whole, phy: phy, &bench, advertiser)
        let reports = self.reports(&bench, scanner, for: 1000)
        #expect(reports.map(\.report.data.count) == [229, 13] + [229, 19, 229, 19, 229, 19, 229, 19, 229, 19] + [168])
        #expect(
            reports.map(\.report.eventType) == [ExtendedAdvertisingEventType](repeating: .incomplete, count: 12) + [[]])
        let start = try #require(reports.first).time
        var times: [AirTime] = [0, 0]
        for number in AirTime(1)...5 { times += [number * longest, number * longest] }
        times.append(5 * longest + last)
        #expect(reports.map { $0.time - start } == times)
        let whole = assembled(reports)
        #expect(whole.map(\.data) == [Self.whole] && whole.map(\.isComplete) == [true])
        #expect(whole.map(\.setIdentifier) == [3])
        #expect(reports.allSatisfy { $0.report.rssi == RSSI(-59) && $0.report.secondaryPHY == phy })
    }

    /// Every length around the limits of PDUs and reports.
    @Test(arguments: [229, 230, 242, 243, 245, 246, 251, 252, 490, 491, 492, 493, 494, 1649, 1650])
    func dataOfAnyLengthIsReceivedInEachEvent(count: Int) throws {
        for properties in [[], .scannable, [.anonymous, .includesTransmitPower]] as [AdvertisingEventProperties] {
            var bench = Bench()
            let (advertiser, scanner) = (bench.add(1), bench.add(2))
            scan(&bench, scanner, .active)
            let data = Array(Self.whole[..<count])
            // 20 ms, the shortest interval.
            advertise(data, as: properties, interval: 32, &bench, advertiser)
            let reports = assembled(self.reports(&bench, scanner, for: 1000)).filter { !$0.data.isEmpty }
            #expect(reports.count > 30 && reports.allSatisfy { $0.data == data && $0.isComplete })
        }
    }

    /// Where the interval on the air is shorter than a chain, the next event waits for its end.
    @Test func chainEndsBeforeTheNextEvent() throws {
        var bench = Bench()
        let advertiser = bench.add(1, character: try ControllerCharacter("air-interval:0.1"))
        let scanner = bench.add(2)
        scan(&bench, scanner)
        advertise(Self.whole, interval: 32, &bench, advertiser)
        let reports = assembled(self.reports(&bench, scanner, for: 1000))
        #expect(reports.count > 50 && reports.allSatisfy { $0.data == Self.whole && $0.isComplete })
    }

    @Test func connectableAdvertisementsHaveOnePDU() throws {
        var bench = Bench()
        let (advertiser, scanner) = (bench.add(1), bench.add(2))
        scan(&bench, scanner, filter: 1)
        advertise(Array(Self.whole[..<245]), as: .connectable, &bench, advertiser)
        let reports = self.reports(&bench, scanner, for: 500)
        #expect(reports.map(\.report.data.count) == [229, 16] && Set(reports.map(\.time)).count == 1)
        // The status of data that is too long for the enabled set is in `BadCommandTests`; the data is discarded.
        let command = LESetExtendedAdvertisingData(advertisingHandle: 0, data: Array(Self.whole[..<246]))
        #expect(bench.send(command, advertiser) == .packetTooLong)
        #expect(self.reports(&bench, scanner, for: 500).map(\.report.data) == [[]])
    }

    /// The other scanners receive the same chain.
    @Test func lostPartsAreReportedAsTruncated() throws {
        var bench = Bench()
        let (advertiser, scanner, other) = (bench.add(1), bench.add(2), bench.add(3))
        for scanner in [scanner, other] { scan(&bench, scanner, filter: 1) }
        bench.air.setOverride(LinkOverride(packetLoss: 0.2), between: advertiser, and: scanner)
        advertise(Self.whole, &bench, advertiser)
        let reports = assembled(self.reports(&bench, scanner, for: 5000))
        let (complete, truncated) = (reports.filter(\.isComplete), reports.filter { !$0.isComplete })
        // The duplicate filter passes it until it is complete.
        #expect(complete.map(\.data) == [Self.whole] && reports.last?.isComplete == true)
        #expect(!truncated.isEmpty && truncated.allSatisfy { Self.whole.starts(with: $0.data) && $0.data.count < 1650 })
        #expect(truncated.allSatisfy { $0.rssi == nil })
        let others = bench.takeExtendedReports(other)
        #expect(others.flatMap(\.data) == Self.whole)
    }

    /// With lost packets and collisions, data is complete or truncated, and the same in each run. The scanner changes its channel
    /// during advertising events.
    @Test(arguments: Propagation.environments.map(\.propagation))
    func dataIsCompleteOrTruncatedInPhysics(_ propagation: Propagation) throws {
        func run() -> [ScanReport] {
            var bench = Bench(AirConfiguration(seed: 5, propagation: propagation))
            let scanner = bench.add(1, position: Position(x: 0, y: 0))
            scan(&bench, scanner)
            for number in UInt8(10)..<20 {
                let advertiser = bench.add(number, position: Position(x: Double(number), y: 3))
                advertise(Array(Self.whole.dropFirst(Int(number))), &bench, advertiser)
            }
            return assembled(self.reports(&bench, scanner, for: 10_000))
        }
        let reports = run()
        #expect(reports.filter(\.isComplete).count > 20 && reports.contains { !$0.isComplete })
        for report in reports {
            let whole = Self.whole.dropFirst(Int(report.address.octets.last ?? 0))
            #expect(report.isComplete ? report.data == Array(whole) : whole.starts(with: report.data))
        }
        #expect(run() == reports)
    }

    enum Interruption: CaseIterable {
        case setDisabled, setRemoved, advertiserReset, advertiserRemoved, advertiserMuted, scannerStopped,
            scannerRemoved
    }

    @Test(arguments: Interruption.allCases) func interruptedChainEnds(_ interruption: Interruption) throws {
        var bench = Bench()
        let (advertiser, scanner) = (bench.add(1), bench.add(2))
        scan(&bench, scanner)
        advertise(Self.whole, interval: 0x1000, &bench, advertiser)
        var received: [LEExtendedAdvertisingReport.Report] = []
        while received.count < 4 {
            bench.air.advance(to: try #require(bench.air.nextDeadline))
            received += bench.takeExtendedReports(scanner)
        }
        switch interruption {
        case .setDisabled: bench.expectSuccess(Bench.extendedEnable(0), advertiser)
        case .setRemoved:
            bench.expectSuccess(Bench.extendedEnable(0), advertiser)
            bench.expectSuccess(LERemoveAdvertisingSet(advertisingHandle: 0), advertiser)
        case .advertiserReset: bench.expectSuccess(HCIReset(), advertiser)
        case .advertiserRemoved: bench.air.removeController(advertiser)
        case .advertiserMuted: bench.air.setMuted(true, advertiser)
        case .scannerStopped: bench.expectSuccess(LESetExtendedScanEnable(enable: 0, filterDuplicates: 0), scanner)
        case .scannerRemoved: bench.air.removeController(scanner)
        }
        bench.run(milliseconds: 100)
        let rest = bench.takeExtendedReports(scanner)
        switch interruption {
        case .setDisabled, .setRemoved:
            // It is sent to its end.
            #expect((received + rest).flatMap(\.data) == Self.whole && rest.last?.eventType == [])
        case .advertiserReset, .advertiserRemoved, .advertiserMuted:
            #expect(rest.map(\.eventType) == [.truncated] && rest.map(\.data) == [[]])
        case .scannerStopped, .scannerRemoved: #expect(rest.isEmpty)
        }
        if interruption != .advertiserMuted, interruption != .scannerStopped, interruption != .scannerRemoved {
            #expect(bench.air.nextDeadline == nil)
        }
    }

    /// A scan that begins again does not get the rest of a chain.
    @Test func restartedScanBeginsWithTheNextEvent() throws {
        var bench = Bench()
        let (advertiser, scanner) = (bench.add(1), bench.add(2))
        scan(&bench, scanner)
        advertise(Self.whole, &bench, advertiser)
        while bench.takeExtendedReports(scanner).isEmpty { bench.air.advance(to: try #require(bench.air.nextDeadline)) }
        bench.expectSuccess(LESetExtendedScanEnable(enable: 0, filterDuplicates: 0), scanner)
        bench.expectSuccess(LESetExtendedScanEnable(enable: 1, filterDuplicates: 1), scanner)
        #expect(assembled(self.reports(&bench, scanner, for: 1000)).map(\.data) == [Self.whole])
    }

    /// Operation 4 of an enabled set: the same data is reported again by scanners that filter duplicates.
    @Test func unchangedDataIsANewAdvertisement() throws {
        var bench = Bench()
        let (advertiser, scanner) = (bench.add(1), bench.add(2))
        scan(&bench, scanner, filter: 1)
        advertise(Self.whole, &bench, advertiser)
        for _ in 0..<2 {
            #expect(assembled(self.reports(&bench, scanner, for: 1000)).map(\.data) == [Self.whole])
            bench.expectSuccess(
                LESetExtendedAdvertisingData(
                    advertisingHandle: 0, operation: .unchanged, fragmentPreference: 0, data: []), advertiser)
        }
    }

    @Test func dataBeyondTheMemoryIsDiscarded() throws {
        var bench = Bench()
        let (advertiser, scanner) = (bench.add(1), bench.add(2))
        bench.expectSuccess(Bench.extendedParameters(0, []), advertiser)
        func part(_ operation: AdvertisingDataOperation, _ count: Int) -> LESetExtendedAdvertisingData {
            LESetExtendedAdvertisingData(
                advertisingHandle: 0, operation: operation, fragmentPreference: 0,
                data: [UInt8](repeating: 1, count: count))
        }
        bench.expectSuccess(part(.firstFragment, 251), advertiser)
        for _ in 0..<5 { bench.expectSuccess(part(.intermediateFragment, 251), advertiser) }
        #expect(bench.send(part(.intermediateFragment, 145), advertiser) == .memoryCapacityExceeded)
        #expect(bench.send(part(.lastFragment, 1), advertiser) == .commandDisallowed)
        scan(&bench, scanner, filter: 1)
        bench.expectSuccess(Bench.extendedEnable(), advertiser)
        #expect(self.reports(&bench, scanner, for: 1000).map(\.report.data) == [[]])
    }
}
