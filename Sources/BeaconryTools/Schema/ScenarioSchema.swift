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
        Schema.object(
            [
                .required("scenario", .value(.name), "the name of the scenario"),
                .optional("profile", .value(.text(1...4096)), "the file of a profile, instead of beacons"),
                .optional("seed", .value(.integer(0...Int.max)), "of all random numbers (default: 1)"),
                .optional(
                    "duration", .value(.duration),
                    "the time until the end, such as 60s (default: the latest time in it)"),
                .optional("regions", .array(announcingRegion, 1...Int.max), "regions that receivers monitor"),
                .optional("timeline", .array(step, 1...Int.max), "changes at times"),
                .optional("expect", .array(expectation, 1...Int.max), "what must be true"),
                .optional("defaults", .anyObject, ""),
                .optional("include", .oneOrMore(.value(.text(1...4096))), "files whose contents are added"),
            ] + ProfileSchema.airKeys
        ).with(ProfileSchema.anchors).document(
            title: "A scenario of beaconry", definitions: ProfileSchema.definitions)
    }

    /// A region that a receiver of a run monitors.
    static let region = region([])

    /// A region of iBeacons and AltBeacons, or one of Eddystone-UID, with other keys.
    private static func region(_ others: [Schema.Member]) -> Schema {
        .object(
            [
                id, .optional("uuid", .value(.uuid), "the proximity UUID; id1 of AltBeacons"),
                .optional("major", .value(.unsigned16), "the major number; id2 of AltBeacons (default: any)"),
                .optional("minor", .value(.unsigned16), "the minor number; id3 of AltBeacons (default: any)"),
                .optional("namespace", .value(.bytes(10...10)), "the namespace of Eddystone-UID, instead of a UUID"),
                .optional("instance", .value(.bytes(6...6)), "the instance of Eddystone-UID (default: any)"), exit,
                display,
            ] + others
        ).with([
            "anyOf": .array(["uuid", "namespace"].map { .object(["required": .array([.text($0)])]) })
        ])
    }

    private static let id = Schema.Member.required("id", .value(.name), "the name of the region")
    private static let exit = Schema.Member.optional(
        "exit-after", .value(.duration), "the time without advertisements before an exit (default: 30s)")

    private static let display = Schema.Member.optional(
        "notify-on-display", .value(.boolean),
        "whether the state is reported again when the screen comes on inside the region (default: false)")

    /// A region of a scenario, which may have announcements.
    private static let announcingRegion = region([
        .optional("hello", .value(.message), "what is said when the region is entered"),
        .optional("goodbye", .value(.message), "what is said when the region is exited"),
        .optional("at-most-once-per", .value(.duration), "the time within which it is said only once, such as 10m"),
    ])

    private static let step = Schema.object([
        .optional("at", .value(.duration), "when, such as 10s"),
        .optional("every", .value(.duration), "again and again, such as 5s"),
        .optional("until", .value(.duration), "the end of every"),
        .required("do", .oneOrMore(.single), "changes, such as off lobby or move phone 3 0"),
    ])

    private static let expectation = Schema.object(
        [
            .optional("receiver", .single, "the receiver of which it is expected"),
            .optional("beacon", .single, "the beacon of which it is expected, at several receivers"),
        ]
            + ExpectationKind.all.map { .optional($0.key, $0.bound.map(Schema.value) ?? .single, $0.meaning) }
            + ExpectationKey.all.map { .optional($0.name, schema(of: $0.form), $0.meaning) })

    private static func schema(of form: ExpectationKey.Form) -> Schema {
        switch form {
        case .value(let shape): .value(shape)
        case .list(let shape, let count): .array(.value(shape), count)
        case .valueOrList(let shape, let element, let count):
            .anyOf([.value(shape), .array(.value(element), count)])
        }
    }
}
