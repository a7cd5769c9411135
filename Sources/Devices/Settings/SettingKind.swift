// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import BluetoothCore

/// The present value of a setting.
package struct SettingValue: Hashable, Sendable {
    /// A value in JSON.
    package enum Content: Hashable, Sendable {
        /// A whole number.
        case integer(Int)
        /// Text.
        case text(String)
        /// The key is left out.
        case absent
    }

    /// A key and its value in the JSON of a beacon.
    package struct Field: Hashable, Sendable {
        /// The key.
        package let name: String
        /// The value.
        package let content: Content
    }

    /// The key in profiles and in `ctl set`.
    package let key: String
    /// The value as `ctl set` takes it.
    package let text: String
    /// The field in the JSON of a beacon; `nil` for a setting of one kind of device, which is listed under `values`.
    package let field: Field?

    /// The value of a setting of one kind of device.
    package init(_ key: String, _ text: String) {
        self.key = key
        self.text = text
        field = nil
    }

    /// The value of a setting that kinds of devices have in common.
    package init<Value>(_ kind: SettingKind<Value>, _ value: Value) {
        key = kind.key
        text = kind.text(value)
        field = Field(name: kind.field, content: kind.content(value))
    }
}

/// A new value of a setting, as text.
package struct SettingChange: Hashable, Sendable {
    /// The key in `ctl set`.
    package let key: String
    /// The value as people write it.
    package let text: String

    /// A new value.
    package init(_ key: String, _ text: String) {
        self.key = key
        self.text = text
    }
}

/// A setting that kinds of devices have in common and that can be changed while a beacon runs: its key, and how its values
/// are read and printed.
///
/// A new common setting is one constant below, and one line in the list of each device that has it.
package struct SettingKind<Value: Sendable>: Sendable {
    /// The key in profiles and in `ctl set`.
    let key: String
    /// The key in the JSON of a beacon.
    let field: String
    /// What can be written, with unit and range.
    let meaning: String
    /// Reads the text of `ctl set`.
    let parse: @Sendable (String) throws(ValueFault) -> Value
    /// Reads the text of a profile.
    var parseProfile: @Sendable (String) throws(ValueFault) -> Value
    /// Why a device refuses a value of `ctl set`; `nil` when it does not.
    var refusal: @Sendable (Value) -> String? = { _ in nil }
    /// The text for `ctl set`.
    let text: @Sendable (Value) -> String
    /// The text for a profile; `nil` leaves the key out.
    let profileText: @Sendable (Value) -> String?
    /// The value in JSON.
    let content: @Sendable (Value) -> SettingValue.Content
    /// The text for people, of a value in JSON.
    let display: @Sendable (SettingValue.Content) -> String

    /// A setting; by default the texts of a profile are those of `ctl set`, and values are displayed as they are.
    init(
        _ key: String, field: String, _ meaning: String,
        parse: @escaping @Sendable (String) throws(ValueFault) -> Value,
        text: @escaping @Sendable (Value) -> String, profileText: (@Sendable (Value) -> String?)? = nil,
        content: @escaping @Sendable (Value) -> SettingValue.Content,
        display: @escaping @Sendable (SettingValue.Content) -> String = { $0.plain }
    ) {
        self.key = key
        self.field = field
        self.meaning = meaning
        self.parse = parse
        parseProfile = parse
        self.text = text
        self.profileText = profileText ?? text
        self.content = content
        self.display = display
    }

    /// The same setting of devices that accept fewer values.
    /// - Parameters:
    ///   - parseProfile: Reads the text of a profile.
    ///   - refusal: Why a device refuses a value of `ctl set`; `nil` when it does not.
    func limited(
        parseProfile: @escaping @Sendable (String) throws(ValueFault) -> Value,
        refusal: @escaping @Sendable (Value) -> String?
    ) -> SettingKind {
        var limited = self
        limited.parseProfile = parseProfile
        limited.refusal = refusal
        return limited
    }
}

extension SettingValue.Content {
    /// The value as text; empty when there is none.
    package var plain: String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .text(let text): text
        case .absent: ""
        }
    }

    /// The value with its unit.
    fileprivate func text(unit: String, absent: String = "") -> String {
        if case .absent = self { absent } else { "\(plain) \(unit)" }
    }
}

