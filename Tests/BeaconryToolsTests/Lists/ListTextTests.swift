// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BeaconryTools

/// Bytes of files as text.
struct ListTextTests {
    private static let text = "Größe;€5\nb"

    private static func units(_ text: String, isBig: Bool) -> [UInt8] {
        text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private static func words(_ text: String, isBig: Bool) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
            return isBig ? bytes : bytes.reversed()
        }
    }

    private static let encoded: [(bytes: [UInt8], encoding: ListText.Encoding, text: String)] = [
        (Array(text.utf8), .utf8, text), ([0xEF, 0xBB, 0xBF] + Array(text.utf8), .utf8, text),
        ([0xFF, 0xFE] + units(text, isBig: false), .utf16, text),
        ([0xFE, 0xFF] + units(text, isBig: true), .utf16, text),
        (units("minor;label\n1;a\n", isBig: false), .utf16, "minor;label\n1;a\n"),
        (units("ab", isBig: true), .utf16, "ab"),
        ([0xFF, 0xFE, 0, 0] + words(text, isBig: false), .utf32, text),
        ([0, 0, 0xFE, 0xFF] + words(text, isBig: true), .utf32, text),
        ([0x47, 0x72, 0xF6, 0xDF, 0x65, 0x3B, 0x80, 0x35, 0x0A, 0x62], .windows1252, text),
        ([0x47, 0x72, 0x9A, 0xA7, 0x65, 0x0D, 0xC9], .macRoman, "Größe\r…"), ([], .utf8, ""),
        // What a code page has in common with UTF-8 by chance.
        ([0xC3, 0xBC, 0x0A, 0xFC, 0x0A, 0xE4], .windows1252, "Ã¼\nü\nä"),
    ]

    @Test(arguments: encoded.indices) func encodingIsFound(_ index: Int) throws {
        let (bytes, encoding, text) = Self.encoded[index]
        let read = try ListText(bytes)
        #expect(read.encoding == encoding)
        #expect(String(decoding: read.utf8, as: UTF8.self) == text)
    }

    private static let refused: [(bytes: [UInt8], line: Int, column: Int, message: String)] = [
        ([0x50, 0x4B, 3, 4, 0] + Array("xl/workbook.xml".utf8), 0, 0, "Excel (.xlsx)"),
        (
            [0x50, 0x4B, 3, 4, 0] + Array("mimetypeapplication/vnd.oasis.opendocument.spreadsheet".utf8), 0, 0,
            "LibreOffice (.ods)"
        ),
        ([0x50, 0x4B, 3, 4, 0] + Array("Index/Document.iwa".utf8), 0, 0, "Numbers"),
        ([0x50, 0x4B, 3, 4, 0], 0, 0, "ZIP archive"),
        ([0xD0, 0xCF, 0x11, 0xE0], 0, 0, "(.xls)"), (Array("%PDF-1.4".utf8), 0, 0, "PDF"),
        ([0x1F, 0x8B, 8], 0, 0, "gzip"),
        (Array("a,b\n".utf8) + [0, 1], 2, 1, "0x00"),
        (Array("ä,b\n".utf8) + [UInt8](repeating: 1, count: 20), 2, 1, "0x01"),
        (Array("ä\nöü".utf8) + [0xE4] + Array("\nß".utf8), 2, 3, "0xE4 is not UTF-8"),
        ([0xEF, 0xBB, 0xBF, 0x61, 0xFF], 1, 2, "0xFF"),
        ([0xFF, 0xFE, 0x61], 0, 0, "odd number of bytes"), ([0xFF, 0xFE, 0x00, 0xD8], 0, 0, "not"),
        ([0, 0, 0xFE, 0xFF, 1], 0, 0, "not"),
    ]

    @Test(arguments: refused.indices) func otherFilesAreNamed(_ index: Int) throws {
        let (bytes, line, column, message) = Self.refused[index]
        let fault = try #require(throws: ListFault.self) { try ListText(bytes) }
        #expect((fault.line, fault.column) == (line, column))
        #expect(fault.message.contains(message), "\(fault.message)")
    }

    /// A character of a bar code scanner is a fault of its value, and not of the file.
    @Test func aFewControlCharactersAreText() throws {
        #expect(try ListText(Array("minor,label\n1,a\u{1D}b\n".utf8)).encoding == .utf8)
    }
}
