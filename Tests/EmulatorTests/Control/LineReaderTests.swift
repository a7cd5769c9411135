// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Emulator

struct LineReaderTests {
    private static func lines(_ pieces: [String]) -> [String] {
        var reader = LineReader()
        return pieces.flatMap { reader.take(Array($0.utf8)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            ([""], []),
            (["a"], []),
            (["a\n"], ["a"]),
            (["a\nb\n"], ["a", "b"]),
            (["a", "b\nc", "\n"], ["ab", "c"]),
            (["\n\n", "a\n", "\n"], ["a"]),
        ])
    func lines(_ pieces: [String], _ expected: [String]) {
        #expect(Self.lines(pieces) == expected)
    }

    @Test
    func everySplitOfTheSameBytesGivesTheSameLines() {
        let text = "first\n\nsecond line\nthird\nrest"
        for split in 0...text.utf8.count {
            let bytes = Array(text.utf8)
            var reader = LineReader()
            let lines = reader.take(Array(bytes[..<split])) + reader.take(Array(bytes[split...]))
            #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["first", "second line", "third"])
        }
    }

    @Test
    func longestLineIsWhole() {
        let line = String(repeating: "x", count: ControlRequest.maximumLength)
        #expect(Self.lines([line, "\n"]) == [line])
    }

    /// The line is cut off one byte after the limit, so that it is refused; the rest is dropped.
    @Test
    func longerLineIsCutOff() {
        let line = String(repeating: "x", count: 4 * ControlRequest.maximumLength)
        let lines = Self.lines([line, "rest\nnext\n"])
        #expect(lines.map(\.count) == [ControlRequest.maximumLength + 1, 4])
        #expect(lines.last == "next")
    }
}
