// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_Set_Controller_To_Host_Flow_Control (Core 5.4, Vol 4, Part E, 7.3.38): says for what the controller waits
/// until the host has room.
package struct SetControllerToHostFlowControl: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C31)
    /// 0 nothing, 1 ACL data, 2 synchronous data, 3 both.
    package let flowControlEnable: UInt8

    /// A command of these fields.
    package init(flowControlEnable: UInt8) {
        self.flowControlEnable = flowControlEnable
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        flowControlEnable = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(flowControlEnable)
    }
}

/// HCI_Host_Buffer_Size (Core 5.4, Vol 4, Part E, 7.3.39): says how much the host has room for.
package struct HostBufferSize: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C33)
    /// The most octets of data in an ACL packet.
    package let aclDataPacketLength: UInt16
    /// The most octets of data in a synchronous packet.
    package let synchronousDataPacketLength: UInt8
    /// How many ACL packets fit.
    package let totalACLDataPackets: UInt16
    /// How many synchronous packets fit.
    package let totalSynchronousDataPackets: UInt16

    /// A command of these fields.
    package init(
        aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8 = 0, totalACLDataPackets: UInt16,
        totalSynchronousDataPackets: UInt16 = 0
    ) {
        self.aclDataPacketLength = aclDataPacketLength
        self.synchronousDataPacketLength = synchronousDataPacketLength
        self.totalACLDataPackets = totalACLDataPackets
        self.totalSynchronousDataPackets = totalSynchronousDataPackets
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        aclDataPacketLength = try reader.readLittleEndian()
        synchronousDataPacketLength = try reader.readUInt8()
        totalACLDataPackets = try reader.readLittleEndian()
        totalSynchronousDataPackets = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(aclDataPacketLength)
        writer.write(synchronousDataPacketLength)
        writer.writeLittleEndian(totalACLDataPackets)
        writer.writeLittleEndian(totalSynchronousDataPackets)
    }
}

/// HCI_Host_Number_Of_Completed_Packets (Core 5.4, Vol 4, Part E, 7.3.40): the host has room again. Nothing is returned
/// unless it fails.
package struct HostNumberOfCompletedPackets: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C35)
    /// For each connection how many packets, at most 63 connections.
    package let completedPackets: [CompletedPackets]

    /// A command of these fields.
    package init(completedPackets: [CompletedPackets]) {
        self.completedPackets = completedPackets
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        completedPackets = try reader.readCountedList()
    }

    package func serialize(into writer: inout ByteWriter) { writer.writeCountedList(completedPackets) }
}
