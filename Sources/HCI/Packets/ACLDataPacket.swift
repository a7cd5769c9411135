// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// Where the data of a packet lies in a higher-layer message: two bits (Core 5.4, Vol 4, Part E, 5.4.2).
package enum PacketBoundary: UInt8, Hashable, Sendable {
    /// The start of a message that must arrive: all that an LE host sends starts so.
    case firstNonFlushable = 0
    /// More of the message.
    case continuing = 1
    /// The start of a message: all that an LE controller delivers starts so.
    case firstFlushable = 2
    /// A whole message, in the protocols of BR/EDR that have it.
    case complete = 3
}

/// Data of a connection (Core 5.4, Vol 4, Part E, 5.4.2).
package struct ACLDataPacket: WireCodable, Hashable {
    /// Which connection; its lower 12 bits are sent.
    package let handle: ConnectionHandle
    /// Whether a message of L2CAP starts or continues here.
    package let boundary: PacketBoundary
    /// Broadcast flag, two bits: 0 on LE.
    package let broadcast: UInt8
    /// The data, at most 65,535 octets.
    package let payload: [UInt8]

    /// Data for a connection; payload that exceeds 65,535 octets is left out.
    package init(handle: ConnectionHandle, boundary: PacketBoundary, broadcast: UInt8 = 0, payload: [UInt8]) {
        self.handle = ConnectionHandle(handle.rawValue & 0x0FFF)
        self.boundary = boundary
        self.broadcast = broadcast & 0x03
        self.payload = payload.count > 0xFFFF ? Array(payload[..<0xFFFF]) : payload
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let field: UInt16 = try reader.readLittleEndian()
        let length: UInt16 = try reader.readLittleEndian()
        handle = ConnectionHandle(field & 0x0FFF)
        boundary =
            switch field >> 12 & 0x03 {
            case 0: .firstNonFlushable
            case 1: .continuing
            case 2: .firstFlushable
            default: .complete
            }
        broadcast = UInt8(field >> 14)
        payload = Array(try reader.read(count: Int(length)))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(handle.rawValue | UInt16(boundary.rawValue) << 12 | UInt16(broadcast) << 14)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: payload.count))
        writer.write(payload)
    }
}
