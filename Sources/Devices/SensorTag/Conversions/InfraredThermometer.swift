// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What a TMP006 gives: the voltage of its thermopile in steps of 156.25 nV, and its own temperature in 1/128 °C.
enum InfraredThermometer {
    /// How strongly the thermopile answers, as the maker's formula has it.
    private static let sensitivity = 6.4e-14
    private static let zeroCelsius = 273.15

    /// The data for the temperatures of an object and of the sensor, in °C.
    static func data(object: Double, ambient: Double) -> [UInt8] {
        let ambientRaw = Int16(clampedNearest: ambient * 128)
        // A client knows the ambient temperature only as it was rounded.
        let voltage = voltage(object: object + zeroCelsius, ambient: Double(ambientRaw) / 128 + zeroCelsius)
        var writer = ByteWriter(capacity: 4)
        writer.writeLittleEndian(Int16(clampedNearest: voltage / 1.5625e-7))
        writer.writeLittleEndian(ambientRaw)
        return writer.bytes
    }

    /// The maker's formula the other way round; temperatures in kelvin.
    private static func voltage(object: Double, ambient: Double) -> Double {
        let difference = ambient - 298.15
        let square = difference * difference
        let gain = sensitivity * (1 + 1.75e-3 * difference - 1.678e-5 * square)
        let offset = -2.94e-5 - 5.7e-7 * difference + 4.63e-9 * square
        let radiated = gain * (fourthPower(object) - fourthPower(ambient))
        // Of x + 13.4 x² the root near zero; the formula has no other for what is too cold to be.
        let root = (-1 + max(0, 1 + 4 * 13.4 * radiated).squareRoot()) / (2 * 13.4)
        return root + offset
    }

    private static func fourthPower(_ value: Double) -> Double { value * value * value * value }
}
