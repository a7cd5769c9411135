// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

/// Expectations of devices and frames other than iBeacons.
@Suite struct AdvertisementCriteriaTests {
    /// A condition, and the sentence of its verdict on `receptions`.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var change: @Sendable (inout AdvertisementCriteria) -> Void = { _ in }
        var presence = AdvertisementExpectation.Condition.Presence.present
        var count = 1
        var unit = AdvertisementExpectation.Condition.Unit.advertisements
        let isFulfilled: Bool
        let sentence: String

        var testDescription: String { name }
    }

    static let thermometer = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero
    static let link = BluetoothAddress("C0:FF:EE:00:00:02") ?? .zero

    /// A thermometer whose name is in its scan response, and a beacon with an Eddystone-URL frame, each four times a second.
    static let receptions: [Reception] = (0..<4).flatMap { number -> [Reception] in
        let time = Duration.milliseconds(number * 250)
        let services = AdvertisingData([.flags(.beacon), .serviceUUIDs16([0x1809], isComplete: true)])
        let name = AdvertisingData([.localName("Thermo 7", isComplete: true)])
        let url = EddystoneURL(power: TransmitPower(-18), url: "https://a.example")?.advertisingData() ?? []
        return [
            received(thermometer, services, .connectableScannable, -60, at: time + .milliseconds(10)),
            received(thermometer, name, .scanResponse, -62, at: time + .milliseconds(11)),
            received(link, url, .nonConnectable, -80, at: time + .milliseconds(50)),
        ]
    }

    static func received(
        _ address: BluetoothAddress, _ data: AdvertisingData, _ pdu: Sighting.PDU, _ rssi: Int8, at time: Duration
    ) -> Reception {
        .received(
            Sighting(
                device: RemoteAddress(address, isRandom: true), pdu: pdu, data: data.serialized(), rssi: RSSI(rssi)),
            at: time)
    }

    static let rows = [
        Row(
            name: "a service", change: { $0.services = [.bit16(0x1809)] }, isFulfilled: true,
            sentence: "received 1 advertisement of C0:FF:EE:00:00:01 within 0.01 s, mean -60 dBm"),
        Row(
            name: "a name in the scan response counts once an advertisement",
            change: { $0.name = ExpectedValue("Thermo 7") }, count: 2, isFulfilled: true,
            sentence: "received 2 advertisements of C0:FF:EE:00:00:01 \"Thermo 7\" within 0.26 s, mean -61 dBm"),
        Row(
            name: "the beginning of a name, and its RSSI",
            change: {
                $0.name = ExpectedValue("Thermo*")
                $0.rssi = NumberRange("-61..")
            }, isFulfilled: true,
            sentence: "received 1 advertisement of C0:FF:EE:00:00:01 \"Thermo 7\" within 0.26 s, mean -61 dBm"),
        Row(
            name: "another name", change: { $0.name = ExpectedValue("Thermo 8") }, isFulfilled: false,
            sentence: "expected 1 advertisement of any device named \"Thermo 8\" within 1 s, but received 8 "
                + "advertisements of 2 devices, none named \"Thermo 8\"; nearest miss: C0:FF:EE:00:00:01 \"Thermo 7\" "
                + "(mean -61 dBm)"),
        Row(
            name: "an address, too weak",
            change: {
                $0.address = link
                $0.rssi = NumberRange("-70..-40")
            }, isFulfilled: false,
            sentence: "expected 1 advertisement of any device from C0:FF:EE:00:00:02 at -70 to -40 dBm within 1 s, but "
                + "received 8 advertisements of 2 devices, none at -70 to -40 dBm; nearest miss: C0:FF:EE:00:00:02 "
                + "eddystone-url (mean -80 dBm, 9.52 m, far)"),
        Row(
            name: "a format with a field",
            change: {
                $0.format = "eddystone"
                $0.fields = ["url": ExpectedValue("https://a*"), "powerAt0m": ExpectedValue("-20..-10")]
            }, isFulfilled: true,
            sentence:
                "received 1 advertisement of C0:FF:EE:00:00:02 eddystone-url within 0.05 s, mean -80 dBm, 9.52 m, "
                + "far"),
        Row(
            name: "a format with another field",
            change: {
                $0.format = "eddystone-url"
                $0.fields = ["url": ExpectedValue("https://b.example")]
            }, isFulfilled: false,
            sentence: "expected 1 advertisement of eddystone-url with url https://b.example within 1 s, but received 4 "
                + "advertisements of 1 device, none with url https://b.example; nearest miss: C0:FF:EE:00:00:02 "
                + "eddystone-url (mean -80 dBm, 9.52 m, far)"),
        Row(
            name: "another format", change: { $0.format = "altbeacon" }, isFulfilled: false,
            sentence:
                "expected 1 advertisement of altbeacon within 1 s, but received 4 advertisements of 1 device, none "
                + "of altbeacon; nearest miss: C0:FF:EE:00:00:02 eddystone-url (mean -80 dBm, 9.52 m, far)"),
        Row(
            name: "a distance",
            change: {
                $0.format = "eddystone-url"
                $0.distance = NumberRange("9..10")
            },
            isFulfilled: true,
            sentence:
                "received 1 advertisement of C0:FF:EE:00:00:02 eddystone-url within 0.05 s, mean -80 dBm, 9.52 m, "
                + "far"),
        Row(
            name: "without a criterion, an iBeacon", isFulfilled: false,
            sentence: "expected 1 advertisement of any iBeacon within 1 s, but received 8 advertisements, none of an "
                + "iBeacon"),
        Row(
            name: "a number of devices",
            change: {
                $0.rssi = NumberRange("-90..")
                $0.name = ExpectedValue("*")
            },
            count: 2, unit: .beacons, isFulfilled: false,
            sentence: "expected 2 devices named \"*\" at -90 dBm or more within 1 s, but received only 4 "
                + "advertisements of C0:FF:EE:00:00:01 \"Thermo 7\""),
        Row(
            name: "absent",
            change: {
                $0.address = thermometer
                $0.services = [.bit16(0x180F)]
            },
            presence: .absent, isFulfilled: true,
            sentence:
                "received no advertisement of any device from C0:FF:EE:00:00:01 with service 180F for 1 s; received "
                + "8 advertisements of 2 devices"),
    ]

    @Test(arguments: rows)
    func receptionsGiveTheirVerdict(_ row: Row) throws {
        var criteria = AdvertisementCriteria()
        row.change(&criteria)
        #expect(criteria.contradiction == nil)
        let condition = AdvertisementExpectation.Condition(
            criteria.list, presence: row.presence, count: row.count, unit: row.unit, within: .seconds(1),
            model: .android)
        var expectation = AdvertisementExpectation(condition, at: .zero)
        var verdicts = Self.receptions.compactMap { expectation.take($0) }
        if let verdict = expectation.take(.passed(.seconds(1))) { verdicts.append(verdict) }
        let verdict = try #require(verdicts.first)
        #expect(verdict.sentence == row.sentence)
        #expect(verdict.isFulfilled == row.isFulfilled)
        #expect(verdicts.count == 1)
    }

    @Test func devicesWithTheSameNumbersAreCountedByTheirAddresses() throws {
        let frame = IBeacon(uuid: .museum, major: 1, minor: 2, measuredPower: MeasuredPower(-59)).advertisingData()
        let named = AdvertisingData(frame.structures.dropFirst() + [.localName("A", isComplete: true)])
        func count(_ data: AdvertisingData, _ change: (inout AdvertisementCriteria) -> Void) -> Int? {
            var criteria = AdvertisementCriteria()
            change(&criteria)
            let condition = AdvertisementExpectation.Condition(
                criteria.list, count: 3, unit: .beacons, within: .seconds(1))
            var expectation = AdvertisementExpectation(condition, at: .zero)
            for address in [Self.link, Self.thermometer] {
                _ = expectation.take(Self.received(address, data, .nonConnectable, -60, at: .zero))
            }
            return expectation.take(.passed(.seconds(1)))?.count
        }
        #expect(count(frame) { $0.major = 1 } == 1)
        #expect(count(named) { $0.name = ExpectedValue("A") } == 2)
    }

    @Test func anAdvertisementThatCountedDoesNotCountAgainWithItsScanResponse() {
        func frame(_ major: UInt16) -> AdvertisingData {
            IBeacon(uuid: .museum, major: major, minor: 1, measuredPower: MeasuredPower(-59)).advertisingData()
        }
        let name = AdvertisingData([.localName("A", isComplete: true)])
        let data = AdvertisingData(frame(1).structures + frame(2).structures.dropFirst() + name.structures)
        var criteria = AdvertisementCriteria()
        criteria.major = 1
        criteria.name = ExpectedValue("A")
        let condition = AdvertisementExpectation.Condition(criteria.list, count: 3, within: .seconds(1))
        var expectation = AdvertisementExpectation(condition, at: .zero)
        _ = expectation.take(Self.received(Self.link, data, .connectableScannable, -60, at: .zero))
        _ = expectation.take(Self.received(Self.link, name, .scanResponse, -60, at: .zero))
        #expect(expectation.take(.passed(.seconds(1)))?.count == 1)
    }

    @Test(arguments: [
        ("-70..-40", -70.0, true), ("-70..-40", -71, false), ("-70..", 0, true), ("..2.5", 2.5, true),
        ("..2.5", 2.6, false), ("3..3", 3, true),
    ])
    func rangesIncludeTheirEnds(_ text: String, _ number: Double, _ isIn: Bool) throws {
        #expect(try #require(NumberRange(text)).contains(number) == isIn)
    }

    @Test(arguments: ["..", "2..1", "1", "a..b", "1..b", "", "nan..", "..inf", "1..2..3"])
    func textsThatAreNoRange(_ text: String) { #expect(NumberRange(text) == nil) }

    @Test(arguments: [
        ("Thermo", "Thermo", true), ("Thermo", "thermo", false), ("Thermo*", "Thermo 7", true), ("*", "", true),
        ("a*b", "a*b", true), ("a*b", "axb", false), ("00FF", "00ff", true), ("00ff*", "00FFAA", true),
    ])
    func textsAreComparedWhole(_ wanted: String, _ text: String, _ isAccepted: Bool) {
        #expect(ExpectedValue(wanted).accepts(text) == isAccepted)
    }

    @Test func contradictions() {
        var criteria = AdvertisementCriteria()
        criteria.minor = 1
        #expect(criteria.contradiction?.key == "minor")
        criteria.major = 1
        #expect(criteria.contradiction == nil)
        criteria.format = "eddystone"
        #expect(criteria.contradiction?.key == "format")
        criteria.format = "ibeacon"
        #expect(criteria.contradiction == nil)
    }
}
