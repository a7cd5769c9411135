// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct AdvertisementExpectationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let condition: AdvertisementExpectation.Condition
        var trace = Trace.nothing
        /// The times of advertisements without an iBeacon, in milliseconds.
        var others: [Int] = []
        let isFulfilled: Bool
        /// The end, in seconds.
        let ended: String
        let sentence: String

        var testDescription: String { name }
    }

    static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    static let three =
        Trace.steady(-59, of: .sample(1, 1), every: .milliseconds(500), to: .seconds(2))
        + .steady(-79, of: .sample(1, 2), every: .milliseconds(400), from: .milliseconds(100), to: .seconds(2))
        + .steady(-65, of: .sample(2, 1), every: .milliseconds(700), from: .milliseconds(50), to: .seconds(2))

    static func condition(
        _ major: UInt16? = nil, _ minor: UInt16? = nil,
        _ presence: AdvertisementExpectation.Condition.Presence = .present,
        proximity: Proximity? = nil, count: Int = 1, unit: AdvertisementExpectation.Condition.Unit = .advertisements,
        within: Duration = .seconds(5)
    ) -> AdvertisementExpectation.Condition {
        let criteria: [AdvertisementCriterion?] = [
            .uuid([IBeacon.sample().uuid]), major.map { .major($0) }, minor.map { .minor($0) },
            proximity.map { .proximity($0) },
        ]
        return AdvertisementExpectation.Condition(
            criteria.compactMap(\.self), presence: presence, count: count, unit: unit, within: within)
    }

    static let rows = [
        Row(
            name: "present: the first advertisement ends it", condition: condition(1, 2), trace: three,
            isFulfilled: true, ended: "0.100",
            sentence: "received 1 advertisement of \(uuid) major 1 minor 2 within 0.1 s, mean -79 dBm, 8.65 m, far"),
        Row(
            name: "present: times are in milliseconds", condition: condition(),
            trace: .recorded("?", from: .nanoseconds(38_671_758)), isFulfilled: true, ended: "0.039",
            sentence: "received 1 advertisement of \(uuid) major 1 minor 1 within 0.039 s"),
        Row(
            name: "present: any numbers, RSSI unknown", condition: condition(), trace: .recorded(". ?"),
            isFulfilled: true, ended: "0.100",
            sentence: "received 1 advertisement of \(uuid) major 1 minor 1 within 0.1 s"),
        Row(
            name: "present: a number of advertisements", condition: condition(1, 1, count: 3), trace: three,
            isFulfilled: true, ended: "1.000",
            sentence: "received 3 advertisements of \(uuid) major 1 minor 1 within 1 s, mean -59 dBm, 1.01 m, near"),
        Row(
            name: "present: advertisements of several beacons count together", condition: condition(1, count: 3),
            trace: three, isFulfilled: true, ended: "0.500",
            sentence: "received 3 advertisements of 2 beacons of \(uuid) major 1 within 0.5 s"),
        Row(
            name: "present: a number of beacons", condition: condition(count: 3, unit: .beacons), trace: three,
            isFulfilled: true, ended: "0.100",
            sentence: "received 3 advertisements of 3 beacons of \(uuid) within 0.1 s"),
        Row(
            name: "present: in a proximity", condition: condition(proximity: .far), trace: three,
            isFulfilled: true, ended: "0.100",
            sentence: "received 1 advertisement of \(uuid) major 1 minor 2 within 0.1 s, mean -79 dBm, 8.65 m, far"),
        Row(
            name: "present: nothing received", condition: condition(1, 2), isFulfilled: false, ended: "5.000",
            sentence: "expected 1 advertisement of \(uuid) major 1 minor 2 within 5 s, but received nothing at all"),
        Row(
            name: "present: no iBeacon received", condition: condition(within: .milliseconds(1500)),
            others: [100, 200, 300],
            isFulfilled: false, ended: "1.500",
            sentence: "expected 1 advertisement of \(uuid) within 1.5 s, but received 3 advertisements, none of "
                + "an iBeacon"
        ),
        Row(
            name: "present: another UUID", condition: condition(),
            trace: .recorded("-59 -61", of: .sample(uuid: .shop)), isFulfilled: false, ended: "5.000",
            sentence:
                "expected 1 advertisement of \(uuid) within 5 s, but received 2 advertisements of 1 beacon, none of "
                + "this UUID; nearest miss: 2173E519-9155-4862-AB64-7953AB146156 major 1 minor 1 (mean -60 dBm, 1.14 "
                + "m, near)"
        ),
        Row(
            name: "present: another major number", condition: condition(7, 1),
            trace: three + .steady(-50, of: .sample(7, 1, uuid: .shop), every: .milliseconds(100), to: .seconds(3)),
            isFulfilled: false, ended: "5.000",
            sentence:
                "expected 1 advertisement of \(uuid) major 7 minor 1 within 5 s, but received 42 advertisements of 4 "
                + "beacons, none with major 7; nearest miss: \(uuid) major 1 minor 2 (mean -79 dBm, 8.65 m, far)"),
        Row(
            name: "present: another minor number", condition: condition(2, 9), trace: three,
            isFulfilled: false, ended: "5.000",
            sentence:
                "expected 1 advertisement of \(uuid) major 2 minor 9 within 5 s, but received 12 advertisements of 3 "
                + "beacons, none with minor 9; nearest miss: \(uuid) major 2 minor 1 (mean -65 dBm, 2.01 m, near)"),
        Row(
            name: "present: in another proximity", condition: condition(1, 2, proximity: .near), trace: three,
            isFulfilled: false, ended: "5.000",
            sentence: "expected 1 advertisement of \(uuid) major 1 minor 2 in near proximity within 5 s, but received "
                + "12 advertisements of 3 beacons, none in near proximity; nearest miss: \(uuid) major 1 minor 2 (mean "
                + "-79 dBm, 8.65 m, far)"),
        Row(
            name: "present: a beacon without measured power has no proximity",
            condition: condition(proximity: .near), trace: .recorded("-59", of: .sample(power: 0)),
            isFulfilled: false, ended: "5.000",
            sentence:
                "expected 1 advertisement of \(uuid) in near proximity within 5 s, but received 1 advertisement of 1 "
                + "beacon, none in near proximity; nearest miss: \(uuid) major 1 minor 1 (mean -59 dBm, distance "
                + "unknown)"
        ),
        Row(
            name: "present: too few advertisements", condition: condition(1, 1, count: 10), trace: three,
            isFulfilled: false, ended: "5.000",
            sentence:
                "expected 10 advertisements of \(uuid) major 1 minor 1 within 5 s, but received only 4 advertisements "
                + "of \(uuid) major 1 minor 1"),
        Row(
            name: "present: too few beacons", condition: condition(1, count: 3, unit: .beacons), trace: three,
            isFulfilled: false, ended: "5.000",
            sentence:
                "expected 3 beacons of \(uuid) major 1 within 5 s, but received only 9 advertisements of 2 beacons of "
                + "\(uuid) major 1"),
        Row(
            name: "present: too late", condition: condition(within: .seconds(1)),
            trace: .recorded("-59", from: .seconds(1)), isFulfilled: false, ended: "1.000",
            sentence: "expected 1 advertisement of \(uuid) within 1 s, but received nothing at all"),
        Row(
            name: "absent: nothing received", condition: condition(1, 2, .absent), isFulfilled: true, ended: "5.000",
            sentence: "received no advertisement of \(uuid) major 1 minor 2 for 5 s; received nothing at all"),
        Row(
            name: "absent: other beacons received", condition: condition(3, nil, .absent), trace: three,
            isFulfilled: true,
            ended: "5.000",
            sentence: "received no advertisement of \(uuid) major 3 for 5 s; received 12 advertisements of 3 beacons"),
        Row(
            name: "absent: not in this proximity", condition: condition(1, 2, .absent, proximity: .immediate),
            trace: three, isFulfilled: true, ended: "5.000",
            sentence: "received no advertisement of \(uuid) major 1 minor 2 in immediate proximity for 5 s; received "
                + "12 advertisements of 3 beacons"),
        Row(
            name: "absent: received", condition: condition(2, nil, .absent), trace: three, isFulfilled: false,
            ended: "0.050",
            sentence:
                "expected no advertisement of \(uuid) major 2 for 5 s, but received 1 advertisement of \(uuid) major 2 "
                + "minor 1 after 0.05 s, mean -65 dBm, 2.01 m, near"),
        Row(
            name: "absent: received, but less often", condition: condition(2, nil, .absent, count: 4), trace: three,
            isFulfilled: true, ended: "5.000",
            sentence:
                "received only 3 advertisements of \(uuid) major 2 minor 1 for 5 s; expected fewer than 4 "
                + "advertisements of \(uuid) major 2"),
        Row(
            name: "absent: received as often", condition: condition(2, nil, .absent, count: 3), trace: three,
            isFulfilled: false, ended: "1.450",
            sentence: "expected fewer than 3 advertisements of \(uuid) major 2 for 5 s, but received 3 advertisements "
                + "of \(uuid) major 2 minor 1 after 1.45 s, mean -65 dBm, 2.01 m, near"),
        Row(
            name: "absent: received after the end", condition: condition(1, nil, .absent, within: .seconds(1)),
            trace: .recorded("-59", from: .seconds(1)), isFulfilled: true, ended: "1.000",
            sentence: "received no advertisement of \(uuid) major 1 for 1 s; received nothing at all"),
        Row(
            name: "a count of 0 is 1", condition: condition(count: 0), trace: .recorded("? ."),
            isFulfilled: true, ended: "0.000",
            sentence: "received 1 advertisement of \(uuid) major 1 minor 1 within 0 s"),
    ]

    @Test(arguments: rows)
    func tracesGiveTheirVerdict(_ row: Row) throws {
        var condition = row.condition
        condition.model = .android
        var expectation = AdvertisementExpectation(condition, at: .zero)
        var verdicts: [(Duration, AdvertisementExpectation.Verdict)] = []
        func take(_ verdict: AdvertisementExpectation.Verdict?, _ time: Duration) {
            if let verdict { verdicts.append((time, verdict)) }
        }
        for time in row.others.map({ Duration.milliseconds($0) }) {
            take(expectation.receive(nil, rssi: RSSI(-70), at: time), time)
        }
        for sample in row.trace.samples {
            take(expectation.receive(sample.beacon, rssi: sample.rssi, at: sample.time), sample.time)
        }
        if let deadline = expectation.nextDeadline { take(expectation.advance(to: deadline), deadline) }
        let (time, verdict) = try #require(verdicts.first)
        #expect(verdicts.count == 1)
        #expect(verdict.sentence == row.sentence)
        #expect(verdict.isFulfilled == row.isFulfilled)
        #expect(time.text == row.ended)
        #expect(expectation.verdict == verdict)
        #expect(expectation.nextDeadline == nil)
        #expect(expectation.advance(to: .seconds(100)) == nil)
        #expect(expectation.receive(.sample(), rssi: RSSI(-59), at: .seconds(100)) == nil)
    }

    @Test func timeCountsFromItsStart() throws {
        var expectation = AdvertisementExpectation(Self.condition(), at: .seconds(100))
        #expect(expectation.nextDeadline == .seconds(105))
        #expect(expectation.advance(to: .milliseconds(104_999)) == nil)
        let ended = expectation.receive(.sample(), rssi: nil, at: .milliseconds(104_999))
        let verdict = try #require(ended)
        #expect(verdict.sentence.hasSuffix("within 4.999 s"))
    }

    @Test func numberOfBeaconsIsBounded() throws {
        var expectation = AdvertisementExpectation(Self.condition(7), at: .zero)
        for minor: UInt16 in 0...5_000 { _ = expectation.receive(.sample(1, minor), rssi: nil, at: .seconds(1)) }
        let ended = expectation.advance(to: .seconds(5))
        let verdict = try #require(ended)
        #expect(
            verdict.sentence.contains("received 5001 advertisements of more than 1024 beacons"), "\(verdict.sentence)")
    }

    @Test func verdictHasTheNearestThatCounted() throws {
        let condition = AdvertisementExpectation.Condition(count: 3, unit: .beacons, within: .seconds(5))
        var expectation = AdvertisementExpectation(condition, at: .seconds(1))
        #expect(expectation.receive(.sample(1, 1), rssi: RSSI(-59), at: .seconds(2)) == nil)
        #expect(expectation.receive(.sample(1, 1), rssi: RSSI(-69), at: .seconds(2)) == nil)
        #expect(expectation.receive(.sample(2, 1, uuid: .shop), rssi: RSSI(-50), at: .seconds(2)) == nil)
        let ended = expectation.receive(.sample(1, 3), rssi: nil, at: .milliseconds(2500))
        let verdict = try #require(ended)
        #expect((verdict.isFulfilled, verdict.count, verdict.elapsed) == (true, 3, .milliseconds(1500)))
        #expect(verdict.nearest?.beacon == BeaconIdentity(.sample(2, 1, uuid: .shop)))
        #expect(verdict.nearest?.meanRSSI == -50)
        let distance = DistanceModel.android.distance(rssi: -50, measuredPower: MeasuredPower(-59))
        #expect(verdict.nearest?.distance == distance)
        #expect(verdict.sentence == "received 4 advertisements of 3 beacons of any iBeacon within 1.5 s")
    }

    @Test func verdictHasTheNearestMiss() throws {
        let uuids: [UUID128] = [.shop, IBeacon.sample().uuid]
        let condition = AdvertisementExpectation.Condition([.uuid(uuids), .major(7)], within: .seconds(1))
        var expectation = AdvertisementExpectation(condition, at: .zero)
        _ = expectation.receive(.sample(1, 2), rssi: RSSI(-70), at: .zero)
        let ended = expectation.advance(to: .seconds(1))
        let verdict = try #require(ended)
        #expect((verdict.isFulfilled, verdict.count, verdict.elapsed) == (false, 0, .seconds(1)))
        #expect(verdict.nearest?.beacon == BeaconIdentity(.sample(1, 2)))
        #expect(verdict.nearest?.meanRSSI == -70)
        #expect(verdict.sentence.hasPrefix("expected 1 advertisement of \(uuids[0]) or \(uuids[1]) major 7 within 1 s"))
    }

    @Test func verdictWithoutBeaconsHasNoNearest() throws {
        var present = AdvertisementExpectation(Self.condition(), at: .zero)
        #expect(present.advance(to: .seconds(5))?.nearest == nil)
        var absent = AdvertisementExpectation(Self.condition(7, nil, .absent), at: .zero)
        _ = absent.receive(.sample(1, 2), rssi: RSSI(-70), at: .zero)
        let ended = absent.advance(to: .seconds(5))
        let verdict = try #require(ended)
        #expect(verdict.isFulfilled && verdict.nearest == nil)
    }
}

extension AdvertisementExpectation {
    /// Takes an advertisement with an iBeacon frame, or one with flags only.
    fileprivate mutating func receive(_ beacon: IBeacon?, rssi: RSSI?, at time: Duration) -> Verdict? {
        let data = AdvertisingData([.flags(.beacon)] + (beacon.map { [$0.structure] } ?? []))
        return take(
            .received(
                Sighting(
                    device: RemoteAddress(.zero, isRandom: true), pdu: .nonConnectable, data: data.serialized(),
                    rssi: rssi),
                at: time))
    }
}
