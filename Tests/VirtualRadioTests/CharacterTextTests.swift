// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import VirtualRadio

@Suite struct CharacterTextTests {
    /// One or more texts for each name.
    static let samples = [
        "dual-mode", "legacy-5.0", "sets:2", "low-handles:1", "mixing", "mixing:uncounted", "feature-lies",
        "feature-lies:no-commands", "ats2851", "le-only", "no-address", "same-address", "power", "power:fixed",
        "power:unknown", "silent:0x200A", "hung:50", "hung:20,error", "hung:20,removal@1s-2s", "slow:5",
        "slow:20,0x0C03",
        "busy", "busy:0x0C@100ms-300ms", "states", "scan-busy", "strict-random", "disable-first", "late-terminated",
        "early-terminated", "no-terminated", "terminated-0x44", "air-interval:0.1", "slow:7+early-terminated+sets:1",
        "dual-mode+slow:20",
    ]

    @Test func samplesHaveAllNames() throws {
        let names = Self.samples.map { $0.prefix { !":@+".contains($0) } }
        #expect(Set(names) == Set(ControllerCharacter.names.map { $0[...] }))
        #expect(try Set(Self.samples.map { try ControllerCharacter($0) }).count == Self.samples.count)
    }

    @Test(arguments: [
        ("legacy-5.0", "legacy-5.0@0s-"), ("silent:0x204b", "silent:204B"), ("power", "power:nearest"),
        ("late-terminated", "late-terminated:600"), ("hung:4", "hung:4,never"), ("busy", "busy:0x3A"),
        ("slow:20@500ms-2m", "slow:20@0.5s-120s"), ("air-interval:2", "air-interval:2.0"),
    ])
    func differentTextsAreEqual(_ text: String, _ other: String) throws {
        #expect(try ControllerCharacter(text) == (try ControllerCharacter(other)))
        #expect(try ControllerCharacter(text) != .none)
    }

    @Test(arguments: [
        ("dual-mode@1s-", .value("dual-mode takes no period: a controller has it from the start")),
        ("", CharacterFault.unknownName("")), ("legacy", .unknownName("legacy")), ("busy+", .unknownName("")),
        ("sets:4+slwo:3", .unknownName("slwo")), ("legacy-5.0:1", .value("legacy-5.0 takes no value")),
        ("sets", .value("sets needs a number of sets from 1 to 64")),
        ("sets:65", .value("sets: \"65\" is not a number of sets from 1 to 64")),
        ("slow:x", .value("slow: \"x\" is not a number of milliseconds from 1 to 60000")),
        ("silent:20", .value("silent: \"20\" is not an opcode of four hexadecimal digits, such as 0x2036")),
        ("silent", .value("silent needs an opcode of four hexadecimal digits, such as 0x2036")),
        ("power:loud", .value("power: \"loud\" is not one of nearest, fixed, unknown")),
        ("air-interval:0", .value("air-interval: \"0\" is not a factor from 0.1 to 100.0")),
        (
            "hung:1,error,2",
            .value("hung takes a number of commands from 0 to 1000000, then one of never, error, removal")
        ),
    ])
    func wrongTextIsRefused(_ text: String, _ fault: CharacterFault) {
        #expect(throws: fault) { try ControllerCharacter(text) }
    }

    @Test(arguments: ["", "30s", "60s-30s", "30s-30s", "-30s", "30-60", "1s-2s-3s", "1e9s-", "0x1s-2s", "9999999m-"])
    func wrongPeriodIsRefused(_ period: String) {
        #expect(throws: CharacterFault.self) { try ControllerCharacter("busy@\(period)") }
    }

    /// The documentation has a row for each name, and no others.
    @Test func documentationHasAllNames() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: package.appending(path: "docs/virtual-air.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## Characters of controllers\n").dropFirst().first)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| `") }
        let names = rows.compactMap { $0.dropFirst(3).prefix { $0 != "`" && $0 != ":" && $0 != "[" } }.map(String.init)
        #expect(names.sorted() == ControllerCharacter.names.sorted())
    }
}
