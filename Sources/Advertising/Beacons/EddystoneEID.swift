// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Eddystone-EID, frame type 0x30: an identifier that changes, which only those who have the beacon's identity key can
/// resolve.
public struct EddystoneEID: Hashable, Sendable {
    /// The strength at no distance.
    public let power: TransmitPower
    /// The ephemeral identifier, 8 octets.
    public let identifier: [UInt8]

    /// The identity and calibration of one beacon for now; `nil` unless these are 8 octets.
    public init?(power: TransmitPower, identifier: [UInt8]) {
        guard identifier.count == 8 else { return nil }
        self.power = power
        self.identifier = identifier
    }

    /// The strength received at one metre.
    public var measuredPower: MeasuredPower { Eddystone.measuredPower(power) }
}

extension EddystoneEID: EddystoneFrame {
    /// Reads the 10 octets behind the service.
    /// - Throws: `WireError`: truncated, or `.badValue` when the frame type is not 0x30.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        try Eddystone.readType([0x30], &reader)
        power = TransmitPower(try reader.readInt8())
        identifier = Array(try reader.read(count: 8))
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(0x30))
        writer.write(power.decibelMilliwatts)
        writer.write(identifier)
    }
}
