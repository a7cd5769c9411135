// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A sensor of a SensorTag, in the order of the services; the raw value is the number in the service's UUID.
package enum SensorTagSensor: UInt16, Hashable, Sendable, CaseIterable {
    /// TMP006: the temperature of the object in front of it, and its own.
    case infraredThermometer = 0xAA00
    /// KXTJ9.
    case accelerometer = 0xAA10
    /// SHT21: temperature and relative humidity.
    case humidity = 0xAA20
    /// MAG3110.
    case magnetometer = 0xAA30
    /// T5400: temperature and pressure, uncompensated; clients apply its calibration.
    case barometer = 0xAA40
    /// IMU-3000.
    case gyroscope = 0xAA50

    /// The service.
    package var service: BluetoothUUID { SensorTagWire.uuid(rawValue) }
    /// The characteristic of the measured data.
    package var data: BluetoothUUID { SensorTagWire.uuid(rawValue + 1) }
    /// The characteristic that switches the sensor on and off.
    package var configuration: BluetoothUUID { SensorTagWire.uuid(rawValue + 2) }
    /// The characteristic of the period, in units of 10 ms; it depends on the firmware whether it exists.
    package var period: BluetoothUUID { SensorTagWire.uuid(rawValue + (self == .barometer ? 4 : 3)) }

    /// The length of the data in bytes.
    package var dataLength: Int {
        switch self {
        case .infraredThermometer, .humidity, .barometer: 4
        case .accelerometer: 3
        case .magnetometer, .gyroscope: 6
        }
    }

    /// The default period, in units of 10 ms.
    package var defaultPeriod: UInt8 { self == .magnetometer ? 200 : 100 }

    /// The time from switching on to the end of the first measurement.
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

    /// The time between two measurements. Measurements of humidity and pressure take time in addition to the period.
    func sampleInterval(period: UInt8) -> Duration {
        let period = Duration.milliseconds(Int(period) * 10)
        return switch self {
        case .humidity, .barometer: period + firstSample(period: 0)
        case .infraredThermometer, .accelerometer, .magnetometer, .gyroscope: period
        }
    }
}

/// The firmware of a SensorTag, which determines its attribute table and some of its behaviour.
package enum SensorTagFirmware: String, Hashable, Sendable, CaseIterable {
    /// Firmware of spring 2013; 1.2 and 1.0 have the same attribute table.
    case version13 = "1.3"
    /// Adds a service that controls the connection.
    case version14 = "1.4"
    /// Adds a writable period for all six sensors, and an accelerometer range of 8 g.
    case version15 = "1.5"

    /// The firmware revision in the Device Information service.
    package var revision: String {
        switch self {
        case .version13: "1.3 (Mar 13 2013)"
        case .version14: "1.4 (Jul 12 2013)"
        case .version15: "1.5 (Oct 23 2013)"
        }
    }

    /// Whether it has the service with which a central disconnects and changes connection parameters.
    package var hasConnectionControl: Bool { self != .version13 }

    /// Whether its default build has the service for firmware updates over the air.
    package var usuallyHasImageService: Bool { self != .version13 }

    /// Whether it requests its preferred connection parameters without a command.
    package var requestsConnectionParameters: Bool { self == .version13 }

    /// The default range of the accelerometer, in g; it is also the largest range.
    package var maximumAcceleration: Double { self == .version15 ? 8 : 2 }

    /// The shortest valid period of a sensor, in units of 10 ms; `nil` if the sensor has no period characteristic.
    package func shortestPeriod(of sensor: SensorTagSensor) -> UInt8? {
        switch sensor {
        case .accelerometer, .magnetometer: 10
        case .infraredThermometer: self == .version15 ? 30 : nil
        case .humidity, .barometer, .gyroscope: self == .version15 ? 10 : nil
        }
    }
}
