// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Controller and baseband commands (Core 5.4, Vol 4, Part E, 7.3), with those for flow control.
    static let controller: [any HCICommand.Type] = [
        SetEventMask.self, HCIReset.self, WriteLocalName.self, ReadLocalName.self, ReadTransmitPowerLevel.self,
        SetEventMaskPage2.self, ReadLEHostSupport.self, WriteLEHostSupport.self, ReadAuthenticatedPayloadTimeout.self,
        WriteAuthenticatedPayloadTimeout.self, SetControllerToHostFlowControl.self, HostBufferSize.self,
        HostNumberOfCompletedPackets.self,
    ]
}

/// HCI_Set_Event_Mask (Core 5.4, Vol 4, Part E, 7.3.1): selects the events.
package struct SetEventMask: HCICommand {
    package static let definition = HCICommandDefinition(0x0C01, "Set Event Mask", supportedBit: (5, 6))
    /// The events that the controller may send.
    package let eventMask: EventMask

    package init(eventMask: EventMask) {
        self.eventMask = eventMask
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        eventMask = try EventMask(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        eventMask.serialize(into: &writer)
    }
}

/// HCI_Reset (Core 5.4, Vol 4, Part E, 7.3.2): resets the controller.
package struct HCIReset: HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C03, "Reset", supportedBit: (5, 7))
    /// The command has no parameters.
    package init() {}
}

/// HCI_Write_Local_Name (Core 5.4, Vol 4, Part E, 7.3.11): sets the device name, which is not visible over LE.
package struct WriteLocalName: HCICommand {
    package static let definition = HCICommandDefinition(0x0C13, "Write Local Name", supportedBit: (7, 0))
    /// The name in UTF-8, terminated by a zero byte if it is shorter than 248 bytes.
    package let localName: Octets<248>

    package init(localName: Octets<248>) {
        self.localName = localName
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        localName = try Octets<248>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        localName.serialize(into: &writer)
    }
}

/// HCI_Read_Local_Name (Core 5.4, Vol 4, Part E, 7.3.12): the name set by HCI_Write_Local_Name.
package struct ReadLocalName: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C14, "Read Local Name", supportedBit: (7, 1))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The name in UTF-8, terminated by a zero byte if it is shorter than 248 bytes.
        package let localName: Octets<248>

        package init(status: HCIStatus = .success, localName: Octets<248>) {
            self.status = status
            self.localName = localName
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            localName = try Octets<248>(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            localName.serialize(into: &writer)
        }
    }
}

/// HCI_Read_Transmit_Power_Level (Core 5.4, Vol 4, Part E, 7.3.35): the power used on a connection.
package struct ReadTransmitPowerLevel: ConnectionCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C2D, "Read Transmit Power Level", supportedBit: (10, 2))
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The level to read: 0 the current one, 1 the maximum.
    package let type: UInt8

    package init(connectionHandle: ConnectionHandle, type: UInt8) {
        self.connectionHandle = connectionHandle
        self.type = type
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        type = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.write(type)
    }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The connection.
        package let connectionHandle: ConnectionHandle
        /// The power: -30 to 20 dBm.
        package let transmitPowerLevel: TransmitPower

        package init(
            status: HCIStatus = .success, connectionHandle: ConnectionHandle, transmitPowerLevel: TransmitPower
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.transmitPowerLevel = transmitPowerLevel
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            transmitPowerLevel = TransmitPower(try reader.readInt8())
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            writer.write(transmitPowerLevel.decibelMilliwatts)
        }
    }
}

/// HCI_Set_Event_Mask_Page_2 (Core 5.4, Vol 4, Part E, 7.3.69): selects further events.
package struct SetEventMaskPage2: HCICommand {
    package static let definition = HCICommandDefinition(0x0C63, "Set Event Mask Page 2", supportedBit: (22, 2))
    /// The events that the controller may send.
    package let eventMaskPage2: EventMaskPage2

    package init(eventMaskPage2: EventMaskPage2) {
        self.eventMaskPage2 = eventMaskPage2
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        eventMaskPage2 = try EventMaskPage2(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        eventMaskPage2.serialize(into: &writer)
    }
}

/// HCI_Read_LE_Host_Support (Core 5.4, Vol 4, Part E, 7.3.78): whether the host supports LE.
package struct ReadLEHostSupport: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C6C, "Read LE Host Support", supportedBit: (24, 5))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Whether the host supports LE: 0 no, 1 yes.
        package let supportedHost: UInt8
        /// Ignored; formerly simultaneous LE and BR/EDR.
        package let unused: UInt8

        package init(status: HCIStatus = .success, supportedHost: UInt8, unused: UInt8 = 0) {
            self.status = status
            self.supportedHost = supportedHost
            self.unused = unused
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            supportedHost = try reader.readUInt8()
            unused = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(supportedHost)
            writer.write(unused)
        }
    }
}

