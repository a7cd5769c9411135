// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Devices
import Foundation
import Profiles
import Testing

/// The tables of the documentation, compared with the declarations of the settings.
@Suite struct SettingTableTests {
    /// A row of a table whose columns are key, value and default; without backquotes and links.
    private struct Row {
        let keys: [String]
        let meaning: String
        let standard: String

        init(_ line: Substring) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces).replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
                    .replacingOccurrences(of: "`", with: "")
            }
            keys = cells[0].components(separatedBy: ", ")
            meaning = cells[1]
            standard = cells.count > 2 ? cells[2] : ""
        }
    }

    /// The files and headings of kinds that are not documented in `docs/profiles.md`.
    private static let places = [
        "sensortag": ("docs/sensortag.md", ""), "ancs-accessory": ("docs/ancs.md", ""),
    ]

    private static let general = "## Keys of every beacon"
    /// Keys that every beacon has, whatever its device.
    private static let ofBeacons: Set = [
        "id", "label", "device", "position", "path", "track", "orbit", "pairing", "schedule",
    ]

    private static func text(of file: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: package.appending(path: file), encoding: .utf8)
    }

    /// The first table of keys behind a heading; empty when its section has none.
    private static func table(in file: String, behind heading: String) throws -> [Row] {
        let text = try Self.text(of: file)
        let start =
            heading.isEmpty ? text.startIndex : try #require(text.range(of: heading), "no \(heading)").upperBound
        let lines = text[start...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        let section = heading.isEmpty ? lines : lines.prefix { !$0.hasPrefix("#") }
        return section.drop { !$0.hasPrefix("| key |") }.dropFirst(2).prefix { $0.hasPrefix("|") }.map(Row.init)
    }

    private static func table(of kind: any ProfiledDevice.Type) throws -> [Row] {
        let (file, heading) = places[kind.kind] ?? ("docs/profiles.md", "\n## `\(kind.kind)`")
        return try table(in: file, behind: heading)
    }

    @Test(arguments: DeviceRegistry.names)
    func settingsAreDocumented(_ name: String) throws {
        let kind = try #require(DeviceRegistry.kind(named: name))
        let rows = try Self.table(of: kind)
        let general = try Self.table(in: "docs/profiles.md", behind: Self.general)
        let declared = kind.declarations
        let ownKeys = rows.flatMap(\.keys)
        #expect(Set(ownKeys).subtracting(declared.map { $0.group ?? $0.key }).subtracting(Self.ofBeacons).isEmpty)
        for setting in declared {
            let key = setting.group ?? setting.key
            let row = rows.first { $0.keys.contains(key) } ?? general.first { $0.keys.contains(key) }
            let found = try #require(row, "\(key) is not documented")
            if setting.group != nil {
                #expect(found.meaning.contains(setting.key), "\(key).\(setting.key)")
            } else if found.keys.count == 1 {
                if !found.meaning.hasPrefix("as ") { #expect(found.meaning == setting.meaning, "\(key)") }
                #expect(found.standard == setting.standard, "\(key)")
            }
        }
    }

    @Test func keysOfEveryBeaconAreSettings() throws {
        let rows = try Self.table(in: "docs/profiles.md", behind: Self.general)
        let declared = Set(DeviceRegistry.all.flatMap { $0.declarations }.map { $0.group ?? $0.key })
        #expect(Set(rows.flatMap(\.keys)).subtracting(Self.ofBeacons).isSubset(of: declared))
        let device = try #require(rows.first { $0.keys == ["device"] })
        let kinds = device.meaning.replacingOccurrences(of: " or ", with: ", ").components(separatedBy: ", ")
        #expect(Set(kinds) == Set(DeviceRegistry.names))
    }

    /// Settings that kinds have in common are the same everywhere.
    @Test func commonSettingsHaveTheirOwnKeys() {
        let settings = DeviceRegistry.commonSettings
        #expect(Set(settings.map(\.key)).count == settings.count)
        for declared in DeviceRegistry.all.flatMap({ $0.commonSettings }) {
            #expect(settings.contains { $0.key == declared.key && $0.meaning == declared.meaning }, "\(declared.key)")
        }
        // The names that programs rely on.
        let names: Set = ["uuid", "major", "minor", "measured-power", "interval", "tx-power"]
        #expect(names.isSubset(of: settings.map(\.key)))
    }

    /// The rows of a page that begin with a name.
    private static func rows(in file: String, of name: String) throws -> [Row] {
        try text(of: file).split(separator: "\n").filter { $0.hasPrefix("| `\(name)` |") }.map(Row.init)
    }

    @Test(arguments: BeaconFormats.names)
    func formatsAreDocumented(_ name: String) throws {
        #expect(try Self.rows(in: "docs/beacon-formats.md", of: name).count == 1)
    }

    @Test(arguments: BeaconFormats.transmittable.indices)
    func keysOfFormatsAreDocumented(_ index: Int) throws {
        func keys<Frame: TransmittableBeacon>(of _: Frame.Type) -> [String] { Frame.keys.map(\.name) }
        let format = BeaconFormats.transmittable[index]
        let rows = try Self.rows(in: "docs/profiles.md", of: format.formatName)
        #expect(
            rows.contains { row in
                let words = row.meaning.components(separatedBy: CharacterSet(charactersIn: " ,:()"))
                return Set(keys(of: format)).isSubset(of: words)
            }, "\(format.formatName)")
    }
}
