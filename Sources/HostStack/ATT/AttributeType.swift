// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

extension BluetoothUUID {
    /// The form that the attribute protocol uses: 16 bits if possible, else 128 bits.
    var shortest: BluetoothUUID {
        if case .bit16 = self { return self }
        let expanded = expanded
        guard let short = UInt16(exactly: expanded.high >> 32) else { return .bit128(expanded) }
        let candidate = BluetoothUUID.bit16(short)
        return candidate.expanded == expanded ? candidate : .bit128(expanded)
    }

    /// Whether two UUIDs in their shortest forms are equal; fast for 16 bits, because it does not expand them.
    func isSame(as other: BluetoothUUID) -> Bool {
        switch (self, other) {
        case (.bit16(let left), .bit16(let right)): left == right
        case (.bit16, _), (_, .bit16): false
        default: expanded == other.expanded
        }
    }

    /// Parses a UUID that is all of `bytes`: two bytes, or sixteen.
    /// - Throws: `ATTClientError.malformedResponse`, because the bytes come from a server.
    init(attributeTypeBytes bytes: [UInt8]) throws(ATTClientError) {
        var reader = ByteReader(bytes)
        do {
            self = try reader.readAttributeType()
        } catch {
            throw .malformedResponse
        }
    }

    /// The bytes in the attribute protocol.
    var attributeTypeBytes: [UInt8] {
        var writer = ByteWriter()
        writer.writeAttributeType(shortest)
        return writer.bytes
    }
}

extension ByteReader {
    /// Reads an attribute type that is the rest of a PDU: two bytes, or sixteen.
    mutating func readAttributeType() throws(WireError) -> BluetoothUUID {
        switch remaining {
        case 2: return .bit16(try readLittleEndian())
        case 16: return .bit128(try UUID128(parsing: &self))
        default: throw WireError(.badLength(remaining), offset: offset)
        }
    }

    /// The number of entries of `size` bytes that are left.
    /// - Throws: `.badLength` if there are none, or an incomplete one.
    func countEntries(of size: Int) throws(WireError) -> Int {
        guard remaining > 0, size > 0, remaining % size == 0 else {
            throw WireError(.badLength(remaining), offset: offset)
        }
        return remaining / size
    }
}

extension ByteWriter {
    /// Writes two bytes for a 16-bit UUID, sixteen for any other (Core 5.4, Vol 3, Part F, 3.2.1).
    mutating func writeAttributeType(_ type: BluetoothUUID) {
        if case .bit16(let value) = type {
            writeLittleEndian(value)
        } else {
            type.expanded.serialize(into: &self)
        }
    }
}

extension FixedWidthInteger {
    /// The bytes in the order of Bluetooth: least significant byte first.
    var littleEndianBytes: [UInt8] {
        stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
