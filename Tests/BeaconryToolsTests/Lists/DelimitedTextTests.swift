// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BeaconryTools

struct DelimitedTextTests {
    private static func rows(_ text: String, _ separator: Character = ",") throws -> [[String]] {
        try DelimitedText(Array(text.utf8), separator: try #require(separator.asciiValue)).rows.map { $0.map(\.text) }
    }

    @Test(arguments: [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]), ("a,b\r\n1,2", [["a", "b"], ["1", "2"]]),
        ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
        ("a,\n,b\n,\n\n", [["a", ""], ["", "b"], ["", ""], [""]]), (" a , b ", [["a", "b"]]),
        ("\u{A0}a\u{2009},\u{202F}b", [["a", "b"]]),
        ("\"a,b\",\"c\"\"d\",\"\"\"e\"", [["a,b", "c\"d", "\"e"]]),
        ("\"two\r\nlines\",\"a\rb\"\n1,2", [["two\nlines", "a\nb"], ["1", "2"]]),
        (#"12" wide,a"b"#, [["12\" wide", "a\"b"]]), (#""old" hall,1"#, [["old hall", "1"]]),
        (#"  "a" ,b"#, [["a", "b"]]),
        ("", []), ("\n", [[""]]), ("sep=,\na,b", [["a", "b"]]), ("a\u{1A}", [["a"]]),
    ])
    func rowsAreRead(_ text: String, _ rows: [[String]]) throws { #expect(try Self.rows(text) == rows) }

    @Test func otherSeparatorsAreRead() throws {
        #expect(try Self.rows("a\tb\n\t1", "\t") == [["a", "b"], ["", "1"]])
        #expect(try Self.rows("a;\"b;c\"", ";") == [["a", "b;c"]])
        #expect(try Self.rows("| a | b |", "|") == [["", "a", "b", ""]])
    }

    @Test func cellsHavePlaces() throws {
        let rows = try DelimitedText(Array("ä,b\n\"x\ny\", öö,c\r\nd".utf8), separator: 0x2C).rows
        #expect(rows[0].map(\.column) == [1, 3] && rows[0].map(\.line) == [1, 1])
        // The second line begins in a text: its columns are counted from its beginning.
        #expect(rows[1].map(\.line) == [2, 3, 3] && rows[1].map(\.column) == [1, 5, 8])
        #expect(rows[2][0].line == 4)
    }

    @Test(arguments: ["a,\"b", "a\n1,\"b\n2,3\n", "\"", "a,\"b\"\""])
    func quoteWithoutAnEndHasAPlace(_ text: String) throws {
        let fault = try #require(throws: ListFault.self) { try DelimitedText(Array(text.utf8), separator: 0x2C) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.firstIndex { $0.contains("\"") })
        let index = try #require(lines[line].firstIndex(of: "\""))
        #expect(fault.line == line + 1)
        #expect(fault.column == lines[line].distance(from: lines[line].startIndex, to: index) + 1)
    }

    @Test func longListsAreRefused() throws {
        let rows = String(repeating: "a\n", count: DelimitedText.maximumRows + 1)
        #expect(throws: ListFault.self) { try DelimitedText(Array(rows.utf8), separator: 0x2C) }
        let cells = String(repeating: ",", count: DelimitedText.maximumCells + 1)
        #expect(throws: ListFault.self) { try DelimitedText(Array(cells.utf8), separator: 0x2C) }
    }

    /// Each prefix of a text is rows, or a quote without an end.
    @Test func prefixesAreReadOrRefused() {
        let text = Array("ä;\"b\"\"c\nd\"\r\n\"e\";f\r;\u{FEFF}\"g\"h".utf8)
        for length in 0...text.count {
            for separator in DelimitedText.separators {
                _ = try? DelimitedText(Array(text.prefix(length)), separator: separator)
            }
        }
    }
}
