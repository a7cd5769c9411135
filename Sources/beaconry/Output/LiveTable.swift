// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Emulator

/// The beacons of a run as a table: who, what it says it is, how often, who is connected.
struct LiveTable {
    private struct Row {
        var identity = ""
        var interval = ""
        var number = ""
        var centrals: Set<String> = []
    }

    private var names: [String] = []
    private var rows: [String: Row] = [:]
    private var radio = ""

    /// Takes an event into account.
    /// - Returns: whether the table shows it; what it does not show should be said in words.
    mutating func take(_ record: EventRecord) -> Bool {
        switch record.event {
        case "radio-ready":
            radio = ([record.radio ?? ""] + (record.servers ?? [])).joined(separator: ", ")
        case "advertising-started", "advertising-changed":
            change(record) { row in
                let hex = record.advertisingData ?? record.requested?.advertisingData ?? ""
                let scanResponse = record.scanResponse ?? record.requested?.scanResponse ?? ""
                let beacon = Self.beacon(hex)
                row.number = beacon.map { "\($0.major)/\($0.minor)" } ?? ""
                row.identity = beacon.map { "\($0.uuid)" } ?? Self.identity(hex, scanResponse)
                row.interval = Self.interval(record)
            }
        case "advertising-stopped": change(record) { $0.interval = "off the air" }
        case "connected": change(record) { $0.centrals.insert(record.central ?? "") }
        case "disconnected": change(record) { $0.centrals.remove(record.central ?? "") }
        case "persisted": break
        default: return false
        }
        return true
    }

    /// The table's lines, at most `height` of them and `width` characters each.
    func lines(width: Int, height: Int) -> [String] {
        let title = "\(rows.count) beacon\(rows.count == 1 ? "" : "s") on \(radio); Ctrl-C ends"
        let heading = ["DEVICE", "INTERVAL", "CONNECTED", "MAJOR/MINOR", "IDENTITY"]
        return TextTable(rows: [heading] + names.map(cells)).lines(below: title, width: width, height: height)
    }

    private mutating func change(_ record: EventRecord, _ body: (inout Row) -> Void) {
        let name = record.device ?? ""
        if rows[name] == nil { names.append(name) }
        body(&rows[name, default: Row()])
    }

    private func cells(_ name: String) -> [String] {
        let row = rows[name] ?? Row()
        return [name, row.interval, row.centrals.sorted().joined(separator: " "), row.number, row.identity]
    }

    private static func beacon(_ hex: String) -> IBeacon? {
        data(hex)?.structures.lazy.compactMap(IBeacon.init).first
    }

    /// What people know it by; its octets where there is nothing of the kind in them.
    private static func identity(_ hex: String, _ scanResponse: String) -> String {
        let parts = [hex, scanResponse].compactMap(data)
        if let frame = parts.lazy.flatMap(\.frames).first { return ScanRecord.printable(DecodedFrame(frame).line) }
        let service = parts.lazy.flatMap(\.services).first.map { "\($0)" }
        return BeaconText.identity(name: parts.lazy.compactMap(\.localName).first, service: service) ?? hex
    }

    private static func data(_ hex: String) -> AdvertisingData? {
        guard let bytes = try? Hexadecimal.bytes(hex) else { return nil }
        return try? AdvertisingData(parsing: bytes)
    }

    private static func interval(_ record: EventRecord) -> String {
        guard let ticks = record.intervalTicks ?? record.requested?.intervalTicks else { return "" }
        return "\(AdvertisingInterval(ticks))"
    }
}
