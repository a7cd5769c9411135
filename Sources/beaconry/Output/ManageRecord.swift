// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import BluetoothCore
import Emulator

/// What `manage` found or did with one beacon.
struct ManageRecord: Encodable, Sendable {
    /// One setting that was changed.
    struct Change: Encodable, Sendable {
        let setting: String
        let from: String
        let to: String
    }

    /// A beacon's settings.
    struct Settings: Encodable, Sendable {
        let uuid: String
        let major: UInt16
        let minor: UInt16
        let powerCode: UInt16
        /// In dBm; absent for a code that means none.
        let txPower: Int8?
        let intervalTicks: UInt32
    }

    let v = 1
    /// settings, changed, unchanged or failed.
    let event: String
    /// The address, or what was asked for where it was not found.
    let beacon: String
    var name: String?
    /// As they are now.
    var settings: Settings?
    var changes: [Change]?
    /// Why it failed: a stable code, what is wrong, and what to do.
    var code: String?
    var message: String?
    var hint: String?

    /// A beacon's settings, and what was changed in them.
    init(_ outcome: BeaconConfigurator.Outcome) {
        self.init(outcome.before == outcome.after ? "unchanged" : "changed", outcome)
        changes = Self.changes(outcome.before, outcome.after)
    }

    /// A beacon's settings.
    init(_ event: String, _ outcome: BeaconConfigurator.Outcome) {
        self.event = event
        beacon = outcome.device.address.description
        name = outcome.name
        let after = outcome.after
        settings = Settings(
            uuid: after.uuid.description, major: after.numbers.major, minor: after.numbers.minor,
            powerCode: after.transmit.powerCode, txPower: after.transmit.transmitPower?.decibelMilliwatts,
            intervalTicks: after.transmit.interval.count)
    }

    /// That it failed.
    init(_ error: CentralError, _ target: BeaconConfigurator.Target) {
        event = "failed"
        beacon = target.description
        code = error.code
        message = error.message
        hint = error.hint
    }

    private static func changes(
        _ before: IoTDesignShopClient.Settings, _ after: IoTDesignShopClient.Settings
    ) -> [Change] {
        zip(values(before), values(after)).compactMap { old, new in
            old.value == new.value ? nil : Change(setting: old.name, from: old.value, to: new.value)
        }
    }

    private static func values(_ settings: IoTDesignShopClient.Settings) -> [(name: String, value: String)] {
        let transmit = settings.transmit
        return [
            ("uuid", settings.uuid.description), ("major", "\(settings.numbers.major)"),
            ("minor", "\(settings.numbers.minor)"),
            ("tx-power", transmit.transmitPower.map { "\($0)" } ?? "code \(transmit.powerCode)"),
            ("interval", "\(transmit.interval)"),
        ]
    }

    /// Says it on standard output.
    func tell(asJSON: Bool) {
        if asJSON { return Output.line(JSONLine.encode(self)) }
        for line in lines { Output.line(line) }
    }

    private var lines: [String] {
        let title = [beacon, name.map(ScanRecord.printable), event == "settings" ? nil : event].compactMap(\.self)
        let details: [String]
        if event == "settings", let settings {
            let power = settings.txPower.map { "\($0) dBm" } ?? "none"
            details = [
                "uuid: \(settings.uuid)", "major: \(settings.major)", "minor: \(settings.minor)",
                "tx-power: \(power) (code \(settings.powerCode))",
                "interval: \(AdvertisingInterval(settings.intervalTicks)) (\(settings.intervalTicks) ticks)",
            ]
        } else {
            details = (changes ?? []).map { "\($0.setting): \($0.from) -> \($0.to)" }
        }
        return [title.joined(separator: "  ")] + details.map { "  " + $0 }
    }

    /// What changed, or why it failed, on one line.
    var summary: String {
        if let message { return [message, hint ?? ""].joined(separator: "; ") }
        return (changes ?? []).map { "\($0.setting) \($0.from) -> \($0.to)" }.joined(separator: ", ")
    }
}

/// What came of a plan.
struct ManageSummary: Encodable {
    let v = 1
    let event = "applied"
    let changed: Int
    let unchanged: Int
    let failed: Int

    init(_ records: [ManageRecord]) {
        func count(_ event: String) -> Int { records.count { $0.event == event } }
        changed = count("changed")
        unchanged = count("unchanged")
        failed = count("failed")
    }

    /// In words.
    var line: String { "\(changed) changed, \(unchanged) unchanged, \(failed) failed" }
}
