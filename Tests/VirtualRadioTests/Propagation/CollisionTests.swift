// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import HCI
import Space
import Testing

@testable import VirtualRadio

@Suite struct CollisionTests {
    private static let configuration = AirConfiguration(seed: 3, propagation: Propagation(capture: 8))
    /// With the longest data a PDU takes 376 µs on the air.
    private static let data: [UInt8] = [30, 0xFF] + Array(repeating: 7, count: 29)

    // MARK: - Two PDUs

    struct Pair: Sendable {
        /// The start of the second PDU after the first, in microseconds.
        var offset: AirTime = 100
        /// The power of the second in dBm; the first has 0.
        var power: Int8 = 0
        var channels: UInt8 = 1
        let received: [Bool]
    }

    @Test(arguments: [
        Pair(received: [false, false]),
        Pair(offset: 0, received: [false, false]),
        Pair(offset: 375, received: [false, false]),
        Pair(offset: 376, received: [true, true]),
        Pair(power: -7, received: [false, false]),
        Pair(power: -8, received: [true, false]),
        Pair(offset: 375, power: -8, received: [true, false]),
        Pair(power: 7, received: [false, false]),
        Pair(power: 8, received: [false, true]),
        Pair(channels: 2, received: [true, false]),
    ])
    func strongerPDUIsReceivedIfAheadByTheCapture(_ pair: Pair) {
        var medium = Medium(Propagation(capture: 8), seed: 1)
        for index in 0..<3 {
            medium.addController(index, ControllerConfiguration(publicAddress: .zero, name: "c\(index)"))
        }
        func event(_ transmitter: Int, _ power: Int8, _ channels: UInt8, _ start: AirTime) -> AdvertisingEvent {
            AdvertisingEvent(
                transmitter: transmitter, power: power, channels: channels, isLegacy: true, bits: 376, start: start)
        }
        // The receiver is on channel 37.
        let receiver = Receiver(controller: 2, isExtended: true, start: 0, interval: 10_000, window: 10_000)
        let first = event(0, 0, 1, 1_000)
        let second = event(1, pair.power, pair.channels, 1_000 + pair.offset)
        medium.transmit(first, now: 1_000)
        medium.transmit(second, now: 1_000 + pair.offset)
        let received = [
            medium.rssi(of: first, at: receiver, now: 1_376) != nil,
            medium.rssi(of: second, at: receiver, now: 1_376 + pair.offset) != nil,
        ]
        #expect(received == pair.received)
    }

    /// A scanner receives a PDU only if it is on its channel from the first bit to the last.
    @Test(arguments: [(AirTime(9_624), true), (9_625, false), (10_000, false), (-1, false)])
    func receiverStaysOnTheChannelOfThePDU(start: AirTime, isReceived: Bool) {
        var medium = Medium(Propagation(capture: 8), seed: 1)
        for index in 0..<2 {
            medium.addController(index, ControllerConfiguration(publicAddress: .zero, name: "c\(index)"))
        }
        let receiver = Receiver(controller: 1, isExtended: true, start: 0, interval: 10_000, window: 10_000)
        let event = AdvertisingEvent(
            transmitter: 0, power: 0, channels: 1, isLegacy: true, bits: 376, start: start)
        #expect((medium.rssi(of: event, at: receiver, now: start + 376) != nil) == isReceived)
    }

    @Test func ownPDUsDoNotCollide() {
        var medium = Medium(Propagation(capture: 8), seed: 1)
        for index in 0..<2 {
            medium.addController(index, ControllerConfiguration(publicAddress: .zero, name: "c\(index)"))
        }
        let receiver = Receiver(controller: 1, isExtended: true, start: 0, interval: 10_000, window: 10_000)
        let events = [AirTime(1_000), 1_100].map {
            AdvertisingEvent(transmitter: 0, power: 0, channels: 1, isLegacy: true, bits: 376, start: $0)
        }
        for event in events { medium.transmit(event, now: 1_000) }
        #expect(medium.rssi(of: events[0], at: receiver, now: 1_376) == -59)
    }

    // MARK: - Crowds

