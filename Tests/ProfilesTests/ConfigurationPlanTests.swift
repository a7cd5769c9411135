// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Testing

@Suite struct ConfigurationPlanTests {
    @Test func planIsRead() throws {
        let plan = try ConfigurationPlan(
            parsing: """
                beacons:
                  - beacon: c0:ff:ee:00:00:01
                    uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0
                    major: 40000
                    minor: 2
                    tx-power: -6dBm
                    interval: 48000ticks
                  - { beacon: Entrance, major: 0 }
                """, file: "plan.yaml")
        #expect(
            plan.entries == [
                ConfigurationPlan.Entry(
                    beacon: "C0:FF:EE:00:00:01",
                    settings: ConfigurationPlan.Settings(
                        uuid: UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"), major: 40000, minor: 2,
                        transmitPower: TransmitPower(-6), interval: AdvertisingInterval(48000))),
                ConfigurationPlan.Entry(beacon: "Entrance", settings: ConfigurationPlan.Settings(major: 0)),
            ])
    }

    /// Plans with one mistake, whose place is marked with `¦`; the field, and the message.
    static let mistakes = [
        (
            "¦beacon: a\nbeacons:\n  - { beacon: a, major: 1 }\n", "",
            "there is no key \"beacon\" here; did you mean \"beacons\"? keys are beacons"
        ),
        ("beacons:¦\n", "beacons", "a list of at least one beacon is expected here"),
        ("beacons:\n  - ¦{ major: 1 }\n", "beacons[0]", "\"beacon\" is missing"),
        (
            "beacons:\n  - ¦{ beacon: a }\n", "beacons[0]",
            "no setting is given; write uuid, major, minor, tx-power or interval"
        ),
        ("beacons:\n  - { beacon: a, major: ¦x }\n", "beacons[0].major", "\"x\" is not a whole number from 0 to 65535"),
        (
            "beacons:\n  - { beacon: a, tx-power: ¦4dBm }\n", "beacons[0].tx-power",
            "the beacon has no 4dBm; write 0dBm, -6dBm or -23dBm"
        ),
        (
            "beacons:\n  - { beacon: a, interval: ¦65536ticks }\n", "beacons[0].interval",
            "65536ticks is out of range: the beacon stores 0 to 65535 ticks"
        ),
        (
            "beacons:\n  - { beacon: a, ¦measured-power: -59 }\n", "beacons[0]",
            "there is no key \"measured-power\" here; keys are beacon, uuid, major, minor, tx-power, interval"
        ),
        (
            "beacons:\n  - { beacon: C0:FF:EE:00:00:0A, major: 1 }\n  - { beacon: ¦c0:ff:ee:00:00:0a, major: 2 }\n",
            "beacons[1].beacon",
            "\"C0:FF:EE:00:00:0A\" is already in beacons[0]; list every beacon once"
        ),
    ]

    @Test(arguments: mistakes)
    func mistakeIsReportedAtItsPlace(_ text: String, _ field: String, _ message: String) throws {
        let marked = MarkedText(text)
        let place = try #require(marked.places.first)
        #expect(
            throws: ProfileFaults([
                ProfileFault(file: "p.yaml", line: place.line, column: place.column, field: field, message: message)
            ])
        ) { try ConfigurationPlan(parsing: marked.text, file: "p.yaml") }
    }
}
