// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Eddystone-UID, frame type 0x00: an identifier that stays.
public struct EddystoneUID: Hashable, Sendable {
    /// The strength at no distance.
    public let power: TransmitPower
    /// Whose beacons these are, 10 octets.
    public let namespace: [UInt8]
    /// The beacon, 6 octets.
    public let instance: [UInt8]
    /// Two octets reserved for future use, which should be 0; `nil` in frames of early beacons, which end before them.
    public let reserved: UInt16?

    /// The identity and calibration of one beacon; `nil` unless these are 10 and 6 octets.
    public init?(power: TransmitPower, namespace: [UInt8], instance: [UInt8], reserved: UInt16? = 0) {
        guard namespace.count == 10, instance.count == 6 else { return nil }
        self.power = power
        self.namespace = namespace
        self.instance = instance
        self.reserved = reserved
    }

    /// The strength received at one metre.
    public var measuredPower: MeasuredPower { Eddystone.measuredPower(power) }
}

extension EddystoneUID: EddystoneFrame {
    /// Reads the 20 octets behind the service, or the 18 of early beacons when nothing follows them.
    /// - Throws: `WireError`: truncated, or `.badValue` when the frame type is not 0x00.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        try Eddystone.readType([0x00], &reader)
        power = TransmitPower(try reader.readInt8())
        namespace = Array(try reader.read(count: 10))
        instance = Array(try reader.read(count: 6))
        reserved = reader.isAtEnd ? nil : try reader.readBigEndian(UInt16.self)
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(0x00))
        writer.write(power.decibelMilliwatts)
        writer.write(namespace)
        writer.write(instance)
        if let reserved { writer.writeBigEndian(reserved) }
    }
}
