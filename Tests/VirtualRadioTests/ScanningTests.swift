// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

@Suite struct ScanningTests {
    struct Share: Sendable {
        let interval: UInt32
        let window: UInt32
        let channels: AdvertisingChannelMap
        let share: Double
    }

    @Test(arguments: [
        Share(interval: 16, window: 16, channels: .all, share: 1),
        Share(interval: 16, window: 8, channels: .all, share: 0.5),
        Share(interval: 160, window: 40, channels: .all, share: 0.25),
        Share(interval: 16, window: 16, channels: .channel38, share: 1.0 / 3),
        Share(interval: 16, window: 8, channels: [.channel37, .channel39], share: 1.0 / 3),
    ])
    func receivesTheShareOfItsWindowAndItsChannels(_ share: Share) throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner, interval: share.interval, window: share.window)
        try bench.advertise(advertiser, .nonConnectableUndirected, interval: 32, channels: share.channels)
        let events = 40_000.0
        for _ in 0..<100 {
            bench.run(milliseconds: 10_000)
            bench.drain(scanner)
        }
        let received = Double(bench.takeReports(scanner).count)
        #expect(abs(received / events - share.share) < 0.01)
    }

    @Test func channelChangesWithEachInterval() throws {
        var bench = Bench()
        let advertisers = [UInt8(1), 2, 3].map { bench.add($0) }
        let scanner = bench.add(9)
        let channels: [AdvertisingChannelMap] = [.channel37, .channel38, .channel39]
        for (advertiser, channel) in zip(advertisers, channels) {
            try bench.advertise(advertiser, interval: 32, channels: channel)
        }
        bench.run(milliseconds: 100)
        bench.scan(scanner, interval: 160, window: 160)
        for interval in 0..<9 {
            bench.run(milliseconds: 100)
            let received = Set(bench.takeReports(scanner).map(\.address))
            #expect(received == [Bench.address(UInt8(interval % 3) + 1)])
        }
    }

    @Test func duplicatesAreFilteredByAddressAndTypeUntilDisabled() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner, .active, filterDuplicates: true)
        try bench.advertise(advertiser, interval: 32, scanResponse: [2, 10, 0])
        bench.run(milliseconds: 1000)
        #expect(bench.takeReports(scanner).map(\.eventType) == [.connectableUndirected, .scanResponse])
        bench.expectSuccess(try #require(LESetAdvertisingData(data: [2, 10, 4])), advertiser)
        bench.run(milliseconds: 1000)
        #expect(bench.takeReports(scanner).isEmpty)
        bench.expectSuccess(LESetScanEnable(enable: 0, filterDuplicates: 0), scanner)
        bench.expectSuccess(LESetScanEnable(enable: 1, filterDuplicates: 1), scanner)
        bench.run(milliseconds: 1000)
        #expect(bench.takeReports(scanner).count == 2)
    }

    @Test func acceptListFiltersReports() throws {
        var bench = Bench()
        let first = bench.add(1)
        let second = bench.add(2)
        let scanner = bench.add(3)
        bench.expectSuccess(
            LEAddDeviceToFilterAcceptList(addressType: .public, address: Bench.address(2)), scanner)
        bench.scan(scanner, policy: .filtered)
        try bench.advertise(first)
        try bench.advertise(second)
        bench.run(milliseconds: 1000)
        #expect(Set(bench.takeReports(scanner).map(\.address)) == [Bench.address(2)])
    }

    @Test(arguments: [true, false])
    func acceptListFiltersScanRequests(isListed: Bool) throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        let listed = Bench.address(isListed ? 2 : 7)
        bench.expectSuccess(LEAddDeviceToFilterAcceptList(addressType: .public, address: listed), advertiser)
        bench.scan(scanner, .active)
        try bench.advertise(advertiser, scanResponse: [2, 10, 0], policy: .scanRequestsOfList)
        bench.run(milliseconds: 1000)
        let types = Set(bench.takeReports(scanner).map(\.eventType))
        #expect(types == (isListed ? [.connectableUndirected, .scanResponse] : [.connectableUndirected]))
    }

    @Test func randomAddressesAreReportedAsSet() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        let random = try #require(BluetoothAddress("5A:11:22:33:44:55"))
        bench.scan(scanner)
        bench.expectSuccess(LESetRandomAddress(randomAddress: random), advertiser)
        bench.expectSuccess(
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(160), maximumInterval: AdvertisingInterval(320),
                advertisingType: .nonConnectableUndirected, ownAddressType: .random), advertiser)
        bench.expectSuccess(LESetAdvertisingEnable(enable: 1), advertiser)
        bench.run(milliseconds: 1000)
        let reports = bench.takeReports(scanner)
        // The shortest interval that the host allows.
        #expect((9...11).contains(reports.count))
        #expect(reports.allSatisfy { $0.address == random && $0.addressType == .random && $0.data.isEmpty })
    }

    @Test func controllerDoesNotReceiveItself() throws {
        var bench = Bench()
        let both = bench.add(1)
        bench.scan(both)
        try bench.advertise(both)
        bench.run(milliseconds: 1000)
        #expect(bench.takeReports(both).isEmpty)
    }

    @Test func slowReaderLosesItsOldestReportsAndDelaysNoOther() throws {
        var bench = Bench(AirConfiguration(seed: 1, reportLimit: 10))
        let advertiser = bench.add(1)
        let slow = bench.add(2)
        let quick = bench.add(3)
        bench.scan(slow)
        bench.scan(quick)
        try bench.advertise(advertiser, interval: 32)
        for number in UInt8(0)..<200 {
            bench.expectSuccess(try #require(LESetAdvertisingData(data: [2, 10, number])), advertiser)
            bench.run(milliseconds: 30)
            bench.drain(quick)
        }
        let remaining = bench.takeReports(slow)
        let all = bench.takeReports(quick)
        #expect(remaining.count == 10 && remaining == all.suffix(10))
        #expect(bench.air.droppedReports(of: slow) == UInt64(all.count - 10))
        #expect(bench.air.droppedReports(of: quick) == 0)
        #expect(bench.air.reports == (UInt64(2 * all.count), UInt64(all.count - 10)))
        bench.air.removeController(slow)
        #expect(bench.air.reports == (UInt64(2 * all.count), UInt64(all.count - 10)))
    }

    @Test func advertisingEventsAndTheirLatenessAreCounted() throws {
        var bench = Bench()
        let first = bench.add(1)
        let second = bench.add(2)
        try bench.advertise(first, interval: 160)
        try bench.advertise(second, interval: 320)
        let start = bench.air.now
        bench.air.advance(to: start + 10_000_000)
        let events = (bench.air.advertisingEvents(of: first), bench.air.advertisingEvents(of: second))
        // Every 100 or 200 ms, with a random delay of up to 10 ms.
        #expect((91...100).contains(events.0) && (47...50).contains(events.1))
        #expect(bench.air.advertisingEvents == events.0 + events.1)
        // The events of ten seconds happened in one step.
        #expect(bench.air.advertisingDelays.counts.last.map { $0 > 100 } == true)
        bench.air.removeController(second)
        #expect(bench.air.advertisingEvents == events.0 + events.1)
        #expect(bench.air.advertisingEvents(of: second) == 0)
    }
}
