// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// How a characteristic's value is to be understood (Core 5.4, Vol 3, Part G, 3.3.3.5).
public struct PresentationFormat: Hashable, Sendable {
    /// The data type (Assigned Numbers, 2.4.1): 0x04 is an unsigned octet.
    public let format: UInt8
    /// The power of ten that an integer is multiplied by.
    public let exponent: Int8
    /// The unit (Assigned Numbers, 3.5): 0x27AD is a percentage.
    public let unit: UInt16
    /// Who defined the description: 0x01 is the Bluetooth SIG.
    public let namespace: UInt8
    /// Which of several it is; 0 is unknown.
    public let fieldDescription: UInt16

    /// A format of these fields.
    public init(
        format: UInt8, exponent: Int8 = 0, unit: UInt16, namespace: UInt8 = 0x01, fieldDescription: UInt16 = 0
    ) {
        self.format = format
        self.exponent = exponent
        self.unit = unit
        self.namespace = namespace
        self.fieldDescription = fieldDescription
    }
}

extension PresentationFormat: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        format = try reader.readUInt8()
        exponent = try reader.readInt8()
        unit = try reader.readLittleEndian()
        namespace = try reader.readUInt8()
        fieldDescription = try reader.readLittleEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(format)
        writer.write(exponent)
        writer.writeLittleEndian(unit)
        writer.write(namespace)
        writer.writeLittleEndian(fieldDescription)
    }
}
