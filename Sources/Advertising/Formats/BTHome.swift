// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// BTHome version 2, unencrypted: measurements and events of a sensor, as data of the 16-bit service 0xFCD2.
///
/// The format of bthome.io: a byte of device information, then objects in ascending order of their IDs, each an ID and
/// a little-endian value. An object with an unlisted ID ends the decoding, because its length is unknown.
public struct BTHome: Hashable, Sendable {
    /// The UUID of the service data.
    public static let service: UInt16 = 0xFCD2
    /// The device information of version 2 without encryption.
    private static let plain: UInt8 = 0x40
    /// The bit in the device information of a device that sends only on events.
    private static let isTriggered: UInt8 = 0x04

    /// A kind of object: how its value is stored and named.
    public struct Kind: Hashable, Sendable {
        /// The object ID.
        public let identifier: UInt8
        /// The name in profiles and JSON.
        public let name: String
        /// The unit for people; empty if the kind has no unit.
        public let unit: String
        /// The number of bytes.
        let size: Int
        /// Whether the value has a sign.
        let isSigned: Bool
        /// The number of steps in one unit: 100 for steps of 0.01.
        let stepsPerUnit: Int
        /// Whether the value is a state, 0 for off and 1 for on.
        var isBinary = false

        /// The range of values that can be sent.
        var range: ClosedRange<Double> {
            let steps = 1 << (size * 8 - (isSigned ? 1 : 0))
            let least = isSigned ? -Double(steps) / Double(stepsPerUnit) : 0
            return least...Double(steps - 1) / Double(stepsPerUnit)
        }
    }

    /// The kinds of objects, in the order of their IDs.
    public static let kinds: [Kind] = [
        Kind(identifier: 0x00, name: "packet-id", unit: "", size: 1, isSigned: false, stepsPerUnit: 1),
        Kind(identifier: 0x01, name: "battery", unit: "%", size: 1, isSigned: false, stepsPerUnit: 1),
        Kind(identifier: 0x02, name: "temperature", unit: "°C", size: 2, isSigned: true, stepsPerUnit: 100),
        Kind(identifier: 0x03, name: "humidity", unit: "%", size: 2, isSigned: false, stepsPerUnit: 100),
        Kind(identifier: 0x04, name: "pressure", unit: "hPa", size: 3, isSigned: false, stepsPerUnit: 100),
        Kind(identifier: 0x05, name: "illuminance", unit: "lx", size: 3, isSigned: false, stepsPerUnit: 100),
        Kind(identifier: 0x0C, name: "voltage", unit: "V", size: 2, isSigned: false, stepsPerUnit: 1000),
        Kind(identifier: 0x21, name: "motion", unit: "", size: 1, isSigned: false, stepsPerUnit: 1, isBinary: true),
        Kind(identifier: 0x2D, name: "window", unit: "", size: 1, isSigned: false, stepsPerUnit: 1, isBinary: true),
        Kind(identifier: 0x3A, name: "button", unit: "", size: 1, isSigned: false, stepsPerUnit: 1),
        Kind(identifier: 0xF0, name: "device-type", unit: "", size: 2, isSigned: false, stepsPerUnit: 1),
    ]

    /// An object: its kind and its value in steps.
    public struct Object: Hashable, Sendable {
        /// The kind.
        public let kind: Kind
        /// The value in steps of the kind.
        public let steps: Int

        /// The value in the unit of the kind.
        public var value: Double { Double(steps) / Double(kind.stepsPerUnit) }

        /// The value for people, such as `25` or `50.55`.
        var text: String { kind.stepsPerUnit == 1 ? "\(steps)" : BTHome.decimal(value) }
    }

    /// Whether the device sends only on events, instead of regularly.
    public internal(set) var isTriggered: Bool
    /// The objects in the order of the frame.
    public private(set) var objects: [Object]
    /// The bytes from the first object of an unknown kind on.
    public let undecoded: [UInt8]

    /// A frame without objects.
    init() { (isTriggered, objects, undecoded) = (false, [], []) }

    /// The object with a name; `nil` if the frame has no such object.
    public subscript(_ name: String) -> Object? { objects.first { $0.kind.name == name } }

