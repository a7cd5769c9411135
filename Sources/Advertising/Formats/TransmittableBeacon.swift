// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A beacon format that can be sent. Its keys declare how a frame is written in profiles, settings and options.
///
///     static let template = EddystoneURL(…)
///     static let keys: [BeaconKey<EddystoneURL>] = [ … ]
///     static let example: KeyValuePairs = ["url": "https://example.com/a"]
package protocol TransmittableBeacon: BeaconFormat {
    /// A frame with the default values of the optional keys. The values of required keys are placeholders.
    static var template: Self { get }
    /// The keys in the order in which they are documented.
    static var keys: [BeaconKey<Self>] { get }
    /// The names of the keys without a default. The program needs them at each start: formats with many keys, of which none is
    /// required, have no work with it.
    static var requiredKeys: [String] { get }
    /// Values of keys, all required ones included, for the examples of help and documentation.
    static var example: KeyValuePairs<String, String> { get }
    /// The advertising data: the flags, unless they are `nil`, and the frame with the structures that belong to it.
    func advertisingData(flags: AdvertisingFlags?) -> AdvertisingData
    /// What the device has in its scan response; empty for most formats.
    var scanResponse: AdvertisingData { get }
    /// The PDU type of the device where a profile gives none.
    static var pdu: AdvertisingPDU { get }
    /// The address of the device, which some frames repeat, and names end with; `nil` for zeros.
    var address: BluetoothAddress? { get set }
    /// The keys that grow with each change of another one, unless a profile gives them.
    static var counters: [String] { get }
}

extension TransmittableBeacon {
    package static var requiredKeys: [String] { keys.filter(\.isRequired).map(\.name) }
    package var scanResponse: AdvertisingData { [] }
    package static var pdu: AdvertisingPDU { .nonConnectable }
    package var address: BluetoothAddress? {
        get { nil }
        set {}
    }
    package static var counters: [String] { [] }
}

extension TransmittableBeacon {
    /// Sets the value of a key from text.
    /// - Returns: `nil` if the text is valid, else why it is not.
    /// - Precondition: the format has the key.
    package mutating func set(_ key: String, to text: String) -> String? {
        guard let declared = Self.keys.first(where: { $0.name == key }) else {
            preconditionFailure("unknown key \(key)")
        }
        return declared.set(text, &self) ? nil : declared.fault(text)
    }

    /// The keys that have a value, with their texts.
    package var texts: [(key: String, text: String)] {
        Self.keys.compactMap { key in key.text(self).map { (key.name, $0) } }
    }
}

/// A key of a frame: its meaning, and how its text is parsed and printed.
package struct BeaconKey<Frame: Sendable>: Sendable {
    /// The name in profiles, in `ctl set` and, after `--`, of an option.
    package let name: String
    /// What the value is, such as `Measured power, the RSSI at 1 m`.
    package let summary: String
    /// A description of valid texts, such as `a whole number from 0 to 65535`.
    package let meaning: String
    /// The valid texts.
    package let shape: ValueShape
    /// Whether the key is required.
    package let isRequired: Bool
    /// Sets the value; returns `false` if the text is invalid.
    package let set: @Sendable (String, inout Frame) -> Bool
    /// The text of the value; `nil` if the frame does not have it.
    package let text: @Sendable (Frame) -> String?
    /// Why a text is invalid, in one sentence without its full stop; `nil` if there is nothing to say beside the meaning.
    package var reason: @Sendable (String) -> String? = { _ in nil }

    /// Whether profiles may give several values as a list; a text has commas between them.
    package var isList = false

    /// Why a text is refused.
    package func fault(_ text: String) -> String { reason(text) ?? "\"\(text)\" is not \(meaning)" }

    /// A key that is parsed and printed by closures.
    package init(
        _ name: String, _ summary: String, _ meaning: String, _ shape: ValueShape, isRequired: Bool = false,
        set: @escaping @Sendable (String, inout Frame) -> Bool, text: @escaping @Sendable (Frame) -> String?
    ) {
        self.name = name
        self.summary = summary
        self.meaning = meaning
        self.shape = shape
        self.isRequired = isRequired
        self.set = set
        self.text = text
    }

    /// A key that sets a property.
    package init<Value>(
        _ name: String, _ summary: String, _ kind: ValueKind<Value>,
        _ path: any WritableKeyPath<Frame, Value> & Sendable, isRequired: Bool = false
    ) {
        self.init(name, summary, kind.meaning, kind.shape, isRequired: isRequired) { text, frame in
            guard let value = kind.parse(text) else { return false }
            frame[keyPath: path] = value
            return true
        } text: { frame in
            kind.print(frame[keyPath: path])
        }
    }
}

