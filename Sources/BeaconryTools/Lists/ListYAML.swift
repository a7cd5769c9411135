// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Profiles

/// Texts of a list as YAML that people read and edit.
enum ListYAML {
    /// A text in double quotes (YAML 1.2, 7.3.1); letters of all scripts are themselves, and `${` is no variable of profiles.
    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("${", with: "$${").unicodeScalars.map { escaped($0) }.joined() + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        default: break
        }
        // Control and format characters, other line ends, blanks that look like others, and what is no character.
        let isPlain =
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
            case .spaceSeparator: scalar == " "
            default: true
            }
        if isPlain || scalar == "\u{200D}" { return String(scalar) }
        return "\\U" + String(String(UInt64(scalar.value) + 0x1_0000_0000, radix: 16).suffix(8))
    }
}

/// The files of a profile with the beacons of a list: one, or one that includes others where it would be larger than profiles may be.
struct ListProfile {
    struct File {
        /// The name, beside the profile.
        let name: String
        private(set) var text = ""
        /// The numbers of the beacons, by the lines of the text.
        private(set) var beacons: [Int: Int] = [:]
        private var lines = 0

        init(name: String) { self.name = name }

        mutating func add(_ line: String, beacon: Int? = nil) {
            text += line + "\n"
            lines += 1
            if let beacon { beacons[lines] = beacon }
        }
    }

    /// The profile first.
    private(set) var files: [File]

    /// - Parameters:
    ///   - name: the name of the profile.
    ///   - file: the name of its file, without a folder.
    ///   - remarks: comments for the first lines.
    ///   - usesDefaults: Whether values that all beacons have are written once.
    init(
        _ plan: ListPlan, name: String, file: String, remarks: [String], usesDefaults: Bool = true,
        limit: Int = Profile.maximumSize
    ) {
        let defaults = usesDefaults && plan.beacons.count > 1 ? Defaults(plan.beacons) : Defaults([])
        var whole = File(name: file)
        Self.begin(&whole, plan, name: name, remarks, defaults)
        whole.add("beacons:")
        for (index, beacon) in plan.beacons.enumerated() {
            whole.add(Self.line(beacon, without: defaults), beacon: index)
        }
        guard whole.text.utf8.count > limit else {
            files = [whole]
            return
        }
        var parts: [File] = []
        for (index, beacon) in plan.beacons.enumerated() {
            let line = Self.line(beacon, without: defaults)
            if parts.last.map({ $0.text.utf8.count + line.utf8.count >= limit }) ?? true {
                parts.append(File(name: Self.partName(file, parts.count + 1)))
                parts[parts.count - 1].add("# Of \(file), which includes this file.")
                parts[parts.count - 1].add("beacons:")
            }
            parts[parts.count - 1].add(line, beacon: index)
        }
        var first = File(name: file)
        Self.begin(&first, plan, name: name, remarks, defaults)
        first.add("# A file of a profile has at most \(limit) bytes.")
        first.add("include: [\(parts.map { ListYAML.quoted($0.name) }.joined(separator: ", "))]")
        files = [first] + parts
    }

    /// `museum-beacons-1.yaml` for `museum.yaml`.
    private static func partName(_ file: String, _ number: Int) -> String {
        let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        return "\(stem)-beacons-\(number).yaml"
    }

    private static func begin(
        _ file: inout File, _ plan: ListPlan, name: String, _ remarks: [String], _ defaults: Defaults
    ) {
        for remark in remarks { file.add(remark.isEmpty ? "" : "# \(remark)") }
        file.add("profile: \(name)")
        file.add("")
        if !defaults.lines.isEmpty {
            file.add(
                "# What all beacons have in common."
                    + (plan.hasNewUUID ? " The UUID is new: apps find your beacons by it." : ""))
            file.add("defaults:")
            for line in defaults.lines { file.add("  \(line)") }
            file.add("")
        }
        switch plan.origin {
        case .none: break
        case .globe(let anchor):
            file.add(
                "# Positions are metres east and north of [0, 0], the anchor of tracks: { lat: \(anchor.latitude), lon: \(anchor.longitude) }."
            )
        case .shifted(let x, let y):
            file.add(
                "# Positions are metres from \(ListValues.decimal(x, places: 3)), \(ListValues.decimal(y, places: 3)) of the list."
            )
        }
    }

