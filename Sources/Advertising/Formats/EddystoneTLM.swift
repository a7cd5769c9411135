// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// Eddystone-TLM, frame type 0x20, version 0x00: telemetry, sent between frames that identify the beacon.
public struct EddystoneTLM: Hashable, Sendable {
    /// The temperature of a beacon without a thermometer: -128 °C.
    public static let noTemperature = Int16.min

    /// The battery's voltage in mV; 0 if there is no battery.
    public var batteryMillivolts: UInt16
    /// The temperature in 1/256 °C; `noTemperature` if there is no thermometer.
    public var temperature: Int16
    /// The number of frames of all kinds since power-on.
    public var advertisements: UInt32
    /// The time since power-on in tenths of a second.
    public var uptimeTenths: UInt32

    /// A frame with these values.
    public init(batteryMillivolts: UInt16, temperature: Int16, advertisements: UInt32, uptimeTenths: UInt32) {
        self.batteryMillivolts = batteryMillivolts
        self.temperature = temperature
        self.advertisements = advertisements
        self.uptimeTenths = uptimeTenths
    }

    /// The temperature in °C; `nil` if there is no thermometer.
    public var celsius: Double? { temperature == Self.noTemperature ? nil : Double(temperature) / 256 }

    /// The time since power-on.
    public var uptime: Duration { .milliseconds(Int64(uptimeTenths) * 100) }
}

extension EddystoneTLM: EddystoneFrame {
    /// Parses the 14 bytes after the service UUID.
    /// - Throws: `WireError`: truncated, or `.badValue` if type and version are not 0x20 0x00.
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

extension EddystoneTLM: BeaconFormat {
    public static let formatName = "eddystone-tlm"

    /// Telemetry is of the beacon whose other frames have the same address.
    public var identity: BeaconIdentity? { nil }

    public var fields: [BeaconField] {
        [
            batteryMillivolts > 0
                ? .integer("batteryMillivolts", "battery", batteryMillivolts, unit: "mV") : nil,
            celsius.map { BeaconField("temperature", .number($0), text: "\($0) °C") },
            BeaconField(
                "advertisements", .integer(Int(advertisements)), text: "\(advertisements) advertisements"),
            BeaconField(
                "uptimeSeconds", .number(Double(uptimeTenths) / 10), text: "on for \(Double(uptimeTenths) / 10) s"),
        ].compactMap { $0 }
    }
}

extension EddystoneTLM: TransmittableBeacon {
    package static let template = EddystoneTLM(
        batteryMillivolts: 0, temperature: noTemperature, advertisements: 0, uptimeTenths: 0)

    package static let keys: [BeaconKey<EddystoneTLM>] = [
        BeaconKey(
            "battery-millivolts", "Battery voltage in mV, 0 without a battery", .number, \.batteryMillivolts),
        BeaconKey("temperature", "Temperature", "a number of degrees Celsius from -127 to 127", .number(-127...127)) {
            text, frame in
            guard let celsius = Double(text), abs(celsius) <= 127 else { return false }
            frame.temperature = Int16((celsius * 256).rounded())
            return true
        } text: { frame in
            frame.celsius.map { "\($0)" }
        },
        BeaconKey("advertisements", "Advertisements since power on", .number, \.advertisements),
        BeaconKey("uptime-tenths", "Uptime in tenths of a second", .number, \.uptimeTenths),
    ]

    package static let example: KeyValuePairs = ["battery-millivolts": "2900", "temperature": "21.5"]
}
