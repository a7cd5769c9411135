// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// The JSON Schema of scenarios.
enum ScenarioSchema {
    static var document: JSONValue {
        var root =
            SchemaPart.mapping(
                [
                    ("scenario", SchemaPart.single("the name of the scenario")),
                    ("profile", SchemaPart.single("the file of a profile, instead of beacons")),
                    ("seed", SchemaPart.single("of all random numbers (default: 1)")),
                    (
                        "duration",
                        SchemaPart.single("the time until the end, such as 60s (default: the latest time in it)")
                    ),
                    ("regions", SchemaPart.list(of: region, "regions that receivers monitor")),
                    ("timeline", SchemaPart.list(of: step, "changes at times")),
                    ("expect", SchemaPart.list(of: expectation, "what must be true")),
                    ("defaults", .object(["type": .text("object")])),
                    ("include", SchemaPart.oneOrMore(of: SchemaPart.single, "files whose contents are added")),
                ] + ProfileSchema.airKeys, required: ["scenario"]
            ).members ?? [:]
        root["patternProperties"] = ProfileSchema.anchors
        return SchemaPart.document(
            .object(root), title: "A scenario of beaconry", definitions: ProfileSchema.definitions)
    }

    static let region = SchemaPart.mapping(
        [
            ("id", SchemaPart.single("the name of the region")), ("uuid", SchemaPart.single("the proximity UUID")),
            ("major", SchemaPart.single("the major number (default: any)")),
            ("minor", SchemaPart.single("the minor number (default: any)")),
            ("exit-after", SchemaPart.single("the time without advertisements before an exit (default: 30s)")),
            ("hello", SchemaPart.single("what is said when the region is entered")),
            ("goodbye", SchemaPart.single("what is said when the region is exited")),
            ("at-most-once-per", SchemaPart.single("the time within which it is said only once, such as 10m")),
        ], required: ["id", "uuid"])

    private static let step = SchemaPart.mapping(
        [
            ("at", SchemaPart.single("when, such as 10s")), ("every", SchemaPart.single("again and again, such as 5s")),
            ("until", SchemaPart.single("the end of every")),
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
            ("is", SchemaPart.oneOrMore(of: SchemaPart.single, "immediate, near, far or unknown")),
            ("for", SchemaPart.single("the time for which it must hold, such as 3s")),
            ("require", SchemaPart.single("the least pass rate over many seeds, such as 95%")),
            ("distance", SchemaPart.single("a beacon, whose distance is metres, plus or minus tolerance")),
            ("rssi", SchemaPart.single("a beacon, whose RSSI is within dbm")),
            ("reports", SchemaPart.single("a beacon, of which count advertisements are received")),
            ("connected", SchemaPart.single("a beacon")),
            ("value", SchemaPart.single("a beacon, whose characteristic has the value hex")),
            ("on-air", SchemaPart.single("a beacon")), ("off-air", SchemaPart.single("a beacon")),
            ("metres", SchemaPart.single("in metres")), ("tolerance", SchemaPart.single("in metres")),
            ("dbm", SchemaPart.list(of: SchemaPart.single, "the lowest and the highest RSSI, such as [-70, -55]")),
            ("count", SchemaPart.oneOrMore(of: SchemaPart.single, "10, 10+, or [9, 11]")),
            ("characteristic", SchemaPart.single("2A19, or 128 bits")),
            ("hex", SchemaPart.single("hexadecimal digits")),
            ("by", SchemaPart.single("the latest time")), ("at", SchemaPart.single("the time")),
            ("within", SchemaPart.single("the time after after, or after the beginning")),
            ("after", SchemaPart.single("the beginning of within")),
            ("between", SchemaPart.list(of: SchemaPart.single, "from one time to another, such as [10s, 20s]")),
            ("never", SchemaPart.boolean("whether it must not be so")),
        ])
}
