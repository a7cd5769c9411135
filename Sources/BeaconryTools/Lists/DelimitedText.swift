// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A value of a list, and where it is.
struct ListCell: Hashable, Sendable {
    /// Without blanks around it.
    let text: String
    /// From 1.
    let line: Int
    /// In characters, from 1.
    let column: Int
}

/// The rows of a text whose values have separators between them (RFC 4180), as spreadsheets and scripts write them.
///
/// Lines end with a line feed, a carriage return, or both. A value that begins with a quote ends with one; in it, separators and line
/// ends are text, and two quotes are one. What follows the closing quote belongs to the value, as spreadsheets read it.
struct DelimitedText {
    /// The limits of a file: what a list costs depends on its length only.
    static let maximumRows = 100_000
    static let maximumCells = 1_000_000
    /// Bytes between values.
    static let separators: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]

    /// Rows of at least one value, empty ones included.
    private(set) var rows: [[ListCell]] = []

    private let utf8: [UInt8]
    private let separator: UInt8
    private var place = 0
    private var line = 1
    private var column = 1
    private var count = 0

    /// Reads all rows.
    /// - Throws: `ListFault` for a quote that is not closed, and for a list that is too long.
    init(_ utf8: [UInt8], separator: UInt8) throws(ListFault) {
        self.init(at: utf8, separator)
        try read(limit: .max)
    }

    /// The first rows, up to a fault.
    static func beginning(of utf8: [UInt8], separator: UInt8, limit: Int) -> [[ListCell]] {
        var text = DelimitedText(at: utf8, separator)
        try? text.read(limit: limit)
        return text.rows
    }

    private init(at utf8: [UInt8], _ separator: UInt8) {
        self.utf8 = utf8
        self.separator = separator
        // What a spreadsheet writes for another one: the separator, in a row of its own.
        if Self.declaredSeparator(utf8) != nil { skipLine() }
    }

    private mutating func read(limit: Int) throws(ListFault) {
        while place < utf8.count, rows.count < limit {
            let row = try row()
            rows.append(row)
            guard rows.count <= Self.maximumRows else {
                throw ListFault("the list has more than \(Self.maximumRows) rows; divide it", line: line)
            }
            guard count <= Self.maximumCells else {
                throw ListFault(
                    "the list has more than \(Self.maximumCells) values; divide it, or leave columns out", line: line)
            }
        }
    }

    /// The separator that the first line declares, as `sep=;` does; `nil` for none.
    static func declaredSeparator(_ utf8: [UInt8]) -> UInt8? {
        let line = utf8.prefix(16).prefix { $0 != 0x0A && $0 != 0x0D }.filter { $0 != 0x22 }
        guard line.count == 5, String(decoding: line.prefix(4), as: UTF8.self).lowercased() == "sep=" else {
            return nil
        }
        return line.last
    }

    private var next: UInt8? { place < utf8.count ? utf8[place] : nil }

    /// Moves behind a byte that does not end a line.
    private mutating func step() {
        if utf8[place] & 0xC0 != 0x80 { column += 1 }
        place += 1
    }

    /// Moves behind the end of a line, if one is here.
    private mutating func takeLineEnd() -> Bool {
        guard let byte = next, byte == 0x0A || byte == 0x0D else { return false }
        place += byte == 0x0D && place + 1 < utf8.count && utf8[place + 1] == 0x0A ? 2 : 1
        (line, column) = (line + 1, 1)
        return true
    }

    private mutating func skipLine() {
        while place < utf8.count { if takeLineEnd() { return } else { step() } }
    }

    private mutating func row() throws(ListFault) -> [ListCell] {
        var cells: [ListCell] = []
        while true {
            cells.append(try cell())
            count += 1
            if next == separator {
                step()
            } else {
                _ = takeLineEnd()
                return cells
            }
        }
    }

    private mutating func cell() throws(ListFault) -> ListCell {
        while let byte = next, byte == 0x20 || byte == 0x09, byte != separator { step() }
        let start = (line: line, column: column)
        var content: [UInt8] = []
        if next == 0x22 { content = try quoted() }
        while let byte = next, byte != separator, byte != 0x0A, byte != 0x0D {
            content.append(byte)
            step()
        }
        let text = ListWords.trimmed(String(decoding: content, as: UTF8.self))
        return ListCell(text: text, line: start.line, column: start.column)
    }

    private mutating func quoted() throws(ListFault) -> [UInt8] {
        let start = (line: line, column: column)
        step()
        var content: [UInt8] = []
        while let byte = next {
            if byte == 0x22 {
                step()
                guard next == 0x22 else { return content }
                content.append(byte)
                step()
            } else if takeLineEnd() {
                content.append(0x0A)
            } else {
                content.append(byte)
                step()
            }
        }
        throw ListFault(
            "the quote that opens this value is not closed; close it, or write two quotes for one that belongs to the text",
            line: start.line, column: start.column)
    }
}
