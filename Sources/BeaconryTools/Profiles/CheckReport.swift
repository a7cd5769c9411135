// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import Profiles

/// The form of the results of `check`.
package enum CheckFormat: String, CaseIterable, Sendable {
    /// Sentences; findings that several beacons have are printed once.
    case text
    /// One JSON object a line.
    case json
    /// SARIF 2.1.0, for code scanning.
    case sarif
    /// Commands of GitHub Actions, which annotate the lines of a change.
    case github
}

/// A finding with the place of its beacon.
struct PlacedFinding {
    let severity: ProfileFinding.Severity
    let code: String
    /// The beacon, the problem and its fix, for people.
    let sentence: String
    let place: FilePlace?

    init(_ finding: ProfileFinding, at place: FilePlace?) {
        severity = finding.severity
        code = finding.code
        let device = finding.device.map { "\($0): " } ?? ""
        sentence = "\(device)\(finding.message); \(finding.hint)"
        self.place = place
    }

    /// The fault of a file that could not be read as a profile.
    init(_ fault: ProfileFault) {
        severity = .error
        code = "invalid"
        sentence = fault.field.isEmpty ? fault.message : "\(fault.field): \(fault.message)"
        place = FilePlace(file: fault.file, line: fault.line, column: fault.column)
    }
}

extension FilePlace {
    /// The place that a finding has of its own; `nil` for that of its beacon.
    init?(_ finding: ProfileFinding) {
        guard let file = finding.file else { return nil }
        self.init(file: file, line: finding.line ?? 0, column: finding.column ?? 0)
    }
}

/// The text of findings: those that differ only in the beacon are one line.
enum FindingGroups {
    /// The number of beacons that are named in a line.
    private static let namedBeacons = 3

    private struct Key: Hashable {
        let severity: ProfileFinding.Severity
        let code: String
        let message: String
        let hint: String
    }

    /// - Parameter places: the places of the beacons, by id and by PROFILE/ID.
    static func lines(_ findings: [ProfileFinding], at places: [String: FilePlace] = [:]) -> [String] {
        var order: [Key] = []
        var groups: [Key: [ProfileFinding]] = [:]
        for finding in findings {
            let key = Key(
                severity: finding.severity, code: finding.code, message: finding.message, hint: finding.hint)
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(finding)
        }
        return order.compactMap { groups[$0] }.map { line($0, at: places) }
    }

    private static func line(_ group: [ProfileFinding], at places: [String: FilePlace]) -> String {
        // The place of the first finding, as compilers print it.
        let place = group.lazy.compactMap { finding in FilePlace(finding) ?? finding.device.flatMap { places[$0] } }
            .first
        let start = place.map { "\($0.file):\($0.line):\($0.column): " } ?? ""
        let devices = group.compactMap(\.device)
        var subject = devices.count == 1 ? "\(devices[0]): " : ""
        if devices.count > 1 {
            let named = devices.prefix(namedBeacons).joined(separator: ", ")
            subject = "\(devices.count) beacons (\(named)\(devices.count > namedBeacons ? ", …" : "")): "
        }
        let finding = group[0]
        return "\(start)\(finding.severity.rawValue): \(subject)\(finding.message) [\(finding.code); affects: "
            + "\(finding.receiver)]; \(finding.hint)"
    }
}

/// Commands of GitHub Actions, one for each finding
/// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
enum GitHubCommands {
    static func line(_ placed: PlacedFinding) -> String {
        let command =
            switch placed.severity {
            case .error: "error"
            case .warning: "warning"
            case .advice: "notice"
            }
        var properties: [String] = []
        if let place = placed.place {
            properties = ["file=\(escaped(place.file, isProperty: true))"]
            if place.line > 0 { properties += ["line=\(place.line)", "col=\(place.column)"] }
        }
        properties.append("title=beaconry: \(placed.code)".replacing(":", with: "%3A"))
        return "::\(command) \(properties.joined(separator: ","))::\(escaped(placed.sentence, isProperty: false))"
    }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        let common = text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
        return isProperty ? common.replacing(":", with: "%3A").replacing(",", with: "%2C") : common
    }
}

/// A log in the Static Analysis Results Interchange Format
/// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
struct SARIFLog: Encodable {
    struct Run: Encodable {
        let tool: Tool
        let results: [Result]
        let columnKind = "unicodeCodePoints"
    }
    struct Tool: Encodable {
        let driver: Driver
    }
    struct Driver: Encodable {
        let name = "beaconry"
        let version: String
        let rules: [Rule]
    }
    struct Rule: Encodable {
        let id: String
    }
    struct Result: Encodable {
        let ruleId: String
        let level: String
        let message: Message
        let locations: [Location]
    }
    struct Message: Encodable {
        let text: String
    }
    struct Location: Encodable {
        let physicalLocation: PhysicalLocation
    }
    struct PhysicalLocation: Encodable {
        let artifactLocation: ArtifactLocation
        let region: Region?
    }
    struct ArtifactLocation: Encodable {
        let uri: String
    }
    struct Region: Encodable {
        let startLine: Int
        let startColumn: Int
    }

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version
        case runs
    }

    private let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    private let version = "2.1.0"
    private let runs: [Run]

    /// A log of a program with this version.
    init(_ findings: [PlacedFinding], version: String) {
        let codes = Set(findings.map(\.code)).sorted()
        let results = findings.map { placed in
            Result(
                ruleId: placed.code, level: Self.level(placed.severity),
                message: Message(text: placed.sentence), locations: placed.place.map { [Self.location($0)] } ?? [])
        }
        let driver = Driver(version: version, rules: codes.map { Rule(id: $0) })
        runs = [Run(tool: Tool(driver: driver), results: results)]
    }

    private static func level(_ severity: ProfileFinding.Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .advice: "note"
        }
    }

    private static func location(_ place: FilePlace) -> Location {
        let uri = place.file.utf8.map { byte in
            let isPlain = byte > 32 && byte < 127 && !"%\"<>\\^`{|}#?".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.string([byte]).uppercased()
        }.joined()
        return Location(
            physicalLocation: PhysicalLocation(
                artifactLocation: ArtifactLocation(uri: uri),
                region: place.line > 0 ? Region(startLine: place.line, startColumn: max(1, place.column)) : nil))
    }
}
