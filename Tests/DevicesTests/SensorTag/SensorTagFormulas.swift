// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc

/// The formulas with which clients decode a SensorTag's data, from the manufacturer's documents and the tutorial's app.
enum SensorTagFormulas {
    private static func signed(_ data: [UInt8], _ index: Int) -> Double {
        Double(Int16(bitPattern: UInt16(data[index]) | UInt16(data[index + 1]) << 8))
    }

    private static func unsigned(_ data: [UInt8], _ index: Int) -> Double {
        Double(UInt16(data[index]) | UInt16(data[index + 1]) << 8)
    }

    static func ambient(_ data: [UInt8]) -> Double { signed(data, 2) / 128 }

    static func object(_ data: [UInt8]) -> Double {
        let voltage = signed(data, 0) * 0.00000015625
        let die = ambient(data) + 273.15
        let (s0, a1, a2, b0, b1, b2, c2, reference) = (
            6.4e-14, 1.75e-3, -1.678e-5, -2.94e-5, -5.7e-7, 4.63e-9, 13.4, 298.15
        )
        let s = s0 * (1 + a1 * (die - reference) + a2 * pow(die - reference, 2))
        let offset = b0 + b1 * (die - reference) + b2 * pow(die - reference, 2)
        let radiated = (voltage - offset) + c2 * pow(voltage - offset, 2)
        return pow(pow(die, 4) + radiated / s, 0.25) - 273.15
    }

    static func humidityTemperature(_ data: [UInt8]) -> Double { -46.85 + 175.72 * unsigned(data, 0) / 65536 }

    static func humidity(_ data: [UInt8]) -> Double {
        -6 + 125 * Double(UInt16(unsigned(data, 2)) & ~3) / 65536
    }

    static func acceleration(_ data: [UInt8], perG: Double) -> [Double] {
        data.map { Double(Int8(bitPattern: $0)) / perG }
    }

    static func magnetism(_ data: [UInt8]) -> [Double] { [0, 2, 4].map { signed(data, $0) * 2000 / 65536 } }

    static func rotation(_ data: [UInt8]) -> [Double] { [0, 2, 4].map { signed(data, $0) * 500 / 65536 } }

    /// The barometer's temperature in °C.
    static func barometerTemperature(_ data: [UInt8], calibration: [UInt8]) -> Double {
        let raw = signed(data, 0)
        return unsigned(calibration, 0) * raw / pow(2, 24) + unsigned(calibration, 2) / pow(2, 10)
    }

    /// The pressure in Pa.
    static func pressure(_ data: [UInt8], calibration: [UInt8]) -> Double {
        let (t, p) = (signed(data, 0), unsigned(data, 2))
        let s =
            unsigned(calibration, 4) + unsigned(calibration, 6) * t / pow(2, 17)
            + signed(calibration, 8) * t / pow(2, 15) * t / pow(2, 19)
        let o =
            signed(calibration, 10) * pow(2, 14) + signed(calibration, 12) * t / pow(2, 3)
            + signed(calibration, 14) * t / pow(2, 15) * t / pow(2, 4)
        return (s * p + o) / pow(2, 14)
    }
}
