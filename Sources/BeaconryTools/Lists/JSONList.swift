// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import JSON

/// A list in JSON: an array of objects, also in a member of other objects; objects by their ids; GeoJSON; or an object on each line.
final class JSONList {
    /// An object of the list, and values of the objects around it.
    struct Item {
        let node: JSONNode
        /// The bytes before the document that it is in.
        let base: Int
        var inherited: [(path: String, text: String, offset: Int)] = []

        /// Of the object in the file.
        var offset: Int { base + node.offset }
    }

    /// Objects at places of one path, such as `zones[].beacons`.
    struct Items {
        let form: String
        let items: [Item]
    }

    /// The lines that are no JSON, of a list with an object on each line.
    private(set) var remarks: [ListTable.Remark] = []

    private let utf8: [UInt8]
    /// The documents: one, or one for each line.
    private var documents: [(node: JSONNode, base: Int)] = []

    /// - Throws: `ListFault` for a text that is no JSON.
    init(_ utf8: [UInt8]) throws(ListFault) {
        self.utf8 = utf8
        do throws(JSONNode.Fault) {
            documents = [(try JSONNode(parsing: utf8, .file), 0)]
        } catch {
            if !error.fault.isLimit, readLines() { return }
            let place = place(of: error.offset)
            let subject = error.fault.isLimit ? "this is too much JSON" : "this is not JSON"
            throw ListFault("\(subject): \(error.fault.message)", line: place.line, column: place.column)
        }
    }

    /// Reads an object from each line.
    /// - Returns: `false` if the first two lines that are not empty are none.
    private func readLines() -> Bool {
        var start = 0
        var line = 0
        for part in utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            defer { start += part.count + 1 }
            line += 1
            guard part.contains(where: { $0 > 0x20 }) else { continue }
            do throws(JSONNode.Fault) {
                let node = try JSONNode(parsing: Array(part), .file)
                guard node.members != nil else { return false }
                documents.append((node, start))
            } catch {
                guard documents.count > 1 else { return false }
                let fault = ListFault("this line is not JSON: \(error.fault.message)", line: line)
                remarks.append(ListTable.Remark(fault: fault, isLoss: true))
            }
            // Whatever it is, it is no list that one can go on with.
            if remarks.count > documents.count { return false }
        }
        return documents.count > 1
    }

    /// The line and the column, from 1, of a byte.
    func place(of offset: Int) -> (line: Int, column: Int) {
        let index = min(max(0, offset) / Self.stride, marks.count - 1)
        let first = index * Self.stride
        var place = marks[index]
        for offset in first..<min(max(offset, first), utf8.count) { step(&place, at: offset) }
        return place
    }

    private static let stride = 1024

    /// The places of each 1,024th byte.
    private lazy var marks: [(line: Int, column: Int)] = {
        var marks: [(line: Int, column: Int)] = []
        var place = (line: 1, column: 1)
        for offset in 0..<max(1, utf8.count) {
            if offset.isMultiple(of: Self.stride) { marks.append(place) }
            if offset < utf8.count { step(&place, at: offset) }
        }
        return marks
    }()

    /// Moves behind a byte.
    private func step(_ place: inout (line: Int, column: Int), at offset: Int) {
        if utf8[offset] == 0x0A {
            place = (place.line + 1, 1)
        } else if offset + 1 >= utf8.count || utf8[offset + 1] & 0xC0 != 0x80 {
            place.column += 1
        }
    }

    /// The rows of a list of lists; `nil` for a list of anything else.
    var rows: [[ListCell]]? {
        guard documents.count == 1, let elements = documents[0].node.elements, !elements.isEmpty else { return nil }
        var rows: [[ListCell]] = []
        for element in elements {
            guard let values = element.elements, !values.isEmpty else { return nil }
            rows.append(
                values.map { value in
                    let place = place(of: value.offset)
                    return ListCell(text: JSONItem.text(of: value) ?? "", line: place.line, column: place.column)
                })
        }
        return rows
    }

    /// The objects of the list: of several lists in the document the one with most names that are known, and then the longest.
    /// - Parameter score: How many of some names are known.
    func items(score: ([String]) -> Int) throws(ListFault) -> Items {
        if documents.count > 1 {
            return Items(
                form: "JSON, an object on each line", items: documents.map { Item(node: $0.node, base: $0.base) })
        }
        guard let root = documents.first?.node else { throw ListFault("the list is empty") }
        let isEmpty =
            root.elements?.isEmpty == true || root.members?.isEmpty == true
            || root["features"]?.elements?.isEmpty == true
        if isEmpty { throw ListFault("the list is empty") }
        var found: [(path: String, items: [Item])] = []
        collect(root, path: "", inherited: [], depth: 0, into: &found)
        let ranked = found.map { entry in
            let names = Set(entry.items.prefix(20).flatMap { JSONItem($0, coordinatesAreLocal: false).names })
            return (entry: entry, score: score(names.sorted()))
        }
        guard let best = ranked.max(by: { ($0.score, $0.entry.items.count) < ($1.score, $1.entry.items.count) }) else {
            let place = place(of: root.offset)
            throw ListFault(
                "there is no list of objects in this JSON; write [{ \"label\": \"Hall\", \"minor\": 1 }, …]",
                line: place.line,
                column: place.column)
        }
        let isMap = root["type"]?.scalar?.string == "FeatureCollection"
        let form = isMap ? "GeoJSON" : best.entry.path.isEmpty ? "JSON" : "JSON, the list \(best.entry.path)"
        return Items(form: form, items: best.entry.items)
    }

    /// Finds all lists of objects.
    private func collect(
        _ node: JSONNode, path: String, inherited: [(path: String, text: String, offset: Int)], depth: Int,
        into found: inout [(path: String, items: [Item])]
    ) {
        guard depth < 6 else { return }
        if let elements = node.elements {
            let objects = elements.filter { $0.members != nil }
            guard !objects.isEmpty else { return }
            let items = objects.map { Item(node: $0, base: 0, inherited: inherited) }
            if let index = found.firstIndex(where: { $0.path == path }) {
                found[index].items += items
            } else {
                found.append((path, items))
            }
            for object in objects { collectMembers(of: object, path: path + "[]", inherited, depth, into: &found) }
            return
        }
        guard let members = node.members else { return }
        if node["type"]?.scalar?.string == "Feature" || Self.hasValues(members) {
            add(Item(node: node, base: 0, inherited: inherited), at: path, to: &found)
        } else if members.count > 0, members.allSatisfy({ $0.value.members != nil }) {
            // Objects by their ids.
            for (name, value) in members {
                let key = (path: "key", text: name, offset: value.offset)
                add(Item(node: value, base: 0, inherited: inherited + [key]), at: path, to: &found)
            }
        }
        collectMembers(of: node, path: path, inherited, depth, into: &found)
    }

    private func add(_ item: Item, at path: String, to found: inout [(path: String, items: [Item])]) {
        if let index = found.firstIndex(where: { $0.path == path }) {
            found[index].items.append(item)
        } else {
            found.append((path, [item]))
        }
    }

    /// Whether an object has values of its own.
    private static func hasValues(_ members: [(name: String, value: JSONNode)]) -> Bool {
        members.contains { $0.value.scalar != nil }
    }

    /// The keys that objects of a list may have from the objects around it.
    private static let common: Set<ListKey> = [.uuid, .major, .namespace, .measuredPower, .interval, .txPower]

    private func collectMembers(
        of node: JSONNode, path: String, _ inherited: [(path: String, text: String, offset: Int)], _ depth: Int,
        into found: inout [(path: String, items: [Item])]
    ) {
        guard let members = node.members else { return }
        var own = inherited
        for (name, value) in members {
            guard let text = value.scalar.flatMap({ $0.setting }), let key = ColumnName(name).meanings.first?.key,
                Self.common.contains(key)
            else { continue }
            own.append((path: "list.\(name)", text: text, offset: value.offset))
        }
        for (name, value) in members where value.scalar == nil && !["geometry", "properties"].contains(name) {
            collect(
                value, path: path.isEmpty ? name : "\(path).\(name)", inherited: own, depth: depth + 1, into: &found)
        }
    }
}

