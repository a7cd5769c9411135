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

    /// The limit of `count`.
    package static let maximumCount = 10_000
    /// The limit of the number of entries of a list.
    static let maximumTotal = 100_000
    /// The limit of the number of values in all entries of a list, so that a small text cannot take memory without bound.
    static let maximumValues = 2_000_000

    /// The faults, each once.
    private(set) var faults: [Fault] = []
    private let entry: ProfileNode
    private let field: String
    private var count = 1

    /// A repetition of an entry, with its path in messages.
    init(of entry: ProfileNode, field: String) {
        self.entry = entry
        self.field = field
    }

    /// The number of copies; `nil`, with a fault, if `count` is not one. It is 1 without a count.
    mutating func readCount() -> Int? {
        guard let node = entry.mapping?["count"] else { return 1 }
        guard let text = node.text, let count = Int(text), (1...Self.maximumCount).contains(count) else {
            faults.append(
                Fault(
                    message: "a number from 1 to \(Self.maximumCount) is expected here", field: "\(field).count",
                    place: node.place))
            return nil
        }
        self.count = count
        return count
    }

    /// The copies; the entry itself, if it has no count. Copies share the values that are the same in all of them.
    mutating func entries() -> [ProfileNode] {
        guard let mapping = entry.mapping, mapping["count"] != nil else { return [entry] }
        var copies: [ProfileNode] = []
        copies.reserveCapacity(count)
        for index in 0..<count {
            copies.append(copy(index, of: mapping))
            if !faults.isEmpty { break }
        }
        return copies
    }

    private mutating func copy(_ index: Int, of mapping: ProfileNode.Mapping) -> ProfileNode {
        var pairs: [(key: ProfileNode, value: ProfileNode)] = []
        pairs.reserveCapacity(mapping.pairs.count)
        for (key, value) in mapping.pairs where key.text != "count" {
            let name = key.text ?? "?"
            switch name {
            case "grid":
                let positionKey = ProfileNode(.scalar("position"), at: key.place)
                if let position = position(index, in: value) { pairs.append((positionKey, position)) }
            case "id":
                let text = value.text.map { $0.contains("{n") ? $0 : $0 + "-{n}" }
                let id = text.map { ProfileNode(.scalar($0), at: value.place) } ?? value
                pairs.append((key, numbered(id, index, field: "id", inList: false) ?? id))
            default: pairs.append((key, numbered(value, index, field: name, inList: false) ?? value))
            }
        }
        return ProfileNode(.mapping(ProfileNode.Mapping(pairs)), at: entry.place)
    }

    /// The value in a copy; `nil` if it is the same in all copies.
    private mutating func numbered(_ node: ProfileNode, _ index: Int, field: String, inList: Bool) -> ProfileNode? {
        switch node.content {
        case .scalar(let text):
            let value = value(of: text, index, field: field, inList: inList, at: node.place)
            return value == text ? nil : ProfileNode(.scalar(value), at: node.place)
        case .sequence(var parts):
            var differs = false
            for number in parts.indices {
                guard let part = numbered(parts[number], index, field: field, inList: true) else { continue }
                parts[number] = part
                differs = true
            }
            return differs ? ProfileNode(.sequence(parts), at: node.place) : nil
        case .mapping(let mapping):
            var pairs = mapping.pairs
            var differs = false
            for number in pairs.indices {
                let inner = "\(field).\(pairs[number].key.text ?? "?")"
                guard let value = numbered(pairs[number].value, index, field: inner, inList: inList) else { continue }
                pairs[number].value = value
                differs = true
            }
            return differs ? ProfileNode(.mapping(ProfileNode.Mapping(pairs)), at: node.place) : nil
        }
    }

    private mutating func value(of text: String, _ index: Int, field: String, inList: Bool, at place: TextPlace)
        -> String
    {
        if text.contains("{n") { return Self.withNumber(index + 1, text) }
        guard text.contains(".."), let range = EntryRange(text) else { return text }
        if let value = range.value(index, of: count, isSpread: inList) { return value }
        faults.append(
            Fault(
                message: "\(text) has \(range.size) values, and the count is \(count); write \(range.matching(count))",
                field: "\(self.field).\(field)", place: place))
        return text
    }

    /// `{n}` is the number, `{n:3}` the number with at least three digits.
    private static func withNumber(_ number: Int, _ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "{n"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            result += rest[..<start.lowerBound]
            let option = rest[start.upperBound..<end]
            let width = option.isEmpty ? 0 : option.first == ":" ? Int(option.dropFirst()) : nil
            if let width, (0...9).contains(width) {
                let digits = String(number)
                result += String(repeating: "0", count: max(0, width - digits.count)) + digits
            } else {
                result += rest[start.lowerBound...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    // MARK: - Grid

    /// `grid: { columns: 20, spacing: 2m, origin: [0, 0] }`: row after row.
    private mutating func position(_ index: Int, in grid: ProfileNode) -> ProfileNode? {
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
        var place = origin.isEmpty ? [0, 0] : origin.compactMap(\.self)
        place[0] += Double(index % columns) * spacing
        place[1] += Double(index / columns) * spacing
        return ProfileNode(
            .sequence(place.map { ProfileNode(.scalar(EntryRange.text($0)), at: grid.place) }), at: grid.place)
    }
}

/// The number of values in an entry, with its longest list for messages.
struct EntryExtent {
    /// The number of values: single ones, lists and mappings.
    private(set) var values = 0
    /// The key of the longest list or mapping in it, and the number of its values.
    private(set) var longest: (key: String, count: Int) = ("", 0)

    /// The extent of an entry, with everything below it.
    init(of entry: ProfileNode) { add(entry, under: "") }

    private mutating func add(_ node: ProfileNode, under key: String) {
        values += 1
        switch node.content {
        case .scalar: break
        case .sequence(let parts):
            note(key, parts.count)
            for part in parts { add(part, under: key) }
        case .mapping(let mapping):
            note(key, mapping.pairs.count)
            for pair in mapping.pairs { add(pair.value, under: pair.key.text ?? key) }
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
