// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_Command_Status (Core 5.4, Vol 4, Part E, 7.7.15): a command is under way, or was refused.
package struct CommandStatus: HCIEvent, Hashable {
    package static let eventCode: UInt8 = 0x0F
    /// `.success` when it is under way.
    package let status: HCIStatus
    /// How many commands the controller takes now.
    package let commandCredits: UInt8
    /// Which command; `.none` when only the number of commands is told.
    package let opcode: HCIOpcode

    /// An event of these fields.
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
package struct HardwareError: HCIEvent, Hashable {
    package static let eventCode: UInt8 = 0x10
    /// The manufacturer's own code.
    package let hardwareCode: UInt8

    /// An event of these fields.
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

/// HCI_Number_Of_Completed_Packets (Core 5.4, Vol 4, Part E, 7.7.19): the controller has room again.
package struct NumberOfCompletedPackets: HCIEvent, Hashable {
    package static let eventCode: UInt8 = 0x13
    /// For each connection how many packets, at most 63 connections.
    package let completedPackets: [CompletedPackets]

    /// An event of these fields.
    package init(completedPackets: [CompletedPackets]) {
        self.completedPackets = completedPackets
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        completedPackets = try reader.readCountedList()
    }

    package func serialize(into writer: inout ByteWriter) { writer.writeCountedList(completedPackets) }
}

/// HCI_Data_Buffer_Overflow (Core 5.4, Vol 4, Part E, 7.7.26): the host sent more than fits.
package struct DataBufferOverflow: HCIEvent, Hashable {
    package static let eventCode: UInt8 = 0x1A
    /// 0 synchronous, 1 ACL, 2 isochronous.
    package let linkType: UInt8

    /// An event of these fields.
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
