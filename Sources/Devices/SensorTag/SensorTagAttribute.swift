// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// UUIDs and constant values of the Texas Instruments CC2541 SensorTag.
package enum SensorTagWire {
    /// A UUID of the manufacturer: `F000xxxx-0451-4000-B000-000000000000`.
    package static func uuid(_ number: UInt16) -> BluetoothUUID {
        var writer = ByteWriter(capacity: 16)
        writer.write([0xF0, 0x00])
        writer.writeBigEndian(number)
        writer.write([0x04, 0x51, 0x40, 0x00, 0xB0, 0x00, 0, 0, 0, 0, 0, 0])
        guard let uuid = UUID128(octets: writer.bytes) else { preconditionFailure("these are 16 bytes") }
        return .bit128(uuid)
    }

    /// The coefficients c1 to c8 of the barometer.
    package static let calibration = uuid(0xAA43)
    /// The key service; its 16-bit UUID was not assigned to the manufacturer.
    package static let keyService = BluetoothUUID.bit16(0xFFE0)
    /// The pressed keys.
    package static let keys = BluetoothUUID.bit16(0xFFE1)
    /// The self-test service.
    package static let testService = uuid(0xAA60)
    /// The sensors that passed the self-test.
    package static let testData = uuid(0xAA61)
    /// Test mode and lights.
    package static let testConfiguration = uuid(0xAA62)
    /// The service that controls the connection.
    package static let connectionService = uuid(0xCCC0)
    /// The connection parameters in use.
    package static let connectionParameters = uuid(0xCCC1)
    /// The connection parameters that the tag shall request.
    package static let connectionParametersRequest = uuid(0xCCC2)
    /// Ends the connection.
    package static let disconnectRequest = uuid(0xCCC3)
    /// The firmware update service.
    package static let imageService = uuid(0xFFC0)
    /// The header of a firmware image.
    package static let imageIdentity = uuid(0xFFC1)
    /// A block of a firmware image.
    package static let imageBlock = uuid(0xFFC2)

    static let privacyFlag = BluetoothUUID.bit16(0x2A02)
    static let reconnectionAddress = BluetoothUUID.bit16(0x2A03)

    /// The local name in the scan response.
    package static let advertisedName = "SensorTag"
    /// The Device Name in the Generic Access service; some clients search for this name.
    package static let deviceName = "TI BLE Sensor Tag"
    /// An address of the manufacturer, for the System ID of a tag without an address in its profile.
    package static let exampleAddress: [UInt8] = [0xB4, 0x99, 0x4C, 0x64, 0x30, 0xFF]
    /// 20 ms, no latency, 9.6 s: the connection parameters in a published attribute table.
    package static let exampleConnectionParameters: [UInt8] = [0x10, 0x00, 0x00, 0x00, 0xC0, 0x03]
}

/// The meaning of a characteristic of a SensorTag.
enum SensorTagAttribute: Hashable, Sendable {
    /// A value that never changes.
    case constant([UInt8])
    /// Device Information, by the 16-bit UUID.
    case information(UInt16)
    case privacyFlag
    case reconnectionAddress
    case data(SensorTagSensor)
    case configuration(SensorTagSensor)
    case period(SensorTagSensor)
    case calibration
    case testConfiguration
    case connectionParameters
    case connectionParametersRequest
    case disconnectRequest
    case imageIdentity
    case imageBlock

    /// The meaning of a type; `nil` if the characteristic can be neither read nor written.
    init?(_ uuid: BluetoothUUID) {
        guard let attribute = Self.all[uuid] else { return nil }
        self = attribute
    }

    /// Whether the firmware accepts reads from an offset.
    var canBeLong: Bool {
        switch self {
        case .constant(let value): value.count > 2
        case .information: true
        default: false
        }
    }

    /// The length in bytes of a valid write; `nil` if the value cannot be written.
    var writtenLength: Int? {
        switch self {
        case .configuration, .period, .testConfiguration, .privacyFlag, .disconnectRequest: 1
        case .reconnectionAddress: 6
        case .connectionParametersRequest, .imageIdentity: 8
        case .imageBlock: 18
        case .constant, .information, .data, .calibration, .connectionParameters: nil
        }
    }

    private static let all: [BluetoothUUID: SensorTagAttribute] = {
        var all: [BluetoothUUID: SensorTagAttribute] = [
            .deviceName: .constant(Array(SensorTagWire.deviceName.utf8)),
            .appearance: .constant([0, 0]),
            // 100 ms to 200 ms, no latency, 10 s.
            .peripheralPreferredConnectionParameters: .constant([0x50, 0, 0xA0, 0, 0, 0, 0xE8, 0x03]),
            SensorTagWire.privacyFlag: .privacyFlag, SensorTagWire.reconnectionAddress: .reconnectionAddress,
            SensorTagWire.calibration: .calibration,
            // All sensors passed.
            SensorTagWire.testData: .constant([0x3F, 0]),
            SensorTagWire.testConfiguration: .testConfiguration,
            SensorTagWire.connectionParameters: .connectionParameters,
            SensorTagWire.connectionParametersRequest: .connectionParametersRequest,
            SensorTagWire.disconnectRequest: .disconnectRequest,
            SensorTagWire.imageIdentity: .imageIdentity, SensorTagWire.imageBlock: .imageBlock,
        ]
        for number in SensorTagInformation.characteristics { all[.bit16(number)] = .information(number) }
        for sensor in SensorTagSensor.allCases {
            all[sensor.data] = .data(sensor)
            all[sensor.configuration] = .configuration(sensor)
            all[sensor.period] = .period(sensor)
        }
        return all
    }()
}

/// The values of the Device Information service of a SensorTag.
struct SensorTagInformation {
    /// The 16-bit UUIDs of the characteristics, in order.
    static let characteristics: [UInt16] = [
        0x2A23, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A2A, 0x2A50,
    ]

    let firmware: SensorTagFirmware
    let address: BluetoothAddress?

    /// The value of a characteristic; `nil` for other UUIDs.
    func value(of characteristic: UInt16) -> [UInt8]? {
        switch characteristic {
        case 0x2A23: systemIdentifier
        case 0x2A24, 0x2A25, 0x2A27, 0x2A28: Self.text("N.A.")
        case 0x2A26: Self.text(firmware.revision)
        case 0x2A29: Self.text("Texas Instruments")
        case 0x2A2A: [0xFE, 0x00] + Array("experimental".utf8)
        case 0x2A50: [0x01, 0x0D, 0x00, 0x00, 0x00, 0x10, 0x01]
        default: nil
        }
    }

    /// The address, least significant byte first, with two zeros in the middle.
    private var systemIdentifier: [UInt8] {
        let bytes = Array((address?.octets ?? SensorTagWire.exampleAddress).reversed())
        return bytes[..<3] + [0, 0] + bytes[3...]
    }

    /// The hardware includes the terminating zero of its strings.
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
}