    /// Sets the value of an object, in the unit of its kind, to the nearest step.
    /// - Returns: whether the kind can represent the value.
    mutating func set(_ kind: Kind, to value: Double) -> Bool {
        guard kind.range.contains(value) else { return false }
        let object = Object(kind: kind, steps: Int((value * Double(kind.stepsPerUnit)).rounded()))
        objects.removeAll { $0.kind == kind }
        objects.append(object)
        objects.sort { $0.kind.identifier < $1.kind.identifier }
        return true
    }

    /// A number without superfluous decimals.
    private static func decimal(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
}

extension BTHome: BeaconFormat {
    public static let formatName = "bthome"

    public init?(_ structure: AdvertisingStructure) {
        guard case .serviceData16(Self.service, let data) = structure, let information = data.first,
            information & ~Self.isTriggered == Self.plain
        else { return nil }
        isTriggered = information & Self.isTriggered != 0
        objects = []
        var rest = data.dropFirst()
        while let identifier = rest.first, let kind = Self.kinds.first(where: { $0.identifier == identifier }),
            rest.count > kind.size
        {
            let bytes = rest.dropFirst().prefix(kind.size)
            let number = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            let isNegative = kind.isSigned && number >= 1 << (kind.size * 8 - 1)
            objects.append(Object(kind: kind, steps: isNegative ? number - 1 << (kind.size * 8) : number))
            rest = rest.dropFirst(1 + kind.size)
        }
        undecoded = Array(rest)
    }

    public var structure: AdvertisingStructure {
        var data = [Self.plain | (isTriggered ? Self.isTriggered : 0)]
        for object in objects {
            data.append(object.kind.identifier)
            data += (0..<object.kind.size).map { UInt8(truncatingIfNeeded: object.steps >> ($0 * 8)) }
        }
        return .serviceData16(Self.service, data + undecoded)
    }

    public var fields: [BeaconField] {
        var fields = objects.map { object in
            let text = "\(object.kind.name) \(object.text)" + (object.kind.unit.isEmpty ? "" : " \(object.kind.unit)")
            let isWhole = object.kind.stepsPerUnit == 1
            return BeaconField(
                object.kind.name, isWhole ? .integer(object.steps) : .number(object.value), text: text)
        }
        if !undecoded.isEmpty {
            let digits = Hexadecimal.string(undecoded)
            fields.append(BeaconField("undecoded", .text(digits), text: "undecoded \(digits)"))
        }
        return fields
    }
}

extension BTHome: TransmittableBeacon {
    package static let template = BTHome()

    package func advertisingData(flags: AdvertisingFlags?) -> AdvertisingData {
        AdvertisingData([flags.map { .flags($0) }, structure].compactMap { $0 })
    }

    package static let keys = kinds.map(key(of:)) + [trigger]

    private static let states = ["true": 1.0, "false": 0.0]

    private static func key(of kind: Kind) -> BeaconKey<BTHome> {
        let (least, most) = (decimal(kind.range.lowerBound), decimal(kind.range.upperBound))
        let unit = kind.unit.isEmpty ? "" : " \(kind.unit)"
        return BeaconKey(
            kind.name, kind.name.prefix(1).uppercased() + kind.name.dropFirst().replacing("-", with: " "),
            (kind.isBinary ? "true, false or " : "") + "a number from \(least) to \(most)\(unit)",
            kind.isBinary ? .either([.choice(states.keys.sorted()), .number(kind.range)]) : .number(kind.range)
        ) { text, frame in
            if kind.isBinary, let state = states[text] { return frame.set(kind, to: state) }
            guard let value = Double(text), value.isFinite, !text.contains("x") else { return false }
            return frame.set(kind, to: value)
        } text: { frame in
            frame[kind.name]?.text
        }
    }

    private static let trigger = BeaconKey<BTHome>(
        "trigger", "Whether the device sends only on events, instead of regularly", "true or false", .boolean
    ) { text, frame in
        guard let state = states[text] else { return false }
        frame.isTriggered = state == 1
        return true
    } text: { frame in
        frame.isTriggered ? "true" : nil
    }

    package static let example: KeyValuePairs = ["temperature": "21.5", "humidity": "50.5"]
}
