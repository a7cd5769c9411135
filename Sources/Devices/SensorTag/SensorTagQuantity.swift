// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Something that a SensorTag measures; the name is its key in profiles and in `ctl set`.
package enum SensorTagQuantity: String, Hashable, Sendable, CaseIterable {
    /// The temperature of what is in front of the infrared thermometer.
    case objectTemperature = "temperature.object"
    /// The temperature of the tag itself, in the infrared thermometer, the humidity sensor and the barometer.
    case ambientTemperature = "temperature.ambient"
    /// Relative humidity.
    case humidity
    /// Acceleration, that of gravity included.
    case accelerationX = "acceleration.x"
    /// Acceleration, that of gravity included.
    case accelerationY = "acceleration.y"
    /// Acceleration, that of gravity included.
    case accelerationZ = "acceleration.z"
    /// Magnetic flux density.
    case magnetismX = "magnetism.x"
    /// Magnetic flux density.
    case magnetismY = "magnetism.y"
    /// Magnetic flux density.
    case magnetismZ = "magnetism.z"
    /// Angular velocity.
    case rotationX = "rotation.x"
    /// Angular velocity.
    case rotationY = "rotation.y"
    /// Angular velocity.
    case rotationZ = "rotation.z"
    /// Air pressure.
    case pressure
    /// The keys that are pressed, as the sum of 1 for the left one, 2 for the right one and 4 for the one at the side.
    case keys

    /// The three axes of acceleration.
    static let acceleration: [SensorTagQuantity] = [.accelerationX, .accelerationY, .accelerationZ]
    /// The three axes of flux density.
    static let magnetism: [SensorTagQuantity] = [.magnetismX, .magnetismY, .magnetismZ]
    /// The three axes of rotation.
    static let rotation: [SensorTagQuantity] = [.rotationX, .rotationY, .rotationZ]

    /// Its unit; empty for a number without one.
    package var unit: String {
        switch self {
        case .objectTemperature, .ambientTemperature: "°C"
        case .humidity: "%"
        case .accelerationX, .accelerationY, .accelerationZ: "g"
        case .magnetismX, .magnetismY, .magnetismZ: "µT"
        case .rotationX, .rotationY, .rotationZ: "°/s"
        case .pressure: "hPa"
        case .keys: ""
        }
    }

    /// What its sensor can measure with a firmware.
    package func range(with firmware: SensorTagFirmware) -> ClosedRange<Double> {
        switch self {
        case .objectTemperature: -40...125
        case .ambientTemperature: -40...85
        case .humidity: 0...100
        case .accelerationX, .accelerationY, .accelerationZ:
            -firmware.greatestAcceleration...firmware.greatestAcceleration
        case .magnetismX, .magnetismY, .magnetismZ: -1000...1000
        case .rotationX, .rotationY, .rotationZ: -250...250
        case .pressure: 300...1100
        case .keys: 0...7
        }
    }

    /// What it is unless the profile says otherwise: a tag that lies on a table in a room.
    package var usual: Double {
        switch self {
        case .objectTemperature: 24
        case .ambientTemperature: 22
        case .humidity: 45
        case .accelerationZ: 1
        case .magnetismX: 20
        case .magnetismZ: -40
        case .pressure: 1013.25
        case .accelerationX, .accelerationY, .magnetismY, .rotationX, .rotationY, .rotationZ, .keys: 0
        }
    }
}