    /// The entry of a beacon on one line, as the row of a list is.
    private static func line(_ beacon: ListBeacon, without defaults: Defaults) -> String {
        var parts = ["id: \(isPlain(beacon.id) ? beacon.id : ListYAML.quoted(beacon.id))"]
        if let label = beacon.label { parts.append("label: \(ListYAML.quoted(label))") }
        for (key, value) in Defaults.keys(of: beacon) where defaults.keys[key] != value {
            parts.append("\(key): \(value)")
        }
        let frame = beacon.frame.filter { defaults.frame[$0.key] != $0.value }
        if !frame.isEmpty {
            parts.append("ibeacon: { \(frame.map { "\($0.key): \($0.value)" }.joined(separator: ", ")) }")
        }
        if let position = beacon.position {
            parts.append("position: [\(position.map { ListValues.decimal($0, places: 3) }.joined(separator: ", "))]")
        }
        return "  - { \(parts.joined(separator: ", ")) }"
    }

    /// Whether an id is a text for every reader of YAML, and no number or truth value.
    private static func isPlain(_ id: String) -> Bool {
        guard let first = id.first, first.isLetter else { return false }
        return !["y", "n", "true", "false", "yes", "no", "on", "off", "null", "nan", "inf"].contains(id.lowercased())
    }

    /// Values that all beacons have.
    private struct Defaults {
        private(set) var keys: [String: String] = [:]
        private(set) var frame: [String: String] = [:]
        private(set) var lines: [String] = []

        init(_ beacons: [ListBeacon]) {
            guard let first = beacons.first else { return }
            for (key, value) in Self.keys(of: first) {
                guard beacons.allSatisfy({ beacon in Self.keys(of: beacon).contains { $0 == (key, value) } }) else {
                    continue
                }
                keys[key] = value
                lines.append("\(key): \(value)")
            }
            let common = first.frame.filter { part in
                beacons.allSatisfy { beacon in beacon.frame.contains { $0 == part } }
            }
            for (key, value) in common { frame[key] = value }
            guard !common.isEmpty else { return }
            let index = keys["device"] == nil ? 0 : 1
            lines.insert("ibeacon: { \(common.map { "\($0.key): \($0.value)" }.joined(separator: ", ")) }", at: index)
        }

        /// The keys of a beacon beside those that are its own.
        static func keys(of beacon: ListBeacon) -> [(key: String, value: String)] {
            [("device", beacon.device)] + (beacon.format.map { [("format", $0)] } ?? []) + beacon.keys
        }
    }

    // MARK: - The parser of profiles

    /// Why beacons are refused, by their numbers; empty if the profile is valid.
    /// - Throws: `ProfileFaults` with faults of other parts.
    func refusals() throws(ProfileFaults) -> [Int: String] {
        let contents = Dictionary(files.map { ($0.name, $0.text) }) { first, _ in first }
        let sources = ProfileSources { name throws(ValueFault) in
            guard let text = contents[name] else { throw ValueFault("there is no file \"\(name)\"") }
            return text
        }
        do throws(ProfileFaults) {
            _ = try Profile(parsing: files[0].text, file: files[0].name, sources: sources)
            return [:]
        } catch {
            var refusals: [Int: String] = [:]
            for fault in error.faults {
                let file = files.first { $0.name == fault.file }
                guard let number = file?.beacons[fault.line] else { throw error }
                let key = fault.field.split(separator: ".").last.map { "\($0): " } ?? ""
                refusals[number] = refusals[number] ?? (key.hasPrefix("beacons[") ? "" : key) + fault.message
            }
            return refusals
        }
    }
}
