// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A list as columns and rows, whatever its file is.
struct ListTable: Sendable {
    struct Column: Sendable {
        let name: ColumnName
        /// The key that the form of the list gives it, as of coordinates; `nil` where the name decides.
        var key: ListKey?
        /// The heading; its text is empty for a column without one.
        let heading: ListCell
    }

    struct Row: Sendable {
        /// From 1.
        let line: Int
        /// A value for each column; `nil` where the row has none.
        var cells: [ListCell?]
    }

    /// A row that cannot be read, or only in part.
    struct Remark: Hashable, Sendable {
        let fault: ListFault
        /// Whether the row is left out.
        let isLoss: Bool
    }

    /// What it is, such as `separated by ";"`.
    let form: String
    /// What is between the values; `nil` for JSON.
    var separator: UInt8?
    var columns: [Column] = []
    var rows: [Row] = []
    /// The number of rows without a value.
    var emptyRows = 0
    var remarks: [Remark] = []

    /// The values of a column, without those that rows do not have.
    func cells(of column: Int) -> [ListCell] { rows.compactMap { $0.cells[column] }.filter { !$0.text.isEmpty } }
}

/// The columns that a command names: `--columns minor=Nr,label=Title`.
package struct ColumnChoices: Sendable {
    /// The names or numbers of columns, by the names of keys.
    fileprivate(set) var columns: [(key: ListKey, column: String)] = []

    package init() {}

    /// Adds the choices of an option; a comma within the name of a column belongs to it, unless a key and "=" follow.
    /// - Throws: `ListFault` for an unknown key, or one that was given before.
    package mutating func add(_ text: String) throws(ListFault) {
        var parts: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false).map({ String($0) }) {
            if parts.isEmpty || part.contains("=") { parts.append(part) } else { parts[parts.count - 1] += "," + part }
        }
        for part in parts {
            guard let sign = part.firstIndex(of: "=") else {
                throw ListFault("\"\(part)\" is not KEY=COLUMN, such as minor=Nr")
            }
            let name = ListWords.trimmed(String(part[..<sign]))
            let column = ListWords.trimmed(String(part[part.index(after: sign)...]))
            guard let key = ListKey(named: name) else {
                throw ListFault(ListNames.unknownKey(name))
            }
            guard !column.isEmpty else { throw ListFault("\"\(part)\" names no column; write \(name)=COLUMN") }
            guard !columns.contains(where: { $0.key == key }) else {
                throw ListFault("\(name) is given twice; leave one out")
            }
            columns.append((key, column))
        }
    }

    /// Whether columns are named by their numbers only, as of a list without a heading.
    var areNumbers: Bool { !columns.isEmpty && columns.allSatisfy { Int($0.column) != nil } }

    /// Whether it names a column.
    func contains(_ text: String) -> Bool { columns.contains { $0.column == text } }
}

// MARK: - Rows with a heading

extension ListTable {
    /// The number of rows among which the heading is, and the number of its cells that are looked at.
    private static let headingRows = 50
    private static let headingCells = 256

    /// Reads a text with separators.
    /// - Throws: `ListFault` if it has no heading, or a quote is not closed.
    init(delimited utf8: [UInt8], choices: ColumnChoices) throws(ListFault) {
        let separator = DelimitedText.declaredSeparator(utf8) ?? Self.separator(of: utf8, choices)
        let names: [UInt8: String] = [0x09: "tab", 0x2C: "\",\"", 0x3B: "\";\"", 0x7C: "\"|\""]
        let name = names[separator] ?? "\"\(String(decoding: [separator], as: UTF8.self))\""
        let text = try DelimitedText(utf8, separator: separator)
        self.init(form: "separated by \(name)", separator: separator)
        try read(text.rows, choices: choices)
    }

    /// The separator with which the beginning has the heading with most known names, and then most rows of its length.
    private static func separator(of utf8: [UInt8], _ choices: ColumnChoices) -> UInt8 {
        var best: (separator: UInt8, names: Int, rows: Int) = (0x2C, -1, -1)
        for separator in DelimitedText.separators {
            let rows = DelimitedText.beginning(of: utf8, separator: separator, limit: headingRows)
            let heading = heading(in: rows, choices)
            let count = heading.map { rows[$0.row].count } ?? rows.map(\.count).max() ?? 1
            let alike = count > 1 ? rows.filter { $0.count == count }.count : 0
            let names = heading?.names ?? 0
            if (names, alike) > (best.names, best.rows) { best = (separator, names, alike) }
        }
        return best.separator
    }

    /// The row with most names of columns that are known, the first of equal ones, and the number of these names.
    private static func heading(in rows: [[ListCell]], _ choices: ColumnChoices) -> (row: Int, names: Int)? {
        var best: (row: Int, names: Int)?
        for (index, row) in rows.prefix(headingRows).enumerated() {
            // A row with a value is none, whatever its texts are: a label may be a name of a column, too.
            let cells = row.prefix(headingCells)
            guard !cells.contains(where: { isValue($0.text) }) else { continue }
            var keys: Set<ListKey> = []
            var chosen = 0
            for cell in cells where cell.text.utf8.count <= 64 {
                if choices.contains(cell.text) {
                    chosen += 1
                } else if let key = ColumnName(cell.text).meanings.first?.key {
                    keys.insert(key)
                }
            }
            let names = keys.count + chosen
            if names > best?.names ?? 0 { best = (index, names) }
        }
        return best
    }

    /// Whether a text is a number or a UUID, which no column is called.
    private static func isValue(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first,
            first.properties.numericType != nil || "-+{".unicodeScalars.contains(first)
        else {
            return text.count >= 32 && ListValues.identity(text) != nil
        }
        return ListNumbers([], separator: nil).whole(text) != nil || ListValues.identity(text) != nil
    }