/// A type of value: its texts, and how they are parsed and printed.
package struct ValueKind<Value: Sendable>: Sendable {
    /// A description of valid texts, such as `a whole number from 0 to 65535`.
    package let meaning: String
    /// The valid texts.
    package let shape: ValueShape
    /// Parses a text; `nil` if it is invalid.
    package let parse: @Sendable (String) -> Value?
    /// The text of a value.
    package let print: @Sendable (Value) -> String
}

extension UUID128 {
    /// The placeholder of a template, for a required key.
    static let ofTemplate: UUID128 = {
        guard let zeros = UUID128(octets: [UInt8](repeating: 0, count: 16)) else { preconditionFailure("16 bytes") }
        return zeros
    }()
}

extension ValueKind<UUID128> {
    /// A UUID of 128 bits.
    package static let uuid = ValueKind(
        meaning: "a UUID; write 32 hexadecimal digits as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0",
        shape: .uuid, parse: { UUID128($0) }, print: { "\($0)" })
}

extension ValueKind where Value: FixedWidthInteger {
    /// A whole number that the type can hold, decimal or with `0x` in front.
    package static var number: ValueKind {
        ValueKind(
            meaning: "a whole number from \(Value.min) to \(Value.max)",
            shape: .integer(Int(clamping: Value.min)...Int(clamping: Value.max), isHexadecimal: true),
            parse: { $0.hasPrefix("0x") ? Value($0.dropFirst(2), radix: 16) : Value($0) }, print: { "\($0)" })
    }
}

extension ValueKind<CompanyIdentifier> {
    /// A company identifier.
    package static let company = ValueKind(
        meaning: "a whole number from 0 to 65535", shape: .integer(0...65535, isHexadecimal: true),
        parse: { ValueKind<UInt16>.number.parse($0).map { CompanyIdentifier($0) } },
        print: { "0x" + Hexadecimal.string([UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)]) })
}

extension ValueKind<MeasuredPower> {
    /// A power in whole dBm.
    package static let measuredPower = ValueKind(
        meaning: "a power in whole dBm from -128 to 127, or the byte of a frame such as 0xC5 (-59 dBm)",
        shape: .integer(-128...127, unit: "dBm", isHexadecimal: true),
        parse: { text in MeasuredPower(byte: text) ?? decibelMilliwatts(text).map { MeasuredPower($0) } },
        print: { "\($0.decibelMilliwatts)" })
}

extension ValueKind<TransmitPower> {
    /// A power in whole dBm.
    package static let power = ValueKind(
        meaning: "a power in whole dBm from -128 to 127, or the byte of a frame such as 0xEE (-18 dBm)",
        shape: .integer(-128...127, unit: "dBm", isHexadecimal: true),
        parse: { text in
            (MeasuredPower(byte: text)?.decibelMilliwatts ?? decibelMilliwatts(text)).map { TransmitPower($0) }
        },
        print: { "\($0.decibelMilliwatts)" })
}

extension ValueKind<[UInt8]> {
    /// Bytes as hexadecimal digits.
    package static func bytes(_ count: Int) -> ValueKind {
        ValueKind(meaning: "\(count) bytes of two hexadecimal digits each", shape: .bytes(count...count)) { text in
            guard let bytes = try? Hexadecimal.bytes(text), bytes.count == count else { return nil }
            return bytes
        } print: {
            Hexadecimal.string($0)
        }
    }
}

extension MeasuredPower {
    /// The byte of a frame, in two's complement: `0xC5` is -59 dBm. `nil` for another text.
    package init?(byte text: String) {
        guard text.hasPrefix("0x"), let byte = UInt8(text.dropFirst(2), radix: 16) else { return nil }
        self.init(Int8(bitPattern: byte))
    }
}

/// A number with or without `dBm` after it.
private func decibelMilliwatts(_ text: String) -> Int8? {
    let number = text.hasSuffix("dBm") ? text.dropLast(3) : Substring(text)
    return Int8(number.last == " " ? number.dropLast() : number)
}
