// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices

/// Which columns of a list have which keys, and why the others have none.
struct ColumnPlan: Sendable {
    struct Taken: Sendable {
        let column: Int
        /// The name for the report.
        let name: String
        let key: ListKey
        /// The unit in the name.
        let unit: String?
        /// Whether the numbers are hexadecimal digits.
        var isHexadecimal = false
    }

    struct Left: Sendable {
        let name: String
        /// Why it is not taken; empty if no key has the name.
        let reason: String
    }

    private(set) var taken: [Taken] = []
    private(set) var left: [Left] = []

    /// - Throws: `ListFault` if a column that was named is not there.
    init(_ table: ListTable, choices: ColumnChoices) throws(ListFault) {
        let chosen = try Self.chosen(choices, in: table)
        var candidates: [(column: Int, order: Int, meaning: ColumnName.Meaning)] = []
        for (index, column) in table.columns.enumerated() where !chosen.contains(where: { $0.column == index }) {
            if let key = column.key {
                candidates.append((index, -1, ColumnName.Meaning(key: key, rank: -1, unit: nil)))
                continue
            }
            var order = 0
            for meaning in column.name.meanings {
                if meaning.isUncertain, !Self.hasValues(of: meaning.key, table.cells(of: index)) { continue }
                candidates.append((index, order, meaning))
                order += 1
            }
        }
        // The best name of a key, the one with a unit, and then the first column.
        candidates.sort {
            ($0.order, $0.meaning.rank, $0.meaning.unit == nil ? 1 : 0, $0.column)
                < ($1.order, $1.meaning.rank, $1.meaning.unit == nil ? 1 : 0, $1.column)
        }
        taken = chosen
        for candidate in candidates {
            let isFree = !taken.contains { $0.column == candidate.column || $0.key == candidate.meaning.key }
            // A column without a value has no key: another one may have it.
            guard isFree, !table.cells(of: candidate.column).isEmpty else { continue }
            taken.append(
                Taken(
                    column: candidate.column, name: Self.name(of: candidate.column, in: table),
                    key: candidate.meaning.key,
                    unit: candidate.meaning.unit))
        }
        dropUnneeded(of: table, chosen: chosen)
        let reasons = dropAddresses(of: table, chosen: chosen)
        for index in taken.indices where taken[index].key.kind == .whole16 {
            let isMarked = taken[index].unit.map { ListUnit.hexadecimal.contains($0) } ?? false
            let texts = table.cells(of: taken[index].column).map(\.text)
            taken[index].isHexadecimal = isMarked || ListNumbers.areHexadecimal(texts)
        }
        taken.sort { $0.column < $1.column }
        left = Self.left(table, taken: taken, reasons)
    }

    /// The column of a key; `nil` if no column has it.
    func column(of key: ListKey) -> Taken? { taken.first { $0.key == key } }

    /// Takes a column for a key that only some beacons have, such as a temperature.
    mutating func takeOthers(named keys: Set<String>, of table: ListTable) {
        for (index, column) in table.columns.enumerated() where !taken.contains(where: { $0.column == index }) {
            let key = keys.sorted().first { key in
                column.name.isName(of: key) && !taken.contains { $0.key.name == key }
            }
            guard let key, !table.cells(of: index).isEmpty else { continue }
            let name = Self.name(of: index, in: table)
            taken.append(Taken(column: index, name: name, key: ListKey(ofFormat: key), unit: nil))
        }
        taken.sort { $0.column < $1.column }
        left.removeAll { entry in taken.contains { $0.name == entry.name } }
    }

    /// Leaves a column out after all.
    mutating func leave(_ key: ListKey, because reason: String) {
        guard let index = taken.firstIndex(where: { $0.key == key }) else { return }
        let column = taken.remove(at: index)
        left.append(Left(name: column.name, reason: reason))
    }

    // MARK: -

    private static func chosen(_ choices: ColumnChoices, in table: ListTable) throws(ListFault) -> [Taken] {
        var chosen: [Taken] = []
        for (key, text) in choices.columns {
            let exact = table.columns.firstIndex { $0.name.text == text }
            let similar = table.columns.firstIndex { !$0.name.plain.isEmpty && $0.name.plain == ColumnName(text).plain }
            let number = Int(text).flatMap { 1...table.columns.count ~= $0 ? $0 - 1 : nil }
            guard let index = exact ?? similar ?? number else {
                let names = table.columns.map(\.name.text).filter { !$0.isEmpty }
                throw ListFault(
                    ofOption: ListNames.unknown("there is no column \"\(text)\" for \(key.name)", text, among: names)
                        + " columns are \(ListNames.few(names))")
            }
            guard !chosen.contains(where: { $0.column == index }) else {
                throw ListFault(ofOption: "the column \"\(text)\" has two keys; leave one out")
            }
            let unit = table.columns[index].name.unit
            chosen.append(Taken(column: index, name: name(of: index, in: table), key: key, unit: unit))
        }
        return chosen
    }