    /// What is saved of a PDU at a receiver is what would be computed again.
    @Test(arguments: ["hall", "office", "obstructed"], [UInt64(1), 2])
    func savedRSSIChangesNoReception(preset: String, seed: UInt64) throws {
        let propagation = try #require(Propagation.environments.first { $0.name == preset }?.propagation)
        let (beacons, receivers) = (40, 25)
        var random = SplitMix64(seed: seed)
        let places = (0..<beacons + receivers).map { _ in Position(x: random.unit() * 60, y: random.unit() * 60) }
        // Four PDUs are on the air at a time.
        let events = (0..<400).map { number in
            AdvertisingEvent(
                transmitter: Int(random.next() % UInt64(beacons)), power: 0, channels: 1, isLegacy: true, bits: 376,
                start: 10_000 + AirTime(number) * 94 + AirTime(random.next() % 90))
        }
        func receptions(discarding: Bool) -> (rssi: [Int8?], paths: [[UInt64]]) {
            var medium = Medium(propagation, seed: seed)
            for (index, place) in places.enumerated() {
                medium.addController(
                    index, ControllerConfiguration(publicAddress: .zero, name: "c\(index)", motion: .rest(place)))
            }
            var rssi: [Int8?] = []
            var sent = events[...]
            for event in events {
                guard let start = event.start else { continue }
                while let next = sent.first, let begin = next.start, begin < start + 376 {
                    medium.transmit(next, now: begin)
                    sent.removeFirst()
                }
                for receiver in beacons..<beacons + receivers {
                    if discarding { medium.setRSSIOffset(0, of: receiver) }
                    rssi.append(medium.rssi(of: event, on: 0, at: receiver, now: start + 376))
                }
            }
            let paths = (0..<beacons).flatMap { beacon in
                (beacons..<beacons + receivers).map { receiver in
                    let path = medium.path(from: beacon, power: 0, to: receiver, at: 100_000)
                    return [path.packets, path.lostPackets]
                }
            }
            return (rssi, paths)
        }
        let (saved, computed) = (receptions(discarding: false), receptions(discarding: true))
        #expect(saved == computed)
        let received = saved.rssi.count { $0 != nil }
        #expect(received > 100 && received < saved.rssi.count / 2)
    }

    @Test func rowsOfTheTableAreUsedAgain() {
        var table = RSSITable()
        let first = table.addRow()
        let column = table.column(of: 900)
        table[first, column] = -60
        // The rows become longer.
        let columns = (0..<100).map { table.column(of: $0) }
        #expect(Set(columns + [column]).count == 101 && table.column(of: 900) == column)
        let second = table.addRow()
        table[second, columns[99]] = -70
        #expect(table[first, column] == -60 && table[second, columns[99]] == -70)
        #expect(columns.allSatisfy { table[first, $0] == RSSITable.unknown })
        table.removeRow(first)
        let third = table.addRow()
        #expect(third == first && table[third, column] == RSSITable.unknown)
        #expect(table[second, columns[99]] == -70)
    }

    /// More scanners than fit in a block, with windows of their own, receive what each of them receives alone.
    @Test func scannersDoNotDependOnOthers() throws {
        func reports(of numbers: Range<Int>, stopping stopped: Int? = nil) throws -> [Int: Int] {
            var bench = Bench(AirConfiguration(seed: 3))
            let beacon = bench.add(255)
            var scanners: [Int: ControllerIdentifier] = [:]
            for number in numbers { scanners[number] = bench.add(UInt8(number)) }
            for number in 0..<150 {
                if let scanner = scanners[number] {
                    bench.scan(scanner, interval: UInt32(16 + number), window: UInt32(4 + number / 2))
                }
                bench.air.advance(to: bench.air.now + 700)
            }
            try bench.advertise(beacon, .nonConnectableUndirected, interval: 32)
            bench.run(milliseconds: 2_000)
            if let stopped, let scanner = scanners[stopped] {
                bench.expectSuccess(LESetScanEnable(enable: 0, filterDuplicates: 0), scanner)
            }
            bench.run(milliseconds: 2_000)
            return scanners.mapValues { bench.takeReports($0).count }
        }
        let all = try reports(of: 0..<150)
        #expect(all.count == 150 && all.values.allSatisfy { $0 > 20 })
        for number in [0, 63, 64, 127, 128, 149] {
            let alone = try reports(of: number..<number + 1)
            #expect(alone[number] == all[number])
        }
        let others = try reports(of: 0..<150, stopping: 70)
        for number in 0..<150 where number != 70 { #expect(others[number] == all[number]) }
        #expect((others[70] ?? 0) < (all[70] ?? 0))
    }

    // MARK: - Advertising events

    /// The gaps are those of phones and beacons, which recordings of sniffers show.
    @Test(arguments: [(AdvertisingType.connectableUndirected, AirTime(368)), (.nonConnectableUndirected, 160)])
    func pdusOfAnEventFollowEachOtherOnTheirChannels(type: AdvertisingType, gap: AirTime) throws {
        var timers = TimerQueue()
        var set = AdvertisingSet(
            controller: 0, handle: nil, timer: timers.add(.advertisingSet(0)), transmitPower: 0)
        try set.apply(
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(160), maximumInterval: AdvertisingInterval(160),
                advertisingType: type, peerAddress: .zero, channelMap: .all, filterPolicy: []))
        set.setLegacyData(Self.data)
        set.beginEvent(now: 5_000)
        #expect(set.event.start == nil && set.event.channels == 7)
        var pdus: [[Int64]] = []
        while set.beginPDU() { pdus.append([Int64(set.event.channels), set.event.start ?? -1]) }
        #expect(pdus == [[1, 5_000], [2, 5_376 + gap], [4, 5_752 + 2 * gap]])
        // An event that was cut short does not continue.
        set.beginEvent(now: 9_000)
        #expect(set.beginPDU() && set.beginPDU())
        set.disable()
        #expect(set.pdu == nil)
    }

