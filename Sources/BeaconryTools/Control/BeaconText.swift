// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import JSON
package import RunAPI

/// The text of running beacons: a line each, or a line for each of their settings.
package enum BeaconText {
    /// The settings that kinds of devices have in common, for help.
    package static var commonSettings: String { DeviceRegistry.commonSettings.map(\.key).joined(separator: ", ") }

    /// The maximum length of a line of a list, in characters.
    private static let width = 120

    /// The maximum length of a label in a list, in characters.
    private static let labelWidth = 24

    /// The Generic Access and Generic Attribute services, which every device has.
    private static let common = ["1800", "1801"]

    /// A heading, and a line for each beacon.
    package static func list(_ beacons: [BeaconRecord]) -> [String] {
        let hasLabels = beacons.contains { $0.label != nil }
        let hasRooms = beacons.contains { $0.room != nil }
        let heading =
            ["DEVICE"] + (hasLabels ? ["LABEL"] : [])
            + ["KIND", "STATE"] + (hasRooms ? ["ROOM"] : [])
            + ["INTERVAL", "MAJOR/MINOR", "ADDRESS", "IDENTITY"]
        let rows = beacons.map { beacon in
            [beacon.id] + (hasLabels ? [beacon.label?.cut(to: labelWidth) ?? ""] : [])
                + [beacon.kind, state(of: beacon)] + (hasRooms ? [beacon.room?.cut(to: labelWidth) ?? ""] : []) + [
                    interval(of: beacon),
                    ["major", "minor"].compactMap { beacon.settings[$0]?.text }.joined(separator: "/"),
                    beacon.effective?.address ?? "",
                    beacon.settings["uuid"]?.text
                        ?? AdvertisementText.identity(
                            name: beacon.name, service: beacon.services.first { !common.contains($0) }) ?? "",
                ]
        }
        return TextTable(rows: [heading] + rows).lines.map { $0.cut(to: width) }
    }

    /// A beacon's headline, and a line for each setting.
    /// - Parameter keys: the settings to show; `nil` for all settings and everything else that is known.
    package static func details(_ beacon: BeaconRecord, only keys: Set<String>? = nil) -> [String] {
        let settings = beacon.settingTexts.filter { keys?.contains($0.key) ?? true }
        var rows = settings.map { ["  \($0.key)", $0.text] }
        if keys == nil {
            let names = beacon.name.map { [["  name", $0]] } ?? []
            let services = beacon.services.enumerated().map { [$0 == 0 ? "  services" : "", $1] }
            rows = label(of: beacon) + names + rows + air(of: beacon) + services
        }
        if keys?.contains("label") == true { rows = label(of: beacon) + rows }
        var remark: [String] = []
        if keys != nil, !beacon.keepsSettings { remark = ["  (not saved; lost when the run ends)"] }
        if keys == ["label"] { remark = ["  (until the next reload)"] }
        if beacon.changed == false { remark = ["  (unchanged: nothing was written)"] }
        return [headline(beacon)] + TextTable(rows: rows).lines + remark
    }

    private static func label(of beacon: BeaconRecord) -> [[String]] {
        beacon.label.map { [["  label", SafeText.line($0)]] } ?? []
    }

    /// A beacon's kind, profile and state.
    package static func headline(_ beacon: BeaconRecord) -> String {
        "\(beacon.id): \(beacon.kind) of profile \(beacon.profile), \(state(of: beacon))"
    }

    private static func interval(of beacon: BeaconRecord) -> String {
        (effectiveInterval(of: beacon) ?? settingOfInterval(of: beacon)).map { "\($0)" } ?? ""
    }

    private static func effectiveInterval(of beacon: BeaconRecord) -> AdvertisingInterval? {
        beacon.effective?.intervalTicks.map(AdvertisingInterval.init)
    }

    /// `nil` for hardware that has no setting for it.
    private static func settingOfInterval(of beacon: BeaconRecord) -> AdvertisingInterval? {
        beacon.settings["interval"].flatMap { try? ValueText.interval($0.text) }
    }

    private static func state(of beacon: BeaconRecord) -> String {
        let present = beacon.centrals.isEmpty ? "on" : "connected"
        return switch beacon.state {
        case .onAir: present
        case .starting: "starting"
        case .paused: beacon.centrals.isEmpty ? "paused" : present
        case .disabled: "off"
        case .scheduledOff: "off (schedule)"
        case .outOfRange: "out of range"
        case .muted: "\(present) (muted)"
        case .flatBattery: "off (flat battery)"
        case .radioOff: "not on the air (radio off)"
        case .refused: "not on the air (refused)"
        case .notOnAir: "not on the air"
        }
    }

    /// `off until 2026-01-31T17:00:00.000Z`
    private static func text(_ schedule: ScheduleRecord) -> String {
        let until = schedule.until.map { " until \($0)" } ?? ""
        guard schedule.overridden == true else { return (schedule.on ? "on" : "off") + until }
        return "switched \(schedule.on ? "off" : "on") by hand\(until)"
    }

    /// The interval on the air, if it is not that of the settings.
    private static func differentInterval(of beacon: BeaconRecord) -> String? {
        guard let effective = effectiveInterval(of: beacon), let setting = settingOfInterval(of: beacon) else {
            return nil
        }
        return effective == setting ? nil : "\(effective)"
    }

    /// The effective advertisement, the position and the connected centrals.
    private static func air(of beacon: BeaconRecord) -> [[String]] {
        let rows: [(String, String?)] = [
            ("address", beacon.effective?.address), ("pdu", beacon.effective?.pdu),
            ("effective-interval", differentInterval(of: beacon)),
            ("flags", beacon.effective?.flags.map { "0x" + Hexadecimal.string([$0]) }),
            ("effective-tx-power", beacon.effective?.txPowerDbm.map { "\($0) dBm" }),
            ("position", beacon.position.map { Formatting.position($0) + " (m)" }),
            ("room", beacon.room), ("on-air", beacon.onAir ? "yes" : "no"), ("schedule", beacon.schedule.map(text)),
        ]
        let centrals = beacon.centrals.enumerated().map { [$0 == 0 ? "  connected" : "", $1] }
        return rows.compactMap { key, value in value.map { ["  \(key)", $0] } } + centrals
    }
}
