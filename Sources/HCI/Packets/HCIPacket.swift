// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A packet between a host and a controller (Core 5.4, Vol 4, Part E, 5.4).
///
/// Encoded as on the UART transport, H4 (Vol 4, Part A, 2): a byte for the kind, then the packet.
package enum HCIPacket: WireCodable, Hashable {
    /// A command of the host.
    case command(HCICommandPacket)
    /// Data of a connection, in either direction.
    case acl(ACLDataPacket)
    /// Voice data, with its header of 3 bytes; passed through.
    case synchronous([UInt8])
    /// An event of the controller.
    case event(HCIEventPacket)
    /// Isochronous data, with its header of 4 bytes; passed through.
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

    /// Reads a packet of this kind with its header.
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
    /// The byte in front of a packet on a UART (Core 5.4, Vol 4, Part A, 2).
    enum Kind: UInt8 {
        case command = 1
        case acl = 2
        case synchronous = 3
        case event = 4
        case isochronous = 5

        /// Bytes up to and including the length field.
        var headerLength: Int {
            switch self {
            case .command, .synchronous: 3
            case .acl, .isochronous: 4
            case .event: 2
            }
        }

        /// The payload length in a header.
        /// - Parameter header: `headerLength` bytes.
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

/// A command with its opcode and length, as a host sends it (Core 5.4, Vol 4, Part E, 5.4.1).
package struct HCICommandPacket: WireCodable, Hashable {
    /// The opcode.
    package let opcode: HCIOpcode
    /// The parameters, at most 255 bytes.
    package let parameters: [UInt8]

    /// A command with these bytes; those beyond 255 are left out.
    package init(opcode: HCIOpcode, parameters: [UInt8]) {
        self.opcode = opcode
        self.parameters = parameters.count > 255 ? Array(parameters[..<255]) : parameters
    }

    /// The packet of a command.
    package init<Command: HCICommand>(_ command: Command) {
        self.init(opcode: Command.opcode, parameters: command.serialized())
    }

    /// Reads the parameters as the parameters of a command.
    /// - Throws: `WireError`, with an offset from the start of the parameters; also for another opcode.
    package func parameters<Command: HCICommand>(as _: Command.Type) throws(WireError) -> Command {
        guard opcode == Command.opcode else { throw WireError(.badValue(field: "OpCode"), offset: 0) }
        return try Command(parsing: parameters)
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        opcode = HCIOpcode(rawValue: try reader.readLittleEndian())
        let length = Int(try reader.readUInt8())
        parameters = Array(try reader.read(count: length))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(opcode.rawValue)
        writer.write(UInt8(truncatingIfNeeded: parameters.count))
        writer.write(parameters)
    }
}

/// An event with its code and length, as a controller sends it (Core 5.4, Vol 4, Part E, 5.4.4).
package struct HCIEventPacket: WireCodable, Hashable {
    /// The event code of all LE meta events.
    package static let lowEnergyMetaCode: UInt8 = 0x3E

    /// The event code.
    package let code: UInt8
    /// The parameters, at most 255 bytes.
    package let parameters: [UInt8]

    /// An event with these bytes; those beyond 255 are left out.
    package init(code: UInt8, parameters: [UInt8]) {
        self.code = code
        self.parameters = parameters.count > 255 ? Array(parameters[..<255]) : parameters
    }

    /// The packet of an event.
    package init<Event: HCIEvent>(_ event: Event) {
        self.init(code: Event.eventCode, parameters: event.serialized())
    }

    /// The LE subevent code; `nil` if this is not an LE meta event.
    package var subeventCode: UInt8? { code == Self.lowEnergyMetaCode ? parameters.first : nil }

    /// Reads the parameters as the parameters of an event.
    /// - Throws: `WireError`, with an offset from the start of the parameters; also for another event.
    package func parameters<Event: HCIEvent>(as _: Event.Type) throws(WireError) -> Event {
        guard code == Event.eventCode else { throw WireError(.badValue(field: "Event_Code"), offset: 0) }
        return try Event(parsing: parameters)
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        code = try reader.readUInt8()
        let length = Int(try reader.readUInt8())
        parameters = Array(try reader.read(count: length))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(code)
        writer.write(UInt8(truncatingIfNeeded: parameters.count))
        writer.write(parameters)
    }
}

/// Position of a packet in a higher-layer message: two bits (Core 5.4, Vol 4, Part E, 5.4.2).
package enum PacketBoundary: UInt8, Hashable, Sendable {
    /// The start of a message that must arrive; an LE host sends every message with it.
    case firstNonFlushable = 0
    /// A continuation of the message.
    case continuing = 1
    /// The start of a message; an LE controller delivers every message with it.
    case firstFlushable = 2
    /// A complete message, in some BR/EDR protocols.
    case complete = 3
}

/// Data of a connection (Core 5.4, Vol 4, Part E, 5.4.2).
package struct ACLDataPacket: WireCodable, Hashable {
    /// The connection; the lower 12 bits are sent.
    package let handle: ConnectionHandle
    /// Whether an L2CAP message starts or continues in this packet.
    package let boundary: PacketBoundary
    /// Broadcast flag, two bits: 0 on LE.
    package let broadcast: UInt8
    /// The data, at most 65,535 bytes.
    package let payload: [UInt8]

    /// Data for a connection; payload beyond 65,535 bytes is left out.
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
