// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import JSON

/// JSON of clients.
@Suite struct JSONReaderTests {
    private static func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test(
        arguments: [
            ("null", JSONValue.null), (" true\n", .boolean(true)), ("false", .boolean(false)),
            ("-0.5e+2", .number(-50)),
            ("0", .number(0)), ("1E3", .number(1000)), (#""""#, .text("")),
            (#""a\"\\\/\b\f\n\r\t""#, .text("a\"\\/\u{8}\u{C}\n\r\t")),
            (#""\u00fc\ud83d\uDCE1""#, .text("ü📡")), (#""ü📡""#, .text("ü📡")), ("[]", .array([])), ("{}", .object([:])),
            (#"[1, "a" ,[true]]"#, .array([.number(1), .text("a"), .array([.boolean(true)])])),
            (#"{"a":{"b":null}, "c" : 1}"#, .object(["a": .object(["b": .null]), "c": .number(1)])),
        ])
    func documentIsRead(_ text: String, _ value: JSONValue) throws { #expect(try Self.value(text) == value) }

    @Test(
        arguments: [
            "", " ", "nul", "True", "1 2", "01", "-", "1.", ".5", "+1", "1e", "0x10", "NaN", "1e999", "[1,]", "[1",
            "[1 2]", "{",
            #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"a":1,"a":2}"#, #"""#, #""a"#, "\"a\nb\"", #""\x""#,
            #""\u12""#,
            #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "\u{FEFF}1", "// 1", "'a'",
        ])
    func otherTextsAreRefused(_ text: String) {
        let fault = #expect(throws: JSONFault.self) { try Self.value(text) }
        #expect(fault?.isLimit == false)
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0xC3]] as [[UInt8]] {
            #expect(throws: JSONFault.self) { try JSONValue(parsing: bytes) }
        }
    }

    /// The depth is checked at the first level that is too deep, whatever follows.
    @Test func depthIsLimited() throws {
        func nested(_ open: String, _ close: String, _ depth: Int) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            _ = try Self.value(nested(open, close, 32))
            #expect(throws: JSONFault(message: "it is deeper than 32 levels", isLimit: true)) {
                try Self.value(nested(open, close, 33))
            }
            #expect(throws: JSONFault(message: "it is deeper than 32 levels", isLimit: true)) {
                try Self.value(String(repeating: open, count: 30_000))
            }
        }
    }

    @Test func numberOfValuesIsLimited() throws {
        func wide(_ count: Int) -> String { "[" + Array(repeating: "1", count: count - 1).joined(separator: ",") + "]" }
        #expect(try Self.value(wide(20_000)).elements?.count == 19_999)
        #expect(throws: JSONFault(message: "it has more than 20000 values", isLimit: true)) {
            try Self.value(wide(20_001))
        }
    }

    @Test func everyTruncationIsRefused() throws {
        let text = Array(#"{"a":[1.5e3,"\ud83d\udce1",{"b":[true,null]}],"c":-0.25}"#.utf8)
        _ = try JSONValue(parsing: text)
        for length in text.indices {
            #expect(throws: JSONFault.self) { try JSONValue(parsing: Array(text[..<length])) }
        }
    }

    @Test func whatIsEncodedIsReadBack() throws {
        let value = try Self.value(#"{"a":[1,-2.5,true,null,"x\n/\u0007\u2028"],"b":{}}"#)
        #expect(try Self.value(JSONLine.encode(value)) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(JSONLine.encode(value).utf8)) == value)
    }
}
