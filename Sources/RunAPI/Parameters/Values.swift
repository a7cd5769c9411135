// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Concurrency
package import Devices
package import Emulator
package import JSON
import Profiles
package import Radio
package import Space

// MARK: - Plain values

extension String: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        guard let text = json.string else { throw ValueFault("write a text") }
        self = text
    }

    package var json: JSONValue { .text(self) }
    package static var schema: Schema { .text }
}

extension Bool: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        switch json {
        case .boolean(let value): self = value
        case .text("true"): self = true
        case .text("false"): self = false
        default: throw ValueFault("write true or false")
        }
    }

    package var json: JSONValue { .boolean(self) }
    package static var schema: Schema { .boolean }
}

extension Parameter where Self: RawRepresentable<String> & CaseIterable {
    package init(json: JSONValue) throws(ValueFault) {
        guard let value = json.string.flatMap(Self.init(rawValue:)) else {
            throw ValueFault("choose one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = value
    }

    package var json: JSONValue { .text(rawValue) }
    package static var schema: Schema { .choice(Self.self) }
}

extension DisconnectionReason: Parameter {}
extension RadioPower: Parameter {}
extension BatteryState: Parameter {}

// MARK: - Names

/// A name of something in the run.
package protocol NameParameter: Parameter, Hashable {
    /// What it names, with its article.
    static var noun: String { get }

    var text: String { get set }

    init(_ text: String)
}

extension NameParameter {
    package init() { self.init("") }

    package init(json: JSONValue) throws(ValueFault) {
        guard let text = json.string, !text.isEmpty else { throw ValueFault("write \(Self.noun)") }
        self.init(text)
    }

    package var json: JSONValue { .text(text) }
    package static var schema: Schema { .name }
}

/// A beacon: its id, or `PROFILE/ID` in a run of profiles that share ids.
package struct BeaconName: NameParameter {
    package static let noun = "the id of a beacon"

    package var text: String

    package init(_ text: String) { self.text = text }
}

/// Beacons: a pattern of their ids with `*`, `?` and `[…]` (fnmatch(3)), with a slash of `PROFILE/ID`.
package struct BeaconPattern: NameParameter {
    package static let noun = "a pattern of the ids of beacons"

    package var text: String

    package init(_ text: String) { self.text = text }

    /// - Parameter profile: `nil` for all profiles.
    func selection(of profile: String?) -> BeaconSelection { .matching(text, profile: profile) }
}

/// Something on the virtual air: a beacon, a host or a receiver.
package struct AirName: NameParameter {
    package static let noun = "a name on the air"

    package var text: String

    package init(_ text: String) { self.text = text }
}

/// The name of a new receiver, which may be part of a path.
package struct NewName: Parameter, Hashable {
    package var text: String

    package init(_ text: String = "") { self.text = text }

    package init(json: JSONValue) throws(ValueFault) {
        guard let text = json.string, !text.isEmpty else { throw ValueFault("write a name") }
        self.text = try ValueText.name(text)
    }

    package var json: JSONValue { .text(text) }
    package static var schema: Schema { .text(pattern: "[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}", example: "phone") }
}

/// A label; an empty text removes it.
extension LabelChange: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        guard let text = json.string else { throw ValueFault("write a text of at most 100 characters") }
        try self.init(text)
    }

    package var json: JSONValue { .text(label ?? "") }
    package static var schema: Schema {
        Schema([
            "type": .text("string"), "maxLength": .number(100),
            "pattern": .text("^[^\\u0000-\\u001F\\u007F-\\u009F]*$"),
        ])
    }
}

/// The number of a capture, from 1.
package struct CaptureNumber: Parameter, Hashable {
    package var number: Int

    package init(_ number: Int = 0) { self.number = number }

    package init(json: JSONValue) throws(ValueFault) {
        guard let number = json.wholeNumber, 1...JSONValue.largestInteger ~= number else {
            throw ValueFault("write the number of a capture, from 1")
        }
        self.number = number
    }

    package var json: JSONValue { .number(Double(number)) }
    package static var schema: Schema { .integer(from: 1) }
}

// MARK: - Places, times and sizes

extension Position: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        let metres = (json.elements ?? []).map(\.double)
        guard 2...3 ~= metres.count, metres.allSatisfy({ $0.map { abs($0) <= 10_000 } == true }) else {
            throw ValueFault("write two or three numbers of metres from -10000 to 10000, such as [2.5, 4]")
        }
        let numbers = metres.compactMap(\.self)
        self.init(x: numbers[0], y: numbers[1], z: numbers.count == 3 ? numbers[2] : 0)
    }

    package var json: JSONValue { .array([.number(x), .number(y), .number(z)]) }
    package static var schema: Schema { .array(.number(-10_000...10_000), 2...3) }
}

/// The places that something walks through.
package struct WalkPath: Parameter, Hashable {
    private static let counts = 2...1000

    package var places: [Position]

    package init(_ places: [Position] = []) { self.places = places }

    package init(json: JSONValue) throws(ValueFault) {
        guard let elements = json.elements, Self.counts.contains(elements.count) else {
            throw ValueFault("write 2 to 1000 positions of two or three numbers of metres")
        }
        places = []
        for element in elements { places.append(try Position(json: element)) }
    }

    package var json: JSONValue { .array(places.map(\.json)) }
    package static var schema: Schema { .array(Position.schema, counts) }
}

