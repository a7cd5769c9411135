// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
import Receiving
import TestSupport
import Testing

@Suite struct AdvertiserSurveyTests {
    private static func device(_ number: UInt8) -> RemoteAddress {
        guard let address = BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, number]) else { preconditionFailure() }
        return RemoteAddress(address, isRandom: true)
    }

    private static func recorded(
        _ milliseconds: Int, _ pdu: Sighting.PDU?, _ data: [UInt8], from number: UInt8 = 1, rssi: Int8? = -59
    ) -> RecordedSighting {
        RecordedSighting(
            offset: .milliseconds(milliseconds),
            sighting: Sighting(device: device(number), pdu: pdu, data: data, rssi: rssi.map { RSSI($0) }))
    }

    private static func advertisers(_ recorded: [RecordedSighting]) -> [RecordedAdvertiser] {
        var survey = AdvertiserSurvey()
        for one in recorded { survey.take(one) }
        return survey.advertisers
    }

    @Test func mostFrequentDataIsReported() throws {
        let advertisers = Self.advertisers([
            Self.recorded(0, .scannable, [1], rssi: -50), Self.recorded(1, .scanResponse, [9], rssi: -127),
            Self.recorded(105, .scannable, [2], rssi: -70), Self.recorded(205, .nonConnectable, [3], from: 2),
            Self.recorded(210, .scannable, [2], rssi: -60), Self.recorded(211, .scanResponse, [8]),
            Self.recorded(212, .scanResponse, [8]), Self.recorded(315, .scannable, [2], rssi: nil),
        ])
        let first = try #require(advertisers.first)
        #expect(advertisers.map(\.device) == [Self.device(1), Self.device(2)])
        #expect(first.pdu == .scannable)
        #expect(first.advertisingData == [2])
        #expect(first.scanResponse == [8])
        #expect(first.variants == 2)
        #expect(first.count == 4)
        #expect(first.rssi == RSSI(-60))
        #expect(first.interval == AdvertisingInterval(160))
        #expect(advertisers.last?.scanResponse == nil)
        #expect(advertisers.last?.interval == nil)
    }

    @Test func extendedAdvertisersAreCounted() {
        var survey = AdvertiserSurvey()
        for number in UInt8(1)...3 { survey.take(Self.recorded(0, .extended, [1], from: number)) }
        survey.take(Self.recorded(5, .nonConnectable, [1], from: 3))
        survey.take(Self.recorded(6, .scanResponse, [1], from: 4))
        #expect(survey.advertisers.map(\.device) == [Self.device(3)])
        #expect(survey.unrepeatable == 2)
    }

    @Test func sightingsWithoutAPDUTypeAreAccepted() {
        let advertisers = Self.advertisers([Self.recorded(0, nil, [1, 2])])
        #expect(advertisers.map(\.pdu) == [nil])
        #expect(advertisers.map(\.advertisingData) == [[1, 2]])
    }

    /// The interval in ticks, the number of missed advertisements in a hundred, and the estimated ticks.
    @Test(
        arguments: [
            (32, 0, 32), (48, 0, 48), (160, 0, 160), (160, 30, 160), (160, 60, 160), (32, 40, 32), (244, 0, 244),
            (338, 0, 338), (800, 0, 800),
            (1600, 20, 1600), (1636, 0, 1636), (2056, 0, 2056), (16384, 0, 16384),
        ] as [(Int, Int, UInt32)])
    func intervalsAreEstimated(_ ticks: Int, _ missed: Int, _ expected: UInt32) {
        for seed in UInt64(1)...20 {
            var generator = SplitMix64(seed: seed)
            var gaps: [Duration] = []
            var gap = Duration.zero
            for _ in 0..<200 {
                gap += .microseconds(ticks * 625 + Int.random(in: 0...10_000, using: &generator))
                guard Int.random(in: 0..<100, using: &generator) >= missed else { continue }
                gaps.append(gap)
                gap = .zero
            }
            #expect(IntervalEstimate.interval(gaps: gaps) == AdvertisingInterval(expected), "seed \(seed)")
        }
    }

    /// The kernel's passive scan for advertisement monitors receives for 30 ms of 60 ms. Many beacons are then received at
    /// every other event more often than at two in succession.
    @Test(arguments: [80, 160, 176, 244, 320, 338, 480, 668, 1600, 1636, 3200] as [UInt32])
    func intervalsAreEstimatedByAReceiverThatListensHalfOfTheTime(_ ticks: UInt32) {
        var estimates: [Double] = []
        for seed in UInt64(1)...20 {
            var generator = SplitMix64(seed: seed)
            var (time, last, gaps) = (Int.random(in: 0..<60_000, using: &generator), Int?.none, [Duration]())
            while gaps.count < 200 {
                time += Int(ticks) * 625 + Int.random(in: 0...10_000, using: &generator)
                guard time % 60_000 < 30_000 else { continue }
                if let last { gaps.append(.microseconds(time - last)) }
                last = time
            }
            estimates.append(Double(IntervalEstimate.interval(gaps: gaps)?.count ?? 0))
        }
        let accurate = estimates.count { abs($0 / Double(ticks) - 1) <= 0.02 }
        #expect(accurate >= 19, "\(estimates)")
    }

    /// Gaps in ms, and the estimated ticks; the mean delay of 5 ms is subtracted.
    @Test(
        arguments: [
            ([105, 105], nil), ([], nil), ([105, 105, 105], 160), ([105, 1, 105, 1, 105, 1], 160), ([20, 20, 20], 32),
            // No customary interval is near 130, 650 or 20,000 ms.
            ([135, 135, 135], 208), ([655, 655, 655], 1040), ([20_000, 20_000, 20_000], 16384),
        ] as [([Int], UInt32?)])
    func intervalIsEstimatedFromFewGaps(_ gaps: [Int], _ expected: UInt32?) {
        let interval = IntervalEstimate.interval(gaps: gaps.map { .milliseconds($0) })
        #expect(interval == expected.map { AdvertisingInterval($0) })
    }
}