    private static func name(of column: Int, in table: ListTable) -> String {
        let text = ListWords.oneLine(table.columns[column].name.text)
        return text.isEmpty ? "column \(column + 1)" : text
    }

    /// Whether a value of a column is one of a key.
    private static func hasValues(of key: ListKey, _ cells: [ListCell]) -> Bool {
        let numbers = ListNumbers([], separator: nil)
        return cells.prefix(1000).contains { cell in
            switch key.kind {
            case .device: ListValues.device(cell.text) != nil
            case .uuid: ListValues.identity(cell.text) != nil
            case .address: ListValues.address(cell.text) != nil
            case .position: ListValues.positionParts(cell.text) != nil
            case .degrees: numbers.number(cell.text).map { abs($0) <= 180 } ?? false
            case .duration: ListUnit.split(cell.text).number != ""
            default: true
            }
        }
    }

    /// Of several ways to a position, one; and no key that needs others which are not there.
    private mutating func dropUnneeded(of table: ListTable, chosen: [Taken]) {
        let isChosen: (ListKey) -> Bool = { key in chosen.contains { $0.key == key } }
        func has(_ key: ListKey) -> Bool { taken.contains { $0.key == key } }
        let isLocal = has(.x) && has(.y)
        if !isLocal { taken.removeAll { [.x, .y].contains($0.key) && !isChosen($0.key) } }
        let isListed = !isLocal && has(.position)
        if isLocal { taken.removeAll { $0.key == .position && !isChosen($0.key) } }
        let isOnGlobe = !isLocal && !isListed && has(.latitude) && has(.longitude)
        if !isOnGlobe { taken.removeAll { [.latitude, .longitude].contains($0.key) && !isChosen($0.key) } }
        if !isLocal, !isOnGlobe, !isListed { taken.removeAll { $0.key == .z && !isChosen($0.key) } }
        // A web address beside other identities is one of a page of people.
        let hasIdentity = [ListKey.uuid, .major, .minor, .namespace, .instance, .id1].contains { has($0) }
        guard hasIdentity, !has(.device), !isChosen(.url) else { return }
        taken.removeAll { $0.key == .url && table.columns[$0.column].name.plain == "url" }
    }

    /// Leaves addresses of hardware out, which a host cannot have.
    private mutating func dropAddresses(of table: ListTable, chosen: [Taken]) -> [Int: String] {
        guard let column = column(of: .address)?.column, !chosen.contains(where: { $0.column == column }) else {
            return [:]
        }
        let addresses = table.cells(of: column).compactMap { ListValues.address($0.text) }
        guard !addresses.contains(where: \.isStaticRandom) else { return [:] }
        taken.removeAll { $0.column == column }
        return [column: "a host has static random addresses only, C0:… to FF:…"]
    }

    private static func left(_ table: ListTable, taken: [Taken], _ reasons: [Int: String]) -> [Left] {
        table.columns.enumerated().compactMap { index, column in
            let cells = table.cells(of: index)
            guard !taken.contains(where: { $0.column == index }) else { return nil }
            let name = name(of: index, in: table)
            if let reason = reasons[index] { return Left(name: name, reason: reason) }
            if cells.isEmpty { return column.name.text.isEmpty ? nil : Left(name: name, reason: "it has no values") }
            let meanings = column.name.meanings.filter { !$0.isUncertain }
            let other = meanings.lazy.compactMap { meaning in taken.first { $0.key == meaning.key } }.first
            if let other { return Left(name: name, reason: "\(other.key.name) is taken from \(other.name)") }
            let isPlace = meanings.contains { [.x, .y, .z, .latitude, .longitude, .position].contains($0.key) }
            let hasPlace = taken.contains { [.x, .position, .latitude].contains($0.key) }
            if isPlace {
                return Left(
                    name: name, reason: hasPlace ? "the position is taken from others" : "a position needs x and y")
            }
            return Left(name: name, reason: column.name.reason ?? "")
        }
    }
}

/// Names in messages.
enum ListNames {
    /// Some names in one line, shortened.
    static func few(_ names: [String]) -> String {
        Spelling.few(names.filter { !$0.isEmpty }.map { shortened($0) })
    }

    /// A value for messages.
    static func quoted(_ text: String) -> String { "\"\(shortened(text))\"" }

    private static func shortened(_ text: String) -> String {
        let line = ListWords.oneLine(text)
        return line.count > 40 ? "\(line.prefix(39))…" : line
    }

    /// That `--columns` has no such key.
    static func unknownKey(_ name: String) -> String {
        let names = ListKey.all.map(\.name)
        return unknown("there is no key \"\(name)\"", name, among: names + ListKey.formatKeys)
            + " keys are \(names.joined(separator: ", ")), and those of formats of beacons"
    }

    /// A problem with a name, and the name that was meant, if one is near.
    static func unknown(_ problem: String, _ name: String, among names: [String]) -> String {
        let question = Spelling.question(name, among: names)
        return problem + (question.isEmpty ? ";" : question)
    }
}
