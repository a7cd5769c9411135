// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What an SHT21 gives: temperature and relative humidity in 14 bits each, with two bits of status below.
enum HumiditySensor {
    private static let statusBits: UInt16 = 0x0003
    /// The status that says that humidity was measured.
    private static let humidityStatus: UInt16 = 0x0002

    /// The data for a temperature in °C and a relative humidity in per cent.
    static func data(temperature: Double, humidity: Double) -> [UInt8] {
        let temperatureRaw = UInt16(clampedNearest: (temperature + 46.85) / 175.72 * 65536) & ~statusBits
        let humidityRaw = UInt16(clampedNearest: (humidity + 6) / 125 * 65536) & ~statusBits | humidityStatus
        var writer = ByteWriter(capacity: 4)
        writer.writeLittleEndian(temperatureRaw)
        writer.writeLittleEndian(humidityRaw)
        return writer.bytes
    }
}
