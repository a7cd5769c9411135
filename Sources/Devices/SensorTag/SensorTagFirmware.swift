// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The firmware of a SensorTag, which decides on its attribute table and on some of its manners.
package enum SensorTagFirmware: String, Hashable, Sendable, CaseIterable {
    /// Of spring 2013; 1.2 and 1.0 have the same attribute table.
    case version13 = "1.3"
    /// The same, with a service that controls the connection.
    case version14 = "1.4"
    /// With a writable period for each of the six sensors, and an accelerometer of 8 g.
    case version15 = "1.5"

    /// What the device information service says.
    package var revision: String {
        switch self {
        case .version13: "1.3 (Mar 13 2013)"
        case .version14: "1.4 (Jul 12 2013)"
        case .version15: "1.5 (Oct 23 2013)"
        }
    }

    /// Whether a central can be asked to go, and for other connection parameters.
    package var hasConnectionControl: Bool { self != .version13 }

    /// Whether it is usually built with the service that takes new firmware over the air.
    package var usuallyHasImageService: Bool { self != .version13 }

    /// Whether it asks by itself for the connection parameters that it likes.
    package var asksForConnectionParameters: Bool { self == .version13 }

    /// The strongest acceleration that it can tell, in g.
    package var greatestAcceleration: Double { self == .version15 ? 8 : 2 }

    /// The shortest period that a sensor takes, in steps of 10 ms; `nil` where its period cannot be written.
    package func shortestPeriod(of sensor: SensorTagSensor) -> UInt8? {
        switch sensor {
        case .accelerometer, .magnetometer: 10
        case .infraredThermometer: self == .version15 ? 30 : nil
        case .humidity, .barometer, .gyroscope: self == .version15 ? 10 : nil
        }
    }
}
