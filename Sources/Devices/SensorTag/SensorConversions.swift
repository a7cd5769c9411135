// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

// The raw values of a SensorTag's sensors for physical quantities: the inverse of the manufacturers' formulas.

/// The TMP006: the voltage of its thermopile in units of 156.25 nV, and its own temperature in units of 1/128 °C.
enum InfraredThermometer {
    /// The sensitivity S0 of the thermopile in the manufacturer's formula.
    private static let sensitivity = 6.4e-14
    private static let zeroCelsius = 273.15

    /// The data for the temperatures of an object and of the sensor, in °C.
    static func data(object: Double, ambient: Double) -> [UInt8] {
        let ambientRaw = Int16(clampedNearest: ambient * 128)
        // A client calculates with the rounded ambient temperature.
        let voltage = voltage(object: object + zeroCelsius, ambient: Double(ambientRaw) / 128 + zeroCelsius)
        var writer = ByteWriter(capacity: 4)
        writer.writeLittleEndian(Int16(clampedNearest: voltage / 1.5625e-7))
        writer.writeLittleEndian(ambientRaw)
        return writer.bytes
    }

    /// The voltage in volts for temperatures in kelvin.
    private static func voltage(object: Double, ambient: Double) -> Double {
        let difference = ambient - 298.15
        let square = difference * difference
        let gain = sensitivity * (1 + 1.75e-3 * difference - 1.678e-5 * square)
        let offset = -2.94e-5 - 5.7e-7 * difference + 4.63e-9 * square
        let radiated = gain * (fourthPower(object) - fourthPower(ambient))
        // The root of x + 13.4 x² = radiated that is near zero. Below the minimum of the parabola there is no root.
        let root = (-1 + max(0, 1 + 4 * 13.4 * radiated).squareRoot()) / (2 * 13.4)
        return root + offset
    }

    private static func fourthPower(_ value: Double) -> Double { value * value * value * value }
}

/// The SHT21: temperature and relative humidity, each in the upper 14 bits of 16.
enum HumiditySensor {
    private static let statusBits: UInt16 = 0x0003
    /// The status bits of a humidity measurement.
    private static let humidityStatus: UInt16 = 0x0002

    /// The data for a temperature in °C and a relative humidity in percent.
    static func data(temperature: Double, humidity: Double) -> [UInt8] {
        let temperatureRaw = UInt16(clampedNearest: (temperature + 46.85) / 175.72 * 65536) & ~statusBits
        let humidityRaw = UInt16(clampedNearest: (humidity + 6) / 125 * 65536) & ~statusBits | humidityStatus
        var writer = ByteWriter(capacity: 4)
        writer.writeLittleEndian(temperatureRaw)
        writer.writeLittleEndian(humidityRaw)
        return writer.bytes
    }
}

/// The sensors with three axes: one signed number for each axis.
enum MotionSensors {
    /// The data of the KXTJ9: 8 bits for each acceleration in g.
    /// - Parameter range: the acceleration at full scale: 2, 4 or 8 g.
    static func acceleration(_ axes: [Double], range: Double) -> [UInt8] {
        axes.map { UInt8(bitPattern: Int8(clampedNearest: $0 * 128 / range)) }
    }

    /// The data of the MAG3110 for flux densities in µT, scaled as by the tag's firmware.
    static func magnetism(_ axes: [Double]) -> [UInt8] { words(axes, span: 2000) }

    /// The data of the IMU-3000 for rotations in degrees per second.
    static func rotation(_ axes: [Double]) -> [UInt8] { words(axes, span: 500) }

    private static func words(_ axes: [Double], span: Double) -> [UInt8] {
        var writer = ByteWriter(capacity: axes.count * 2)
        for axis in axes { writer.writeLittleEndian(Int16(clampedNearest: axis * 65536 / span)) }
        return writer.bytes
    }
}

/// The calibration of the T5400 barometer: the coefficients of the formulas for temperature and pressure.
struct BarometerCalibration: Hashable, Sendable {
    /// c1 to c4.
    private let unsigned: [UInt16]
    /// c5 to c8.
    private let signed: [Int16]

    /// The calibration in a published attribute table of a real tag.
    static let example = BarometerCalibration(
        unsigned: [46165, 26941, 45437, 34142], signed: [1854, -8797, -1064, 1788])

    /// The value of the calibration characteristic: 16 bytes.
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        for value in unsigned { writer.writeLittleEndian(value) }
        for value in signed { writer.writeLittleEndian(value) }
        return writer.bytes
    }

    /// The raw value for a temperature in °C.
    func temperatureRaw(_ temperature: Double) -> Int16 {
        Int16(clampedNearest: (temperature - Double(unsigned[1]) / 1024) * 16_777_216 / Double(unsigned[0]))
    }

    /// The raw value for a pressure in Pa; the formula needs the raw temperature.
    func pressureRaw(_ pressure: Double, temperatureRaw: Int16) -> UInt16 {
        let temperature = Double(temperatureRaw)
        let square = temperature * temperature
        var sensitivity = Double(unsigned[2]) + Double(unsigned[3]) * temperature / 131_072
        sensitivity += Double(signed[0]) * square / 17_179_869_184
        var offset = Double(signed[1]) * 16384 + Double(signed[2]) * temperature / 8
        offset += Double(signed[3]) * square / 524_288
        return UInt16(clampedNearest: (pressure * 16384 - offset) / sensitivity)
    }
}

extension FixedWidthInteger {
    /// The nearest integer; halves are rounded away from zero, values out of range are clamped, and NaN becomes 0.
    init(clampedNearest value: Double) {
        let rounded = value.rounded()
        if let exact = Self(exactly: rounded) {
            self = exact
        } else if rounded.isNaN {
            self = 0
        } else {
            self = rounded < 0 ? .min : .max
        }
    }
}
