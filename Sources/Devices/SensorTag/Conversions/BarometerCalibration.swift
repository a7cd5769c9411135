// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The numbers that a T5400 keeps for whoever wants to know temperature and pressure from what it measures.
struct BarometerCalibration: Hashable, Sendable {
    /// c1 to c4.
    private let unsigned: [UInt16]
    /// c5 to c8.
    private let signed: [Int16]

    /// The calibration of a tag whose table was published.
    static let example = BarometerCalibration(
        unsigned: [46165, 26941, 45437, 34142], signed: [1854, -8797, -1064, 1788])

    /// What is read: 16 octets.
    var octets: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        for value in unsigned { writer.writeLittleEndian(value) }
        for value in signed { writer.writeLittleEndian(value) }
        return writer.bytes
    }

    /// What the sensor measures at a temperature in °C.
    func temperatureRaw(_ temperature: Double) -> Int16 {
        Int16(clampedNearest: (temperature - Double(unsigned[1]) / 1024) * 16_777_216 / Double(unsigned[0]))
    }

    /// What the sensor measures at a pressure in Pa, beside a temperature that it measured.
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
