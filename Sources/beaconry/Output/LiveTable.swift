// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryTools
import Bluetooth
import Emulator
import JSON
import Radio

/// The beacons of a run as a table: interval, connected centrals, numbers, address and identity.
struct LiveTable {
    private struct Row {
        var identity = ""
        var interval = ""
        var number = ""
        var address = ""
        var centrals: Set<String> = []
        var isMuted = false

        /// Shows the advertisement on the air, and the requested values where it is unknown.
        mutating func show(_ status: AdvertisingStatus) {
            let (requested, effective) = (status.requested, status.effective)
            let text = AdvertisementText(status)
            let beacon = text.iBeacon
            number = beacon.map { "\($0.major)/\($0.minor)" } ?? ""
            identity =
                beacon.map { "\($0.uuid)" } ?? text.identity
                ?? Hexadecimal.string(effective.advertisingData.value ?? requested.advertisingData.serialized())
            address = (effective.address.value ?? requested.address)?.description ?? ""
            let range = effective.interval.value ?? requested.interval...requested.interval
            interval = "\(range.lowerBound == range.upperBound ? range.lowerBound : requested.interval)"
        }
    }

    private var names: [BeaconIdentifier] = []
    private var rows: [BeaconIdentifier: Row] = [:]
    private var radio = ""

    /// Updates the table.
    /// - Returns: Whether the table shows the event; other events should be printed.
    mutating func take(_ event: EmulatorEvent) -> Bool {
        switch event {
        case .radioReady(let capabilities):
            radio = ([capabilities.name] + capabilities.servers).joined(separator: ", ")
            return true
        case .beacon(let beacon, let event):
            switch event {
            case .advertising(let status, _, _): change(beacon) { $0.show(status) }
            case .advertisingStopped(let stop): change(beacon) { $0.interval = Self.off(stop) }
            case .advertisingRefused:
                change(beacon) { $0.interval = "off (refused)" }
                return false
            case .connected(let central): change(beacon) { $0.centrals.insert(central) }
            case .disconnected(let central): change(beacon) { $0.centrals.remove(central) }
            case .settingsSaved: break
            case .muted, .unmuted:
                change(beacon) { $0.isMuted = event != .unmuted }
                return false
            default: return false
            }
            return true
        default: return false
        }
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
    private static func off(_ stop: AdvertisingStop) -> String {
        switch stop {
        case .device: "off"
        case .connected: "off (connected)"
        case .scheduled: "off (schedule)"
        case .disabled, .radio: "off (\(SafeText.line(stop.reason).cut(to: 30)))"
        }
    }

    private mutating func change(_ beacon: BeaconIdentifier, _ body: (inout Row) -> Void) {
        if rows[beacon] == nil { names.append(beacon) }
        body(&rows[beacon, default: Row()])
    }

    private func cells(_ name: BeaconIdentifier) -> [String] {
        let row = rows[name] ?? Row()
        return [
            name.name, row.interval + (row.isMuted ? " (muted)" : ""), row.centrals.sorted().joined(separator: " "),
            row.number, row.address, row.identity,
        ]
    }
}