extension SettingKind<UUID128> {
    /// The proximity UUID.
    package static let uuid = SettingKind(
        "uuid", field: "uuid", "36 characters such as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", parse: ValueText.uuid,
        text: { "\($0)" }, content: { .text("\($0)") })
}

extension SettingKind<UInt16> {
    /// The iBeacon major.
    package static let major = number("major")
    /// The iBeacon minor.
    package static let minor = number("minor")

    private static func number(_ key: String) -> SettingKind {
        SettingKind(
            key, field: key, "0 to 65535", parse: ValueText.unsigned16, text: { "\($0)" },
            content: { .integer(Int($0)) })
    }
}

extension SettingKind<MeasuredPower> {
    /// The RSSI at 1 m that the frame claims.
    package static let measuredPower = SettingKind(
        "measured-power", field: "measuredPower", "dBm at 1 m", parse: ValueText.measuredPower,
        text: { "\($0.decibelMilliwatts)" }, content: { .integer(Int($0.decibelMilliwatts)) },
        display: { $0.text(unit: "dBm") })
}

extension SettingKind<AdvertisingInterval> {
    /// The advertising interval, one that radios can send.
    package static let interval = anyInterval.limited(
        parseProfile: ValueText.radiatedInterval,
        refusal: {
            AdvertisingInterval.legacyRange.contains($0)
                ? nil : "a radio can send every 20 ms to 10240 ms (32 to 16384 ticks)"
        })

    /// The advertising interval as the IoT Design Shop beacon stores it, in range or not.
    static let storedInterval = anyInterval.limited(
        parseProfile: ValueText.storedInterval,
        refusal: { $0.count > UInt16.max ? "the beacon stores 0 to 65535 ticks of 0.625 ms" : nil })

    private static let anyInterval = SettingKind(
        "interval", field: "intervalTicks",
        "100ms, 1s or 160ticks (a tick is 0.625 ms); times are rounded to ticks", parse: ValueText.interval,
        text: { "\($0.count)ticks" }, profileText: DeviceWriter.text, content: { .integer(Int($0.count)) },
        display: { content in
            guard case .integer(let ticks) = content else { return content.plain }
            return "\(AdvertisingInterval(UInt32(clamping: ticks))) (\(ticks) ticks)"
        })
}

extension SettingKind<TransmitPower?> {
    /// The radiated power; `nil` leaves it to the radio.
    package static let transmitPower = SettingKind(
        "tx-power", field: "txPower", "transmit power, 0dBm, or default",
        parse: { text throws(ValueFault) in
            text == standardPower ? nil : try ValueText.transmitPower(text)
        },
        text: { $0.map { "\($0.decibelMilliwatts)" } ?? standardPower }, profileText: DeviceWriter.text,
        content: { $0.map { .integer(Int($0.decibelMilliwatts)) } ?? .absent },
        display: { $0.text(unit: "dBm", absent: standardPower) })

    /// The radiated power, one that the IoT Design Shop beacon has; `nil` leaves it to the radio.
    static let hardwarePower = transmitPower.limited(
        parseProfile: { text throws(ValueFault) in
            text == standardPower ? nil : try ValueText.hardwarePower(text)
        },
        refusal: { power in
            guard let power, IoTDesignShopWire.code(of: power) == nil else { return nil }
            return "the beacon has -23, -6 and 0 dBm"
        })
}

/// The text of the power that the radio chooses.
private let standardPower = "default"

/// A common setting, whatever the type of its values.
package struct CommonSetting: Sendable {
    /// The key in profiles and in `ctl set`.
    package let key: String
    /// The key in the JSON of a beacon.
    package let field: String
    /// The value of a text of `ctl set`; the device may refuse it.
    package let value: @Sendable (String) throws(ValueFault) -> SettingValue
    /// The text for people, of a value in JSON.
    package let display: @Sendable (SettingValue.Content) -> String

    init<Value>(_ kind: SettingKind<Value>) {
        key = kind.key
        field = kind.field
        value = { text throws(ValueFault) in SettingValue(kind, try kind.parse(text)) }
        display = kind.display
    }
}
