// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// UUIDs and constant values of the Texas Instruments CC2541 SensorTag.
package enum SensorTagWire {
    /// The maker's UUIDs: `F000xxxx-0451-4000-B000-000000000000`.
    package static func uuid(_ number: UInt16) -> BluetoothUUID {
        var writer = ByteWriter(capacity: 16)
        writer.write([0xF0, 0x00])
        writer.writeBigEndian(number)
        writer.write([0x04, 0x51, 0x40, 0x00, 0xB0, 0x00, 0, 0, 0, 0, 0, 0])
        guard let uuid = UUID128(octets: writer.bytes) else { preconditionFailure("these are 16 octets") }
        return .bit128(uuid)
    }

    /// The octets that correct the barometer: c1 to c8.
    package static let calibration = uuid(0xAA43)
    /// The service of the keys; from a range that its maker did not own.
    package static let keyService = BluetoothUUID.bit16(0xFFE0)
    /// Which keys are pressed.
    package static let keys = BluetoothUUID.bit16(0xFFE1)
    /// The service of the self-test.
    package static let testService = uuid(0xAA60)
    /// Which sensors passed the self-test.
    package static let testData = uuid(0xAA61)
    /// Test mode and lamps.
    package static let testConfiguration = uuid(0xAA62)
    /// The service that controls the connection.
    package static let connectionService = uuid(0xCCC0)
    /// The connection's parameters.
    package static let connectionParameters = uuid(0xCCC1)
    /// The parameters that a central would like the tag to ask for.
    package static let connectionParametersRequest = uuid(0xCCC2)
    /// Ends the connection.
    package static let disconnectRequest = uuid(0xCCC3)
    /// The service that takes new firmware.
    package static let imageService = uuid(0xFFC0)
    /// The header of an image.
    package static let imageIdentity = uuid(0xFFC1)
    /// A block of an image.
    package static let imageBlock = uuid(0xFFC2)

    /// The name that is advertised.
    package static let advertisedName = "SensorTag"
    /// The name that is read; clients look for either.
    package static let deviceName = "TI BLE Sensor Tag"
    /// An address of the maker's, which the system identifier is made of where the profile gives none.
    package static let exampleAddress: [UInt8] = [0xB4, 0x99, 0x4C, 0x64, 0x30, 0xFF]
    /// 100 ms, no latency, 9.6 s: what a real tag's table showed.
    package static let exampleConnectionParameters: [UInt8] = [0x10, 0x00, 0x00, 0x00, 0xC0, 0x03]
}
