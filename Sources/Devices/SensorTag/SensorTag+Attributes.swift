// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

extension SensorTag {
    /// What a central reads.
    func read(_ uuid: BluetoothUUID, offset: Int) -> ReadResult {
        guard let attribute = SensorTagAttribute(uuid), let value = value(of: attribute) else {
            return .error(.readNotPermitted)
        }
        if offset == 0 { return .value(value) }
        guard attribute.canBeLong else { return .error(.attributeNotLong) }
        return .value(value, from: offset)
    }

    private func value(of attribute: SensorTagAttribute) -> [UInt8]? {
        switch attribute {
        case .constant(let value): value
        case .information(let number):
            SensorTagInformation(firmware: configuration.firmware, address: configuration.address).value(of: number)
        case .privacyFlag: [privacyFlag]
        case .data(let sensor): sensors[sensor]?.data
        case .configuration(let sensor): sensors[sensor].map { [$0.configuration] }
        case .period(let sensor):
            configuration.firmware.shortestPeriod(of: sensor) == nil ? nil : sensors[sensor].map { [$0.period] }
        case .calibration: calibration
        case .testConfiguration: [testConfiguration]
        case .connectionParameters: timing ?? SensorTagWire.exampleConnectionParameters
        case .reconnectionAddress, .connectionParametersRequest, .disconnectRequest, .imageIdentity, .imageBlock: nil
        }
    }

    /// What a central writes: all of a value, since none of them is long.
    mutating func write(
        _ value: [UInt8], to uuid: BluetoothUUID, offset: Int, at now: Duration
    ) -> DeviceResponse {
        guard let attribute = SensorTagAttribute(uuid), let length = attribute.writtenLength else {
            return .rejected(.writeNotPermitted)
        }
        guard offset == 0 else { return .rejected(.attributeNotLong) }
        guard value.count == length else { return .rejected(.invalidAttributeValueLength) }
        switch attribute {
        case .configuration(let sensor): return .done(configure(sensor, value[0], at: now))
        case .period(let sensor): return setPeriod(of: sensor, to: value[0])
        case .testConfiguration:
            // The lamps can be switched in test mode only.
            testConfiguration = value[0] & 0x80 == 0 ? 0 : value[0]
            return .done(notifyKeys())
        case .privacyFlag: privacyFlag = value[0]
        case .disconnectRequest: farewellAt = central == nil ? nil : now + Self.farewellTime
        case .connectionParametersRequest: return .done(updateConnection(asWritten: value))
        case .imageIdentity:
            // Its own image in return says that the offered one is not wanted.
            return .done(notify(SensorTagWire.imageIdentity, Self.ownImage))
        default: break
        }
        return .done()
    }

    /// Version 0, 31,744 words, the identity of the second image.
    private static let ownImage: [UInt8] = [0x00, 0x00, 0x00, 0x7C] + Array("BBBB".utf8)
}

extension SensorTagAttribute {
    /// The octets of a value that can be written; `nil` when none can.
    fileprivate var writtenLength: Int? {
        switch self {
        case .configuration, .period, .testConfiguration, .privacyFlag, .disconnectRequest: 1
        case .reconnectionAddress: 6
        case .connectionParametersRequest, .imageIdentity: 8
        case .imageBlock: 18
        case .constant, .information, .data, .calibration, .connectionParameters: nil
        }
    }
}
