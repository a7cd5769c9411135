// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Devices
import Emulator
import Profiles

/// The JSON Schema of scenarios.
enum ScenarioSchema {
    static var document: JSONValue {
        var root =
            SchemaPart.mapping(
                [
                    ("scenario", SchemaPart.value(.name, "the name of the scenario")),
                    ("profile", SchemaPart.value(.text(1...4096), "the file of a profile, instead of beacons")),
                    ("seed", SchemaPart.value(.integer(0...Int.max), "of all random numbers (default: 1)")),
                    (
                        "duration",
                        SchemaPart.value(
                            .duration, "the time until the end, such as 60s (default: the latest time in it)")
                    ),
                    (
                        "regions",
                        SchemaPart.list(of: announcingRegion, "regions that receivers monitor", count: 1...Int.max)
                    ),
                    ("timeline", SchemaPart.list(of: step, "changes at times", count: 1...Int.max)),
                    ("expect", SchemaPart.list(of: expectation, "what must be true", count: 1...Int.max)),
                    ("defaults", .object(["type": .text("object")])),
                    (
                        "include",
                        SchemaPart.oneOrMore(of: SchemaPart.value(.text(1...4096)), "files whose contents are added")
                    ),
                ] + ProfileSchema.airKeys, required: ["scenario"]
            ).members ?? [:]
        root["patternProperties"] = ProfileSchema.anchors
        return SchemaPart.document(
            .object(root), title: "A scenario of beaconry", definitions: ProfileSchema.definitions)
    }

    /// A region that a receiver of a run monitors.
    static let region = SchemaPart.mapping(regionKeys, required: ["id", "uuid"])

    private static let regionKeys: [SchemaPart.Key] = [
        ("id", SchemaPart.value(.name, "the name of the region")),
        ("uuid", SchemaPart.value(.uuid, "the proximity UUID")),
        ("major", SchemaPart.value(.unsigned16, "the major number (default: any)")),
        ("minor", SchemaPart.value(.unsigned16, "the minor number (default: any)")),
        ("exit-after", SchemaPart.value(.duration, "the time without advertisements before an exit (default: 30s)")),
    ]

    /// A region of a scenario, which may have announcements.
    private static let announcingRegion = SchemaPart.mapping(
        regionKeys + [
            ("hello", SchemaPart.value(.message, "what is said when the region is entered")),
            ("goodbye", SchemaPart.value(.message, "what is said when the region is exited")),
            (
                "at-most-once-per",
                SchemaPart.value(.duration, "the time within which it is said only once, such as 10m")
            ),
        ], required: ["id", "uuid"])

    private static let step = SchemaPart.mapping(
        [
            ("at", SchemaPart.value(.duration, "when, such as 10s")),
            ("every", SchemaPart.value(.duration, "again and again, such as 5s")),
            ("until", SchemaPart.value(.duration, "the end of every")),
            ("do", SchemaPart.oneOrMore(of: SchemaPart.single, "changes, such as off lobby or move phone 3 0")),
        ], required: ["do"])

    private static let expectation = SchemaPart.mapping(
        [
            ("receiver", SchemaPart.single("the receiver of which it is expected")),
            ("enters", SchemaPart.single("a region, or a beacon")),
            ("exits", SchemaPart.single("a region, or a beacon")),
            ("hello", SchemaPart.single("a region, whose hello is said")),
            ("goodbye", SchemaPart.single("a region, whose goodbye is said")),
            ("sees", SchemaPart.single("a beacon")), ("does-not-see", SchemaPart.single("a beacon")),
            ("nearest", SchemaPart.single("the beacon that ranging reports as the nearest")),
            ("proximity", SchemaPart.single("a beacon, whose proximity is one of is")),
            (
                "is",
                SchemaPart.oneOrMore(of: SchemaPart.value(.proximity), "the accepted proximities", count: 1...Int.max)
            ),
            ("for", SchemaPart.value(.duration, "the time for which it must hold, such as 3s")),
            ("require", SchemaPart.value(.rate, "the least pass rate over many seeds, such as 95%")),
            ("distance", SchemaPart.single("a beacon, whose distance is metres, plus or minus tolerance")),
            ("rssi", SchemaPart.single("a beacon, whose RSSI is within dbm")),
            ("reports", SchemaPart.single("a beacon, of which count advertisements are received")),
            ("connected", SchemaPart.single("a beacon")),
            ("value", SchemaPart.single("a beacon, whose characteristic has the value hex")),
            ("on-air", SchemaPart.single("a beacon")), ("off-air", SchemaPart.single("a beacon")),
            ("metres", SchemaPart.value(.metres, "in metres")), ("tolerance", SchemaPart.value(.metres, "in metres")),
            (
                "dbm",
                SchemaPart.list(
                    of: SchemaPart.value(.anyNumber), "the lowest and the highest RSSI, such as [-70, -55]",
                    count: 2...2)
            ),
            (
                "count",
                SchemaPart.described(
                    SchemaPart.any([
                        SchemaPart.value(.counts), SchemaPart.list(of: SchemaPart.value(.count), count: 2...2),
                    ]), "10, 10+, or [9, 11]")
            ),
            ("characteristic", SchemaPart.value(.bluetoothUUID, "2A19, or 128 bits")),
            ("hex", SchemaPart.value(.octets, "hexadecimal digits")),
            ("by", SchemaPart.value(.duration, "the latest time")), ("at", SchemaPart.value(.duration, "the time")),
            ("within", SchemaPart.value(.duration, "the time after after, or after the beginning")),
            ("after", SchemaPart.value(.duration, "the beginning of within")),
            (
                "between",
                SchemaPart.list(
                    of: SchemaPart.value(.duration), "from one time to another, such as [10s, 20s]", count: 2...2)
            ),
            ("never", SchemaPart.boolean("whether it must not be so")),
        ])
}
