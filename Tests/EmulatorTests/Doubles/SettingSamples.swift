// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import RunAPI

@testable import Emulator

// Settings by name, with typed values.

extension SettingValue {
    static func major(_ major: UInt16) -> SettingValue { SettingValue(.major, major) }
    static func minor(_ minor: UInt16) -> SettingValue { SettingValue(.minor, minor) }
    static func interval(_ interval: AdvertisingInterval) -> SettingValue { SettingValue(.interval, interval) }
    static func named(_ key: String, _ text: String) -> SettingValue { SettingValue(key, text) }
}

extension BeaconRecord {
    var uuid: String? { settings["uuid"]?.text }
    var major: Int? { number("major") }
    var minor: Int? { number("minor") }
    var measuredPower: Int? { number("measured-power") }
    var interval: String? { settings["interval"]?.text }
    var txPower: Int? { number("tx-power") }

    private func number(_ key: String) -> Int? {
        if case .integer(let number)? = settings[key] { number } else { nil }
    }
}
