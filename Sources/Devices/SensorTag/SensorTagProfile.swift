// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

// The profile keys of a SensorTag.

extension SensorTag {
    package var advertising: AdvertisingSettings { configuration.advertising }
    package var advertisedName: String? { SensorTagWire.advertisedName }
    package var defaultPairing: PairingSettings? { Self.pairing }

    package static let settings: [Setting<Configuration>] =
        [
            Setting(
                "firmware", "1.3 (same attribute table as 1.2), 1.4 or 1.5", .choice(of: SensorTagFirmware.self),
                \.firmware,
                parse: SensorTagKeyReader.firmware, print: { $0.rawValue })
        ] + SensorTagKeyReader.settings + Setting.advertising(only: ["address"]) + [
            Setting(
                "advertising", "always, or side-key", .choice(of: AdvertisingPolicy.self), \.advertisingPolicy,
                omits: { $0 == .always },
                parse: { text throws(ValueFault) in try ValueText.choice(text, of: AdvertisingPolicy.self) },
                print: { $0.rawValue }),
            Setting(
                "image-service", "true or false: whether it has the firmware update service FFC0",
                .value(.boolean),
                standard: "true, with firmware 1.3 false",
                read: { reader, configuration in
                    let isGiven = reader.value("image-service", ValueText.boolean)
                    configuration.hasImageService = isGiven ?? configuration.firmware.usuallyHasImageService
                    return true
                },
                write: { configuration, writer in
                    guard configuration.hasImageService != configuration.firmware.usuallyHasImageService else { return }
                    writer.write("image-service", "\(configuration.hasImageService)")
                }),
        ]

    package static let template = Configuration()

    package var findings: [ProfileFinding] {
        // The highest bit of a raw temperature above 41 °C is set.
        guard configuration.environment[.ambientTemperature].bounds.upperBound > 41 else { return [] }
        return [
            ProfileFinding(
                .advice, "humidity-temperature-sign", affects: "apps made from the maker's examples",
                "they decode the humidity sensor's temperature as a signed number, and display less than -46 °C "
                    + "for more than 41 °C", hint: "keep temperature.ambient at 41 or below")
        ]
    }
}

/// Reads and writes the quantities around a SensorTag, whose ranges depend on the firmware.
private enum SensorTagKeyReader {
    static let settings: [Setting<SensorTag.Configuration>] = [
        quantity(.objectTemperature, "object", in: "temperature"),
        quantity(.ambientTemperature, "ambient", in: "temperature"),
        quantity(.accelerationX, "x", in: "acceleration"), quantity(.accelerationY, "y", in: "acceleration"),
        quantity(.accelerationZ, "z", in: "acceleration"), quantity(.magnetismX, "x", in: "magnetism"),
        quantity(.magnetismY, "y", in: "magnetism"), quantity(.magnetismZ, "z", in: "magnetism"),
        quantity(.rotationX, "x", in: "rotation"), quantity(.rotationY, "y", in: "rotation"),
        quantity(.rotationZ, "z", in: "rotation"), quantity(.humidity, "humidity"), quantity(.pressure, "pressure"),
        quantity(.keys, "keys"),
    ]

    private static func quantity(
        _ quantity: SensorTagQuantity, _ key: String, in group: String? = nil
    ) -> Setting<SensorTag.Configuration> {
        Setting(
            key, in: group, quantity.possibleValues(with: .version14), .quantity(quantity.shape),
            standard: quantity.text(of: quantity.usual),
            read: { reader, configuration in
                if let value = read(quantity, of: key, &reader, with: configuration.firmware) {
                    configuration.environment[quantity] = value
                }
                return true
            },
            write: { configuration, writer in
                let value = configuration.environment[quantity]
                if case .fixed(let number) = value {
                    writer.write(key, quantity.text(of: number))
                } else {
                    writer.write(key, AttributeWriter.text(value))
                }
            })
    }

    private static func read(
        _ quantity: SensorTagQuantity, of key: String, _ reader: inout ProfileReader, with firmware: SensorTagFirmware
    ) -> Quantity? {
        if reader.present(key)?.mapping != nil { return reader.quantity(key, in: quantity.range(with: firmware)) }
        return reader.value(key) { text throws(ValueFault) -> Quantity in
            guard let value = quantity.value(of: text, with: firmware) else {
                throw ValueFault("\"\(text)\" is not \(quantity.possibleValues(with: firmware))")
            }
            return .fixed(value)
        }
    }

    static func firmware(_ text: String) throws(ValueFault) -> SensorTagFirmware {
        guard let firmware = SensorTagFirmware(rawValue: text) else {
            let known = SensorTagFirmware.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValueFault("there is no firmware \"\(text)\"; versions are \(known)")
        }
        return firmware
    }
}
