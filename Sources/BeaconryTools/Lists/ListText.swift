// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Why a list cannot be read, and where.
package struct ListFault: Error, Hashable, Sendable {
    /// The line, counted from 1; 0 for the whole file.
    package let line: Int
    /// The column in characters, counted from 1; 0 for the whole line or file.
    package let column: Int
    /// What is wrong, and what to do instead.
    package let message: String
    /// Whether the fault is of an option that names a column.
    var isOfOption = false

    package init(_ message: String, line: Int = 0, column: Int = 0) {
        self.line = line
        self.column = column
        self.message = message
    }

    /// The fault of an option that names a column.
    init(ofOption message: String) {
        self.init(message)
        isOfOption = true
    }
}

/// The text of a list, decoded from the bytes of its file.
///
/// A byte order mark decides. Without one it is UTF-8, or UTF-16 if every second byte of its beginning is zero, or else in a code page:
/// of Windows, or of classic Mac OS if its lines end as they do there.
package struct ListText: Sendable {
    package enum Encoding: String, CaseIterable, Sendable {
        case utf8 = "UTF-8"
        case utf16 = "UTF-16"
        case utf32 = "UTF-32"
        case windows1252 = "Windows-1252"
        case macRoman = "Mac Roman"
    }

    /// The text as UTF-8, without a byte order mark.
    package let utf8: [UInt8]
    package let encoding: Encoding

    /// Decodes a file.
    /// - Throws: `ListFault` for bytes that are no text, with the kind of the file where it is known.
    package init(_ bytes: [UInt8]) throws(ListFault) {
        if let kind = FileSignature.all.first(where: { $0.matches(bytes) }) {
            throw ListFault("this is \(kind.name(bytes)); \(kind.hint)")
        }
        (utf8, encoding) = try Self.decoded(bytes)
        let controls = utf8.filter { $0 < 0x20 && !Self.permitted.contains($0) }
        guard controls.contains(0) || controls.count > max(8, utf8.count / 100),
            let first = utf8.firstIndex(where: { $0 < 0x20 && !Self.permitted.contains($0) })
        else { return }
        let place = Self.place(of: first, in: utf8)
        throw ListFault(
            "the byte 0x\(Hexadecimal.string([utf8[first]]).uppercased()) is a control character, so this is no text; "
                + FileSignature.saveAsCSV, line: place.line, column: place.column)
    }

    /// Tab, line feed, vertical tab, form feed, carriage return, and the end of files of DOS. A few others, as of bar code scanners, are
    /// faults of the values that have them.
    private static let permitted: Set<UInt8> = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1A]

    /// The line and column, counted from 1, of a byte.
    static func place(of offset: Int, in utf8: [UInt8]) -> (line: Int, column: Int) {
        var (line, column) = (1, 1)
        for (index, byte) in utf8.prefix(offset).enumerated() {
            let isEnd = byte == 0x0A || byte == 0x0D && (index + 1 >= utf8.count || utf8[index + 1] != 0x0A)
            if isEnd {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }

    // MARK: - Encodings

    private static func decoded(_ bytes: [UInt8]) throws(ListFault) -> ([UInt8], Encoding) {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (try utf32(bytes.dropFirst(4), isBig: false), .utf32) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (try utf32(bytes.dropFirst(4), isBig: true), .utf32) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (try utf16(bytes.dropFirst(2), isBig: false), .utf16) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (try utf16(bytes.dropFirst(2), isBig: true), .utf16) }
        let start = Array(bytes.prefix(256))
        for isBig in [false, true] where isUTF16(start, isBig: isBig) {
            return (try utf16(bytes[...], isBig: isBig), .utf16)
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let content = hasMark ? Array(bytes.dropFirst(3)) : bytes
        guard String(validating: content, as: UTF8.self) == nil else { return (content, .utf8) }
        let check = UTF8Check(content)
        // One byte of another program in a file that is UTF-8 would make the others unreadable.
        guard !hasMark, check.valid <= check.invalid else {
            let place = place(of: check.firstInvalid, in: content)
            throw ListFault(
                "the byte 0x\(Hexadecimal.string([content[check.firstInvalid]]).uppercased()) is not UTF-8, as the rest of the "
                    + "file is; save the list again as UTF-8", line: place.line, column: place.column)
        }
        let isClassic = content.contains(0x0D) && !content.contains(0x0A)
        let page = isClassic ? CodePage.macRoman : CodePage.windows1252
        return (page.utf8(content), isClassic ? .macRoman : .windows1252)
    }

    /// Whether all characters at the beginning are ASCII in UTF-16.
    private static func isUTF16(_ start: [UInt8], isBig: Bool) -> Bool {
        guard start.count >= 4 else { return false }
        return stride(from: 0, to: start.count - 1, by: 2).allSatisfy {
            let (high, low) = isBig ? (start[$0], start[$0 + 1]) : (start[$0 + 1], start[$0])
            return high == 0 && low != 0 && low < 0x80
        }
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBig: Bool) throws(ListFault) -> [UInt8] {
        let octets = Array(bytes)
        guard octets.count.isMultiple(of: 2) else {
            throw ListFault(
                "the file is cut: it is UTF-16, and has an odd number of bytes; save the list again as UTF-8")
        }
        let units = stride(from: 0, to: octets.count, by: 2).map {
            UInt16(octets[$0]) << (isBig ? 8 : 0) | UInt16(octets[$0 + 1]) << (isBig ? 0 : 8)
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw ListFault("the file begins as UTF-16, and is not; save the list again as UTF-8")
        }
        return Array(text.utf8)
    }

    private static func utf32(_ bytes: ArraySlice<UInt8>, isBig: Bool) throws(ListFault) -> [UInt8] {
        let octets = Array(bytes)
        var text = String.UnicodeScalarView()
        for index in stride(from: 0, to: octets.count, by: 4) {
            let word = octets[index..<min(index + 4, octets.count)]
            let value = (isBig ? Array(word) : word.reversed()).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard word.count == 4, let scalar = Unicode.Scalar(value) else {
                throw ListFault("the file begins as UTF-32, and is not; save the list again as UTF-8")
            }
            text.append(scalar)
        }
        return Array(String(text).utf8)
    }
}

/// How much of some bytes is UTF-8, beside ASCII.
private struct UTF8Check {
    /// The number of characters of more than one byte.
    private(set) var valid = 0
    /// The number of bytes that belong to none.
    private(set) var invalid = 0
    private(set) var firstInvalid = 0

    init(_ bytes: [UInt8]) {
        var index = 0
        while index < bytes.count {
            let length =
                switch bytes[index] {
                case ..<0x80: 1
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 0
                }
            let character = bytes[index..<min(index + max(length, 1), bytes.count)]
            if length > 0, character.count == length, length == 1 || String(validating: character, as: UTF8.self) != nil
            {
                if length > 1 { valid += 1 }
                index += length
            } else {
                if invalid == 0 { firstInvalid = index }
                invalid += 1
                index += 1
            }
        }
    }
}

/// A code page of one byte a character, with ASCII below 0x80.
private struct CodePage {
    /// The characters from 0x80.
    private let upper: [Unicode.Scalar]

    /// - Parameter first: the characters from 0x80; those that follow are the ones of ISO 8859-1.
    private init(_ first: String) {
        let scalars = Array(first.unicodeScalars)
        upper = scalars + (UInt8(0x80 + scalars.count)...UInt8.max).map { Unicode.Scalar($0) }
    }

    private init(all: String) { upper = Array(all.unicodeScalars) }

    /// https://encoding.spec.whatwg.org/index-windows-1252.txt; U+FFFD for the five bytes without a character.
    static let windows1252 = CodePage("€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ")
    /// https://encoding.spec.whatwg.org/index-macintosh.txt
    static let macRoman = CodePage(
        all:
            "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥"
            + "¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’"
            + "÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
    )

    func utf8(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            if byte < 0x80 { text.append(byte) } else { text += Array(String(upper[Int(byte) - 0x80]).utf8) }
        }
        return text
    }
}

