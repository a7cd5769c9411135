// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth

/// The present value of a setting.
package struct SettingValue: Hashable, Sendable {
    /// A value in JSON, as a change of the setting takes it.
    package enum Content: Hashable, Sendable {
        /// A whole number, in the unit of the setting.
        case integer(Int)
        /// Text, as in profiles.
        case text(String)
    }

    /// The type of a value in JSON.
    package enum ContentType: Hashable, Sendable {
        case integer
        case text
        /// A whole number, or this text, such as `default`.
        case integerOr(String)
    }

    /// The key in profiles and in `ctl set`.
    package let key: String
    /// The value.
    package let content: Content

    /// The value as `ctl set` takes it.
    package var text: String { content.text }

    /// The value of a setting of one kind of device.
    package init(_ key: String, _ text: String) {
        self.key = key
        content = .text(text)
    }

    /// The value of a setting that kinds of devices have in common.
    package init<Value>(_ kind: SettingKind<Value>, _ value: Value) {
        key = kind.key
        content = kind.content(value)
    }
}

extension SettingValue.Content: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self =
            if let integer = try? container.decode(Int.self) { .integer(integer) } else {
                .text(try container.decode(String.self))
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let integer): try container.encode(integer)
        case .text(let text): try container.encode(text)
        }
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
/// A new common setting is one constant below; `Setting.advertising`, after the constants, lists the settings that all
/// kinds of devices have.
package struct SettingKind<Value: Sendable>: Sendable {
    /// The key in profiles, in `ctl set` and in JSON.
    let key: String
    /// What can be written, with unit and range.
    let meaning: String
    /// The texts that a profile may have.
    var shape: ValueShape
    /// Reads the text of `ctl set`.
    let parse: @Sendable (String) throws(ValueFault) -> Value
    /// Reads the text of a profile.
    var parseProfile: @Sendable (String) throws(ValueFault) -> Value
    /// Why a device refuses a value that `parse` accepts; `nil` when it does not. Profiles use `parseProfile`.
    var refusal: @Sendable (Value) -> String? = { _ in nil }
    /// The type of the value in JSON.
    let contentType: SettingValue.ContentType
    /// The value in JSON, which `parse` reads.
    let content: @Sendable (Value) -> SettingValue.Content
    /// The text for a profile; `nil` leaves the key out.
    let profileText: @Sendable (Value) -> String?
    /// Formats a value in JSON for people.
    let display: @Sendable (SettingValue.Content) -> String

    /// A setting; by default `profileText` and `display` give the value in JSON as text.
    init(
        _ key: String, _ meaning: String, _ shape: ValueShape, _ contentType: SettingValue.ContentType,
        parse: @escaping @Sendable (String) throws(ValueFault) -> Value,
        content: @escaping @Sendable (Value) -> SettingValue.Content,
        profileText: (@Sendable (Value) -> String?)? = nil,
        display: @escaping @Sendable (SettingValue.Content) -> String = { $0.text }
    ) {
        self.key = key
        self.meaning = meaning
        self.shape = shape
        self.contentType = contentType
        self.parse = parse
        parseProfile = parse
        self.content = content
        self.profileText = profileText ?? { content($0).text }
        self.display = display
    }

    /// A copy for devices that accept fewer values.
    /// - Parameters:
    ///   - shape: The texts that a profile may have; `nil` for the same.
    ///   - parseProfile: Reads the text of a profile.
    ///   - refusal: Why a device refuses a value of `ctl set`; `nil` when it does not.
    func limited(
        to shape: ValueShape? = nil,
        parseProfile: @escaping @Sendable (String) throws(ValueFault) -> Value,
        refusal: @escaping @Sendable (Value) -> String?
    ) -> SettingKind {
        var limited = self
        limited.shape = shape ?? self.shape
        limited.parseProfile = parseProfile
        limited.refusal = refusal
        return limited
    }
}

extension SettingValue.Content {
    /// The value as text.
    package var text: String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .text(let text): text
        }
    }

    /// A number with its unit, or a text.
    fileprivate func text(unit: String) -> String {
        if case .integer(let number) = self { "\(number) \(unit)" } else { text }
    }
}