    /// P = 1 - exp(-2·T·(N - 1)/interval), with a mean random delay of 5 ms.
    @Test(arguments: [(10, UInt32(160)), (100, 160), (200, 160), (100, 1600)])
    func lossOfManyBeaconsFollowsTheirNumber(count: Int, ticks: UInt32) throws {
        var bench = Bench(Self.configuration)
        let scanner = bench.add(255)
        // The longest interval: it stays on a channel for 10.24 s.
        bench.scan(scanner, interval: 0x4000, window: 0x4000)
        let interval = Double(ticks) * 625 + 5_000
        for number in 0..<count {
            let beacon = bench.add(UInt8(number))
            try bench.advertise(beacon, .nonConnectableUndirected, interval: ticks, data: Self.data)
            bench.air.advance(to: bench.air.now + Int64(interval) / Int64(count))
        }
        // They begin at equal distances, which the random delays make random.
        let events = count > 10 ? 100 : 300
        var received = 0
        for number in -100..<events {
            bench.air.advance(to: bench.air.now + Int64(interval))
            let reports = bench.takeReports(scanner)
            if number >= 0 { received += reports.count }
        }
        let sent = Double(count * events)
        let loss = 1 - Double(received) / sent
        let expected = 1 - exp(-2 * 376 * Double(count - 1) / interval)
        #expect(abs(loss - expected) < 0.025, "\(loss) instead of \(expected)")
    }

    @Test func withoutCaptureNothingCollides() throws {
        var bench = Bench(AirConfiguration(seed: 3))
        let scanner = bench.add(255)
        bench.scan(scanner)
        for number in 0..<50 {
            let beacon = bench.add(UInt8(number))
            try bench.advertise(beacon, .nonConnectableUndirected)
        }
        bench.run(milliseconds: 5_010)
        let received = bench.takeReports(scanner).count
        #expect(abs(Double(received) - 50 * 5_000 / 105) < 100)
    }

    @Test func scanResponsesAndConnectionsWork() throws {
        var bench = Bench(Self.configuration)
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner, .active, interval: 0x4000, window: 0x4000)
        try bench.advertise(advertiser, scanResponse: [2, 10, 4])
        bench.run(milliseconds: 1_000)
        let types = bench.takeReports(scanner).map(\.eventType)
        #expect(types.count { $0 == .connectableUndirected } >= 9)
        #expect(types.count { $0 == .scanResponse } == types.count { $0 == .connectableUndirected })
        var other = Bench(Self.configuration)
        let pair = try other.connect()
        other.run(milliseconds: 1_000)
        #expect(other.takeEvents(DisconnectionComplete.self, pair.central).isEmpty)
    }

    @Test func setThatIsStoppedWithinAnEventStartsAgain() throws {
        var bench = Bench(Self.configuration)
        let advertiser = bench.add(1)
        let scanner = bench.add(2)
        bench.scan(scanner, interval: 0x4000, window: 0x4000)
        try bench.advertise(advertiser)
        for steps in 1...4 {
            // 1 to 3 steps end within the event, the fourth at its end.
            for _ in 0..<steps { bench.air.advance(to: try #require(bench.air.nextDeadline)) }
            bench.expectSuccess(LESetAdvertisingEnable(enable: 0), advertiser)
            #expect(bench.air.nextDeadline == nil)
            _ = bench.takeReports(scanner)
            bench.expectSuccess(LESetAdvertisingEnable(enable: 1), advertiser)
            bench.run(milliseconds: 50)
            #expect(bench.takeReports(scanner).count == 1)
        }
    }

    @Test func sameSeedHasTheSameReceptions() throws {
        func receptions() throws -> [Int8] {
            let office = Propagation.environments[2].propagation
            var bench = Bench(AirConfiguration(seed: 9, propagation: office))
            let scanner = bench.add(255, position: Position(x: 0, y: 0))
            bench.scan(scanner)
            for number in 1...40 {
                let beacon = bench.add(UInt8(number), position: Position(x: Double(number), y: 2))
                try bench.advertise(beacon, .nonConnectableUndirected, interval: 32, data: Self.data)
            }
            bench.run(milliseconds: 3_000)
            return bench.takeReports(scanner).map(\.rssi.decibelMilliwatts)
        }
        let first = try receptions()
        #expect(first.count > 500)
        #expect(try receptions() == first)
    }
}
