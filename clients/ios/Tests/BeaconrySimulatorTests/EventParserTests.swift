// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryStream
import Foundation
import Testing

@Suite struct EventParserTests {
    private func payloads(_ pieces: [String], maximum: Int = 1 << 20) -> [String] {
        var parser = EventParser(maximumLineLength: maximum)
        return pieces.flatMap { parser.take(Data($0.utf8)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func eachDataLineIsAnEvent() {
        #expect(payloads(["data: {\"a\":1}\n\ndata:{\"b\":2}\n\n"]) == ["{\"a\":1}", "{\"b\":2}"])
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func linesEndWithAnyLineEnding(ending: String) {
        let text = "data: 1\n\n:\n\ndata: 2\n\n".replacingOccurrences(of: "\n", with: ending)
        #expect(payloads([text]) == ["1", "2"])
    }

    @Test func commentsAndOtherFieldsAreSkipped() {
        #expect(payloads([": comment\n\nid: 7\nevent: x\nretry: 1\ndata\ndatax: 1\ndata: 1\n\n"]) == ["1"])
    }

    @Test func onlyOneSpaceIsRemoved() {
        #expect(payloads(["data:  1 \n"]) == [" 1 "])
    }

    @Test func unfinishedLineIsNoEvent() {
        #expect(payloads(["data: 1\n\ndata: 2"]) == ["1"])
    }

    @Test func linesAndCharactersMayBeCutAnywhere() {
        let text = Data("data: {\"name\":\"Käse – 日本 🏪\"}\r\n\r\n: c\r\ndata: 2\r\n\r\n".utf8)
        for size in 1...text.count {
            var parser = EventParser(maximumLineLength: 1 << 20)
            var payloads: [Data] = []
            for start in stride(from: 0, to: text.count, by: size) {
                payloads += parser.take(text[start..<min(start + size, text.count)])
            }
            #expect(payloads.map { String(decoding: $0, as: UTF8.self) } == ["{\"name\":\"Käse – 日本 🏪\"}", "2"])
        }
    }

    @Test func lineOfTheMaximumLengthIsTaken() {
        #expect(payloads(["data: 12345\n"], maximum: 11) == ["12345"])
    }

    @Test func longerLineIsDroppedAndTheNextOneIsTaken() {
        var parser = EventParser(maximumLineLength: 16)
        var payloads = parser.take(Data("data: 1\ndata: ".utf8))
        for _ in 0..<1000 { payloads += parser.take(Data("0123456789".utf8)) }
        payloads += parser.take(Data("\ndata: 2\n".utf8))
        #expect(payloads == [Data("1".utf8), Data("2".utf8)])
        #expect(parser.droppedLines == 1)
    }

    @Test func bytesOutsideOfUTF8AreKept() {
        var parser = EventParser(maximumLineLength: 100)
        let bytes = Data([0xFF, 0x00, 0xC3])
        #expect(parser.take(Data("data: ".utf8) + bytes + Data("\n".utf8)) == [bytes])
    }
}