extension SettingKind<UUID128> {
    /// The proximity UUID.
    package static let uuid = SettingKind(
        "uuid", "36 characters such as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", .uuid, .text, parse: ValueText.uuid,
        content: { .text("\($0)") })
}

extension SettingKind<UInt16> {
    /// The iBeacon major.
    package static let major = number("major")
    /// The iBeacon minor.
    package static let minor = number("minor")

    private static func number(_ key: String) -> SettingKind {
        SettingKind(
            key, "0 to 65535", .unsigned16, .integer, parse: ValueText.unsigned16, content: { .integer(Int($0)) })
    }
}

extension SettingKind<MeasuredPower> {
    /// The RSSI at 1 m that the frame claims.
    package static let measuredPower = SettingKind(
        "measured-power", "dBm at 1 m", .measuredPower, .integer, parse: ValueText.measuredPower,
        content: { .integer(Int($0.decibelMilliwatts)) }, display: { $0.text(unit: "dBm") })
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
        "interval", "100ms, 1s or 160ticks (a tick is 0.625 ms); times are rounded to ticks", .interval, .text,
        parse: ValueText.interval, content: { .text(DeviceWriter.text($0)) },
        display: { content in
            guard let interval = try? ValueText.interval(content.text) else { return content.text }
            return "\(interval) (\(interval.count) ticks)"
        })
}

extension SettingKind<TransmitPower?> {
    /// The radiated power; `nil` leaves it to the radio.
    package static let transmitPower = SettingKind(
        "tx-power", "transmit power, 0dBm, or default", .either([.choice([standardPower]), .transmitPower]),
        .integerOr(standardPower),
        parse: { text throws(ValueFault) in
            text == standardPower ? nil : try ValueText.transmitPower(text)
        },
        content: { $0.map { .integer(Int($0.decibelMilliwatts)) } ?? .text(standardPower) },
        profileText: DeviceWriter.text, display: { $0.text(unit: "dBm") })

    /// The radiated power, one that the IoT Design Shop beacon has; `nil` leaves it to the radio.
    static let hardwarePower = transmitPower.limited(
        to: .either([.choice([standardPower]), .hardwarePower]),
        parseProfile: { text throws(ValueFault) in
            text == standardPower ? nil : try ValueText.hardwarePower(text)
        },
        refusal: { power in
            guard let power, IoTDesignShop.TransmitSettings.powerCode(of: power) == nil else { return nil }
            return "the beacon has -23, -6 and 0 dBm"
        })
}

/// The text of the power that the radio chooses.
private let standardPower = "default"

// MARK: - Settings of all kinds

extension Setting where Configuration: AdvertisingConfiguration {
    /// The advertising settings. One that is added here and to `AdvertisingSettings` is a setting of all kinds.
    /// - Parameter keys: those to leave out, which the kind declares itself.
    package static func advertising(except keys: Set<String> = []) -> [Setting] {
        advertising.filter { !keys.contains($0.key) }
    }

    /// The advertising settings of a kind whose hardware determines the others.
    package static func advertising(only keys: Set<String>) -> [Setting] {
        advertising.filter { keys.contains($0.key) }
    }

    private static var advertising: [Setting] {
        [
            Setting(.interval, \.advertising.interval),
            Setting(.transmitPower, \.advertising.transmitPower, standard: "the radio's default"),
            .address(\.advertising.address),
        ]
    }
}

/// A `SettingKind` without the type of its values.
package struct CommonSetting: Sendable {
    /// The key in profiles, in `ctl set` and in JSON.
    package let key: String
    /// What can be written, with unit and range.
    package let meaning: String
    /// The type of the value in JSON.
    package let contentType: SettingValue.ContentType
    /// The value of a text of `ctl set`; the device may refuse it.
    package let value: @Sendable (String) throws(ValueFault) -> SettingValue
    /// The text for people, of a value in JSON.
    package let display: @Sendable (SettingValue.Content) -> String

    init<Value>(_ kind: SettingKind<Value>) {
        key = kind.key
        meaning = kind.meaning
        contentType = kind.contentType
        value = { text throws(ValueFault) in SettingValue(kind, try kind.parse(text)) }
        display = kind.display
    }
}
