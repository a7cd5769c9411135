// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

@Suite struct LegacyAdvertisingTests {
    struct Case: Sendable {
        let type: AdvertisingType
        let scan: ScanType
        let reports: Set<AdvertisingReportType>
    }

    @Test(arguments: [
        Case(type: .connectableUndirected, scan: .passive, reports: [.connectableUndirected]),
        Case(type: .connectableUndirected, scan: .active, reports: [.connectableUndirected, .scanResponse]),
        Case(type: .scannableUndirected, scan: .passive, reports: [.scannableUndirected]),
        Case(type: .scannableUndirected, scan: .active, reports: [.scannableUndirected, .scanResponse]),
        Case(type: .nonConnectableUndirected, scan: .passive, reports: [.nonConnectableUndirected]),
        Case(type: .nonConnectableUndirected, scan: .active, reports: [.nonConnectableUndirected]),
        Case(type: .connectableDirectedLowDutyCycle, scan: .active, reports: [.connectableDirected]),
        Case(type: .connectableDirectedHighDutyCycle, scan: .active, reports: [.connectableDirected]),
    ])
    func reportHasTheTypeOfThePDU(_ testCase: Case) throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner, testCase.scan)
        try bench.advertise(
            advertiser, testCase.type, data: [2, 1, 6], scanResponse: [3, 9, 65, 66], target: Bench.address(2))
        bench.run(milliseconds: 1000)
        let reports = bench.takeReports(scanner)
        #expect(Set(reports.map(\.eventType)) == testCase.reports)
        for report in reports {
            #expect(report.address == Bench.address(1) && report.addressType == .public)
            #expect(report.rssi == RSSI(-59))
            switch report.eventType {
            case .scanResponse: #expect(report.data == [3, 9, 65, 66])
            case .connectableDirected: #expect(report.data.isEmpty)
            default: #expect(report.data == [2, 1, 6])
            }
        }
    }

    @Test func directedAdvertisingReachesOnlyItsTarget() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let other = bench.add(3)
        bench.scan(other)
        try bench.advertise(advertiser, .connectableDirectedLowDutyCycle, target: Bench.address(2))
        bench.run(milliseconds: 1000)
        #expect(bench.takeReports(other).isEmpty)
    }

    @Test func directedAdvertisingToAPrivateAddressPassesTheExtendedPolicies() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let other = bench.add(3)
        bench.scan(other, policy: .extendedUnfiltered)
        let target = try #require(BluetoothAddress("40:00:00:00:00:01"))
        bench.expectSuccess(
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(160), maximumInterval: AdvertisingInterval(160),
                advertisingType: .connectableDirectedLowDutyCycle, peerAddressType: .random, peerAddress: target),
            advertiser)
        bench.expectSuccess(LESetAdvertisingEnable(enable: 1), advertiser)
        bench.run(milliseconds: 1000)
        let reports = bench.takeEvents(LEDirectedAdvertisingReport.self, other).flatMap(\.reports)
        #expect(reports.count >= 9)
        #expect(reports.allSatisfy { $0.directAddress == target && $0.directAddressType == .random })
    }

    @Test func highDutyCycleEndsAfter1280Milliseconds() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner)
        try bench.advertise(advertiser, .connectableDirectedHighDutyCycle, target: Bench.address(2))
        bench.run(milliseconds: 1279)
        #expect(bench.takeEvents(LEConnectionComplete.self, advertiser).isEmpty)
        bench.run(milliseconds: 1000)
        let complete = try #require(bench.takeEvents(LEConnectionComplete.self, advertiser).first)
        #expect(complete.status == .advertisingTimeout)
        #expect(bench.takeReports(scanner).count == 342)
    }

    @Test(arguments: [UInt32(32), 160, 1600])
    func intervalIsTheRequestedOneWithAMeanDelayOfFiveMilliseconds(ticks: UInt32) throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner)
        try bench.advertise(advertiser, .nonConnectableUndirected, interval: ticks)
        let expected = Double(ticks) * 625 + 5000
        let count = 100_000
        var times: [AirTime] = []
        while times.count < count {
            bench.air.advance(to: try #require(bench.air.nextDeadline))
            if bench.air.takeOutput(of: scanner) != nil { times.append(bench.air.now) }
        }
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        let mean = Double(gaps.reduce(0, +)) / Double(gaps.count)
        // The standard deviation of a delay from 0 to 10 ms.
        let deviation = 10_000 / 12.squareRoot()
        #expect(abs(mean - expected) < min(expected / 1000, 4 * deviation / Double(count).squareRoot()))
        let allowed = (Int64(ticks) * 625)...(Int64(ticks) * 625 + 10_000)
        #expect(gaps.allSatisfy(allowed.contains))
        #expect(gaps.min() ?? 0 < allowed.lowerBound + 100 && gaps.max() ?? 0 > allowed.upperBound - 100)
    }

    @Test func firstEventIsWithinTenMilliseconds() throws {
        for seed in UInt64(0)..<50 {
            var bench = Bench(AirConfiguration(seed: seed))
            let advertiser = bench.add(1)
            try bench.advertise(advertiser, interval: 0x4000)
            #expect(try #require(bench.air.nextDeadline) <= 10_000)
        }
    }

    @Test func disablingStopsAdvertising() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner)
        try bench.advertise(advertiser)
        bench.run(milliseconds: 500)
        #expect(!bench.takeReports(scanner).isEmpty)
        bench.expectSuccess(LESetAdvertisingEnable(enable: 0), advertiser)
        bench.run(milliseconds: 500)
        #expect(bench.takeReports(scanner).isEmpty)
        #expect(bench.air.nextDeadline == nil)
    }

    @Test func dataMayChangeWhileAdvertising() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner)
        try bench.advertise(advertiser)
        bench.run(milliseconds: 200)
        bench.expectSuccess(try #require(LESetAdvertisingData(data: [2, 10, 4])), advertiser)
        _ = bench.takeReports(scanner)
        bench.run(milliseconds: 200)
        let reports = bench.takeReports(scanner)
        #expect(!reports.isEmpty && reports.allSatisfy { $0.data == [2, 10, 4] })
    }

    @Test func eventMasksAreHonoured() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2, masked: [LEAdvertisingReport.subeventCode])
        bench.scan(scanner)
        try bench.advertise(advertiser)
        bench.run(milliseconds: 300)
        #expect(bench.takePackets(scanner).isEmpty)
        bench.prepare(scanner)
        bench.run(milliseconds: 300)
        #expect(!bench.takePackets(scanner).isEmpty)
        // A reset disables LE meta events.
        bench.expectSuccess(HCIReset(), scanner)
        bench.scan(scanner)
        bench.run(milliseconds: 300)
        #expect(bench.takePackets(scanner).isEmpty)
    }
}
