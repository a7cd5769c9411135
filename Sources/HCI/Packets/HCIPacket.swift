// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// What a host and a controller say to each other (Core 5.4, Vol 4, Part E, 5.4).
///
/// Its bytes are those of the UART transport, H4 (Vol 4, Part A, 2): an octet that tells the kind, then the packet.
package enum HCIPacket: WireCodable, Hashable {
    /// From the host: do this.
    case command(HCICommandPacket)
    /// Data of a connection, either way.
    case acl(ACLDataPacket)
    /// Voice data, with its header of 3 octets; carried, not understood.
    case synchronous([UInt8])
    /// From the controller: this happened.
    case event(HCIEventPacket)
    /// Isochronous data, with its header of 4 octets; carried, not understood.
    case isochronous([UInt8])

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        guard let kind = Kind(rawValue: try reader.readUInt8()) else {
            throw WireError(.badValue(field: "packet type"), offset: start)
        }
        switch kind {
        case .command: self = .command(try HCICommandPacket(parsing: &reader))
        case .acl: self = .acl(try ACLDataPacket(parsing: &reader))
        case .event: self = .event(try HCIEventPacket(parsing: &reader))
        case .synchronous: self = .synchronous(try Self.readWhole(kind, &reader))
        case .isochronous: self = .isochronous(try Self.readWhole(kind, &reader))
        }
    }

    /// A packet of this kind as it is, from the reader's place.
    private static func readWhole(_ kind: Kind, _ reader: inout ByteReader) throws(WireError) -> [UInt8] {
        let header = try reader.read(count: kind.headerLength)
        return Array(header) + Array(try reader.read(count: kind.payloadLength(header: header)))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(kind.rawValue)
        switch self {
        case .command(let packet): packet.serialize(into: &writer)
        case .acl(let packet): packet.serialize(into: &writer)
        case .event(let packet): packet.serialize(into: &writer)
        case .synchronous(let octets), .isochronous(let octets): writer.write(octets)
        }
    }

    private var kind: Kind {
        switch self {
        case .command: .command
        case .acl: .acl
        case .synchronous: .synchronous
        case .event: .event
        case .isochronous: .isochronous
        }
    }
}

extension HCIPacket {
    /// The octet in front of a packet on a UART (Core 5.4, Vol 4, Part A, 2).
    enum Kind: UInt8 {
        case command = 1
        case acl = 2
        case synchronous = 3
        case event = 4
        case isochronous = 5

        /// Octets up to and with the length field.
        var headerLength: Int {
            switch self {
            case .command, .synchronous: 3
            case .acl, .isochronous: 4
            case .event: 2
            }
        }

        /// What the length field of a header says.
        /// - Parameter header: `headerLength` octets.
        func payloadLength(header: ArraySlice<UInt8>) -> Int {
            let last = Int(header[header.endIndex - 1])
            switch self {
            case .command, .synchronous, .event: return last
            case .acl: return last << 8 | Int(header[header.endIndex - 2])
            // The two uppermost bits are reserved (Core 5.4, Vol 4, Part E, 5.4.5).
            case .isochronous: return (last & 0x3F) << 8 | Int(header[header.endIndex - 2])
            }
        }
    }
}
