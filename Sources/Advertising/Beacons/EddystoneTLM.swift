// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Eddystone-TLM, frame type 0x20, version 0x00: how a beacon is. It is sent between frames that say which one it is.
public struct EddystoneTLM: Hashable, Sendable {
    /// The temperature's value of beacons that have no thermometer: -128 °C.
    public static let noTemperature = Int16.min

    /// The battery's voltage in mV; 0 where there is no battery.
    public var batteryMillivolts: UInt16
    /// The temperature in 1/256 °C; `noTemperature` where there is no thermometer.
    public var temperature: Int16
    /// How many frames of all kinds it has sent since it was switched on.
    public var advertisements: UInt32
    /// How long it has been on, in tenths of a second.
    public var uptimeTenths: UInt32

    /// The state of one beacon.
    public init(batteryMillivolts: UInt16, temperature: Int16, advertisements: UInt32, uptimeTenths: UInt32) {
        self.batteryMillivolts = batteryMillivolts
        self.temperature = temperature
        self.advertisements = advertisements
        self.uptimeTenths = uptimeTenths
    }

    /// The temperature in °C; `nil` where there is no thermometer.
    public var celsius: Double? { temperature == Self.noTemperature ? nil : Double(temperature) / 256 }

    /// How long it has been on.
    public var uptime: Duration { .milliseconds(Int64(uptimeTenths) * 100) }
}

extension EddystoneTLM: EddystoneFrame {
    /// Reads the 14 octets behind the service.
    /// - Throws: `WireError`: truncated, or `.badValue` when type and version are not 0x20 0x00.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        try Eddystone.readType([0x20, 0x00], &reader)
        batteryMillivolts = try reader.readBigEndian()
        temperature = try reader.readBigEndian()
        advertisements = try reader.readBigEndian()
        uptimeTenths = try reader.readBigEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeBigEndian(UInt16(0x2000))
        writer.writeBigEndian(batteryMillivolts)
        writer.writeBigEndian(temperature)
        writer.writeBigEndian(advertisements)
        writer.writeBigEndian(uptimeTenths)
    }
}
