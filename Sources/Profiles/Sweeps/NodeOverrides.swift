// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc

/// A value that replaces a value of a scenario or of its profile.
package struct NodeOverride: Sendable {
    /// The keys down to the value, such as `beacons`, `*`, `interval`.
    package let path: [String]
    /// Where the path is written.
    package let place: TextPlace
    /// The new value, with its place.
    package let value: ProfileNode

    /// The path as it is written: `beacons.*.interval`.
    package var text: String { path.joined(separator: ".") }
}

/// Replaces values of a scenario and of its profile, in the nodes of their files with all short forms written out,
/// before they are read: so the new values are checked as others, and their faults are at their own places.
///
/// An entry of a list is named by its `id`, or by a pattern of ids such as `room-*`; entries without ids by their
/// number, from 0. The keys of a path that only a scenario has, and keys that the scenario writes, are those of the
/// scenario; others are those of its profile. Lists of entries with ids are looked up in both.
package final class NodeOverrides {
    /// The file that is changed.
    package enum Target {
        case scenario
        case profile
    }

    /// Keys that a profile does not have, or has with another meaning.
    private static let scenarioKeys: Set = [
        "scenario", "profile", "seed", "duration", "regions", "timeline", "expect",
    ]

    private let overrides: [NodeOverride]
    /// Which of them have replaced a value.
    private var isUsed: [Bool]
    /// Why one has not, of the last file that it was looked up in.
    private var complaints: [String?]

    /// Values that are used in the order of the list.
    package init(_ overrides: [NodeOverride]) {
        self.overrides = overrides
        isUsed = overrides.map { _ in false }
        complaints = overrides.map { _ in nil }
    }

    /// The faults of paths that name nothing; to be asked for when all files were read.
    package var faults: [ProfileFault] {
        overrides.indices.compactMap { index in
            guard !isUsed[index] else { return nil }
            let override = overrides[index]
            return ProfileFault(
                file: override.place.file?.path ?? "", line: override.place.line, column: override.place.column,
                field: override.text, message: complaints[index] ?? "\(override.text) names nothing")
        }
    }

    /// The root of a file with the new values.
    func applied(to root: ProfileNode, of file: String, as target: Target) -> ProfileNode {
        var root = root
        for (index, override) in overrides.enumerated() where concerns(index, root, target) {
            var edit = Edit(override: override, file: file)
            let changed = edit.replaced(root, override.path[...], below: [])
            if let complaint = edit.complaint {
                complaints[index] = complaints[index] ?? complaint
            } else {
                root = changed
                isUsed[index] = true
            }
        }
        return root
    }

    private func concerns(_ index: Int, _ root: ProfileNode, _ target: Target) -> Bool {
        let key = overrides[index].path[0]
        let own = root.mapping?[key]
        let isList = own?.sequence?.contains { $0.mapping?["id"] != nil } ?? false
        switch target {
        case .scenario:
            let hasProfile = root.mapping?["profile"] != nil
            return Self.scenarioKeys.contains(key) || own != nil || !hasProfile
        case .profile:
            if Self.scenarioKeys.contains(key) { return false }
            // What the scenario has replaced already is not replaced again, unless both have such a list.
            return !isUsed[index] || isList
        }
    }
}

/// The replacement of one value in one file.
private struct Edit {
    let override: NodeOverride
    let file: String
    /// Why the path names nothing; `nil` if it names something.
    private(set) var complaint: String?

    init(override: NodeOverride, file: String) {
        self.override = override
        self.file = file
    }

    /// A node with the new value.
    /// - Parameters:
    ///   - keys: the rest of the path.
    ///   - path: the keys up to the node.
    mutating func replaced(_ node: ProfileNode, _ keys: ArraySlice<String>, below path: [String]) -> ProfileNode {
        guard let key = keys.first else { return override.value }
        let rest = keys.dropFirst()
        switch node.content {
        case .mapping(let mapping):
            var pairs = mapping.pairs
            if let index = pairs.firstIndex(where: { $0.key.text == key }) {
                let value = replaced(pairs[index].value, rest, below: path + [key])
                // A key whose whole value is new is at the place of the path, as its faults are.
                pairs[index] = (rest.isEmpty ? keyNode(key) : pairs[index].key, value)
            } else if let value = added(rest), !Self.isPattern(key) {
                pairs.append((keyNode(key), value))
            } else {
                let names = pairs.compactMap(\.key.text)
                complain(
                    Spelling.unknown("there is no \"\(key)\" \(place(path))", key, "keys", things: names))
            }
            return ProfileNode(.mapping(ProfileNode.Mapping(pairs)), at: node.place)
        case .sequence(let entries):
            let numbers = entries.indices.filter { Self.matches(entries[$0], number: $0, key) }
            guard !numbers.isEmpty else {
                complain(missingEntry(key, of: entries, path))
                return node
            }
            var entries = entries
            for number in numbers { entries[number] = replaced(entries[number], rest, below: path + [key]) }
            return ProfileNode(.sequence(entries), at: node.place)
        case .scalar(let text):
            // The name of a preset stands for a mapping.
            if path == ["physics"] {
                let preset = (
                    key: ProfileNode(.scalar("preset"), at: node.place),
                    value: ProfileNode(.scalar(text), at: node.place)
                )
                let mapping = ProfileNode(.mapping(ProfileNode.Mapping([preset])), at: node.place)
                return replaced(mapping, keys, below: path)
            }
            complain("\(path.joined(separator: ".")) is \"\(text)\" in \(file), which has no keys; end the path there")
            return node
        }
    }

    /// The value of a key that the file does not have: the new value, within mappings of the rest of the path; `nil` if
    /// these would have the keys of a list.
    private func added(_ keys: ArraySlice<String>) -> ProfileNode? {
        guard !keys.contains(where: { Self.isPattern($0) || Int($0) != nil }) else { return nil }
        return keys.reversed().reduce(override.value) { value, key in
            ProfileNode(.mapping(ProfileNode.Mapping([(keyNode(key), value)])), at: override.place)
        }
    }

    private func keyNode(_ key: String) -> ProfileNode { ProfileNode(.scalar(key), at: override.place) }

    private func place(_ path: [String]) -> String {
        path.isEmpty ? "in \(file)" : "below \(path.joined(separator: ".")) in \(file)"
    }

    private mutating func complain(_ message: String) { complaint = complaint ?? message }

    private func missingEntry(_ key: String, of entries: [ProfileNode], _ path: [String]) -> String {
        let list = path.joined(separator: ".")
        let names = entries.compactMap { $0.mapping?["id"]?.text }
        guard names.isEmpty else {
            let problem =
                Self.isPattern(key)
                ? "no id in \(list) of \(file) matches \"\(key)\"" : "there is no \"\(key)\" in \(list) of \(file)"
            return Spelling.unknown(problem, key, list, things: names)
        }
        guard !entries.isEmpty else { return "\(list) is empty in \(file)" }
        let numbers = entries.count == 1 ? "0" : "a number from 0 to \(entries.count - 1)"
        return
            "the entries of \(list) in \(file) have no ids; write \(numbers), or * for all, instead of \"\(key)\""
    }

    private static func isPattern(_ key: String) -> Bool { key.contains { "*?[".contains($0) } }

    private static func matches(_ entry: ProfileNode, number: Int, _ key: String) -> Bool {
        if let id = entry.mapping?["id"]?.text { return fnmatch(key, id, 0) == 0 }
        return key == "*" || Int(key) == number
    }
}
