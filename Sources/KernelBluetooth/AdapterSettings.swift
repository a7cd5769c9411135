// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The current settings of a controller (mgmt-api, "Read Controller Information" and "New Settings").
package struct AdapterSettings: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The controller is powered on.
    package static let powered = AdapterSettings(rawValue: 1 << 0)
    /// Every advertising instance is connectable, whatever its own flag.
    package static let connectable = AdapterSettings(rawValue: 1 << 1)
    /// Other devices find the adapter; bluetoothd makes it connectable with it.
    package static let discoverable = AdapterSettings(rawValue: 1 << 3)
    /// BR/EDR is on. Without it the kernel adds flags to advertising data that has none.
    package static let classic = AdapterSettings(rawValue: 1 << 7)
    /// Low Energy is on.
    package static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
    /// The adapter's own advertising is on (`btmgmt advertising on`): no instance is sent.
    package static let advertising = AdapterSettings(rawValue: 1 << 10)
}

/// The return parameters of Read Controller Information (mgmt-api, command 0x0004).
package struct ControllerInformation: WireCodable, Hashable {
    /// Class of device, name and short name.
    private static let tailLength = 3 + 249 + 11

    /// The public address; zero for a controller that has none.
    package let address: BluetoothAddress
    /// The version of HCI.
    package let version: UInt8
    /// The company identifier of the manufacturer.
    package let manufacturer: UInt16
    /// The settings that the controller can have.
    package let supportedSettings: AdapterSettings
    /// The settings that it has.
    package let currentSettings: AdapterSettings
    private let tail: [UInt8]

    /// Information without a class and without names.
    package init(
        address: BluetoothAddress, version: UInt8 = 9, manufacturer: UInt16 = 0,
        supportedSettings: AdapterSettings = [], currentSettings: AdapterSettings
    ) {
        self.address = address
        self.version = version
        self.manufacturer = manufacturer
        self.supportedSettings = supportedSettings
        self.currentSettings = currentSettings
        tail = [UInt8](repeating: 0, count: Self.tailLength)
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
        version = try reader.readUInt8()
        manufacturer = try reader.readLittleEndian()
        supportedSettings = AdapterSettings(rawValue: try reader.readLittleEndian())
        currentSettings = AdapterSettings(rawValue: try reader.readLittleEndian())
        tail = Array(try reader.read(count: Self.tailLength))
    }

    package func serialize(into writer: inout ByteWriter) {
        address.serialize(into: &writer)
        writer.write(version)
        writer.writeLittleEndian(manufacturer)
        writer.writeLittleEndian(supportedSettings.rawValue)
        writer.writeLittleEndian(currentSettings.rawValue)
        writer.write(tail)
    }
}
