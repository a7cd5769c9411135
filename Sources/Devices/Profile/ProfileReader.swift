// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the text of a file that a profile names, by the path in the profile.
package typealias ProfileFileReader = @Sendable (String) throws(ValueFault) -> String

/// Refuses every file.
@Sendable package func noProfileFiles(_ path: String) throws(ValueFault) -> String {
    throw ValueFault("the file \"\(path)\" cannot be read here; write its values into the profile")
}

/// Reads the values of a mapping by key, and collects faults with their places.
package struct ProfileReader {
    /// The path of the file, for messages.
    package let file: String
    /// The path of the mapping, such as `beacons[0]`.
    package let path: String
    /// Reads files that the profile names.
    package let files: ProfileFileReader
    /// What was read from these files, for all parts of the profile.
    package let contents: ReadContents
    /// Where the mapping begins.
    package let place: TextPlace
    private var entries: [(key: String, node: ProfileNode, value: ProfileNode)] = []
    private var known: [String] = []
    package private(set) var faults: [ProfileFault] = []
    /// A fault for each default that a part of this mapping has no key for; it is one if no part has.
    package private(set) var unusedDefaults: [ProfileFault] = []
    /// For keys that belong into a part of this mapping: the key of that part, for messages.
    package var owners: [String: String] = [:]

    /// A reader of a node, which must be a mapping; otherwise the reader has one fault and no values.
    package init(
        _ node: ProfileNode, file: String, path: String, files: @escaping ProfileFileReader = noProfileFiles,
        contents: ReadContents = ReadContents()
    ) {
        self.file = file
        self.path = path
        self.files = files
        self.contents = contents
        place = node.place
        guard let mapping = node.mapping else {
            add("a mapping of keys and values is expected here", field: nil, at: node.place)
            return
        }
        for (key, value) in mapping.pairs {
            guard let name = key.text else {
                add("a key is a word", field: nil, at: key.place)
                continue
            }
            entries.append((name, key, value))
        }
    }

    /// A reader of a node that is a part of this mapping.
    package func child(_ node: ProfileNode, _ key: String) -> ProfileReader {
        let path = path.isEmpty ? key : "\(path).\(key)"
        guard let included = node.place.file, included.path != file else {
            return ProfileReader(node, file: file, path: path, files: files, contents: contents)
        }
        let files = files
        let read: ProfileFileReader = { name throws(ValueFault) in
            try files(name.hasPrefix("/") ? name : included.folder + name)
        }
        return ProfileReader(node, file: included.path, path: path, files: read, contents: contents)
    }

    /// The place of a key's value; `nil` when the key is missing.
    package func place(of key: String) -> TextPlace? { present(key)?.place }

    /// The value of a key, without marking the key as known; `nil` when it is missing.
    package func present(_ key: String) -> ProfileNode? { entries.first { $0.key == key }?.value }

    /// Whether the mapping has a key.
    package func has(_ key: String) -> Bool { entries.contains { $0.key == key } }

    /// Reads a part that must be a mapping, and adds its faults.
    package mutating func part<Part>(_ key: String, _ read: (inout ProfileReader) -> Part?) -> Part? {
        guard let node = node(key) else { return nil }
        return part(node, field: key, read)
    }

    /// The number of copies of an entry with faults after which its other copies are not read. They mostly have the same faults, and
    /// reading them takes as long again.
    package static let rejectedCopies = 100

    /// Reads the mappings of a key's list; `nil` for each that has faults, or is not read after `rejectedCopies`.
    package mutating func parts<Part>(_ key: String, of kind: String, _ read: (inout ProfileReader) -> Part?)
        -> [Part?]?
    {
        guard let node = node(key) else { return nil }
        guard let list = node.sequence, !list.isEmpty else {
            add("a list of at least one \(kind) is expected here", field: key, at: node.place)
            return nil
        }
        var parts: [Part?] = []
        parts.reserveCapacity(list.count)
        // By the place of the entry.
        var rejected: [TextPlace: Int] = [:]
        var unread: [TextPlace: Int] = [:]
        for (index, node) in list.enumerated() {
            guard !Task.isCancelled else {
                add("reading ended early, since the result is not wanted any more", field: key, at: node.place)
                break
            }
            guard rejected.isEmpty || rejected[node.place, default: 0] < Self.rejectedCopies else {
                unread[node.place, default: 0] += 1
                parts.append(nil)
                continue
            }
            let part = part(node, field: "\(key)[\(index)]", read)
            if part == nil { rejected[node.place, default: 0] += 1 }
            parts.append(part)
        }
        for (place, count) in unread {
            let copies =
                count == 1 ? "one further copy of this entry was" : "\(count) further copies of this entry were"
            add("\(copies) not read, since \(Self.rejectedCopies) have faults", field: key, at: place)
        }
        return parts
    }

    private mutating func part<Part>(_ node: ProfileNode, field: String, _ read: (inout ProfileReader) -> Part?)
        -> Part?
    {
        var part = child(node, field)
        let value = node.mapping == nil ? nil : read(&part)
        let faults = node.mapping == nil ? part.faults : part.finish()
        add(faults)
        unusedDefaults += part.unusedDefaults
        return faults.isEmpty ? value : nil
    }

    /// The value of a key, which is known from now on; `nil` when it is missing.
    package mutating func node(_ key: String) -> ProfileNode? {
        if !known.contains(key) { known.append(key) }
        return present(key)
    }

    /// Parses the text of a key; `nil` when the key is missing or, with a fault, when its value is wrong.
    package mutating func value<Value>(_ key: String, _ parse: (String) throws(ValueFault) -> Value) -> Value? {
        guard let node = node(key) else { return nil }
        return value(of: node, field: key, parse)
    }

    /// Parses the text of a required key.
    /// - Parameter example: a value to suggest when the key is missing.
    package mutating func required<Value>(
        _ key: String, example: String? = nil, _ parse: (String) throws(ValueFault) -> Value
    ) -> Value? {
        guard has(key) else {
            addMissing(key, example: example)
            return nil
        }
        return value(key, parse)
    }

    /// Adds the fault of a required key that is missing; the key is known from now on.
    /// - Parameter example: a value to suggest.
    package mutating func addMissing(_ key: String, example: String? = nil) {
        known.append(key)
        add("\"\(key)\" is missing" + (example.map { "; write \(key): \($0)" } ?? ""), field: nil, at: place)
    }

    /// Parses the texts of a key's sequence.
    /// - Parameter example: a list to suggest when the value is not one; by default, a list of that value.
    package mutating func values<Value>(
        _ key: String, example: String? = nil, _ parse: (String) throws(ValueFault) -> Value
    ) -> [Value]? {
        guard let node = node(key) else { return nil }
        guard let sequence = node.sequence else {
            let text = node.text.flatMap { $0.isEmpty ? nil : "[\($0)]" }
            let hint = example.map { ", such as \($0)" } ?? text.map { "; write \($0)" } ?? ""
            add("a list is expected here\(hint)", field: key, at: node.place)
            return nil
        }
        return sequence.enumerated().compactMap { value(of: $1, field: "\(key)[\($0)]", parse) }
    }

    /// Parses the keys and values of a key's mapping.
    package mutating func pairs<Key: Hashable, Value>(
        _ key: String, _ parseKey: (String) throws(ValueFault) -> Key,
        _ parseValue: (String) throws(ValueFault) -> Value
    ) -> [Key: Value]? {
        guard let node = node(key) else { return nil }
        guard let mapping = node.mapping else {
            add("a mapping of keys and values is expected here", field: key, at: node.place)
            return nil
        }
        var pairs: [Key: Value] = [:]
        for (left, right) in mapping.pairs {
            let field = "\(key).\(left.text ?? "?")"
            if let name = value(of: left, field: field, parseKey),
                let content = value(of: right, field: field, parseValue)
            {
                pairs[name] = content
            }
        }
        return pairs
    }

    /// Reads the mappings of a required list; `nil` for each that has faults.
    package mutating func requiredParts<Part>(
        _ key: String, of kind: String, _ read: (inout ProfileReader) -> Part?
    ) -> [Part?] {
        guard node(key) != nil else {
            add("\"\(key)\" is missing", field: nil, at: place)
            return []
        }
        return parts(key, of: kind, read) ?? []
    }

    /// Adds a fault to each part of a list that has the same name as an earlier one.
    /// - Parameters:
    ///   - parts: The parts that were read; `nil` for each that has faults.
    ///   - key: The key of the name in each part.
    ///   - message: The fault, for the path of the earlier part and the name.
    package mutating func addDuplicates<Part>(
        in list: String, _ parts: [Part?], key: String, name: (Part) -> String,
        message: (_ earlier: String, _ name: String) -> String
    ) {
        var earlier: [String: Int] = [:]
        for (number, part) in parts.enumerated() {
            guard let name = part.map(name) else { continue }
            guard let index = earlier[name] else {
                earlier[name] = number
                continue
            }
            let node = present(list)?.sequence?[number].mapping?[key]
            add(message("\(list)[\(index)]", name), field: "\(list)[\(number)].\(key)", at: node?.place)
        }
    }

    /// Whether there is a key that nothing has read yet.
    package var hasUnknownKeys: Bool { entries.contains { !known.contains($0.key) } }

    /// Accepts any key: which ones there are is unknown, because an earlier value has a fault.
    package mutating func acceptAllKeys() { known += entries.map(\.key) }

    /// Ends the reading: unknown keys are faults. Returns all faults in the order of the file.
    package mutating func finish() -> [ProfileFault] {
        for entry in entries where !known.contains(entry.key) {
            let fault = fault(complaint(ofUnknown: entry.key), field: nil, at: entry.node.place)
            if entry.node.isDefault { unusedDefaults.append(fault) } else { faults.append(fault) }
        }
        return faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    private func complaint(ofUnknown key: String) -> String {
        if key == "<<" { return "merge keys (<<) are for profiles and scenarios; write the keys out" }
        if let owner = owners[key] { return "\"\(key)\" belongs under \(owner): write \(owner): { \(key): … }" }
        return Spelling.unknown("there is no key \"\(key)\" here", key, "keys", known)
    }

    /// Adds a fault of a field; `nil` for a fault of the mapping.
    package mutating func add(_ message: String, field: String?, at place: TextPlace?) {
        faults.append(fault(message, field: field, at: place))
    }

    private func fault(_ message: String, field: String?, at place: TextPlace?) -> ProfileFault {
        let full = [path, field ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        return ProfileFault(
            file: place?.file?.path ?? file, line: place?.line ?? 0, column: place?.column ?? 0, field: full,
            message: message)
    }

    /// Adds the faults of a part that has a reader of its own.
    package mutating func add(_ others: [ProfileFault]) { faults += others }

    private mutating func value<Value>(
        of node: ProfileNode, field: String, _ parse: (String) throws(ValueFault) -> Value
    ) -> Value? {
        guard let text = node.text else {
            let isGenerator = node.mapping?.pairs.contains { Self.quantityKeys.contains($0.key.text ?? "") } ?? false
            let hint = "; what changes it may stand for the numbers of device: beacon, and for values of device: gatt"
            add("a single value is expected here" + (isGenerator ? hint : ""), field: field, at: node.place)
            return nil
        }
        do throws(ValueFault) {
            let value = try parse(text)
            if let comment = contents.comments[node.place] {
                note(comment, after: text, field: field, at: node.place, parse)
            }
            return value
        } catch {
            // The last key of the field is the key on the line.
            var message = error.message(ofKey: field.split(separator: ".").last ?? "")
            if path.hasPrefix("beacons[") { message += Self.rangeHint(text) }
            add(message, field: field, at: node.place)
            return nil
        }
    }

    /// Notes a comment that is the rest of a text.
    private func note<Value>(
        _ comment: String, after text: String, field: String, at place: TextPlace,
        _ parse: (String) throws(ValueFault) -> Value
    ) {
        // An id with a number is one that ids cannot be.
        let isWholeValid = (try? parse("\(text) \(comment)")) != nil
        let isNumbered = Self.names.contains(field) && comment.dropFirst().allSatisfy { $0.isNumber || $0 == " " }
        guard isWholeValid || isNumbered else { return }
        contents.add(
            CutText(
                file: place.file?.path ?? file, at: place, field: path.isEmpty ? field : "\(path).\(field)", text: text,
                comment: comment, isWholeValid: isWholeValid))
    }

    /// Keys whose values are names in messages.
    private static let names: Set = ["id", "profile", "scenario", "phone", "identifier"]

    /// For a text that was meant as the numbers of several beacons, as `1..5` or `1-5`: how these are written.
    private static func rangeHint(_ text: String) -> String {
        guard let match = text.wholeMatch(of: /([0-9]{1,5})(?:\.\.|-)([0-9]{1,5})/), let first = Int(match.1),
            let last = Int(match.2), first < last
        else { return "" }
        return "; for \(last - first + 1) beacons write \(first)..\(last), and count: \(last - first + 1) beside id"
    }
}
