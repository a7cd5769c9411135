// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Commands for the data length, PHYs and channels of connections (Core 5.4, Vol 4, Part E, 7.8).
    static let linkParameters: [any HCICommand.Type] = [
        LESetDataLength.self, LEReadSuggestedDefaultDataLength.self, LEWriteSuggestedDefaultDataLength.self,
        LEReadMaximumDataLength.self, LEReadPHY.self, LESetDefaultPHY.self, LESetPHY.self,
        LESetHostChannelClassification.self, LEReadChannelMap.self,
    ]
}

/// HCI_LE_Set_Data_Length (Core 5.4, Vol 4, Part E, 7.8.33): the preferred data length of a connection.
package struct LESetDataLength: ConnectionCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2022, "LE Set Data Length", supportedBit: (33, 6))
    package typealias Returned = StatusAndConnectionHandle
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// Payload bytes: 27 to 251.
    package let transmitOctets: UInt16
    /// Duration of a packet: 328 to 17,040.
    package let transmitTime: Microseconds

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

/// HCI_LE_Read_Suggested_Default_Data_Length (Core 5.4, Vol 4, Part E, 7.8.34): the preferred data length of
/// new connections.
package struct LEReadSuggestedDefaultDataLength: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2023, "LE Read Suggested Default Data Length", supportedBit: (33, 7))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Payload bytes: 27 to 251.
        package let suggestedMaximumTransmitOctets: UInt16
        /// Duration of a packet: 328 to 17,040.
        package let suggestedMaximumTransmitTime: Microseconds

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

/// HCI_LE_Write_Suggested_Default_Data_Length (Core 5.4, Vol 4, Part E, 7.8.35): sets the preferred data length
/// of new connections.
package struct LEWriteSuggestedDefaultDataLength: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2024, "LE Write Suggested Default Data Length", supportedBit: (34, 0))
    /// Payload bytes: 27 to 251.
    package let suggestedMaximumTransmitOctets: UInt16
    /// Duration of a packet: 328 to 17,040.
    package let suggestedMaximumTransmitTime: Microseconds

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

/// HCI_LE_Read_Maximum_Data_Length (Core 5.4, Vol 4, Part E, 7.8.46): the maximum data length.
package struct LEReadMaximumDataLength: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x202F, "LE Read Maximum Data Length", supportedBit: (35, 3))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Payload bytes: 27 to 251.
        package let supportedMaximumTransmitOctets: UInt16
        /// Duration of a packet: 328 to 17,040.
        package let supportedMaximumTransmitTime: Microseconds
        /// Payload bytes: 27 to 251.
        package let supportedMaximumReceiveOctets: UInt16
        /// Duration of a packet: 328 to 17,040.
        package let supportedMaximumReceiveTime: Microseconds

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

/// HCI_LE_Read_PHY (Core 5.4, Vol 4, Part E, 7.8.47): the PHYs of a connection.
package struct LEReadPHY: ConnectionHandleCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2030, "LE Read PHY", supportedBit: (35, 4))
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
        /// For transmitting.
        package let transmitPHY: PHY
        /// For receiving.
        package let receivePHY: PHY

        package init(
            status: HCIStatus = .success, connectionHandle: ConnectionHandle, transmitPHY: PHY, receivePHY: PHY
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.transmitPHY = transmitPHY
            self.receivePHY = receivePHY
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            transmitPHY = try PHY(parsing: &reader)
            receivePHY = try PHY(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            transmitPHY.serialize(into: &writer)
            receivePHY.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Set_Default_PHY (Core 5.4, Vol 4, Part E, 7.8.48): the preferred PHYs of new connections.
package struct LESetDefaultPHY: HCICommand {
    package static let definition = HCICommandDefinition(0x2031, "LE Set Default PHY", supportedBit: (35, 5))
    /// The directions without a preference.
    package let allPHYs: PHYIndifference
    /// Preferred PHYs for transmitting.
    package let transmitPHYs: PHYSet
    /// Preferred PHYs for receiving.
    package let receivePHYs: PHYSet

    package init(allPHYs: PHYIndifference = [], transmitPHYs: PHYSet, receivePHYs: PHYSet) {
        self.allPHYs = allPHYs
        self.transmitPHYs = transmitPHYs
        self.receivePHYs = receivePHYs
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        allPHYs = try PHYIndifference(parsing: &reader)
        transmitPHYs = try PHYSet(parsing: &reader)
        receivePHYs = try PHYSet(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        allPHYs.serialize(into: &writer)
        transmitPHYs.serialize(into: &writer)
        receivePHYs.serialize(into: &writer)
    }
}

/// HCI_LE_Set_PHY (Core 5.4, Vol 4, Part E, 7.8.49): the preferred PHYs of a connection. LEPHYUpdateComplete
/// follows.
package struct LESetPHY: ConnectionCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2032, "LE Set PHY", supportedBit: (35, 6))
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The directions without a preference.
    package let allPHYs: PHYIndifference
    /// Preferred PHYs for transmitting.
    package let transmitPHYs: PHYSet
    /// Preferred PHYs for receiving.
    package let receivePHYs: PHYSet
    /// On LE Coded: 0 any coding, 1 prefer S=2, 2 prefer S=8.
    package let phyOptions: UInt16

    package init(
        connectionHandle: ConnectionHandle, allPHYs: PHYIndifference = [], transmitPHYs: PHYSet, receivePHYs: PHYSet,
        phyOptions: UInt16 = 0
    ) {
        self.connectionHandle = connectionHandle
        self.allPHYs = allPHYs
        self.transmitPHYs = transmitPHYs
        self.receivePHYs = receivePHYs
        self.phyOptions = phyOptions
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        allPHYs = try PHYIndifference(parsing: &reader)
        transmitPHYs = try PHYSet(parsing: &reader)
        receivePHYs = try PHYSet(parsing: &reader)
        phyOptions = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        allPHYs.serialize(into: &writer)
        transmitPHYs.serialize(into: &writer)
        receivePHYs.serialize(into: &writer)
        writer.writeLittleEndian(phyOptions)
    }
}

/// HCI_LE_Set_Host_Channel_Classification (Core 5.4, Vol 4, Part E, 7.8.19): classifies the data channels.
package struct LESetHostChannelClassification: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2014, "LE Set Host Channel Classification", supportedBit: (27, 3))
    /// 37 bits, channel 0 first: 0 bad, 1 unknown.
    package let channelMap: Octets<5>

    package init(channelMap: Octets<5>) {
        self.channelMap = channelMap
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        channelMap = try Octets<5>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        channelMap.serialize(into: &writer)
    }
}

/// HCI_LE_Read_Channel_Map (Core 5.4, Vol 4, Part E, 7.8.20): the data channels of a connection.
package struct LEReadChannelMap: ConnectionHandleCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2015, "LE Read Channel Map", supportedBit: (27, 4))
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
        /// 37 bits, channel 0 first: 1 used.
        package let channelMap: Octets<5>

        package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, channelMap: Octets<5>) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.channelMap = channelMap
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            channelMap = try Octets<5>(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            channelMap.serialize(into: &writer)
        }
    }
}
