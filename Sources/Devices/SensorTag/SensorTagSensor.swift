// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A sensor of a SensorTag, in the order of their services; the number is that of its service.
package enum SensorTagSensor: UInt16, Hashable, Sendable, CaseIterable {
    /// TMP006: the temperature of what is in front of it, and its own.
    case infraredThermometer = 0xAA00
    /// KXTJ9.
    case accelerometer = 0xAA10
    /// SHT21: temperature and relative humidity.
    case humidity = 0xAA20
    /// MAG3110.
    case magnetometer = 0xAA30
    /// T5400: temperature and pressure, to be compensated with its calibration.
    case barometer = 0xAA40
    /// IMU-3000.
    case gyroscope = 0xAA50

    /// Its service.
    package var service: BluetoothUUID { SensorTagWire.uuid(rawValue) }
    /// The characteristic of what it measures.
    package var data: BluetoothUUID { SensorTagWire.uuid(rawValue + 1) }
    /// The characteristic that switches it on and off.
    package var configuration: BluetoothUUID { SensorTagWire.uuid(rawValue + 2) }
    /// The characteristic of how often it measures, in steps of 10 ms; not every firmware has it.
    package var period: BluetoothUUID { SensorTagWire.uuid(rawValue + (self == .barometer ? 4 : 3)) }

    /// The octets of its data.
    package var dataLength: Int {
        switch self {
        case .infraredThermometer, .humidity, .barometer: 4
        case .accelerometer: 3
        case .magnetometer, .gyroscope: 6
        }
    }

    /// How often it measures unless it is told otherwise, in steps of 10 ms.
    package var defaultPeriod: UInt8 { self == .magnetometer ? 200 : 100 }

    /// How long after it was switched on it has measured for the first time.
    func firstSample(period: UInt8) -> Duration {
        switch self {
        case .infraredThermometer: .milliseconds(275)
        case .accelerometer: .zero
        case .humidity: .milliseconds(40)
        case .magnetometer: .milliseconds(Int(period) * 10)
        case .barometer: .milliseconds(80)
        case .gyroscope: .milliseconds(60)
        }
    }

    /// How long after that it has measured again: humidity and pressure take their time on top of the period.
    func sampleInterval(period: UInt8) -> Duration {
        let period = Duration.milliseconds(Int(period) * 10)
        return switch self {
        case .humidity, .barometer: period + firstSample(period: 0)
        case .infraredThermometer, .accelerometer, .magnetometer, .gyroscope: period
        }
    }
}
