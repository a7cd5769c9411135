// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// The parameters of one attribute protocol PDU: what stands behind its opcode (Core 5.4, Vol 3, Part F, 3.4).
package protocol ATTMessage: WireCodable, Hashable {
    /// What stands in front of them.
    static var opcode: ATTOpcode { get }
}

extension ATTMessage {
    /// The whole PDU: opcode and parameters.
    package var pduBytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.opcode.rawValue)
        serialize(into: &writer)
        return writer.bytes
    }
}

extension ByteReader {
    /// An attribute type that is the rest of a PDU: two octets, or sixteen.
    mutating func readAttributeType() throws(WireError) -> BluetoothUUID {
        switch remaining {
        case 2: return .bit16(try readLittleEndian())
        case 16: return .bit128(try UUID128(parsing: &self))
        default: throw WireError(.badLength(remaining), offset: offset)
        }
    }

    /// How many entries of `size` octets are left.
    /// - Throws: `.badLength` when there are none, or a part of one.
    func countEntries(of size: Int) throws(WireError) -> Int {
        guard remaining > 0, size > 0, remaining % size == 0 else {
            throw WireError(.badLength(remaining), offset: offset)
        }
        return remaining / size
    }
}

extension ByteWriter {
    /// Two octets for a 16-bit UUID, sixteen for any other (Core 5.4, Vol 3, Part F, 3.2.1).
    mutating func writeAttributeType(_ type: BluetoothUUID) {
        if case .bit16(let value) = type {
            writeLittleEndian(value)
        } else {
            type.expanded.serialize(into: &self)
        }
    }
}
