// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
package import BluetoothCore

/// A Bluegiga BLE112 module that reports the position of a potentiometer as a battery level.
package struct BatteryMonitor: ProfiledDevice {
    package static let kind = "battery"
    package static let hasFlash = false
    /// The name of the level in settings.
    package static let levelName = "level"

    /// The values that a profile gives.
    package struct Configuration: Hashable, Sendable {
        /// The level in per cent, 0 to 100.
        package var level: Quantity
        /// Whether the value has two bytes, the first of them 0, for clients that were written for heart rates.
        package var isBookCompatible: Bool
        /// Whether the characteristic has a presentation format descriptor (percentage).
        package var hasPresentationFormat: Bool
        /// The name that it advertises.
        package var name: String
        /// The advertising interval.
        package var interval: AdvertisingInterval
        /// The radiated power; `nil` leaves it to the radio.
        package var transmitPower: TransmitPower?
        /// The address; `nil` leaves it to the radio.
        package var address: BluetoothAddress?

        /// A module; the potentiometer is at its maximum by default.
        package init(
            level: Quantity = .fixed(100), isBookCompatible: Bool = false, hasPresentationFormat: Bool = false,
            name: String = "Battery", interval: AdvertisingInterval = AdvertisingInterval(160),
            transmitPower: TransmitPower? = nil, address: BluetoothAddress? = nil
        ) {
            self.level = level
            self.isBookCompatible = isBookCompatible
            self.hasPresentationFormat = hasPresentationFormat
            self.name = name
            self.interval = interval
            self.transmitPower = transmitPower
            self.address = address
        }
    }

    package let configuration: Configuration
    private var peripheral: GATTPeripheral

    /// A module with these values.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        peripheral = GATTPeripheral(Self.declaration(of: configuration))
    }

    package var services: [GATTService] { peripheral.services }
    package var settings: [SettingValue] { peripheral.settings }
    package var nextDeadline: Duration? { peripheral.nextDeadline }

    package func presentValues(at now: DeviceTime) -> [String: String] { peripheral.presentValues(at: now) }

    package func name(of characteristic: CharacteristicIdentifier) -> String? { peripheral.name(of: characteristic) }

    package var advertisesWhileConnected: Bool { peripheral.advertisesWhileConnected }

    package func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        peripheral.read(characteristic, offset: offset, at: now)
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        peripheral.handle(input, at: now)
    }

    // MARK: - Services

    private static let batteryService = BluetoothUUID.bit16(0x180F)
    private static let deviceInformation = BluetoothUUID.bit16(0x180A)

    private static func declaration(of configuration: Configuration) -> GATTPeripheral.Configuration {
        var content = AdvertisedContent()
        content.services = [batteryService, deviceInformation]
        content.name = configuration.name
        content.interval = configuration.interval
        content.transmitPower = configuration.transmitPower
        content.address = configuration.address
        let information = [
            text("manufacturer", 0x2A29, "Bluegiga"), text("model", 0x2A24, "BLE112"),
            text("firmware", 0x2A26, "25"), text("software", 0x2A28, "1.0"),
        ]
        return GATTPeripheral.Configuration(
            services: [
                DeclaredService(uuid: batteryService, characteristics: [level(of: configuration)]),
                DeclaredService(uuid: deviceInformation, characteristics: information),
            ],
            content: content)
    }

    private static func level(of configuration: Configuration) -> DeclaredCharacteristic {
        let octet = ValueFormat.integer(IntegerFormat(size: 1, isSigned: false))
        let level = ValueField(format: octet, source: .quantity(configuration.level), accepted: 0...100)
        let nothing = ValueField(name: "flags", format: octet, source: .fixed([0]))
        let percentage = GATTDescriptor.presentationFormat(PresentationFormat(format: 0x04, unit: 0x27AD))
        var characteristic = DeclaredCharacteristic(
            name: levelName, uuid: .bit16(0x2A19), properties: [.read, .notify],
            descriptors: configuration.hasPresentationFormat ? [percentage] : [],
            fields: configuration.isBookCompatible ? [nothing, level] : [level])
        characteristic.telling = .onChange
        return characteristic
    }

    private static func text(_ name: String, _ uuid: UInt16, _ text: String) -> DeclaredCharacteristic {
        DeclaredCharacteristic(
            name: name, uuid: .bit16(uuid), properties: .read,
            fields: [ValueField(format: .text, source: .fixed(Array(text.utf8)))])
    }
}

// MARK: - Profile

extension BatteryMonitor {
    package var address: BluetoothAddress? { configuration.address }
    package var advertisedName: String? { configuration.name }
    package var interval: AdvertisingInterval { configuration.interval }
    package var transmitPower: TransmitPower? { configuration.transmitPower }

    package static let settings: [Setting<Configuration>] = [
        Setting(
            levelName, "0 to 100, or a generator such as { drain: { from: 100, every: 36s } } (see below)",
            standard: "100",
            read: { reader, configuration in
                if let level = reader.quantity(levelName, in: 0...100) { configuration.level = level }
                return true
            }, write: { $1.write(levelName, AttributeWriter.text($0.level)) }),
        .flag(
            "book-compatible", "true: two bytes, 0 and the level, for clients that read the second byte",
            \.isBookCompatible),
        .flag("presentation", "true: descriptor 2904 declares a percentage", \.hasPresentationFormat),
        .name(\.name, standard: "Battery"), Setting(.interval, \.interval),
        Setting(.transmitPower, \.transmitPower, standard: "the radio's default"), .address(\.address),
    ]

    package static let template = Configuration()
}
