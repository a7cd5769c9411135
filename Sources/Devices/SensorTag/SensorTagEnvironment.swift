// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A quantity that a SensorTag measures; the raw value is its key in profiles and in `ctl set`.
package enum SensorTagQuantity: String, Hashable, Sendable, CaseIterable {
    /// The temperature of the object in front of the infrared thermometer.
    case objectTemperature = "temperature.object"
    /// The temperature of the tag, as the infrared thermometer, the humidity sensor and the barometer measure it.
    case ambientTemperature = "temperature.ambient"
    /// Relative humidity.
    case humidity
    /// Acceleration, gravity included.
    case accelerationX = "acceleration.x"
    /// Acceleration, gravity included.
    case accelerationY = "acceleration.y"
    /// Acceleration, gravity included.
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
    /// The pressed keys, as the sum of 1 for the left key, 2 for the right key and 4 for the side key.
    case keys

    /// The three axes of acceleration.
    static let acceleration: [SensorTagQuantity] = [.accelerationX, .accelerationY, .accelerationZ]
    /// The three axes of flux density.
    static let magnetism: [SensorTagQuantity] = [.magnetismX, .magnetismY, .magnetismZ]
    /// The three axes of rotation.
    static let rotation: [SensorTagQuantity] = [.rotationX, .rotationY, .rotationZ]

    /// The unit; empty for a number without a unit.
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

    /// The range that the sensor can measure with a firmware.
    package func range(with firmware: SensorTagFirmware) -> ClosedRange<Double> {
        switch self {
        case .objectTemperature: -40...125
        case .ambientTemperature: -40...85
        case .humidity: 0...100
        case .accelerationX, .accelerationY, .accelerationZ:
            -firmware.maximumAcceleration...firmware.maximumAcceleration
        case .magnetismX, .magnetismY, .magnetismZ: -1000...1000
        case .rotationX, .rotationY, .rotationZ: -250...250
        case .pressure: 300...1100
        case .keys: 0...7
        }
    }

    /// The texts of a constant value; the range is the widest one of all firmware.
    package var shape: ValueShape {
        guard self != .keys else {
            let key = "(left|right|side)"
            return .either([.pattern("none|\(key)([+]\(key)){0,2}"), .integer(0...7)])
        }
        let ranges = SensorTagFirmware.allCases.map(range)
        return .number((ranges.map(\.lowerBound).min() ?? 0)...(ranges.map(\.upperBound).max() ?? 0))
    }

    /// The default value, for a tag on a table in a room.
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

// MARK: - Text

extension SensorTagQuantity {
    /// Parses a decimal number in the quantity's range, or the names of keys; `nil` for any other text.
    package func value(of text: String, with firmware: SensorTagFirmware) -> Double? {
        if self == .keys, let keys = SensorTagKeys(text) { return Double(keys.rawValue) }
        guard let value = ValueFormat.number(text), range(with: firmware).contains(value),
            self != .keys || value == value.rounded()
        else { return nil }
        return value
    }

    /// The text of a value, without needless decimals.
    package func text(of value: Double) -> String {
        if self == .keys { return SensorTagKeys(rawValue: UInt8(clampedNearest: value)).description }
        return Self.plain(value)
    }

    /// The possible values, for people: `a number from 0 to 100 (%)`.
    package func possibleValues(with firmware: SensorTagFirmware) -> String {
        guard self != .keys else { return "none, left, right or side, or several of them such as left+right" }
        let range = range(with: firmware)
        return "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)) (\(unit))"
    }

    private static func plain(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}

// MARK: - Environment

/// The quantities around a SensorTag.
package struct SensorTagEnvironment: Hashable, Sendable {
    private var quantities: [SensorTagQuantity: Quantity]

    /// An environment with these quantities, and default values for the others.
    package init(_ quantities: [SensorTagQuantity: Quantity] = [:]) {
        let usual = SensorTagQuantity.allCases.map { ($0, Quantity.fixed($0.usual)) }
        self.quantities = Dictionary(uniqueKeysWithValues: usual).merging(quantities) { $1 }
    }

    /// One quantity.
    package subscript(_ quantity: SensorTagQuantity) -> Quantity {
        get { quantities[quantity] ?? .fixed(quantity.usual) }
        set { quantities[quantity] = newValue }
    }

    /// Caches the state of all quantities at a time, so that later values need less computation.
    mutating func settle(at elapsed: Duration) {
        for quantity in quantities.keys { quantities[quantity]?.settle(at: elapsed) }
    }
}

/// The environment of a running SensorTag: quantities change with the time since power came on.
struct SensorTagSurroundings: Hashable, Sendable {
    /// The quantities, as the owner of the tag has set them.
    private(set) var environment: SensorTagEnvironment
    /// When power came on, in uptime.
    private(set) var poweredAt = Duration.zero

    /// An environment before power comes on.
    init(_ environment: SensorTagEnvironment) { self.environment = environment }

    /// Starts the time of changing quantities.
    mutating func powerOn(at now: Duration) { poweredAt = now }

    /// Replaces the quantities.
    mutating func change(to environment: SensorTagEnvironment) { self.environment = environment }

    /// The value of a quantity at an uptime.
    func value(of quantity: SensorTagQuantity, at now: Duration) -> Double {
        environment[quantity].value(at: now - poweredAt)
    }

    /// The pressed keys at an uptime.
    func keys(at now: Duration) -> SensorTagKeys {
        SensorTagKeys(rawValue: UInt8(clampedNearest: value(of: .keys, at: now)) & 0x07)
    }

    /// The uptime of the next possible change of the keys; `nil` if they do not change by themselves.
    func nextKeyChange(after now: Duration) -> Duration? {
        environment[.keys].nextChange(after: now - poweredAt).map { $0 + poweredAt }
    }

    /// Caches the state of all quantities at an uptime, so that later values need less computation.
    mutating func settle(at now: Duration) { environment.settle(at: now - poweredAt) }
}
