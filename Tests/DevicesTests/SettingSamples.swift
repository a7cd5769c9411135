// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices

// Settings by name, with typed values.

extension SettingValue {
    static func uuid(_ uuid: UUID128) -> SettingValue { SettingValue(.uuid, uuid) }
    static func major(_ major: UInt16) -> SettingValue { SettingValue(.major, major) }
    static func minor(_ minor: UInt16) -> SettingValue { SettingValue(.minor, minor) }
    static func measuredPower(_ power: MeasuredPower) -> SettingValue { SettingValue(.measuredPower, power) }
    static func interval(_ interval: AdvertisingInterval) -> SettingValue { SettingValue(.interval, interval) }
    static func transmitPower(_ power: TransmitPower?) -> SettingValue { SettingValue(.transmitPower, power) }
    static func named(_ key: String, _ text: String) -> SettingValue { SettingValue(key, text) }
}

extension DeviceInput {
    /// Changes settings to these values.
    static func set(_ values: [SettingValue]) -> DeviceInput { .set(values.map { SettingChange($0.key, $0.text) }) }
}
