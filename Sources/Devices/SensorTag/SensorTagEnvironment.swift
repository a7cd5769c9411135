// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What is around a SensorTag, for it to measure.
package struct SensorTagEnvironment: Hashable, Sendable {
    private var quantities: [SensorTagQuantity: Quantity]

    /// An environment in which these are as they are given, and the others as usual.
    package init(_ quantities: [SensorTagQuantity: Quantity] = [:]) {
        let usual = SensorTagQuantity.allCases.map { ($0, Quantity.fixed($0.usual)) }
        self.quantities = Dictionary(uniqueKeysWithValues: usual).merging(quantities) { $1 }
    }

    /// One of them.
    package subscript(_ quantity: SensorTagQuantity) -> Quantity {
        get { quantities[quantity] ?? .fixed(quantity.usual) }
        set { quantities[quantity] = newValue }
    }

    /// Remembers where all are, so that later values cost less.
    mutating func settle(at elapsed: Duration) {
        for quantity in quantities.keys { quantities[quantity]?.settle(at: elapsed) }
    }

    /// The keys that are pressed.
    func keys(at elapsed: Duration) -> SensorTagKeys {
        SensorTagKeys(rawValue: UInt8(clampedNearest: self[.keys].value(at: elapsed)) & 0x07)
    }

    /// What a sensor gives.
    /// - Parameters:
    ///   - former: what it gave before.
    ///   - state: how it is set up, and how often it has measured.
    func data(
        of sensor: SensorTagSensor, at elapsed: Duration, former: [UInt8], state: SensorTagSensorState
    ) -> [UInt8] {
        func value(_ quantity: SensorTagQuantity) -> Double { self[quantity].value(at: elapsed) }
        switch sensor {
        case .infraredThermometer:
            return InfraredThermometer.data(object: value(.objectTemperature), ambient: value(.ambientTemperature))
        case .accelerometer:
            return MotionSensors.acceleration(
                SensorTagQuantity.acceleration.map(value), greatest: state.greatestAcceleration)
        case .humidity:
            return HumiditySensor.data(temperature: value(.ambientTemperature), humidity: value(.humidity))
        case .magnetometer:
            return MotionSensors.magnetism(SensorTagQuantity.magnetism.map(value))
        case .gyroscope:
            let axes = SensorTagQuantity.rotation.enumerated().map { number, axis in
                state.configuration & 1 << number == 0 ? 0 : value(axis)
            }
            return MotionSensors.rotation(axes)
        case .barometer:
            // It measures temperature and pressure by turns.
            if state.sampleCount.isMultiple(of: 2) {
                let raw = BarometerCalibration.example.temperatureRaw(value(.ambientTemperature))
                return raw.littleEndianOctets + former.suffix(2)
            }
            let temperature = Int16(truncatingIfNeeded: Int(former[0]) | Int(former[1]) << 8)
            let raw = BarometerCalibration.example.pressureRaw(
                value(.pressure) * 100, temperatureRaw: temperature)
            return former.prefix(2) + raw.littleEndianOctets
        }
    }
}

extension FixedWidthInteger {
    /// Its octets, the least significant first.
    fileprivate var littleEndianOctets: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
