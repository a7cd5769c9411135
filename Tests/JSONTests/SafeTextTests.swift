// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import JSON

struct SafeTextTests {
    /// Characters that control terminals, end lines, or make a text look like another one.
    static let unsafe: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2064, 0x2066...0x206F,
        0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0001...0xE0001, 0xE0020...0xE007F,
    ]

    @Test(arguments: unsafe)
    func unsafeCharactersAreReplacedInLinesAndEscapedInJSON(_ range: ClosedRange<UInt32>) throws {
        for scalar in range.compactMap(Unicode.Scalar.init) {
            let text = "a\(Character(scalar))b"
            #expect(SafeText.line(text) == "a\u{FFFD}b", "U+\(String(scalar.value, radix: 16))")
            let json = JSONLine.encode(["name": text])
            #expect(json.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F }, "\(json)")
            #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == ["name": text])
        }
    }

    @Test(arguments: ["", "plain", "Café", "日本語", "🏛️", "a\u{FFFD}", "\u{E9}\u{301}", "±½€"])
    func safeTextIsUnchanged(_ text: String) throws {
        #expect(SafeText.line(text) == text)
        #expect(JSONLine.encode([text]) == "[\"\(text)\"]")
    }

    @Test
    func lineIsOneLine() {
        #expect(SafeText.line("a\r\nb\u{85}c") == "a\u{FFFD}\u{FFFD}b\u{FFFD}c")
    }
}
