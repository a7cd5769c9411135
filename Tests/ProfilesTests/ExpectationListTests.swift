// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Receiving
import Testing

@Suite struct ExpectationListTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    private static func list(_ text: String) throws -> ExpectationList {
        try ExpectationList(parsing: text, file: "e.yaml") { text throws(ValueFault) in
            if text == "=" { throw ValueFault("\"=\" is not a condition") }
        }
    }

    @Test func allKeysAreRead() throws {
        let list = try Self.list(
            """
            expect:
              - advertisement: { uuid: [\(Self.uuid)], major: 1, minor: 2, proximity: near, rssi: -70..-40, distance: ..3 }
                count: 3
                beacons: true
                within: 5s
              - advertisement: { format: eddystone-url, fields: { url: https://a* }, address: C0:FF:EE:00:00:01 }
                absent: true
              - advertisement: { name: Thermo*, service: [180F, 1809] }
                value: { characteristic: 2A19, hex: 64 }
              - event: connected,device=door
                count: 2
              - event: disconnected
                may-appear: true
                absent: true
            """)
        let uuid = try #require(UUID128(Self.uuid))
        let rssi = try #require(NumberRange("-70..-40"))
        let distance = try #require(NumberRange("..3"))
        let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
        #expect(
            list.entries.map(\.subject) == [
                .advertisement(
                    [.uuid([uuid]), .major(1), .minor(2), .proximity(.near), .rssi(rssi), .distance(distance)],
                    .present, ExpectationList.Count(3, .beacons)),
                .advertisement(
                    [.format("eddystone-url"), .field("url", ExpectedValue("https://a*")), .address(address)], .absent,
                    ExpectationList.Count()),
                .value(
                    [.name(ExpectedValue("Thermo*")), .service(.bit16(0x180F)), .service(.bit16(0x1809))],
                    .bit16(0x2A19), [0x64]),
                .event("connected,device=door", count: 2, mayAppear: false),
                .event("disconnected", count: 0, mayAppear: true),
            ])
        #expect(list.entries.map(\.within) == [.seconds(5), nil, nil, nil, nil])
        #expect(list.entries.map(\.line) == [2, 6, 8, 10, 12])
    }

    /// Texts with a mark at the place of the fault, its field and its message.
    static let mistakes: [(String, String, String)] = [
        ("¦{}", "", "\"expect\" is missing"),
        ("expect: ¦[]", "expect", "a list of at least one expectation is expected here"),
        (
            "expect: [¦{ within: 5s }]", "expect[0]",
            "what is expected is missing; write advertisement: { name: Thermo }, or event: connected"
        ),
        (
            "expect: [¦{ event: a, advertisement: {} }]", "expect[0]",
            "event and advertisement exclude each other; begin another expectation for one of them"
        ),
        ("expect: [{ event: ¦= }]", "expect[0].event", "\"=\" is not a condition"),
        (
            "expect: [{ event: a, absent: true, count: ¦1 }]", "expect[0].count",
            "absent and count exclude each other for events"
        ),
        (
            "expect: [{ advertisement: {}, value: { characteristic: 2A19, hex: 64 }, count: ¦1 }]", "expect[0].count",
            "count is for advertisements without a value"
        ),
        (
            "expect: [{ advertisement: {}, value: ¦{ characteristic: 2A19 } }]", "expect[0].value",
            "\"hex\" is missing"
        ),
        (
            "expect: [{ advertisement: { minor: ¦1 } }]", "expect[0].advertisement.minor",
            "minor needs a major number"
        ),
        (
            "expect: [{ advertisement: { major: 1, format: ¦altbeacon } }]", "expect[0].advertisement.format",
            "uuid, major and minor are of iBeacons, not of altbeacon"
        ),
        (
            "expect: [{ advertisement: { rssi: ¦-70 } }]", "expect[0].advertisement.rssi",
            "\"-70\" is not a range from a lower to a higher number; write one such as -70..-40, or -70.."
        ),
        (
            "expect: [{ advertisement: { ¦nmae: a } }]", "expect[0].advertisement",
            "there is no key \"nmae\" here; did you mean \"name\"?"
        ),
        (
            "expect: [{ event: a, within: ¦soon }]", "expect[0].within",
            "\"soon\" is not a duration; write 10s, 500ms or 2m"
        ),
    ]

    @Test(arguments: mistakes)
    func mistakeIsReportedAtItsPlace(_ text: String, _ field: String, _ message: String) throws {
        let marked = MarkedText(text)
        let place = try #require(marked.places.first)
        let faults = #expect(throws: ProfileFaults.self) { try Self.list(marked.text) }
        let fault = try #require(faults?.faults.first)
        #expect((fault.line, fault.column, fault.field) == (place.line, place.column, field))
        #expect(fault.message.hasPrefix(message), "\(fault.message)")
        #expect(faults?.faults.count == 1)
    }
}
