// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
package import BluetoothCore

// The profile keys of a SensorTag.

extension SensorTag {
    package var address: BluetoothAddress? { configuration.address }
    package var advertisedName: String? { SensorTagWire.advertisedName }
    package var interval: AdvertisingInterval { Self.interval }
    package var transmitPower: TransmitPower? { nil }
    package var defaultPairing: PairingSettings? { Self.pairing }

    package init?(from reader: inout ProfileReader) {
        let firmware = reader.value("firmware", SensorTagKeyReader.firmware) ?? .version14
        var keys = SensorTagKeyReader(firmware: firmware)
        keys.readQuantities(&reader)
        self.init(
            Configuration(
                firmware: firmware, address: reader.value("address", ValueText.address),
                environment: keys.environment,
                advertising: reader.value("advertising") { text throws(ValueFault) in
                    try ValueText.choice(text, of: AdvertisingPolicy.self)
                } ?? .always,
                hasImageService: reader.value("image-service", ValueText.boolean)))
    }

    package func write(to writer: inout DeviceWriter) {
        writer.write("firmware", configuration.firmware.rawValue)
        func text(_ quantity: SensorTagQuantity) -> String {
            let value = configuration.environment[quantity]
            if case .fixed(let number) = value { return quantity.text(of: number) }
            return AttributeWriter.text(value)
        }
        for group in SensorTagKeyReader.groups {
            let members = group.members.map { "\($0.key): \(text($0.quantity))" }
            writer.write(group.key, "{ \(members.joined(separator: ", ")) }")
        }
        for quantity in SensorTagKeyReader.singles { writer.write(quantity.rawValue, text(quantity)) }
        if configuration.advertising != .always { writer.write("advertising", configuration.advertising.rawValue) }
        if configuration.hasImageService != configuration.firmware.usuallyHasImageService {
            writer.write("image-service", "\(configuration.hasImageService)")
        }
    }

    package var findings: [DeviceFinding] {
        // The highest bit of a raw temperature above 41 °C is set.
        guard configuration.environment[.ambientTemperature].bounds.upperBound > 41 else { return [] }
        return [
            DeviceFinding(
                .advice, "humidity-temperature-sign", affects: "apps made from the maker's examples",
                "they decode the humidity sensor's temperature as a signed number, and display less than -46 °C "
                    + "for more than 41 °C", hint: "keep temperature.ambient at 41 or below")
        ]
    }
}

/// Reads the quantities around a SensorTag.
private struct SensorTagKeyReader {
    /// The keys that are mappings, and what is in them.
    fileprivate static let groups: [(key: String, members: [(key: String, quantity: SensorTagQuantity)])] = [
        ("temperature", [("object", .objectTemperature), ("ambient", .ambientTemperature)]),
        ("acceleration", [("x", .accelerationX), ("y", .accelerationY), ("z", .accelerationZ)]),
        ("magnetism", [("x", .magnetismX), ("y", .magnetismY), ("z", .magnetismZ)]),
        ("rotation", [("x", .rotationX), ("y", .rotationY), ("z", .rotationZ)]),
    ]
    /// The keys that are one quantity.
    fileprivate static let singles: [SensorTagQuantity] = [.humidity, .pressure, .keys]

    private let firmware: SensorTagFirmware
    private(set) var environment = SensorTagEnvironment()

    init(firmware: SensorTagFirmware) { self.firmware = firmware }

    mutating func readQuantities(_ reader: inout ProfileReader) {
        for group in Self.groups {
            _ = reader.part(group.key) { part in
                for member in group.members { read(member.quantity, of: member.key, &part) }
                return true
            }
        }
        for quantity in Self.singles { read(quantity, of: quantity.rawValue, &reader) }
    }

    private mutating func read(_ quantity: SensorTagQuantity, of key: String, _ reader: inout ProfileReader) {
        if reader.present(key)?.mapping != nil {
            if let changing = reader.quantity(key, in: quantity.range(with: firmware)) {
                environment[quantity] = changing
            }
            return
        }
        let value = reader.value(key) { [firmware] text throws(ValueFault) -> Double in
            guard let value = quantity.value(of: text, with: firmware) else {
                throw ValueFault("\"\(text)\" is not \(quantity.possibleValues(with: firmware))")
            }
            return value
        }
        if let value { environment[quantity] = .fixed(value) }
    }

    static func firmware(_ text: String) throws(ValueFault) -> SensorTagFirmware {
        guard let firmware = SensorTagFirmware(rawValue: text) else {
            let known = SensorTagFirmware.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValueFault("there is no firmware \"\(text)\"; versions are \(known)")
        }
        return firmware
    }
}
