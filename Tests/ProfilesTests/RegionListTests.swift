// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Receiving
import Testing

@Suite struct RegionListTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    @Test func listIsRead() throws {
        let list = try RegionList(
            parsing: """
                regions:
                  - identifier: Front door
                    uuid: \(Self.uuid)
                    major: 1
                    minor: 65535
                    hello: "Welcome: come in"
                    goodbye: |
                      Good
                      bye
                    at-most-once-per: 1h
                    exit-after: 500ms
                  - { identifier: all, uuid: \(Self.uuid) }
                """, file: "regions.yaml")
        let uuid = try #require(UUID128(Self.uuid))
        #expect(
            list.entries == [
                RegionList.Entry(
                    identifier: "Front door", .numbers(uuid, major: 1, minor: 65535), hello: "Welcome: come in",
                    goodbye: "Good\nbye\n", atMostOncePer: .seconds(3600), exitAfter: .milliseconds(500)),
                RegionList.Entry(identifier: "all", .numbers(uuid, major: nil, minor: nil)),
            ])
    }

    private static func region(_ keys: String) -> String { "regions:\n  - { identifier: a, uuid: \(uuid), \(keys) }\n" }

    /// Lists with one mistake, whose place is marked with `¦`; the field, and the message.
    static let mistakes = [
        ("¦{}\n", "", "\"regions\" is missing"),
        ("regions: ¦[]\n", "regions", "a list of at least one region is expected here"),
        ("regions: ¦{ a: b }\n", "regions", "a list of at least one region is expected here"),
        ("regions:\n  - ¦a\n", "regions[0]", "a mapping of keys and values is expected here"),
        (
            "¦region: 1\nregions:\n  - { identifier: a, uuid: \(uuid) }\n", "",
            "there is no key \"region\" here; did you mean \"regions\"? keys are regions"
        ),
        ("regions:\n  - ¦{ uuid: \(uuid) }\n", "regions[0]", "\"identifier\" is missing"),
        ("regions:\n  - ¦{ identifier: a }\n", "regions[0]", "a region has a uuid or a namespace; write one of them"),
        (
            "regions:\n  - { identifier: a, uuid: ¦12 }\n", "regions[0].uuid",
            "\"12\" is not a UUID; write 32 hexadecimal digits as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        ),
        (
            "regions:\n  - { identifier: ¦\"\", uuid: \(uuid) }\n", "regions[0].identifier",
            "a name has 1 to 100 characters, and no control characters"
        ),
        (
            "regions:\n  - { identifier: ¦\"a\\nb\", uuid: \(uuid) }\n", "regions[0].identifier",
            "a name has 1 to 100 characters, and no control characters"
        ),
        (region("major: ¦65536"), "regions[0].major", "\"65536\" is not a whole number from 0 to 65535"),
        (region("minor: ¦1"), "regions[0].minor", "a minor number needs a major number; write major, too"),
        (region("hello: ¦\"\""), "regions[0].hello", "a message has 1 to 1000 characters"),
        (region("goodbye: ¦[a]"), "regions[0].goodbye", "a single value is expected here"),
        (
            region("exit-after: ¦30"), "regions[0].exit-after",
            "\"30\" has no unit: ms, s, m or h; write exit-after: 30s"
        ),
        (
            region("at-most-once-per: ¦daily"), "regions[0].at-most-once-per",
            "\"daily\" is not a duration; write 10s, 500ms or 2m"
        ),
        (
            region("¦exec: true"), "regions[0]",
            "there is no key \"exec\" here; keys are identifier, uuid, major, minor, namespace, instance, hello, goodbye, at-most-once-per, exit-after"
        ),
        (
            "regions:\n  - { identifier: a, uuid: \(uuid) }\n  - { identifier: ¦a, uuid: \(uuid), major: 1 }\n",
            "regions[1].identifier",
            "regions[0] has the identifier \"a\" already; give every region its own"
        ),
        (
            "regions: ¦[a\n", "",
            "this is not YAML: the \"[\" here is not closed; write \"]\" after the last value, and commas between"
        ),
    ]

    @Test(arguments: mistakes)
    func mistakeIsReportedAtItsPlace(_ text: String, _ field: String, _ message: String) throws {
        let marked = MarkedText(text)
        let place = try #require(marked.places.first)
        #expect(
            throws: ProfileFaults([
                ProfileFault(file: "r.yaml", line: place.line, column: place.column, field: field, message: message)
            ])
        ) { try RegionList(parsing: marked.text, file: "r.yaml") }
    }

    @Test func emptyFileNamesAnExample() {
        #expect(throws: ProfileFaults.self) { try RegionList(parsing: "", file: "r.yaml") }
    }
}
