// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A sensor or a tag, whose frames a layout describes.
package protocol Sensor: Sendable {
    /// The layout.
    static var layout: SensorLayout { get }
}

/// A frame of a sensor.
package struct SensorFrame<Kind: Sensor>: Hashable, Sendable {
    /// The numbers of the fields in the order of the layout; `nil` for a field without a value.
    private var numbers: [Int?]
    /// The text after the fields; empty for none.
    private var text: String
    /// The address in the frame; `nil` before it is filled in.
    package var address: BluetoothAddress?
    /// The bytes as received, which may have more than the fields; `nil` for a frame of values.
    private var received: [UInt8]?

    private static var layout: SensorLayout { Kind.layout }

    /// A frame without values.
    private init() {
        numbers = Self.layout.fields.map { $0.item == nil ? $0.standardNumber : $0.standard.map($0.number) }
        text = ""
    }

    /// The value of a field, in its unit; `nil` if the frame has none.
    package func value(_ key: String) -> Double? {
        guard let index = Self.layout.fields.firstIndex(where: { $0.key == key }) else { return nil }
        return value(at: index)
    }

    private func value(at index: Int) -> Double? {
        let field = Self.layout.fields[index]
        guard let number = numbers[index], number != field.invalid.map(field.bits.extended) else { return nil }
        return field.value(of: number)
    }

    private var bytes: [UInt8] {
        received ?? Self.layout.bytes(numbers, text: text, address: address)
    }

    /// The keys of its counters.
    package static var counters: [String] { layout.fields.filter { $0.content == .counter }.map(\.key) }

    /// Sets a number.
    mutating func set(_ number: Int?, at index: Int) {
        numbers[index] = number
        received = nil
    }

    mutating func setText(_ text: String) {
        self.text = text
        received = nil
    }
}

extension SensorFrame: BeaconFormat {
    package static var formatName: String { layout.name }

    /// A sensor is known by its address.
    package var identity: BeaconIdentity? { nil }

    package init?(_ structure: AdvertisingStructure) {
        let layout = Kind.layout
        guard let bytes = layout.bytes(of: structure), layout.recognises(bytes), let items = layout.items(of: bytes)
        else {
            return nil
        }
        numbers = layout.fields.map { field in
            guard let item = field.item else { return field.bits.number(in: bytes) }
            guard let own = items[item], own.count >= field.bits.end else { return nil }
            return field.bits.number(in: own)
        }
        let tail = layout.text == nil ? [] : Array(bytes.dropFirst(layout.template.count))
        text = String(decoding: tail, as: UTF8.self)
        address = layout.address(in: bytes)
        // A frame of a firmware that has more than the fields is preserved.
        if layout.bytes(numbers, text: text, address: address) != bytes { received = bytes }
    }

    package var structure: AdvertisingStructure { Self.layout.structure(of: bytes) }

    package var fields: [BeaconField] {
        var fields = Self.layout.fields.enumerated().compactMap { index, field -> BeaconField? in
            guard let value = value(at: index) else { return nil }
            let key = field.key.camelCased
            if field.content == .state {
                return BeaconField(key, .integer(Int(value)), text: "\(field.key) \(value == 1 ? "true" : "false")")
            }
            let unit = field.unit.isEmpty ? "" : " \(field.unit)"
            let isWhole = field.scale == .one
            return BeaconField(
                key, isWhole ? .integer(Int(value)) : .number(value.sixDecimals),
                text: "\(field.key) \(Self.text(value))\(unit)")
        }
        if let name = Self.layout.text, !text.isEmpty {
            fields.append(BeaconField(name.camelCased, .text(text), text: "\(name) \(text)"))
        }
        if let address { fields.append(BeaconField("address", .text(address.description), text: "address \(address)")) }
        return fields
    }

    fileprivate static func text(_ value: Double) -> String {
        let rounded = value.sixDecimals
        return Int(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
    }
}

extension SensorFrame: TransmittableBeacon where Kind: SentSensor {
    package static var template: SensorFrame { SensorFrame() }

    package static var keys: [BeaconKey<SensorFrame>] {
        layout.fields.indices.map(key) + textKeys
    }

    package static var requiredKeys: [String] { textKeys.filter(\.isRequired).map(\.name) }

    private static var textKeys: [BeaconKey<SensorFrame>] { layout.text.map { [textKey($0)] } ?? [] }

    package static var example: KeyValuePairs<String, String> { layout.example }

    package func advertisingData(flags: AdvertisingFlags?) -> AdvertisingData {
        AdvertisingData(
            [flags.map { .flags($0) }] + (Self.layout.isInScanResponse ? [] : [structure])
                + Self.layout.companions(address))
    }

    package var scanResponse: AdvertisingData { Self.layout.isInScanResponse ? AdvertisingData([structure]) : [] }

    package static var pdu: AdvertisingPDU { layout.pdu }

    private static func key(_ index: Int) -> BeaconKey<SensorFrame> {
        let field = layout.fields[index]
        let summary = field.key.prefix(1).uppercased() + field.key.dropFirst().replacing("-", with: " ")
        if field.content == .state {
            return BeaconKey(field.key, summary, "true or false", .boolean) { text, frame in
                guard let state = ["true": 1, "false": 0][text] else { return false }
                frame.set(state, at: index)
                return true
            } text: { frame in
                frame.value(at: index).map { $0 == 1 ? "true" : "false" }
            }
        }
        let (least, most) = (Self.text(field.range.lowerBound), Self.text(field.range.upperBound))
        let unit = field.unit.isEmpty ? "" : " \(field.unit)"
        return BeaconKey(
            field.key, summary, "a number from \(least) to \(most)\(unit)",
            .number(field.range.lowerBound.sixDecimals...field.range.upperBound.sixDecimals)
        ) { text, frame in
            guard let value = Double(text), value.isFinite, !text.contains("x"), field.range.contains(value) else {
                return false
            }
            frame.set(field.number(of: value), at: index)
            return true
        } text: { frame in
            frame.value(at: index).map(Self.text)
        }
    }

    private static func textKey(_ name: String) -> BeaconKey<SensorFrame> {
        BeaconKey(
            name, name.prefix(1).uppercased() + name.dropFirst(), "a text of up to 16 bytes", .text(1...16),
            isRequired: true
        ) {
            text, frame in
            guard 1...16 ~= text.utf8.count else { return false }
            frame.setText(text)
            return true
        } text: {
            $0.text.isEmpty ? nil : $0.text
        }
    }
}

/// A sensor whose frames can be sent, too.
package protocol SentSensor: Sensor {}

extension SensorLayout {
    /// The structures that the device advertises beside the frame.
    /// - Parameter address: the address that the name contains; `nil` for zeros.
    func companions(_ address: BluetoothAddress?) -> [AdvertisingStructure?] {
        let digits = address.map { Hexadecimal.string($0.octets.suffix(2)).uppercased() } ?? "0000"
        let name = localName.map { AdvertisingStructure.localName($0.replacing("*", with: digits), isComplete: true) }
        return [services.isEmpty ? nil : .serviceUUIDs16(services, isComplete: true), name]
    }
}

extension AdvertisingData {
    fileprivate init(_ structures: [AdvertisingStructure?]) { self.init(structures.compactMap(\.self)) }
}

extension Double {
    /// Without the noise of fractions that are not binary.
    fileprivate var sixDecimals: Double { (self * 1_000_000).rounded() / 1_000_000 }
}

extension String {
    /// `battery-state` as `batteryState`.
    fileprivate var camelCased: String {
        let words = split(separator: "-")
        return
            ([words.first.map(String.init) ?? ""] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
            .joined()
    }
}
