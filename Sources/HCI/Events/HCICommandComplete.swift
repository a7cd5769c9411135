// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_Command_Complete (Core 5.4, Vol 4, Part E, 7.7.14): a command is done.
package struct HCICommandComplete: HCIEvent, Hashable {
    package static let eventCode: UInt8 = 0x0E
    /// How many commands the controller takes now.
    package let commandCredits: UInt8
    /// Which command is complete; `.none` when only the number of commands is told.
    package let opcode: HCIOpcode
    /// The status octet and whatever the command returns behind it.
    package let returnParameters: [UInt8]

    /// An event with these fields.
    package init(commandCredits: UInt8 = 1, opcode: HCIOpcode, returnParameters: [UInt8]) {
        self.commandCredits = commandCredits
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// A command returned a status alone.
    package init(commandCredits: UInt8 = 1, opcode: HCIOpcode, status: HCIStatus) {
        self.init(commandCredits: commandCredits, opcode: opcode, returnParameters: [status.rawValue])
    }

    /// A command returned these parameters.
    package init<Command: HCIReturningCommand>(
        commandCredits: UInt8 = 1, _: Command.Type, returning returned: Command.Returned
    ) {
        self.init(
            commandCredits: commandCredits, opcode: Command.opcode, returnParameters: returned.serialized())
    }

    /// The first returned octet, which is a status in every command used here; `nil` when nothing is returned.
    package var status: HCIStatus? { returnParameters.first.map(HCIStatus.init(rawValue:)) }

    /// Reads the return parameters as those of a command.
    /// - Returns: `nil` when the command failed: then `status` is all that can be relied on.
    /// - Throws: `WireError`, with an offset from the start of the return parameters, also when the opcode is another.
    package func returned<Command: HCIReturningCommand>(of _: Command.Type) throws(WireError) -> Command.Returned? {
        guard opcode == Command.opcode else { throw WireError(.badValue(field: "Command_Opcode"), offset: 0) }
        guard status == .success else { return nil }
        return try Command.Returned(parsing: returnParameters)
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        commandCredits = try reader.readUInt8()
        opcode = HCIOpcode(rawValue: try reader.readLittleEndian())
        returnParameters = Array(reader.readAll())
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(commandCredits)
        writer.writeLittleEndian(opcode.rawValue)
        writer.write(returnParameters)
    }
}
