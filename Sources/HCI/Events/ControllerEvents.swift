// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCIEvents {
    /// Events about commands, buffers and the controller itself (Core 5.4, Vol 4, Part E, 7.7).
    static let controller: [any HCIEvent.Type] = [
        CommandStatus.self, HardwareError.self, NumberOfCompletedPackets.self, DataBufferOverflow.self,
        HCICommandComplete.self,
    ]
}

/// HCI_Command_Status (Core 5.4, Vol 4, Part E, 7.7.15): a command has started, or was rejected.
package struct CommandStatus: HCIEvent {
    package static let eventCode: UInt8 = 0x0F
    /// `.success` if the command has started.
    package let status: HCIStatus
    /// The number of commands that the controller accepts now.
    package let commandCredits: UInt8
    /// The command; `.none` if the event only updates the number of commands.
    package let opcode: HCIOpcode

    package init(status: HCIStatus = .success, commandCredits: UInt8 = 1, opcode: HCIOpcode) {
        self.status = status
        self.commandCredits = commandCredits
        self.opcode = opcode
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        commandCredits = try reader.readUInt8()
        opcode = HCIOpcode(rawValue: try reader.readLittleEndian())
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        writer.write(commandCredits)
        writer.writeLittleEndian(opcode.rawValue)
    }
}

/// HCI_Hardware_Error (Core 5.4, Vol 4, Part E, 7.7.16): the controller failed.
package struct HardwareError: HCIEvent {
    package static let eventCode: UInt8 = 0x10
    /// The manufacturer's code.
    package let hardwareCode: UInt8

    package init(hardwareCode: UInt8) {
        self.hardwareCode = hardwareCode
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        hardwareCode = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(hardwareCode)
    }
}

/// HCI_Number_Of_Completed_Packets (Core 5.4, Vol 4, Part E, 7.7.19): packet buffers of the controller are free again.
package struct NumberOfCompletedPackets: HCIEvent {
    package static let eventCode: UInt8 = 0x13
    /// The number of packets of each connection, for at most 63 connections.
    package let completedPackets: [CompletedPackets]

    package init(completedPackets: [CompletedPackets]) {
        self.completedPackets = completedPackets
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        completedPackets = try reader.readCountedList()
    }

    package func serialize(into writer: inout ByteWriter) { writer.writeCountedList(completedPackets) }
}

/// HCI_Data_Buffer_Overflow (Core 5.4, Vol 4, Part E, 7.7.26): the host overflowed the data buffers.
package struct DataBufferOverflow: HCIEvent {
    package static let eventCode: UInt8 = 0x1A
    /// 0 synchronous, 1 ACL, 2 isochronous.
    package let linkType: UInt8

    package init(linkType: UInt8) {
        self.linkType = linkType
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        linkType = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(linkType)
    }
}

/// HCI_Command_Complete (Core 5.4, Vol 4, Part E, 7.7.14): a command has completed.
package struct HCICommandComplete: HCIEvent {
    package static let eventCode: UInt8 = 0x0E
    /// The number of commands that the controller accepts now.
    package let commandCredits: UInt8
    /// The completed command; `.none` if the event only updates the number of commands.
    package let opcode: HCIOpcode
    /// The status byte and the other return parameters.
    package let returnParameters: [UInt8]

    package init(commandCredits: UInt8 = 1, opcode: HCIOpcode, returnParameters: [UInt8]) {
        self.commandCredits = commandCredits
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The completion of a command with a status alone.
    package init(commandCredits: UInt8 = 1, opcode: HCIOpcode, status: HCIStatus) {
        self.init(commandCredits: commandCredits, opcode: opcode, returnParameters: [status.rawValue])
    }

    /// The completion of a command with these return parameters.
    package init<Command: HCIReturningCommand>(
        commandCredits: UInt8 = 1, _: Command.Type, returning returned: Command.Returned
    ) {
        self.init(
            commandCredits: commandCredits, opcode: Command.opcode, returnParameters: returned.serialized())
    }

    /// The first returned byte, a status in all commands of this module; `nil` without return parameters.
    package var status: HCIStatus? { returnParameters.first.map(HCIStatus.init(rawValue:)) }

    /// Reads the return parameters as the return parameters of a command.
    /// - Returns: `nil` if the command failed; then only `status` is valid.
    /// - Throws: `WireError`, with an offset from the start of the return parameters; also for another opcode.
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
