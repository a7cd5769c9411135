// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices

/// Repeats an entry with a `count`: `{n}` is the number of the copy, from 1, and `A..B` a value between A and B.
package struct EntryRepetition {
    /// A fault of a value.
    struct Fault {
        let message: String
        let field: String
        let place: TextPlace
    }

    /// The limits of a list.
    package struct Limits: Sendable {
        package static let beacons = Limits(count: 10_000, total: 100_000)
        /// As many as an air takes.
        package static let receivers = Limits(count: 1000, total: 1000)

        /// The limit of `count`.
        package let count: Int
        /// The limit of the number of entries.
        package let total: Int
    }

    /// The limit of the number of values in all entries of a list, so that a small text cannot take memory without bound.
    static let maximumValues = 2_000_000
    /// The limit of the size of the texts in all entries of a list, in bytes.
    static let maximumSize = 1 << 25

    /// The faults, each once.
    private(set) var faults: [Fault] = []
    private let entry: ProfileNode
    private let field: String
    private let limits: Limits
    private var count = 1

    /// A repetition of an entry of a list with these limits, with its path in messages.
    init(of entry: ProfileNode, field: String, _ limits: Limits) {
        self.entry = entry
        self.field = field
        self.limits = limits
    }

    /// The number of copies; `nil`, with a fault, if `count` is not one. It is 1 without a count.
    mutating func readCount() -> Int? {
        guard let node = entry.mapping?["count"] else { return 1 }
        guard let text = node.text, let count = Int(text), (1...limits.count).contains(count) else {
            faults.append(
                Fault(
                    message: "a number from 1 to \(limits.count) is expected here", field: "\(field).count",
                    place: node.place))
            return nil
        }
        self.count = count
        return count
    }

    /// The copies; the entry itself, if it has no count. Copies share the values that are the same in all of them.
    mutating func entries() -> [ProfileNode] {
        guard let mapping = entry.mapping, mapping["count"] != nil else { return [entry] }
        var members: [(key: ProfileNode, value: Template)] = []
        for (key, value) in mapping.pairs where key.text != "count" {
            let name = key.text ?? "?"
            switch name {
            case "grid":
                let positionKey = ProfileNode(.scalar("position"), at: key.place)
                if let grid = grid(value) { members.append((positionKey, .position(grid))) }
            case "id":
                let text = value.text.map { $0.contains("{n") ? $0 : $0 + "-{n}" }
                let id = text.map { ProfileNode(.scalar($0), at: value.place) } ?? value
                members.append((key, template(id, field: "id", inList: false)))
            default: members.append((key, template(value, field: name, inList: false)))
            }
        }
        guard faults.isEmpty else { return [] }
        let template = Template.mapping(members, entry.place)
        return (0..<count).map { template.node(of: $0, count) }
    }

    /// A value as its copies have it: read once, and written for each copy.
    private indirect enum Template {
        /// A value that is the same in all copies.
        case constant(ProfileNode)
        case numbered([Piece], TextPlace)
        case range(EntryRange, isSpread: Bool, TextPlace)
        case position(Grid)
        case sequence([Template], TextPlace)
        case mapping([(key: ProfileNode, value: Template)], TextPlace)

        var isConstant: Bool {
            if case .constant = self { return true }
            return false
        }

        /// The value in the copy with this index.
        func node(of index: Int, _ count: Int) -> ProfileNode {
            switch self {
            case .constant(let node): node
            case .numbered(let pieces, let place):
                ProfileNode(.scalar(pieces.map { $0.text(index + 1) }.joined()), at: place)
            case .range(let range, let isSpread, let place):
                // `template` has verified that there is a value for each copy.
                ProfileNode(.scalar(range.value(index, of: count, isSpread: isSpread) ?? ""), at: place)
            case .position(let grid): grid.position(index)
            case .sequence(let parts, let place):
                ProfileNode(.sequence(parts.map { $0.node(of: index, count) }), at: place)
            case .mapping(let pairs, let place):
                ProfileNode(
                    .mapping(ProfileNode.Mapping(pairs.map { ($0.key, $0.value.node(of: index, count)) })), at: place)
            }
        }
    }

    /// The template of a value, with faults for the ranges that have another number of values than there are copies.
    private mutating func template(_ node: ProfileNode, field: String, inList: Bool) -> Template {
        switch node.content {
        case .scalar(let text):
            if let pieces = Piece.pieces(of: text) { return .numbered(pieces, node.place) }
            guard let range = EntryRange(text) else { return .constant(node) }
            if range.value(0, of: count, isSpread: inList) == nil {
                faults.append(
                    Fault(
                        message:
                            "\(text) has \(range.size) values, and the count is \(count); write \(range.matching(count))",
                        field: "\(self.field).\(field)", place: node.place))
            }
            return .range(range, isSpread: inList, node.place)
        case .sequence(let parts):
            let templates = parts.map { template($0, field: field, inList: true) }
            return templates.allSatisfy(\.isConstant) ? .constant(node) : .sequence(templates, node.place)
        case .mapping(let mapping):
            let pairs = mapping.pairs.map { pair in
                (pair.key, template(pair.value, field: "\(field).\(pair.key.text ?? "?")", inList: inList))
            }
            return pairs.allSatisfy(\.1.isConstant) ? .constant(node) : .mapping(pairs, node.place)
        }
    }

    /// A part of a text with numbers: `{n}` is the number, `{n:3}` the number with at least three digits.
    private enum Piece {
        case text(Substring)
        case number(width: Int)

        /// The part in the copy with this number.
        func text(_ number: Int) -> String {
            switch self {
            case .text(let text): return String(text)
            case .number(let width):
                let digits = String(number)
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
        }

        /// The parts of a text; `nil` without a number.
        static func pieces(of text: String) -> [Piece]? {
            var pieces: [Piece] = []
            var rest = text[...]
            var start = rest.startIndex
            while let open = rest[start...].firstRange(of: "{n"), let end = rest[open.upperBound...].firstIndex(of: "}")
            {
                let option = rest[open.upperBound..<end]
                let width = option.isEmpty ? 0 : option.first == ":" ? Int(option.dropFirst()) : nil
                let after = rest.index(after: end)
                if let width, (0...9).contains(width) {
                    pieces += [.text(rest[..<open.lowerBound]), .number(width: width)]
                    rest = rest[after...]
                }
                start = after
            }
            guard !pieces.isEmpty else { return nil }
            return pieces + [.text(rest)]
        }
    }

    // MARK: - Grid

    /// Positions, row after row.
    private struct Grid {
        let columns: Int
        let spacing: Double
        let origin: [Double]
        let place: TextPlace

        func position(_ index: Int) -> ProfileNode {
            var position = origin
            position[0] += Double(index % columns) * spacing
            position[1] += Double(index / columns) * spacing
            return ProfileNode(
                .sequence(position.map { ProfileNode(.scalar(EntryRange.text($0)), at: place) }), at: place)
        }
    }

    /// `grid: { columns: 20, spacing: 2m, origin: [0, 0] }`; `nil` after a fault was added.
    private mutating func grid(_ grid: ProfileNode) -> Grid? {
        func fault(_ message: String, _ key: String, at place: TextPlace) -> Fault {
            Fault(message: message, field: "\(field).grid\(key.isEmpty ? "" : ".\(key)")", place: place)
        }
        let example = "such as { columns: 10, spacing: 2m }"
        guard let mapping = grid.mapping else {
            faults.append(fault("a mapping of columns and spacing is expected here, \(example)", "", at: grid.place))
            return nil
        }
        for (key, _) in mapping.pairs where !["columns", "spacing", "origin"].contains(key.text ?? "") {
            let names = ["columns", "spacing", "origin"]
            let name = key.text ?? ""
            let complaint = Spelling.unknown("there is no key \"\(name)\" here", name, "keys", names)
            faults.append(fault(complaint, "", at: key.place))
        }
        guard let columns = mapping["columns"]?.text.flatMap({ Int($0) }), columns > 0 else {
            faults.append(
                fault("columns, a number from 1, is expected, \(example)", "columns", at: grid.place))
            return nil
        }
        let spacing = mapping["spacing"]?.text.flatMap { Double($0.hasSuffix("m") ? $0.dropLast() : $0[...]) }
        guard let spacing, spacing > 0, spacing.isFinite else {
            faults.append(fault("spacing, in metres, is expected, \(example)", "spacing", at: grid.place))
            return nil
        }
        let origin = (mapping["origin"]?.sequence ?? []).map { $0.text.flatMap { Double($0) } }
        guard mapping["origin"] == nil || [2, 3].contains(origin.count), !origin.contains(nil) else {
            let place = mapping["origin"]?.place ?? grid.place
            faults.append(fault("a position is expected here, such as [0, 0]", "origin", at: place))
            return nil
        }
        return Grid(
            columns: columns, spacing: spacing, origin: origin.isEmpty ? [0, 0] : origin.compactMap(\.self),
            place: grid.place)
    }
}

/// The number of values in an entry, with its longest list for messages, and the size of its texts.
struct EntryExtent {
    /// The number of values: single ones, lists and mappings.
    private(set) var values = 0
    /// The size of its texts and keys, in bytes.
    private(set) var size = 0
    /// The key of the longest list or mapping in it, and the number of its values.
    private(set) var longest: (key: String, count: Int) = ("", 0)

    /// The extent of an entry, with everything below it.
    init(of entry: ProfileNode) { add(entry, under: "") }

    private mutating func add(_ node: ProfileNode, under key: String) {
        values += 1
        switch node.content {
        case .scalar(let text): size += text.utf8.count
        case .sequence(let parts):
            note(key, parts.count)
            for part in parts { add(part, under: key) }
        case .mapping(let mapping):
            note(key, mapping.pairs.count)
            for pair in mapping.pairs {
                size += pair.key.text?.utf8.count ?? 0
                add(pair.value, under: pair.key.text ?? key)
            }
        }
    }

    private mutating func note(_ key: String, _ count: Int) {
        if count > longest.count, !key.isEmpty { longest = (key, count) }
    }
}

/// The numbers from one to another, `1..30` or `0.5..9.5`.
struct EntryRange {
    private let first: Double
    private let last: Double
    private let isWhole: Bool

    /// `nil` for a text that is not two numbers with two dots between them.
    init?(_ text: String) {
        guard let dots = text.firstRange(of: ".."), let first = Double(text[..<dots.lowerBound]),
            let last = Double(text[dots.upperBound...]), first.isFinite, last.isFinite
        else { return nil }
        self.first = first
        self.last = last
        isWhole = Int(text[..<dots.lowerBound]) != nil && Int(text[dots.upperBound...]) != nil
    }

    /// The number of whole numbers.
    var size: Int { isWhole ? Int(min(abs(last - first), 1e15)) + 1 : 2 }

    /// The range from the same number that has this many values.
    func matching(_ count: Int) -> String {
        "\(Self.text(first))..\(Self.text(first + (last < first ? -1 : 1) * Double(count - 1)))"
    }

    /// The value of a copy; `nil` if whole numbers cannot be evenly spaced.
    /// - Parameter isSpread: whether values between whole numbers are allowed, as for positions.
    func value(_ index: Int, of count: Int, isSpread: Bool) -> String? {
        guard count > 1 else { return first == last || isSpread ? Self.text(first) : nil }
        let step = (last - first) / Double(count - 1)
        if isWhole, !isSpread, step != step.rounded() || step == 0 { return nil }
        return Self.text(first + step * Double(index))
    }

    /// A number without needless digits.
    static func text(_ value: Double) -> String {
        let rounded = (value * 1_000_000).rounded() / 1_000_000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : "\(rounded)"
    }
}
