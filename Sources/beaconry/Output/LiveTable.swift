// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Emulator

/// The beacons of a run as a table: interval, connected centrals, numbers, address and identity.
struct LiveTable {
    private struct Row {
        var identity = ""
        var interval = ""
        var number = ""
        var address = ""
        var centrals: Set<String> = []
    }

    private var names: [String] = []
    private var rows: [String: Row] = [:]
    private var radio = ""

    /// Takes an event into account.
    /// - Returns: whether the table shows it; what it does not show should be printed.
    mutating func take(_ record: EventRecord) -> Bool {
        switch record.event {
        case "radio-ready":
            radio = ([record.radio ?? ""] + (record.servers ?? [])).joined(separator: ", ")
        case "advertising-started", "advertising-changed":
            change(record) { row in
                let hex = record.advertisingData ?? record.requested?.advertisingData ?? ""
                let scanResponse = record.scanResponse ?? record.requested?.scanResponse ?? ""
                let beacon = AdvertisementText.beacon(hex)
                row.number = beacon.map { "\($0.major)/\($0.minor)" } ?? ""
                row.identity = beacon.map { "\($0.uuid)" } ?? AdvertisementText.identity(hex, scanResponse) ?? hex
                row.address = record.address ?? record.requested?.address ?? ""
                row.interval = Self.interval(record)
            }
        case "advertising-stopped": change(record) { $0.interval = Self.off(record.reason) }
        case "advertising-refused":
            change(record) { $0.interval = Self.off("refused") }
            return false
        case "connected": change(record) { $0.centrals.insert(record.central ?? "") }
        case "disconnected": change(record) { $0.centrals.remove(record.central ?? "") }
        case "persisted": break
        default: return false
        }
        return true
    }

    /// The table with its title.
    var content: ListView.Content {
        let heading = ["DEVICE", "INTERVAL", "CONNECTED", "MAJOR/MINOR", "ADDRESS", "IDENTITY"]
        let lines = TextTable(rows: [heading] + names.map(cells)).lines
        return ListView.Content(
            title: "\(rows.count) beacon\(rows.count == 1 ? "" : "s") on \(radio); Ctrl-C ends", heading: lines.first,
            lines: Array(lines.dropFirst()))
    }

    /// `off (disabled)`
    private static func off(_ reason: String?) -> String {
        switch reason {
        case nil, "as the beacon asks": "off"
        case "a central is connected": "off (connected)"
        case let reason?: "off (\(ScanRecord.printable(reason).cut(to: 30)))"
        }
    }

    private mutating func change(_ record: EventRecord, _ body: (inout Row) -> Void) {
        let name = record.device ?? ""
        if rows[name] == nil { names.append(name) }
        body(&rows[name, default: Row()])
    }

    private func cells(_ name: String) -> [String] {
        let row = rows[name] ?? Row()
        return [
            name, row.interval, row.centrals.sorted().joined(separator: " "), row.number, row.address, row.identity,
        ]
    }

    private static func interval(_ record: EventRecord) -> String {
        guard let ticks = record.intervalTicks ?? record.requested?.intervalTicks else { return "" }
        return "\(AdvertisingInterval(ticks))"
    }
}
