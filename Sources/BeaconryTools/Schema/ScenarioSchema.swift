// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import JSON
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
        [("receiver", SchemaPart.single("the receiver of which it is expected"))]
            + ExpectationKind.all.map { ($0.key, SchemaPart.single($0.meaning)) }
            + ExpectationKey.all.map { ($0.name, SchemaPart.described(part($0.form), $0.meaning)) })

    private static func part(_ form: ExpectationKey.Form) -> JSONValue {
        switch form {
        case .value(let shape): SchemaPart.value(shape)
        case .list(let shape, let count): SchemaPart.list(of: SchemaPart.value(shape), count: count)
        case .valueOrList(let shape, let element, let count):
            SchemaPart.any([SchemaPart.value(shape), SchemaPart.list(of: SchemaPart.value(element), count: count)])
        }
    }
}
