// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

@testable import Receiving

@Suite struct AdvertiserTableTests {
    typealias Table = AdvertiserTable<String>

    static let beacon = IBeacon.sample().advertisingData().serialized()
    static let name = AdvertisingData([.localName("Entrance", isComplete: true)]).serialized()

    @Test func duplicatesAreCollapsed() {
        var table = Table()
        func receive(_ data: [UInt8], _ source: String = "a", response: Bool = false) -> Table.News {
            table.receive(data, from: source, isScanResponse: response, rssi: RSSI(-60), at: .zero).news
        }
        #expect(receive(Self.beacon) == .newAdvertiser)
        #expect(receive(Self.beacon) == .nothing)
        #expect(receive(Self.name, response: true) == .newData)
        #expect(receive(Self.name, response: true) == .nothing)
        #expect(receive(Self.beacon) == .nothing)
        #expect(receive(Self.beacon, "b") == .newAdvertiser)
        #expect(receive([2, 1, 4]) == .newData)
        // A rotating payload is reported once, as long as the number of different payloads is small.
        #expect(
            (0..<12).map { _ in [receive(Self.beacon), receive([2, 1, 4])] }
                == Array(repeating: [.nothing, .nothing], count: 12))
        #expect((0..<5).map { receive([2, 0x0A, $0]) } == Array(repeating: .newData, count: 5))
        #expect(receive([2, 0x0A, 0]) == .newData)
        #expect(receive([2, 0x0A, 4]) == .nothing)
        // Empty data and an empty scan response are data, too.
        #expect(receive([], "c", response: true) == .newAdvertiser)
        #expect(receive([], "c") == .nothing)
    }

    @Test func dataAndScanResponseAreJoined() throws {
        var table = Table()
        _ = table.receive(Self.beacon + [9], from: "a", rssi: RSSI(-60), at: .seconds(1))
        _ = table.receive(Self.name, from: "a", isScanResponse: true, rssi: RSSI(-62), at: .seconds(2))
        _ = table.receive([3, 3, 0x0F, 0x18], from: "b", rssi: nil, at: .seconds(3))
        _ = table.receive([3, 3, 0x0F, 0x18, 5, 5, 0x0F, 0x18, 0, 0], from: "b", rssi: .unavailable, at: .seconds(4))
        let (first, second) = (try #require(table["a"]), try #require(table["b"]))
        #expect(first.localName == "Entrance")
        #expect(first.frames == [BeaconFrame(IBeacon.sample())])
        #expect(first.advertisingBytes == Self.beacon + [9])
        #expect(first.advertisingData.structures.count == 2)
        #expect(first.scanResponseBytes == Self.name)
        #expect((first.advertisements, first.scanResponses) == (1, 1))
        #expect((first.firstSeen, first.lastSeen) == (.seconds(1), .seconds(2)))
        #expect(first.lastRSSI == RSSI(-62))
        #expect(first.meanRSSI == -61)
        #expect(second.services == [.bit16(0x180F)])
        #expect(second.lastRSSI == nil)
        #expect(second.meanRSSI == nil)
        #expect(table["c"] == nil)
        #expect(table.advertisers.map(\.source) == ["a", "b"])
        table.forget(notSeenSince: .seconds(3))
        #expect(table.advertisers.map(\.source) == ["b"])
    }

    /// The times of received events, in milliseconds, and the interval that they show.
    @Test(
        arguments: [
            ([], nil), ([0], nil), ([0, 104, 208], nil), ([0, 104, 210, 312], 100),
            ([0, 104, 514, 618, 1033, 1137], 100),
            // One event on two channels.
            ([0, 1, 104, 105, 208, 209, 313], 100),
            // Every other event is lost; the lost events cannot be inferred.
            ([0, 208, 416, 624], 200),
            // The interval changes: the latest gaps decide.
            ([0, 100, 200, 300] + (1...48).map { 300 + $0 * 1000 }, 1000),
        ] as [([Int], Int?)])
    func intervalsAreMeasured(_ events: [Int], _ interval: Int?) {
        var table = Table()
        for (index, event) in events.enumerated() {
            let time = Duration.milliseconds(event)
            _ = table.receive(Self.beacon, from: "a", rssi: nil, at: time)
            guard index.isMultiple(of: 2) else { continue }
            _ = table.receive(Self.name, from: "a", isScanResponse: true, rssi: nil, at: time + .milliseconds(15))
        }
        #expect(table["a"]?.interval?.duration == interval.map { .milliseconds($0) })
    }

    @Test(arguments: [0, 200, 500] as [UInt64])
    func intervalsAreMeasuredInSpiteOfDelayAndLoss(_ lostPerMille: UInt64) throws {
        var generator = SplitMix64(seed: 3)
        var table = Table()
        var time = Duration.zero
        for _ in 0..<400 {
            let isLost = generator.next() % 1000 < lostPerMille
            if !isLost { _ = table.receive(Self.beacon, from: "a", rssi: nil, at: time) }
            time += .milliseconds(100) + .microseconds(Int(generator.next() % 10_000))
        }
        #expect(table["a"]?.interval == AdvertisingInterval(160))
    }

    /// On a loaded machine some advertisements are processed late: one gap is too long, and the next too short.
    @Test(arguments: [(100, 4), (250, 6)] as [(UInt64, Int)])
    func lateAdvertisementsDoNotChangeTheInterval(_ latePerMille: UInt64, _ tolerance: Int) throws {
        for seed in UInt64(1)...20 {
            var generator = SplitMix64(seed: seed)
            var table = Table()
            var time = Duration.zero
            for _ in 0..<100 {
                let isLate = generator.next() % 1000 < latePerMille
                let lateness = Duration.microseconds(isLate ? Int(generator.next() % 80_000) : 0)
                _ = table.receive(Self.beacon, from: "a", rssi: nil, at: time + lateness)
                time += .milliseconds(100) + .microseconds(Int(generator.next() % 10_000))
                guard time > .seconds(2) else { continue }
                let interval = try #require(table["a"]?.interval)
                #expect(abs(interval.duration / .milliseconds(1) - 100) < Double(tolerance), "seed \(seed)")
            }
        }
    }

    @Test func numberOfAdvertisersIsLimited() {
        var table = Table(capacity: 100)
        for number in 0..<10_000 {
            _ = table.receive([], from: "\(number)", rssi: nil, at: .milliseconds(number))
            _ = table.receive(Self.beacon, from: "beacon", rssi: nil, at: .milliseconds(number))
            #expect(table.count <= 100)
        }
        #expect(table.count > 80)
        #expect(table["beacon"]?.advertisements == 10_000)
        #expect(table["9999"] != nil)
        #expect(table["0"] == nil)
    }

    @Test func anyBytesAreAccepted() {
        var generator = SplitMix64(seed: 4)
        var table = AdvertiserTable<UInt8>(capacity: 16)
        let filter = ScanFilter(services: [.bit16(0x180F)], formats: [IBeacon.self], name: "x")
        for _ in 0..<20_000 {
            let bytes = generator.bytes(Int.random(in: 0...64, using: &generator))
            let source = UInt8.random(in: 0...31, using: &generator)
            let (advertiser, _) = table.receive(
                bytes, from: source, isScanResponse: Bool.random(using: &generator),
                rssi: RSSI(Int8.random(in: -128...127, using: &generator)), at: .zero)
            _ = filter.accepts(advertiser)
            _ = advertiser.services
        }
        #expect(table.count <= 16)
    }
}

@Suite struct RecencyTableTests {
    @Test func leastRecentlyUsedEntriesAreRemoved() {
        var table = RecencyTable<Int, Int>(capacity: 16)
        for key in 0..<16 { table.use(key, initial: 0) { $0 += key } }
        for key in [0, 1, 2] { table.use(key, initial: 100) { $0 += 1 } }
        #expect(table.count == 16)
        table.use(16, initial: 16) { _ in }
        // An eighth of the capacity was removed.
        #expect(table.count == 15)
        #expect((table[3], table[4], table[5]) == (nil, nil, 5))
        #expect((table[0], table[1], table[16]) == (1, 2, 16))
        #expect(table.values == [1, 2, 3] + (5...16))
        table.keep { value in
            value += 1
            return value < 5
        }
        #expect(table.values == [2, 3, 4])
    }

    @Test func capacityIsAtLeastOne() {
        var table = RecencyTable<Int, Int>(capacity: 0)
        for key in 0..<5 { table.use(key, initial: key) { _ in } }
        #expect(table.values == [4])
    }
}