/// HCI_Write_LE_Host_Support (Core 5.4, Vol 4, Part E, 7.3.79): sets whether the host supports LE.
package struct WriteLEHostSupport: HCICommand {
    package static let definition = HCICommandDefinition(0x0C6D, "Write LE Host Support", supportedBit: (24, 6))
    /// Whether the host supports LE: 0 no, 1 yes.
    package let supportedHost: UInt8
    /// Ignored; formerly simultaneous LE and BR/EDR.
    package let unused: UInt8

    package init(supportedHost: UInt8, unused: UInt8 = 0) {
        self.supportedHost = supportedHost
        self.unused = unused
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        supportedHost = try reader.readUInt8()
        unused = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(supportedHost)
        writer.write(unused)
    }
}

/// HCI_Read_Authenticated_Payload_Timeout (Core 5.4, Vol 4, Part E, 7.3.93): the maximum time between authenticated
/// packets of an encrypted connection.
package struct ReadAuthenticatedPayloadTimeout: ConnectionHandleCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C7B, "Read Authenticated Payload Timeout", supportedBit: (32, 4))
    /// The connection.
    package let connectionHandle: ConnectionHandle

    package init(connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The connection.
        package let connectionHandle: ConnectionHandle
        /// The timeout in units of 10 ms: 1 to 65,535.
        package let authenticatedPayloadTimeout: Ticks<10_000>

        package init(
            status: HCIStatus = .success, connectionHandle: ConnectionHandle, authenticatedPayloadTimeout: Ticks<10_000>
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.authenticatedPayloadTimeout = authenticatedPayloadTimeout
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            authenticatedPayloadTimeout = try reader.readTicks()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            writer.writeTicks(authenticatedPayloadTimeout)
        }
    }
}

/// HCI_Write_Authenticated_Payload_Timeout (Core 5.4, Vol 4, Part E, 7.3.94): sets the maximum time between
/// authenticated packets of an encrypted connection.
package struct WriteAuthenticatedPayloadTimeout: ConnectionCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C7C, "Write Authenticated Payload Timeout", supportedBit: (32, 5))
    package typealias Returned = StatusAndConnectionHandle
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The timeout in units of 10 ms: 1 to 65,535.
    package let authenticatedPayloadTimeout: Ticks<10_000>

    package init(connectionHandle: ConnectionHandle, authenticatedPayloadTimeout: Ticks<10_000>) {
        self.connectionHandle = connectionHandle
        self.authenticatedPayloadTimeout = authenticatedPayloadTimeout
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        authenticatedPayloadTimeout = try reader.readTicks()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeTicks(authenticatedPayloadTimeout)
    }
}

/// HCI_Set_Controller_To_Host_Flow_Control (Core 5.4, Vol 4, Part E, 7.3.38): selects the data that the
/// controller sends only while the host has free buffers.
package struct SetControllerToHostFlowControl: HCICommand {
    package static let definition = HCICommandDefinition(
        0x0C31, "Set Controller To Host Flow Control", supportedBit: (10, 5))
    /// The data under flow control: 0 none, 1 ACL data, 2 synchronous data, 3 both.
    package let flowControlEnable: UInt8

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

/// HCI_Host_Buffer_Size (Core 5.4, Vol 4, Part E, 7.3.39): reports the buffers of the host.
package struct HostBufferSize: HCICommand {
    package static let definition = HCICommandDefinition(0x0C33, "Host Buffer Size", supportedBit: (10, 6))
    /// Maximum data bytes in an ACL packet.
    package let aclDataPacketLength: UInt16
    /// Maximum data bytes in a synchronous packet.
    package let synchronousDataPacketLength: UInt8
    /// The number of ACL packet buffers.
    package let totalACLDataPackets: UInt16
    /// The number of synchronous packet buffers.
    package let totalSynchronousDataPackets: UInt16

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

/// HCI_Host_Number_Of_Completed_Packets (Core 5.4, Vol 4, Part E, 7.3.40): packet buffers of the host are free again.
/// The controller sends no event for this command unless the command fails.
package struct HostNumberOfCompletedPackets: HCICommand {
    package static let definition = HCICommandDefinition(
        0x0C35, "Host Number Of Completed Packets", supportedBit: (10, 7))
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
