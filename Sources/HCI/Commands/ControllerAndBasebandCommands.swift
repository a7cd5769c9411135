// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_Set_Event_Mask (Core 5.4, Vol 4, Part E, 7.3.1): says which events the host wants.
package struct SetEventMask: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C01)
    /// The events that are not held back.
    package let eventMask: EventMask

    /// A command of these fields.
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

/// HCI_Reset (Core 5.4, Vol 4, Part E, 7.3.2): the controller forgets all that it was told.
package struct HCIReset: HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C03)
    /// The command has no parameters.
    package init() {}
}

/// HCI_Write_Local_Name (Core 5.4, Vol 4, Part E, 7.3.11): names the device; LE does not show it.
package struct WriteLocalName: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C13)
    /// UTF-8, ended by a zero octet where it is shorter.
    package let localName: Octets<248>

    /// A command of these fields.
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

/// HCI_Read_Local_Name (Core 5.4, Vol 4, Part E, 7.3.12): what HCI_Write_Local_Name wrote.
package struct ReadLocalName: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C14)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// UTF-8, ended by a zero octet where it is shorter.
        package let localName: Octets<248>

        /// What a command returned.
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
package struct ReadTransmitPowerLevel: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C2D)
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// 0 the present level, 1 the highest.
    package let type: UInt8

    /// A command of these fields.
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

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// Which connection.
        package let connectionHandle: ConnectionHandle
        /// -30 to 20 dBm.
        package let transmitPowerLevel: TransmitPower

        /// What a command returned.
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

/// HCI_Set_Event_Mask_Page_2 (Core 5.4, Vol 4, Part E, 7.3.69): says which further events the host wants.
package struct SetEventMaskPage2: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C63)
    /// The events that are not held back.
    package let eventMaskPage2: EventMaskPage2

    /// A command of these fields.
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

/// HCI_Read_LE_Host_Support (Core 5.4, Vol 4, Part E, 7.3.78): whether the host has LE.
package struct ReadLEHostSupport: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C6C)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// 0 it has not, 1 it has.
        package let supportedHost: UInt8
        /// Ignored; it was once LE and BR/EDR at the same time.
        package let unused: UInt8

        /// What a command returned.
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

/// HCI_Write_LE_Host_Support (Core 5.4, Vol 4, Part E, 7.3.79): says whether the host has LE.
package struct WriteLEHostSupport: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C6D)
    /// 0 it has not, 1 it has.
    package let supportedHost: UInt8
    /// Ignored; it was once LE and BR/EDR at the same time.
    package let unused: UInt8

    /// A command of these fields.
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

/// HCI_Read_Authenticated_Payload_Timeout (Core 5.4, Vol 4, Part E, 7.3.93): how long an encrypted connection may
/// be without an authenticated packet.
package struct ReadAuthenticatedPayloadTimeout: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C7B)
    /// Which connection.
    package let connectionHandle: ConnectionHandle

    /// A command of these fields.
    package init(connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
    }

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// Which connection.
        package let connectionHandle: ConnectionHandle
        /// In 10 ms: 1 to 65,535.
        package let authenticatedPayloadTimeout: Ticks<10_000>

        /// What a command returned.
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

/// HCI_Write_Authenticated_Payload_Timeout (Core 5.4, Vol 4, Part E, 7.3.94): sets how long an encrypted
/// connection may be without an authenticated packet.
package struct WriteAuthenticatedPayloadTimeout: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0C7C)
    package typealias Returned = StatusAndConnectionHandle
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// In 10 ms: 1 to 65,535.
    package let authenticatedPayloadTimeout: Ticks<10_000>

    /// A command of these fields.
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
