// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Devices
import Yams

/// Reads the keys of a SensorTag in a profile.
struct SensorTagParser {
    /// The keys that are mappings, and what is in them.
    static let groups: [(key: String, members: [(key: String, quantity: SensorTagQuantity)])] = [
        ("temperature", [("object", .objectTemperature), ("ambient", .ambientTemperature)]),
        ("acceleration", [("x", .accelerationX), ("y", .accelerationY), ("z", .accelerationZ)]),
        ("magnetism", [("x", .magnetismX), ("y", .magnetismY), ("z", .magnetismZ)]),
        ("rotation", [("x", .rotationX), ("y", .rotationY), ("z", .rotationZ)]),
    ]
    /// The keys that are one quantity.
    static let singles: [SensorTagQuantity] = [.humidity, .pressure, .keys]

    private let firmware: SensorTagFirmware
    private var environment = SensorTagEnvironment()

    /// The tag that a beacon's keys describe.
    static func parse(_ reader: inout MappingReader) -> DeviceProfile {
        let firmware = reader.value("firmware", Self.firmware) ?? .version14
        var parser = SensorTagParser(firmware: firmware)
        parser.readQuantities(&reader)
        return .sensorTag(
            SensorTag.Configuration(
                firmware: firmware, address: reader.value("address", ValueText.address),
                environment: parser.environment,
                advertising: reader.value("advertising") { text throws(ValueFault) in
                    try ValueText.choice(text, of: SensorTag.AdvertisingPolicy.self)
                } ?? .always,
                hasImageService: reader.value("image-service", ValueText.boolean)))
    }

    private init(firmware: SensorTagFirmware) { self.firmware = firmware }

    private mutating func readQuantities(_ reader: inout MappingReader) {
        for group in Self.groups {
            _ = reader.part(group.key) { part in
                for member in group.members { read(member.quantity, of: member.key, &part) }
                return true
            }
        }
        for quantity in Self.singles { read(quantity, of: quantity.rawValue, &reader) }
    }

    private mutating func read(_ quantity: SensorTagQuantity, of key: String, _ reader: inout MappingReader) {
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

    private static func firmware(_ text: String) throws(ValueFault) -> SensorTagFirmware {
        guard let firmware = SensorTagFirmware(rawValue: text) else {
            let known = SensorTagFirmware.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValueFault("there is no firmware \"\(text)\"; versions are \(known)")
        }
        return firmware
    }
}
