// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// What a characteristic of a SensorTag is.
enum SensorTagAttribute: Hashable, Sendable {
    /// One whose value never changes.
    case constant([UInt8])
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

    static let privacyFlagUUID = BluetoothUUID.bit16(0x2A02)
    static let reconnectionAddressUUID = BluetoothUUID.bit16(0x2A03)

    /// What a characteristic is; `nil` for one that cannot be read or written.
    init?(_ uuid: BluetoothUUID) {
        guard let attribute = Self.all[uuid] else { return nil }
        self = attribute
    }

    /// Whether a read or write from an offset may make sense, in the eyes of the firmware.
    var canBeLong: Bool {
        switch self {
        case .constant(let value): value.count > 2
        case .information: true
        default: false
        }
    }

    private static let all: [BluetoothUUID: SensorTagAttribute] = {
        var all: [BluetoothUUID: SensorTagAttribute] = [
            .deviceName: .constant(Array(SensorTagWire.deviceName.utf8)),
            .appearance: .constant([0, 0]),
            // 100 ms to 200 ms, no latency, 10 s.
            .peripheralPreferredConnectionParameters: .constant([0x50, 0, 0xA0, 0, 0, 0, 0xE8, 0x03]),
            privacyFlagUUID: .privacyFlag, reconnectionAddressUUID: .reconnectionAddress,
            SensorTagWire.calibration: .calibration,
            // Every sensor has passed.
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
