// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Devices

@Suite struct ProfileReaderTests {
    private static func node(_ text: String, line: Int = 1) -> ProfileNode {
        ProfileNode(.scalar(text), at: TextPlace(line: line, column: 1))
    }

    /// A mapping with one key, as an entry of a list on a line.
    private static func entry(_ key: String, _ value: ProfileNode, line: Int) -> ProfileNode {
        ProfileNode(
            .mapping(ProfileNode.Mapping([(node(key, line: line), value)])), at: TextPlace(line: line, column: 1))
    }

    private static func reader(of list: [ProfileNode]) -> ProfileReader {
        let list = ProfileNode(.sequence(list), at: TextPlace(line: 1, column: 1))
        return ProfileReader(entry("lamps", list, line: 1), file: "p.yaml", path: "")
    }

    /// What is wrong in one copy is wrong in the others, and a profile has up to 10,000.
    @Test func ofCopiesWithFaultsAHundredAreRead() {
        let copies = [4, 5].flatMap { line in
            (0..<1000).map { Self.entry("power", Self.node("\($0)", line: line), line: line) }
        }
        var reader = Self.reader(of: copies)
        var attempts: [String] = []
        let parts: [Int?]? = reader.parts("lamps", of: "lamp") { part in
            attempts.append(part.present("power")?.text ?? "")
            return part.value("power") { text throws(ValueFault) in
                // Those of the second entry are right but for three.
                guard attempts.count > 100, !["7", "500", "999"].contains(text) else { throw ValueFault("wrong") }
                return 1
            }
        }
        #expect(attempts.count == 100 + 1000)
        #expect(parts?.count == 2000)
        #expect(parts?.prefix(1000).allSatisfy { $0 == nil } == true)
        #expect(parts?.suffix(1000).count { $0 == nil } == 3)
        let messages = reader.finish().map(\.message)
        let note = "900 further copies of this entry were not read, since 100 have faults"
        #expect(messages.count == 104 && messages.filter { $0 == note }.count == 1)
    }

    @Test(arguments: ["counter", "drain", "waveform", "random-walk", "trace"])
    func generatorInThePlaceOfAValueHasAHint(key: String) {
        for (name, hasHint) in [(key, true), ("value", false)] {
            let value = Self.entry(name, Self.node("1"), line: 2)
            var reader = ProfileReader(Self.entry("major", value, line: 2), file: "p.yaml", path: "")
            #expect(reader.value("major", ValueText.unsigned16) == nil)
            let messages = reader.finish().map(\.message)
            #expect(messages.count == 1 && messages[0].hasPrefix("a single value is expected here"))
            #expect(messages[0].contains("device: beacon") == hasHint)
        }
    }
}
