// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
package import Devices
package import Emulator
package import JSON
import Profiles
package import Receiving

// The parameters of operations on listening receivers.

extension PhoneModel: Parameter {
    /// Reads the name of a preset, or `{"preset": "android-9-low-power", "handset": "pixel-4"}`.
    package init(json: JSONValue) throws(ValueFault) {
        guard let members = json.members else {
            self = try ValueText.phone(try String(json: json))
            return
        }
        for key in members.keys.sorted() where key != "preset" && key != "handset" {
            throw ValueFault(Spelling.unknown("there is no \"\(key)\"", key, "members", ["preset", "handset"]))
        }
        let preset = try members["preset"].map { json throws(ValueFault) in try String(json: json) }
        let handset = try members["handset"].map { json throws(ValueFault) in try String(json: json) }
        try self.init(preset: preset ?? PhoneModel.exact.name, handset: handset)
    }

    package var json: JSONValue {
        guard let handset else { return .text(name) }
        return .object(["preset": .text(name), "handset": .text(handset.name)])
    }

    package static var schema: Schema {
        .anyOf([
            .choice(names),
            .object([
                .optional("preset", .choice(names), "the preset"),
                .optional("handset", .choice(Handset.names), "the handset, see docs/phones.md"),
            ]),
        ])
    }
}

extension Screen: Parameter {}
extension PhoneBluetooth: Parameter {}
extension PhonePermission: Parameter {}

extension ReceiverKey {
    /// The JSON of its values.
    var schema: Schema {
        switch shape {
        case .choice(let names): .choice(names)
        case .number(let range, _): .number(range)
        default: preconditionFailure("a number or a name")
        }
    }

    fileprivate func read(_ json: JSONValue, into traits: inout ReceiverTraits) throws(ValueFault) {
        // A number has no unit; a text may have it.
        guard let number = json.double else { return try set(try String(json: json), in: &traits) }
        // Nothing is so exact; the text of a smaller number has an exponent, which values of profiles do not have.
        try set(abs(number) < 1e-9 ? "0" : ValueText.text(number), in: &traits)
    }

    fileprivate func json(of traits: ReceiverTraits) -> JSONValue? {
        switch value(traits) {
        case nil: nil
        case .name(let name): .text(name)
        case .number(let number): .number(number)
        }
    }
}

extension ReceiverTraits {
    /// The members of a body that have the hardware of a receiver, and how a person carries it.
    static let fields: [Field<ReceiverTraits>] = ReceiverKey.all.map { key in
        Field(
            description: FieldDescription(
                name: key.member, place: .member, meaning: key.meaning, schema: key.schema, isRequired: false),
            read: { json, traits throws(ValueFault) in try key.read(json, into: &traits) },
            write: { key.json(of: $0) })
    }
}

extension ListenerChange {
    /// The members of a body that change a receiver.
    static let fields: [Field<ListenerChange>] = ownFields + ReceiverTraits.fields.map { $0.lifted(to: \.traits) }

    private static let ownFields: [Field<ListenerChange>] = [
        .optional("label", .member, \.label, "its name for people; an empty text removes it"),
        .optional("position", .member, \.position, "metres: x, y and, if not 0, the height"),
        .optional("phone", .member, \.phone, "the phone that it receives like, see docs/phones.md"),
        .optional("scan", .member, \.scan, "parameters of its scan that replace the phone's"),
        .optional("listening", .member, \.isListening, "whether its app scans"),
        .optional("screen", .member, \.screen, "the state of its screen"),
        .optional("bluetooth", .member, \.bluetooth, "whether its Bluetooth is on"),
        .optional("permission", .member, \.permission, "whether its user permits the app to find beacons"),
        .optional("estimator", .member, \.estimator, "what estimates its place among the beacons; off for nothing"),
    ]
}

/// The name of an estimator, or `off`.
extension ListenerChange.EstimatorChange: Parameter {
    package init(json: JSONValue) throws(ValueFault) { try self.init(String(json: json)) }

    package var json: JSONValue { .text(text) }

    package static var schema: Schema { .choice(PlaceEstimator.Kind.allCases.map(\.rawValue) + [off]) }
}

/// Parts of the parameters of a scan: `{"window": "30ms", "interval": "40ms", "active": true}`.
extension ListenerChange.ScanChange: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        self.init()
        guard let members = json.members, !members.isEmpty else {
            throw ValueFault("write an object, such as {\"window\":\"30ms\",\"interval\":\"40ms\"}")
        }
        for (key, value) in members {
            switch key {
            case "window": window = try ValueText.interval(try String(json: value))
            case "interval": interval = try ValueText.interval(try String(json: value))
            case "active": isActive = try Bool(json: value)
            default:
                throw ValueFault(
                    Spelling.unknown("there is no \"\(key)\"", key, "members", ["window", "interval", "active"]))
            }
        }
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members["window"] = window.map { .text(DeviceWriter.text($0)) }
        members["interval"] = interval.map { .text(DeviceWriter.text($0)) }
        members["active"] = isActive.map { .boolean($0) }
        return .object(members)
    }

    package static var schema: Schema { ReceiverScan.schema }
}

extension AdvertisementFilter {
    /// The parameters of a query that select beacons.
    static let numbers: [Field<AdvertisementFilter>] = [
        .optional("uuid", .query, \.uuid, "a proximity UUID"), .optional("major", .query, \.major, "a major number"),
        .optional("minor", .query, \.minor, "a minor number"),
    ]
    /// The parameters of a query that select packets.
    static let fields: [Field<AdvertisementFilter>] =
        numbers + [.optional("format", .query, \.formats, "names of beacon formats, with commas between them")]
}

/// Names of beacon formats.
extension [String]: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        self = try String(json: json).split(separator: ",").map { String($0) }
        guard !isEmpty else { throw ValueFault("write names of formats, with commas between them") }
        for name in self where BeaconFormats.named(name).isEmpty {
            throw ValueFault(
                Spelling.unknown("there is no format \"\(name)\"", name, "formats", BeaconFormats.names + ["eddystone"])
            )
        }
    }

    package var json: JSONValue { .text(joined(separator: ",")) }
    package static var schema: Schema {
        let name = "(\((BeaconFormats.names + ["eddystone"]).joined(separator: "|")))"
        return .text(pattern: "\(name)(,\(name))*", example: "ibeacon,altbeacon")
    }
}

extension UUID128: Parameter {
    package init(json: JSONValue) throws(ValueFault) { self = try ValueText.uuid(try String(json: json)) }

    package var json: JSONValue { .text(description) }
    package static var schema: Schema {
        .text(
            pattern: "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
            example: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    }
}

extension UInt16: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        guard let number = json.wholeNumber.flatMap({ UInt16(exactly: $0) }) else {
            throw ValueFault("write a number, 0 to 65535")
        }
        self = number
    }

    package var json: JSONValue { .number(Double(self)) }
    package static var schema: Schema { .integer(0...65535) }
}

/// The name of a region: 1 to 255 bytes.
package struct RegionName: Parameter, Hashable {
    package var text: String

    package init(_ text: String = "") { self.text = text }

    package init(json: JSONValue) throws(ValueFault) {
        guard let text = json.string, 1...255 ~= text.utf8.count else {
            throw ValueFault("write the name of a region, 1 to 255 bytes")
        }
        self.text = text
    }

    package var json: JSONValue { .text(text) }
    package static var schema: Schema {
        Schema(["type": .text("string"), "minLength": .number(1), "maxLength": .number(255)])
    }
}
