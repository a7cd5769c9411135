// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A command with its opcode and length, as a host sends it (Core 5.4, Vol 4, Part E, 5.4.1).
package struct HCICommandPacket: WireCodable, Hashable {
    /// Which command.
    package let opcode: HCIOpcode
    /// Its parameters, at most 255 octets.
    package let parameters: [UInt8]

    /// A command of these octets; what exceeds 255 of them is left out.
    package init(opcode: HCIOpcode, parameters: [UInt8]) {
        self.opcode = opcode
        self.parameters = parameters.count > 255 ? Array(parameters[..<255]) : parameters
    }

    /// The packet of a command.
    package init<Command: HCICommand>(_ command: Command) {
        self.init(opcode: Command.opcode, parameters: command.serialized())
    }

    /// Reads the parameters as those of a command.
    /// - Throws: `WireError`, with an offset from the start of the parameters, also when the opcode is another's.
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