/// The beginning of a file that is no list of text.
private struct FileSignature {
    private let start: [UInt8]
    private let kind: String
    let hint: String

    private init(_ start: String, _ kind: String, _ hint: String = saveAsCSV) {
        self.init(Array(start.utf8), kind, hint)
    }

    private init(_ start: [UInt8], _ kind: String, _ hint: String = saveAsCSV) {
        self.start = start
        self.kind = kind
        self.hint = hint
    }

    static let saveAsCSV =
        "save the sheet as CSV (Excel: File, Save As, \"CSV UTF-8\"; LibreOffice: File, Save a Copy, \"Text CSV\"; Numbers: File, "
        + "Export To, CSV) and give that file"
    private static let unpack = "unpack it, and give the list in it"

    static let all = [
        FileSignature([0x50, 0x4B, 0x03, 0x04], ""),
        FileSignature([0xD0, 0xCF, 0x11, 0xE0], "a workbook of Excel (.xls)"),
        FileSignature("%PDF", "a PDF", "copy its table into a spreadsheet, save that as CSV, and give that file"),
        FileSignature("{\\rtf", "a document of a word processor (RTF)"),
        FileSignature([0x1F, 0x8B], "compressed (gzip)", unpack),
        FileSignature("BZh", "compressed (bzip2)", unpack),
        FileSignature([0xFD, 0x37, 0x7A, 0x58], "compressed (xz)", unpack),
        FileSignature("SQLite format 3", "a database of SQLite", "export its table as CSV, and give that file"),
        FileSignature([0x89, 0x50, 0x4E, 0x47], "a picture (PNG)", "give a list as CSV, JSON or GeoJSON"),
        FileSignature([0xFF, 0xD8, 0xFF], "a picture (JPEG)", "give a list as CSV, JSON or GeoJSON"),
    ]

    func matches(_ bytes: [UInt8]) -> Bool { bytes.starts(with: start) }

    func name(_ bytes: [UInt8]) -> String {
        guard kind.isEmpty else { return kind }
        // The names of the files in the archive are not compressed.
        let names =
            String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
            + String(decoding: bytes.suffix(1 << 16), as: UTF8.self)
        if names.contains("xl/") { return "a workbook of Excel (.xlsx)" }
        if names.contains("opendocument.spreadsheet") { return "a sheet of LibreOffice (.ods)" }
        if names.contains("Index/Document.iwa") { return "a sheet of Numbers (.numbers)" }
        return "a ZIP archive, as files of spreadsheets are (.xlsx, .ods, .numbers)"
    }
}
