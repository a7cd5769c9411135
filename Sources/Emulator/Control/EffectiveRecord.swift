// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import JSON
package import Radio

/// What is on the air of a beacon, as JSON: what the controller reports, or was read back. A value that is not known is absent.
///
/// `values` is the one list of what is reported of an advertisement: this record, its schema, and the fields of the events follow
/// from it.
package struct EffectiveRecord: Hashable, Sendable {
    /// In the order of `values`; `nil` for one that is not known.
    private let members: [JSONValue?]

    package init(_ effective: EffectiveAdvertisement) { members = Self.values.map { $0.effective(effective).json } }

    /// The advertiser's address.
    package var address: String? { self["address"]?.string }
    /// The PDU type.
    package var pdu: String? { self["pdu"]?.string }
    /// The flags in the advertising data.
    package var flags: UInt8? { number("flags") }
    /// The interval, in ticks of 0.625 ms; absent if the controller chooses it.
    package var intervalTicks: UInt32? { number("intervalTicks") }
    /// The transmit power, in dBm.
    package var txPowerDbm: Int8? { number("txPowerDbm") }

    private subscript(key: String) -> JSONValue? {
        zip(Self.values, members).first { $0.0.key == key }.flatMap(\.1)
    }

    private func number<Number: FixedWidthInteger>(_ key: String) -> Number? {
        self[key]?.wholeNumber.flatMap(Number.init(exactly:))
    }
}

extension EffectiveRecord: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ value: Value) { stringValue = value.key }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // By their types: a decoder of any value tries one type after the other, which a list of many beacons would take.
        members = try Self.values.map { value in
            let key = Key(value)
            return switch value.type {
            case .text, .choice:
                try container.decodeIfPresent(String.self, forKey: key).map { .text($0) }
            case .integer, .integerIn:
                try container.decodeIfPresent(Int.self, forKey: key).map { .number(Double($0)) }
            case .range:
                try container.decodeIfPresent([Double].self, forKey: key).map { .array($0.map { .number($0) }) }
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (value, member) in zip(Self.values, members) {
            switch member {
            case nil: break
            case .text(let text): try container.encode(text, forKey: Key(value))
            case let json?: try container.encode(json, forKey: Key(value))
            }
        }
    }
}

extension EffectiveRecord {
    /// The type of a value in JSON.
    package enum ValueType: Hashable, Sendable {
        case text
        /// One of these texts.
        case choice([String])
        case integer
        case integerIn(ClosedRange<Int>)
        /// Two numbers.
        case range
    }

    /// A value in JSON, or why there is none.
    enum Reading {
        case known(JSONValue)
        /// The radio does not report it.
        case unknown
        /// It does not apply.
        case absent

        var json: JSONValue? { if case .known(let value) = self { value } else { nil } }
    }

    /// A value that is reported of an advertisement.
    package struct Value: Sendable {
        /// The key in the record.
        package let key: String
        /// The type in JSON.
        package let type: ValueType
        /// What it is, with its unit.
        package let meaning: String
        /// The name of the field of events; `nil` for a value that events do not have.
        let field: String?
        /// The value on the air.
        let effective: @Sendable (EffectiveAdvertisement) -> Reading
        /// The requested value; `nil` if none was requested.
        let requested: @Sendable (Advertisement) -> JSONValue?
        /// Whether it is requested at all.
        let isRequested: Bool

        init<Content>(
            _ key: String, _ type: ValueType, _ meaning: String, field: String,
            _ effective: @escaping @Sendable (EffectiveAdvertisement) -> Effective<Content>,
            _ requested: @escaping @Sendable (Advertisement) -> Content?,
            _ json: @escaping @Sendable (Content) -> JSONValue
        ) {
            self.key = key
            self.type = type
            self.meaning = meaning
            self.field = field
            self.effective = { effective($0).value.map { .known(json($0)) } ?? .unknown }
            self.requested = { requested($0).map(json) }
            isRequested = true
        }

        init(
            _ key: String, _ type: ValueType, _ meaning: String, field: String? = nil,
            derived: @escaping @Sendable (EffectiveAdvertisement) -> Reading
        ) {
            self.key = key
            self.type = type
            self.meaning = meaning
            self.field = field
            effective = derived
            requested = { _ in nil }
            isRequested = false
        }
    }

    /// All values.
    package static let values: [Value] = [
        Value(
            "address", .text, "the address of the advertiser", field: "address", \.address, \.address,
            { .text("\($0)") }),
        Value(
            "pdu", .choice(AdvertisingPDU.allCases.map(\.rawValue)), "the PDU type", field: "pdu", \.pdu, \.pdu,
            { .text($0.rawValue) }),
        Value("flags", .integerIn(0...255), "the flags in the advertising data") { effective in
            let data = effective.advertisingData.value.flatMap { try? AdvertisingData(parsing: $0) }
            return data?.flags.map { .known(.number(Double($0.rawValue))) } ?? .absent
        },
        Value(
            "advertisingData", .text, "the advertising data as hexadecimal digits", field: "advertisingData",
            \.advertisingData, { $0.advertisingData.serialized() }, { .text(Hexadecimal.string($0)) }),
        Value(
            "scanResponse", .text, "the scan response as hexadecimal digits", field: "scanResponse", \.scanResponse,
            { $0.scanResponse.serialized() }, { .text(Hexadecimal.string($0)) }),
        Value(
            "intervalTicks", .integer, "the interval in ticks of 0.625 ms", field: "intervalTicks",
            { $0.interval.single }, \.interval, { .number(Double($0.count)) }),
        Value(
            "intervalTicksRange", .range, "the interval, if the controller chooses it: from and to",
            field: "intervalTicksRange"
        ) { effective in
            guard let range = effective.interval.value, range.lowerBound < range.upperBound else { return .absent }
            return .known(.array([range.lowerBound, range.upperBound].map { .number(Double($0.count)) }))
        },
        Value(
            "txPowerDbm", .integer, "the transmit power of the controller in dBm", field: "txPower", \.transmitPower,
            \.transmitPower, { .number(Double($0.decibelMilliwatts)) }),
    ]

    /// The fields of events that start or change an advertisement.
    static let eventFields = values.compactMap { value in
        value.field.map { EventField($0, value.type.inEvents, value.meaning) }
    }
    /// The names of the fields that are requested.
    static let requestedFields = values.filter(\.isRequested).compactMap(\.field)

    /// What was requested, by the names of the fields of events.
    static func requested(_ advertisement: Advertisement) -> [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: values.compactMap { value in
                guard let field = value.field, let requested = value.requested(advertisement) else { return nil }
                return (field, requested)
            })
    }
}

extension EffectiveRecord.ValueType {
    /// The type of the field of events.
    fileprivate var inEvents: EventField.ValueType {
        switch self {
        case .text, .choice: .text
        case .integer, .integerIn: .integer
        case .range: .numbers
        }
    }
}

extension Effective<ClosedRange<AdvertisingInterval>> {
    /// The interval, if the controller has no choice.
    fileprivate var single: Effective<AdvertisingInterval> {
        switch self {
        case .known(let range) where range.lowerBound == range.upperBound: .known(range.lowerBound)
        case .known: .unknown("the controller chooses it")
        case .unknown(let reason): .unknown(reason)
        }
    }
}
