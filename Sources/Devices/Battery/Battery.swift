// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth

/// A Bluegiga BLE112 module that reports the position of a potentiometer as a battery level.
package typealias BatteryMonitor = PresetPeripheral<Battery>

/// The values that a profile gives of a battery, and its services.
package struct Battery: GATTPreset, AdvertisingConfiguration {
    package static let kind = "battery"

    /// The level in per cent, 0 to 100.
    package var level: Quantity
    /// Whether the value has two bytes, the first of them 0, for clients that were written for heart rates.
    package var isBookCompatible: Bool
    /// Whether the characteristic has a presentation format descriptor (percentage).
    package var hasPresentationFormat: Bool
    /// The name that it advertises.
    package var name: String
    package var advertising: AdvertisingSettings

    /// A battery; the potentiometer is at its maximum by default.
    package init(
        level: Quantity = .fixed(100), isBookCompatible: Bool = false, hasPresentationFormat: Bool = false,
        name: String = "Battery", advertising: AdvertisingSettings = AdvertisingSettings()
    ) {
        self.level = level
        self.isBookCompatible = isBookCompatible
        self.hasPresentationFormat = hasPresentationFormat
        self.name = name
        self.advertising = advertising
    }

    package init() { self.init(level: .fixed(100)) }

    /// The name of the level in settings.
    private static let levelName = "level"

    package static let settings: [Setting<Battery>] =
        [
            Setting(
                levelName, "0 to 100, or a generator such as { drain: { from: 100, every: 36s } } (see below)",
                .quantity(.number(0...100)), standard: "100",
                read: { reader, battery in
                    if let level = reader.quantity(levelName, in: 0...100) { battery.level = level }
                    return true
                }, write: { $1.write(levelName, AttributeWriter.text($0.level)) }),
            .flag(
                "book-compatible", "true: two bytes, 0 and the level, for clients that read the second byte",
                \.isBookCompatible),
            .flag("presentation", "true: descriptor 2904 declares a percentage", \.hasPresentationFormat),
            .name(\.name, standard: "Battery"),
        ] + Setting.advertising()

    // MARK: - Services

    private static let batteryService = BluetoothUUID.bit16(0x180F)
    private static let deviceInformation = BluetoothUUID.bit16(0x180A)

    package var peripheral: GATTPeripheral.Configuration {
        var content = AdvertisedContent()
        content.services = [Self.batteryService, Self.deviceInformation]
        content.name = name
        content.advertising = advertising
        let information = [
            Self.text("manufacturer", 0x2A29, "Bluegiga"), Self.text("model", 0x2A24, "BLE112"),
            Self.text("firmware", 0x2A26, "25"), Self.text("software", 0x2A28, "1.0"),
        ]
        return GATTPeripheral.Configuration(
            services: [
                DeclaredService(uuid: Self.batteryService, characteristics: [levelCharacteristic]),
                DeclaredService(uuid: Self.deviceInformation, characteristics: information),
            ],
            content: content)
    }

    private var levelCharacteristic: DeclaredCharacteristic {
        let byte = ValueFormat.integer(IntegerFormat(size: 1, isSigned: false))
        let value = ValueField(format: byte, source: .quantity(level), accepted: 0...100)
        let flags = ValueField(name: "flags", format: byte, source: .fixed([0]))
        let percentage = GATTDescriptor.presentationFormat(PresentationFormat(format: 0x04, unit: 0x27AD))
        var characteristic = DeclaredCharacteristic(
            name: Self.levelName, uuid: .bit16(0x2A19), properties: [.read, .notify],
            descriptors: hasPresentationFormat ? [percentage] : [], fields: isBookCompatible ? [flags, value] : [value])
        characteristic.notificationPolicy = .onChange
        return characteristic
    }

    private static func text(_ name: String, _ uuid: UInt16, _ text: String) -> DeclaredCharacteristic {
        DeclaredCharacteristic(
            name: name, uuid: .bit16(uuid), properties: .read,
            fields: [ValueField(format: .text, source: .fixed(Array(text.utf8)))])
    }
}
