// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import BluetoothCore
import Profiles

/// What `manage` says to people.
enum ManageText {
    /// What is being done.
    static func words(_ step: BeaconConfigurator.Step, _ target: BeaconConfigurator.Target) -> String {
        let words =
            switch step {
            case .searching: "waiting for it to be heard"
            case .connecting: "connecting"
            case .reading: "reading its settings"
            case .writing: "writing what differs, and reading it back"
            case .retrying(let error): "\(error.message); trying again"
            }
        return "\(target): \(words)"
    }

    /// A plan's beacons, one a row.
    static func table(_ records: [ManageRecord]) -> [String] {
        let rows = records.map { record in
            [record.beacon, record.name.map(ScanRecord.printable) ?? "", record.event, record.summary]
        }
        return TextTable(rows: [["BEACON", "NAME", "", "WHAT"]] + rows).lines
    }

    /// Says what a beacon will take, and what does it no good.
    static func warn(of settings: ConfigurationPlan.Settings, _ beacon: String, asJSON: Bool) {
        guard let interval = settings.interval, !AdvertisingInterval.legacyRange.contains(interval) else { return }
        Notice(
            code: "interval-out-of-range",
            message: "\(beacon) stores \(interval.count) ticks, but radios send every 32 to 16384 ticks",
            hint: "write an interval of 20ms to 10240ms"
        ).tell(asJSON: asJSON)
    }
}
