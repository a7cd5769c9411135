// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BeaconryTools

struct ColumnNameTests {
    @Test(
        arguments: [
            ("minor", "minor", nil), ("Minor", "minor", nil), ("MINOR", "minor", nil), ("minor id", "minor", nil),
            ("Minor-ID", "minor", nil),
            ("iBeacon Minor", "minor", nil), ("ibeacon_minor", "minor", nil), ("beacon.minor", "minor", nil),
            ("Minor (hex)", "minor", "hex"),
            ("Minor (1-65535)", "minor", nil), ("UUID", "uuid", nil), ("Proximity UUID", "uuid", nil),
            ("proximityUUID", "uuid", nil), ("GUID", "uuid", nil),
            ("Nr.", "number", nil), ("#", "number", nil), ("N°", "number", nil), ("№", "number", nil),
            ("Numéro", "number", nil), ("lfd. Nr.", "number", nil),
            ("X (m)", "x", "m"), ("x_cm", "x", "cm"), ("x [mm]", "x", "mm"), ("X in cm", "x", "cm"), ("y/m", "y", "m"),
            ("Y (ft)", "y", "ft"), ("x in", "x", "in"),
            ("posX", "x", nil), ("Position X", "x", nil), ("X-Koordinate", "x", nil), ("Höhe", "z", nil),
            ("Hoehe (m)", "z", "m"), ("hauteur", "z", nil),
            ("Height (inches)", "z", "inches"), ("position.x", "x", nil), ("location.lat", "latitude", nil),
            ("Name", "label", nil), ("Titel", "label", nil),
            ("Título", "label", nil), ("名称", "label", nil), ("Название", "label", nil), ("beaconName", "label", nil),
            ("Name (German)", "label", nil),
            ("Bluetooth name", "name", nil), ("Tx Power (dBm)", "tx-power", "dbm"), ("txPower", "tx-power", nil),
            ("RSSI @ 1 m", "measured-power", nil),
            ("rssi@1m", "measured-power", nil), ("Measured Power", "measured-power", nil),
            ("Interval (ms)", "interval", "ms"), ("Advertising interval", "interval", nil),
            ("eddystone_uid_namespace", "namespace", nil), ("instanceId", "instance", nil), ("MAC", "address", nil),
            ("Latitude", "latitude", nil), ("lng", "longitude", nil),
        ] as [(String, String, String?)])
    func namesMeanKeys(_ text: String, _ key: String, _ unit: String?) throws {
        let meaning = try #require(ColumnName(text).meanings.first { !$0.isUncertain }, "\(text)")
        #expect(meaning.key.name == key && meaning.unit == unit, "\(meaning.key.name) \(meaning.unit ?? "")")
    }

    @Test(arguments: ["", " ", "Bemerkung", "battery", "x_px", "colour", "Prix (EUR)", "serial", "…"])
    func otherNamesMeanNothing(_ text: String) { #expect(ColumnName(text).meanings.isEmpty) }

    @Test(arguments: ["Power", "floor", "Etage", "rssi", "Website"])
    func namesWithoutAKeyHaveReasons(_ text: String) { #expect(ColumnName(text).reason != nil) }

    /// Each name is in the form in which names are compared, and means one key.
    @Test func tableHasPlainNames() {
        var certain: [String: String] = [:]
        for key in ListKey.all {
            for name in key.columns + key.uncertain {
                #expect(ListWords.words(name).joined() == name || name == "rssi@1m", "\(key.name): \(name)")
            }
            for name in key.columns { #expect(certain.updateValue(key.name, forKey: name) == nil, "\(name)") }
        }
    }

    /// The table of the documentation has each key, and its examples are names of the keys of their row.
    @Test func documentationHasEachKey() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try String(contentsOf: root.appending(path: "docs/profiles.md"), encoding: .utf8)
        let start = try #require(document.firstRange(of: "| key | columns that are taken, such as | values |"))
        let table = document[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            .prefix { $0.hasPrefix("|") }
        var documented: [String] = []
        for row in table.dropFirst() {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let keys = cells[0].split(separator: ", ").map { $0.filter { $0 != "`" } }
            documented += keys
            for example in cells[1].split(separator: ", ") {
                let meanings = ColumnName(String(example)).meanings.map(\.key.name)
                #expect(meanings.contains { keys.contains($0) }, "\(example): \(meanings)")
            }
        }
        #expect(documented.sorted() == ListKey.all.map(\.name).sorted())
    }

    @Test func choicesNameKeysAndColumns() throws {
        var choices = ColumnChoices()
        try choices.add("minor=Nr,label=Title, long")
        try choices.add("temperature = t")
        #expect(choices.columns.map(\.key.name) == ["minor", "label", "temperature"])
        #expect(choices.columns.map(\.column) == ["Nr", "Title, long", "t"])
        for text in ["", "minor", "minr=x", "x=", "=x", "minor=a"] {
            #expect(throws: ListFault.self, "\(text)") { try choices.add(text) }
        }
    }
}
