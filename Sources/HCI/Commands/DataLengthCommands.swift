// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Set_Data_Length (Core 5.4, Vol 4, Part E, 7.8.33): how long the packets of a connection should be.
package struct LESetDataLength: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2022)
    package typealias Returned = StatusAndConnectionHandle
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// Of payload: 27 to 251.
    package let transmitOctets: UInt16
    /// Of a packet: 328 to 17,040.
    package let transmitTime: Microseconds

    /// A command of these fields.
    package init(connectionHandle: ConnectionHandle, transmitOctets: UInt16, transmitTime: Microseconds) {
        self.connectionHandle = connectionHandle
        self.transmitOctets = transmitOctets
        self.transmitTime = transmitTime
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        transmitOctets = try reader.readLittleEndian()
        transmitTime = try reader.readTicks()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeLittleEndian(transmitOctets)
        writer.writeTicks(transmitTime)
    }
}

/// HCI_LE_Read_Suggested_Default_Data_Length (Core 5.4, Vol 4, Part E, 7.8.34): how long the packets of new
/// connections should be.
package struct LEReadSuggestedDefaultDataLength: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2023)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// Of payload: 27 to 251.
        package let suggestedMaximumTransmitOctets: UInt16
        /// Of a packet: 328 to 17,040.
        package let suggestedMaximumTransmitTime: Microseconds

        /// What a command returned.
        package init(
            status: HCIStatus = .success, suggestedMaximumTransmitOctets: UInt16,
            suggestedMaximumTransmitTime: Microseconds
        ) {
            self.status = status
            self.suggestedMaximumTransmitOctets = suggestedMaximumTransmitOctets
            self.suggestedMaximumTransmitTime = suggestedMaximumTransmitTime
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            suggestedMaximumTransmitOctets = try reader.readLittleEndian()
            suggestedMaximumTransmitTime = try reader.readTicks()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(suggestedMaximumTransmitOctets)
            writer.writeTicks(suggestedMaximumTransmitTime)
        }
    }
}

/// HCI_LE_Write_Suggested_Default_Data_Length (Core 5.4, Vol 4, Part E, 7.8.35): says how long the packets of new
/// connections should be.
package struct LEWriteSuggestedDefaultDataLength: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2024)
    /// Of payload: 27 to 251.
    package let suggestedMaximumTransmitOctets: UInt16
    /// Of a packet: 328 to 17,040.
    package let suggestedMaximumTransmitTime: Microseconds

    /// A command of these fields.
    package init(suggestedMaximumTransmitOctets: UInt16, suggestedMaximumTransmitTime: Microseconds) {
        self.suggestedMaximumTransmitOctets = suggestedMaximumTransmitOctets
        self.suggestedMaximumTransmitTime = suggestedMaximumTransmitTime
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        suggestedMaximumTransmitOctets = try reader.readLittleEndian()
        suggestedMaximumTransmitTime = try reader.readTicks()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(suggestedMaximumTransmitOctets)
        writer.writeTicks(suggestedMaximumTransmitTime)
    }
}

/// HCI_LE_Read_Maximum_Data_Length (Core 5.4, Vol 4, Part E, 7.8.46): how long packets can be.
package struct LEReadMaximumDataLength: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x202F)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// Of payload: 27 to 251.
        package let supportedMaximumTransmitOctets: UInt16
        /// Of a packet: 328 to 17,040.
        package let supportedMaximumTransmitTime: Microseconds
        /// Of payload: 27 to 251.
        package let supportedMaximumReceiveOctets: UInt16
        /// Of a packet: 328 to 17,040.
        package let supportedMaximumReceiveTime: Microseconds

        /// What a command returned.
        package init(
            status: HCIStatus = .success, supportedMaximumTransmitOctets: UInt16,
            supportedMaximumTransmitTime: Microseconds, supportedMaximumReceiveOctets: UInt16,
            supportedMaximumReceiveTime: Microseconds
        ) {
            self.status = status
            self.supportedMaximumTransmitOctets = supportedMaximumTransmitOctets
            self.supportedMaximumTransmitTime = supportedMaximumTransmitTime
            self.supportedMaximumReceiveOctets = supportedMaximumReceiveOctets
            self.supportedMaximumReceiveTime = supportedMaximumReceiveTime
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            supportedMaximumTransmitOctets = try reader.readLittleEndian()
            supportedMaximumTransmitTime = try reader.readTicks()
            supportedMaximumReceiveOctets = try reader.readLittleEndian()
            supportedMaximumReceiveTime = try reader.readTicks()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(supportedMaximumTransmitOctets)
            writer.writeTicks(supportedMaximumTransmitTime)
            writer.writeLittleEndian(supportedMaximumReceiveOctets)
            writer.writeTicks(supportedMaximumReceiveTime)
        }
    }
}