    private mutating func read(_ all: [[ListCell]], choices: ColumnChoices) throws(ListFault) {
        let isEmpty: ([ListCell]) -> Bool = { row in
            row.allSatisfy { cell in cell.text.allSatisfy { "-=:+".contains($0) } }
        }
        let heading = Self.heading(in: all, choices)
        guard heading != nil || choices.areNumbers else {
            guard let first = all.first(where: { !isEmpty($0) }) else { throw ListFault("the list is empty") }
            throw ListFault(
                "no column has a name that is known: \(ListNames.few(first.map(\.text))); write a heading such as "
                    + "label,uuid,major,minor,x,y above the rows, or name the columns: --columns minor=NAME, or by their numbers, "
                    + "minor=3", line: first[0].line, column: first[0].column)
        }
        // The last columns may have no name.
        let width = heading.map { all[$0.row].count } ?? all.map { Self.width($0) }.max() ?? 0
        let names = heading.map { all[$0.row] }
        let namedWidth = names.map { Self.width($0) } ?? width
        columns = (0..<width).map { index in
            let cell = names?[index] ?? ListCell(text: "", line: 0, column: 0)
            return Column(name: ColumnName(cell.text), heading: cell)
        }
        for row in all[((heading?.row ?? -1) + 1)...] {
            if isEmpty(row) {
                emptyRows += 1
            } else if let names,
                row.map(\.text).starts(with: names.prefix(namedWidth).map(\.text)) || Self.isComment(row)
            {
                // The heading again, as on each page of a printed list.
                emptyRows += 1
            } else {
                add(row, width: width, namedWidth: namedWidth)
            }
        }
    }

    /// The number of cells up to the last one with a text.
    private static func width(_ row: [ListCell]) -> Int { (row.lastIndex { !$0.text.isEmpty } ?? -1) + 1 }

    private static func isComment(_ row: [ListCell]) -> Bool {
        guard let first = row.first, first.text.hasPrefix("#"), !ListGap.isFormulaError(first.text) else {
            return false
        }
        return row.dropFirst().allSatisfy(\.text.isEmpty)
    }

    private mutating func add(_ row: [ListCell], width: Int, namedWidth: Int) {
        let line = row[0].line
        if let extra = row.dropFirst(width).first(where: { !$0.text.isEmpty }) {
            remarks.append(
                Remark(
                    fault: ListFault(
                        "the row has \(Self.width(row)) values, and the heading \(namedWidth): a separator within a text needs quotes "
                            + "around the text", line: extra.line, column: extra.column), isLoss: true))
            return
        }
        if row.count < namedWidth {
            remarks.append(
                Remark(
                    fault: ListFault(
                        "the row has \(Formatting.count(row.count, "value")), and the heading \(namedWidth): the last ones are taken as empty",
                        line: line), isLoss: false))
        }
        let cells = row.prefix(width).map { Optional($0) }
        rows.append(Row(line: line, cells: cells + Array(repeating: nil, count: width - cells.count)))
    }
}

// MARK: - Objects

extension ListTable {
    /// Reads JSON: a list of objects, wherever it is in the document, lines of objects, GeoJSON, or a list of rows.
    /// - Parameter coordinatesAreLocal: Whether coordinates of GeoJSON are positions, and not longitudes and latitudes.
    /// - Throws: `ListFault` for a text that is no JSON, or has no such list.
    init(json utf8: [UInt8], choices: ColumnChoices, coordinatesAreLocal: Bool) throws(ListFault) {
        let document = try JSONList(utf8)
        if let rows = document.rows {
            self.init(form: "JSON, \(Formatting.count(rows.count, "row"))")
            try read(rows, choices: choices)
            return
        }
        let items = try document.items { names in Set(names.compactMap { ColumnName($0).meanings.first?.key }).count }
        self.init(form: items.form)
        remarks = document.remarks
        var numbers: [String: Int] = [:]
        var cells = 0
        for item in items.items {
            var flat = JSONItem(item, coordinatesAreLocal: coordinatesAreLocal)
            let line = document.place(of: item.offset).line
            if let kind = flat.otherGeometry {
                let fault = ListFault("a \(kind) is not the place of a beacon", line: line)
                remarks.append(Remark(fault: fault, isLoss: true))
                continue
            }
            var row = Row(line: line, cells: Array(repeating: nil, count: columns.count))
            for value in flat.takeValues() {
                let place = document.place(of: value.offset)
                let cell = ListCell(text: value.text, line: place.line, column: place.column)
                if numbers[value.path] == nil {
                    numbers[value.path] = columns.count
                    let heading = ListCell(text: value.path, line: place.line, column: place.column)
                    columns.append(Column(name: ColumnName(value.path), key: value.key, heading: heading))
                    row.cells.append(nil)
                }
                if let number = numbers[value.path] { row.cells[number] = cell }
            }
            if row.cells.allSatisfy({ $0?.text.isEmpty ?? true }) { emptyRows += 1 } else { rows.append(row) }
            cells += columns.count
            guard rows.count <= DelimitedText.maximumRows, cells <= DelimitedText.maximumCells else {
                throw ListFault("the list has too many values; divide it, or leave keys out", line: line)
            }
        }
        for index in rows.indices where rows[index].cells.count < columns.count {
            rows[index].cells += Array(repeating: nil, count: columns.count - rows[index].cells.count)
        }
        guard !columns.isEmpty || !remarks.isEmpty else { throw ListFault("the list is empty") }
    }
}
