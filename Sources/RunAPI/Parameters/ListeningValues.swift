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
    package init(json: JSONValue) throws(ValueFault) { self = try ValueText.phone(try String(json: json)) }

    package var json: JSONValue { .text(name) }
    package static var schema: Schema { .choice(names) }
}

extension Screen: Parameter {}

extension ListenerChange {
    /// The members of a body that change a receiver.
    static let fields: [Field<ListenerChange>] = [
        .optional("label", .member, \.label, "its name for people; an empty text removes it"),
        .optional("position", .member, \.position, "metres: x, y and, if not 0, the height"),
        .optional("phone", .member, \.phone, "the phone that it receives like, see docs/phones.md"),
        .optional("scan", .member, \.scan, "parameters of its scan that replace the phone's"),
        .optional("listening", .member, \.isListening, "whether its app scans"),
        .optional("screen", .member, \.screen, "the state of its screen"),
    ]
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
