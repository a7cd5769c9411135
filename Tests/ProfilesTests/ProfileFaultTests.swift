// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Foundation
import Profiles
import TestSupport
import Testing

@Suite struct ProfileFaultTests {
    private static func faults(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> [ProfileFault] {
        let error = #expect(throws: ProfileFaults.self, sourceLocation: sourceLocation) {
            try Profile(parsing: text, file: "dir/p.yaml")
        }
        return error?.faults ?? []
    }

    @Test func allFaultsAreReportedInFileOrder() {
        let marked = MarkedText(
            """
            profile: ¦my profile
            ¦colour: blue
            beacons:
              - id: a
                device: ibeacon
                name: ¦""
                ibeacon: { major: ¦-1, uuid: ¦none, ¦maior: 2 }
                interval: ¦1ms
              - ¦device: ibeacon
              - id: b
                device: iot-design-shop
                ibeacon:
                  uuid: 2173E519-9155-4862-AB64-7953AB146156
                  minor: ¦70000
                tx-power: ¦1dBm
                ¦flags: none
              - id: ¦c c
                device: ¦radio
            """)
        let faults = Self.faults(marked.text)
        #expect(faults.map(\.line) == marked.places.map(\.line))
        #expect(faults.map(\.column) == marked.places.map(\.column))
        #expect(
            faults.map(\.field) == [
                "profile", "", "beacons[0].name", "beacons[0].ibeacon.major", "beacons[0].ibeacon.uuid",
                "beacons[0].ibeacon", "beacons[0].interval", "beacons[1]", "beacons[2].ibeacon.minor",
                "beacons[2].tx-power", "beacons[2]", "beacons[3].id", "beacons[3].device",
            ])
        #expect(faults.allSatisfy { $0.file == "dir/p.yaml" })
    }

    @Test func descriptionHasPlaceFieldAndMessage() {
        let fault = ProfileFault(
            file: "museum.yaml", line: 7, column: 15, field: "beacons[0].ibeacon.major", message: "no")
        #expect(fault.description == "museum.yaml:7:15: beacons[0].ibeacon.major: no")
        let whole = ProfileFault(file: "museum.yaml", line: 0, column: 0, field: "", message: "no")
        #expect(whole.description == "museum.yaml: no")
        #expect(fault.diagnostic == "museum.yaml:7:15: error: beacons[0].ibeacon.major: no")
        #expect(whole.diagnostic == "museum.yaml: error: no")
    }

    @Test func descriptionIsOneLineWithoutControlCharacters() {
        let text = "profile: \"a\\n\\e[31mb\\u2028\\x7f\"\nbeacons: [{ id: a, device: iot-design-shop }]\n"
        let start = "dir/p.yaml:1:10: profile: \"a\u{FFFD}\u{FFFD}[31mb\u{FFFD}\u{FFFD}\" is not a name"
        #expect(Self.faults(text).first?.description.hasPrefix(start) == true)
    }

    @Test(arguments: ["", "\n\n", "# only a comment\n", "   ", "\u{FEFF}"])
    func emptyFileIsReported(_ text: String) {
        #expect(
            Self.faults(text).map(\.description)
                == ["dir/p.yaml: the file is empty; see profiles/iot-design-shop.yaml for an example"])
    }

    @Test func tooLargeFileIsNotRead() {
        let comment = "#" + String(repeating: "a", count: Profile.maximumSize)
        #expect(Self.faults(comment).map(\.message) == ["a profile has at most 1048576 bytes"])
    }

    private static let tooDeep = "this is nested deeper than 64 levels; a bracket or brace may be left open"

    @Test(arguments: [
        (String(repeating: "[", count: 900), 64), (String(repeating: "{", count: 900), 64),
        (String(repeating: "{a: ", count: 100_000), 253), (String(repeating: "- ", count: 100_000), 127),
        (String(repeating: "? ", count: 100_000), 127), ("&a " + String(repeating: "[", count: 65), 67),
    ])
    func tooDeepNestingIsRefused(_ text: String, column: Int) {
        #expect(
            Self.faults("profile: p\nbeacons:\n " + text).map(\.description)
                == ["dir/p.yaml:3:\(column + 1): \(Self.tooDeep)"])
    }

    /// libyaml itself fails at 1,000 levels, and reads ahead.
    @Test(arguments: ["[", "{"])
    func nestingBeyondTheParsersOwnLimitIsRefused(_ bracket: String) {
        let fault = Self.faults("profile: p\nbeacons:\n " + String(repeating: bracket, count: 100_000)).first
        #expect(fault?.line == 3)
        #expect(fault?.message == Self.tooDeep)
    }

    @Test func deepNestingOverManyLinesIsRefused() {
        let steps = (0..<1300).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        #expect(Self.faults(steps).map(\.description) == ["dir/p.yaml:65:65: \(Self.tooDeep)"])
        // Balanced only if brackets in comments count, too.
        let commented = String(
            repeating: String(repeating: "[", count: 10) + " # " + String(repeating: "]", count: 10) + "\n", count: 100)
        #expect(Self.faults(commented).map(\.message) == [Self.tooDeep])
    }

    @Test(arguments: [
        String(repeating: "# : [ {\n", count: 300), "profile: \"" + String(repeating: "[", count: 300) + "\"",
        "profile: '" + String(repeating: "{", count: 300) + "'",
        "profile: |\n" + String(repeating: "  - [\n", count: 300),
        "profile: [" + String(repeating: "[], ", count: 300) + "]", String(repeating: "- - - [a]\n", count: 300),
        String(repeating: " ", count: 300) + "profile: p",
    ])
    func textThatIsNotNestedIsAccepted(_ text: String) {
        #expect(!Self.faults(text).map(\.message).contains(Self.tooDeep))
    }

    /// The deepest allowed nesting fits the small stack of a thread.
    @Test func deepestNestingFitsASmallStack() async {
        let text = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        let messages = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Self.faults(text).map(\.message)) }
            thread.stackSize = 256 << 10
            thread.start()
        }
        #expect(!messages.isEmpty && !messages.contains(Self.tooDeep))
    }

    private static func lines(_ entries: [String]) -> [String] {
        ProfileFaults(faults("profile: shop\nbeacons:\n" + entries.map { "  - \($0)\n" }.joined())).lines
    }

    @Test func equalFaultsAreOneLine() {
        let unknown = (0..<60).map { "{ id: b\($0), device: radio }" }
        let lines = Self.lines(unknown)
        #expect(lines.count == 1 && lines[0].hasPrefix("dir/p.yaml:3:"))
        #expect(lines[0].contains("beacons[0].device: ") && lines[0].hasSuffix(" (and 59 more)"))
    }

    @Test func copiesOfAnEntryAreOneLine() {
        let frame = "uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 1, minor: 70000..70059"
        let lines = Self.lines(["{ id: b, count: 60, device: ibeacon, ibeacon: { \(frame) } }"])
        #expect(lines.count == 1 && lines[0].hasSuffix(" (and 59 more)"))
    }

    @Test func otherFaultsKeepTheirLines() {
        let lines = Self.lines([
            "{ id: a, device: radio }", "{ id: b, device: lamp }", "{ id: c, device: radio }",
            "{ id: d d, device: battery }",
        ])
        #expect(lines.count == 3)
        #expect(lines.count { $0.contains("more)") } == 1 && lines[0].hasSuffix(" (and 1 more)"))
        let places = lines.map { $0.split(separator: ":")[1] }
        #expect(places == ["3", "4", "6"], "each is at its first place")
    }
}