extension Duration: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        guard let text = json.string else { throw ValueFault("write a duration as a text, such as \"10s\"") }
        self = try ValueText.duration(text)
    }

    /// In seconds, if they are a whole number, else in milliseconds: a number has at most nine digits before its point.
    package var json: JSONValue {
        let (seconds, attoseconds) = components
        return .text(attoseconds == 0 ? "\(seconds)s" : "\(ValueText.text(self / .milliseconds(1)))ms")
    }

    package static var schema: Schema { .text(pattern: "[0-9]{1,9}([.][0-9]{1,3})?(ms|s|m|h)", example: "10s") }
}

extension Simulation.Rate: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        guard let rate = json.setting.flatMap({ Simulation.Rate($0) }) else {
            throw ValueFault("write \(Simulation.Rate.choices)")
        }
        self = rate
    }

    package var json: JSONValue { .text("\(self)") }
    package static var schema: Schema {
        .anyOf([.choice(["max", "manual"]), .number(limits)])
    }
}

/// The limit of the size of a capture, in bytes.
package struct CaptureLimit: Parameter, Hashable {
    package var bytes: Int

    package init(json: JSONValue) throws(ValueFault) {
        guard let bytes = json.double.flatMap({ Int(exactly: $0) }) else {
            throw ValueFault("write a whole number of bytes")
        }
        self.bytes = bytes
    }

    package init(_ bytes: Int) { self.bytes = bytes }

    package var json: JSONValue { .number(Double(bytes)) }
    package static var schema: Schema { .integer(RunCaptures.sizes) }
}

// MARK: - Settings

/// A value as `ctl set` and profiles have it.
package struct SettingText: Parameter, Hashable {
    package var text: String

    package init(_ text: String) { self.text = text }

    package init(json: JSONValue) throws(ValueFault) {
        guard let text = json.setting else { throw ValueFault("write a text, a number, true or false") }
        self.text = text
    }

    package var json: JSONValue { .text(text) }
    package static var schema: Schema {
        Schema(["type": .array([.text("string"), .text("number"), .text("boolean")])])
    }
}

/// Settings or arguments by their keys, as texts.
extension [String: String]: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        guard let members = json.members else { throw ValueFault("write an object, such as {\"major\":7}") }
        self = [:]
        for (key, value) in members {
            do throws(ValueFault) {
                self[key] = try SettingText(json: value).text
            } catch {
                throw ValueFault("\(key): \(error.message)")
            }
        }
    }

    package var json: JSONValue { .object(mapValues { .text($0) }) }
    package static var schema: Schema { .dictionary(SettingText.schema) }
}

extension BeaconChange.Muting: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        switch json {
        case .boolean(let isMuted): self = isMuted ? .on : .off
        case .text: self = .during(try Duration(json: json))
        default: throw ValueFault("write true, false, or a duration, such as \"10s\"")
        }
    }

    package var json: JSONValue {
        switch self {
        case .on: .boolean(true)
        case .off: .boolean(false)
        case .during(let duration): duration.json
        }
    }

    package static var schema: Schema { .anyOf([.boolean, Duration.schema]) }
}

/// A text in YAML or JSON: a profile, the entry of a beacon, or a scenario.
package struct Document: Parameter, Hashable {
    package var text: String

    package init(_ text: String = "") { self.text = text }

    package init(json: JSONValue) throws(ValueFault) { text = try String(json: json) }

    package var json: JSONValue { .text(text) }
    package static var schema: Schema { .text }
}

/// The tag that something must have (RFC 9110, 13.1.1): `"TAG"`, or `*` for any.
package struct Tag: Parameter, Hashable {
    /// `nil` for any.
    package var text: String?

    package init(_ text: String?) { self.text = text }

    package init(json: JSONValue) throws(ValueFault) {
        let tag = try String(json: json).filter { $0 != "\"" && $0 != " " }
        text = tag == "*" ? nil : tag
    }

    package var json: JSONValue { .text(text.map { "\"\($0)\"" } ?? "*") }
    package static var schema: Schema { .text }
}

/// The answer to a question of a pairing.
extension PairingAnswer: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        switch try String(json: json) {
        case "accept": self = .comparison(true)
        case "reject": self = .comparison(false)
        case "cancel": self = .cancel
        case let text:
            guard let passkey = try? ValueText.passkey(text) else {
                throw ValueFault("write accept, reject, cancel or six digits")
            }
            self = .passkey(passkey)
        }
    }

    package var json: JSONValue {
        switch self {
        case .comparison(let isEqual): .text(isEqual ? "accept" : "reject")
        case .cancel: .text("cancel")
        case .passkey(let passkey): .text(ValueText.digits(of: passkey))
        }
    }

    package static var schema: Schema { .text(pattern: "accept|reject|cancel|[0-9]{6}", example: "accept") }
}

/// The address of the other end of a connection or of a bond.
package struct BondPeer: Parameter, Hashable {
    package var address: BluetoothAddress

    package init(_ address: BluetoothAddress) { self.address = address }

    package init(json: JSONValue) throws(ValueFault) { address = try ValueText.address(try String(json: json)) }

    package var json: JSONValue { .text("\(address)") }
    package static var schema: Schema {
        .text(pattern: "[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}", example: "C0:FF:EE:00:00:01")
    }
}
