// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A beacon format that can be sent: its keys declare how people write a frame, in profiles, settings and options.
package protocol TransmittableBeacon: BeaconFormat {
    /// The frame with the values of keys that are not given. Required keys have any value in it.
    static var template: Self { get }
    /// The keys in the order in which they are documented.
    static var keys: [BeaconKey<Self>] { get }
    /// Values of keys, all required ones included, for the examples of help and documentation.
    static var example: KeyValuePairs<String, String> { get }
    /// What is advertised: flags, if any, and the frame with what belongs to it.
    func advertisingData(flags: AdvertisingFlags?) -> AdvertisingData
}

extension TransmittableBeacon {
    /// Sets the value of a key from text.
    /// - Returns: what can be written instead, when the text is not a value; `nil` when it is.
    /// - Precondition: the format has the key.
    package mutating func set(_ key: String, to text: String) -> String? {
        guard let declared = Self.keys.first(where: { $0.name == key }) else {
            preconditionFailure("unknown key \(key)")
        }
        return declared.set(text, &self) ? nil : declared.meaning
    }

    /// The keys that have a value, each with its text.
    package var texts: [(key: String, text: String)] {
        Self.keys.compactMap { key in key.text(self).map { (key.name, $0) } }
    }
}

extension BeaconFormats {
    /// The formats that can be sent.
    package static var transmittable: [any TransmittableBeacon.Type] {
        all.compactMap { $0 as? any TransmittableBeacon.Type }
    }
}

/// A key of a frame: what it means, and how its text is read and printed.
package struct BeaconKey<Frame: Sendable>: Sendable {
    /// The name in profiles, in `ctl set` and, after `--`, of an option.
    package let name: String
    /// What the value is, such as `Measured power, the RSSI at 1 m`.
    package let summary: String
    /// What can be written, such as `a whole number from 0 to 65535`.
    package let meaning: String
    /// Whether it must be given.
    package let isRequired: Bool
    /// Sets the value; returns `false` when the text is not a value.
    package let set: @Sendable (String, inout Frame) -> Bool
    /// The text of the value; `nil` when the frame does not have it.
    package let text: @Sendable (Frame) -> String?

    /// A key with closures of its own.
    package init(
        _ name: String, _ summary: String, _ meaning: String, isRequired: Bool = false,
        set: @escaping @Sendable (String, inout Frame) -> Bool, text: @escaping @Sendable (Frame) -> String?
    ) {
        self.name = name
        self.summary = summary
        self.meaning = meaning
        self.isRequired = isRequired
        self.set = set
        self.text = text
    }

    /// A key of a property.
    package init<Value>(
        _ name: String, _ summary: String, _ kind: ValueKind<Value>,
        _ path: any WritableKeyPath<Frame, Value> & Sendable, isRequired: Bool = false
    ) {
        self.init(name, summary, kind.meaning, isRequired: isRequired) { text, frame in
            guard let value = kind.parse(text) else { return false }
            frame[keyPath: path] = value
            return true
        } text: { frame in
            kind.print(frame[keyPath: path])
        }
    }
}

/// A kind of value that people write.
package struct ValueKind<Value: Sendable>: Sendable {
    /// What can be written, such as `a whole number from 0 to 65535`.
    package let meaning: String
    /// The value of a text; `nil` when it is not one.
    package let parse: @Sendable (String) -> Value?
    /// The text of a value.
    package let print: @Sendable (Value) -> String
}

extension UUID128 {
    /// The UUID of a template, which a required key replaces.
    static let ofTemplate: UUID128 = {
        guard let zeros = UUID128(octets: [UInt8](repeating: 0, count: 16)) else { preconditionFailure("16 bytes") }
        return zeros
    }()
}

extension ValueKind<UUID128> {
    /// A UUID of 128 bits.
    package static let uuid = ValueKind(
        meaning: "a UUID; write 32 hexadecimal digits as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0",
        parse: { UUID128($0) }, print: { "\($0)" })
}

extension ValueKind where Value: FixedWidthInteger {
    /// A whole number that the type can hold, decimal or with `0x` in front.
    package static var number: ValueKind {
        ValueKind(
            meaning: "a whole number from \(Value.min) to \(Value.max)",
            parse: { $0.hasPrefix("0x") ? Value($0.dropFirst(2), radix: 16) : Value($0) }, print: { "\($0)" })
    }
}

extension ValueKind<CompanyIdentifier> {
    /// A company identifier.
    package static let company = ValueKind(
        meaning: "a whole number from 0 to 65535",
        parse: { ValueKind<UInt16>.number.parse($0).map { CompanyIdentifier($0) } },
        print: { "0x" + Hexadecimal.string([UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)]) })
}

extension ValueKind<MeasuredPower> {
    /// A power in whole dBm.
    package static let measuredPower = ValueKind(
        meaning: "a power in whole dBm from -128 to 127", parse: { decibelMilliwatts($0).map { MeasuredPower($0) } },
        print: { "\($0.decibelMilliwatts)" })
}

extension ValueKind<TransmitPower> {
    /// A power in whole dBm.
    package static let power = ValueKind(
        meaning: "a power in whole dBm from -128 to 127", parse: { decibelMilliwatts($0).map { TransmitPower($0) } },
        print: { "\($0.decibelMilliwatts)" })
}

extension ValueKind<[UInt8]> {
    /// Bytes as hexadecimal digits.
    package static func bytes(_ count: Int) -> ValueKind {
        ValueKind(meaning: "\(count) bytes of two hexadecimal digits each") { text in
            guard let bytes = try? Hexadecimal.bytes(text), bytes.count == count else { return nil }
            return bytes
        } print: {
            Hexadecimal.string($0)
        }
    }
}

/// A number with or without `dBm` behind it.
private func decibelMilliwatts(_ text: String) -> Int8? {
    let number = text.hasSuffix("dBm") ? text.dropLast(3) : Substring(text)
    return Int8(number.last == " " ? number.dropLast() : number)
}