/// An object of a list as values with paths.
struct JSONItem {
    struct Value {
        /// The names of the members, with dots between them.
        let path: String
        let text: String
        let offset: Int
        var key: ListKey?
    }

    private var values: [Value] = []
    /// The kind of a geometry that is no point; `nil` for none.
    private(set) var otherGeometry: String?
    private let base: Int
    private let coordinatesAreLocal: Bool

    init(_ item: JSONList.Item, coordinatesAreLocal: Bool) {
        base = item.base
        self.coordinatesAreLocal = coordinatesAreLocal
        add(item.node, path: "", depth: 0)
        let names = Set(values.map(\.path))
        for value in item.inherited.reversed()
        where !names.contains(value.path) && !values.contains(where: { $0.path == value.path }) {
            values.append(Value(path: value.path, text: value.text, offset: value.offset))
        }
    }

    /// The paths of the values.
    var names: [String] { values.map(\.path) }

    mutating func takeValues() -> [Value] {
        defer { values = [] }
        return values
    }

    private mutating func add(_ node: JSONNode, path: String, depth: Int) {
        guard depth < 8, values.count < 1000, let members = node.members else { return }
        let isFeature = path.isEmpty && node["type"]?.scalar?.string == "Feature"
        for (name, value) in members {
            let full = path.isEmpty ? name : "\(path).\(name)"
            if isFeature, ["type", "bbox"].contains(name) { continue }
            if isFeature, name == "properties" {
                add(value, path: "", depth: depth + 1)
            } else if name == "geometry", value["coordinates"] != nil || value["type"] != nil {
                add(geometry: value)
            } else if value.members != nil {
                add(value, path: full, depth: depth + 1)
            } else if let text = Self.text(of: value) {
                values.append(Value(path: full, text: ListWords.trimmed(text), offset: base + value.offset))
            }
        }
    }

    private mutating func add(geometry: JSONNode) {
        let kind = geometry["type"]?.scalar?.string ?? ""
        guard kind == "Point", let parts = geometry["coordinates"]?.elements else {
            otherGeometry = kind.isEmpty ? "geometry without a type" : kind
            return
        }
        let keys: [(String, ListKey)] =
            coordinatesAreLocal
            ? [("x", .x), ("y", .y), ("z", .z)] : [("longitude", .longitude), ("latitude", .latitude), ("z", .z)]
        for ((name, key), part) in zip(keys, parts) {
            guard let text = Self.text(of: part) else { continue }
            values.append(Value(path: "coordinates (\(name))", text: text, offset: base + part.offset, key: key))
        }
    }

    /// The text of a value; that of a short array of values has commas; `nil` for objects and other arrays.
    static func text(of node: JSONNode) -> String? {
        if let scalar = node.scalar {
            if case .null = scalar { return "" }
            return scalar.setting
        }
        guard let elements = node.elements, elements.count <= 16 else { return nil }
        let texts = elements.compactMap { $0.scalar?.setting }
        return texts.count == elements.count ? texts.joined(separator: ", ") : nil
    }
}

extension JSONItem {
    /// An object without anything around it.
    fileprivate init(_ node: JSONNode) { self.init(JSONList.Item(node: node, base: 0), coordinatesAreLocal: false) }
}
