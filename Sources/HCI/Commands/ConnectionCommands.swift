// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Commands that create, update and end connections (Core 5.4, Vol 4, Part E, 7.1 and 7.8).
    static let connections: [any HCICommand.Type] = [
        Disconnect.self, ReadRemoteVersionInformation.self, LECreateConnection.self, LECreateConnectionCancel.self,
        LEConnectionUpdate.self, LEReadRemoteFeatures.self, LERemoteConnectionParameterRequestReply.self,
        LERemoteConnectionParameterRequestNegativeReply.self, LEExtendedCreateConnection.self,
    ]
}

/// HCI_Disconnect (Core 5.4, Vol 4, Part E, 7.1.6): ends a connection. DisconnectionComplete follows.
package struct Disconnect: ConnectionCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0406, "Disconnect", supportedBit: (0, 5))
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The reason sent to the peer: 0x05, 0x13 to 0x15, 0x1A, 0x29 or 0x3B.
    package let reason: HCIStatus

    package init(connectionHandle: ConnectionHandle, reason: HCIStatus = .remoteUserTerminatedConnection) {
        self.connectionHandle = connectionHandle
        self.reason = reason
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        reason = try HCIStatus(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        reason.serialize(into: &writer)
    }
}

/// HCI_Read_Remote_Version_Information (Core 5.4, Vol 4, Part E, 7.1.23): requests the version of a peer.
/// ReadRemoteVersionInformationComplete follows.
package struct ReadRemoteVersionInformation: ConnectionHandleCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x041D, "Read Remote Version Information", supportedBit: (2, 7))
    /// The connection.
    package let connectionHandle: ConnectionHandle

    package init(connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }
}

/// HCI_LE_Create_Connection (Core 5.4, Vol 4, Part E, 7.8.12): connects. LEConnectionComplete or
/// LEEnhancedConnectionComplete follows.
package struct LECreateConnection: HCICommand {
    package static let definition = HCICommandDefinition(0x200D, "LE Create Connection", supportedBit: (26, 4))
    /// From the start of a window to the next: 0x0004 to 0x4000.
    package let scanInterval: ScanTime
    /// Duration of a window: 0x0004 to 0x4000, at most the interval.
    package let scanWindow: ScanTime
    /// Which advertisers to connect to.
    package let initiatorFilterPolicy: InitiatorFilterPolicy
    /// Address type of the peer; ignored if the filter accept list is used.
    package let peerAddressType: AddressType
    /// The peer; ignored if the filter accept list is used.
    package let peerAddress: BluetoothAddress
    /// The central's address.
    package let ownAddressType: OwnAddressType
    /// The shortest interval: 0x0006 to 0x0C80.
    package let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    package let maximumConnectionInterval: ConnectionInterval
    /// Connection events that the peripheral may skip: 0 to 499.
    package let maximumLatency: UInt16
    /// The supervision timeout: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// A hint.
    package let minimumEventLength: ConnectionEventLength
    /// A hint.
    package let maximumEventLength: ConnectionEventLength

    package init(
        scanInterval: ScanTime, scanWindow: ScanTime, initiatorFilterPolicy: InitiatorFilterPolicy = .peerAddress,
        peerAddressType: AddressType = .public, peerAddress: BluetoothAddress = .zero,
        ownAddressType: OwnAddressType = .public, minimumConnectionInterval: ConnectionInterval,
        maximumConnectionInterval: ConnectionInterval, maximumLatency: UInt16 = 0,
        supervisionTimeout: SupervisionTimeout, minimumEventLength: ConnectionEventLength = ConnectionEventLength(0),
        maximumEventLength: ConnectionEventLength = ConnectionEventLength(0)
    ) {
        self.scanInterval = scanInterval
        self.scanWindow = scanWindow
        self.initiatorFilterPolicy = initiatorFilterPolicy
        self.peerAddressType = peerAddressType
        self.peerAddress = peerAddress
        self.ownAddressType = ownAddressType
        self.minimumConnectionInterval = minimumConnectionInterval
        self.maximumConnectionInterval = maximumConnectionInterval
        self.maximumLatency = maximumLatency
        self.supervisionTimeout = supervisionTimeout
        self.minimumEventLength = minimumEventLength
        self.maximumEventLength = maximumEventLength
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        scanInterval = try reader.readTicks()
        scanWindow = try reader.readTicks()
        initiatorFilterPolicy = try InitiatorFilterPolicy(parsing: &reader)
        peerAddressType = try AddressType(parsing: &reader)
        peerAddress = try BluetoothAddress(parsing: &reader)
        ownAddressType = try OwnAddressType(parsing: &reader)
        minimumConnectionInterval = try reader.readTicks()
        maximumConnectionInterval = try reader.readTicks()
        maximumLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
        minimumEventLength = try reader.readTicks()
        maximumEventLength = try reader.readTicks()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeTicks(scanInterval)
        writer.writeTicks(scanWindow)
        initiatorFilterPolicy.serialize(into: &writer)
        peerAddressType.serialize(into: &writer)
        peerAddress.serialize(into: &writer)
        ownAddressType.serialize(into: &writer)
        writer.writeTicks(minimumConnectionInterval)
        writer.writeTicks(maximumConnectionInterval)
        writer.writeLittleEndian(maximumLatency)
        writer.writeTicks(supervisionTimeout)
        writer.writeTicks(minimumEventLength)
        writer.writeTicks(maximumEventLength)
    }
}

/// HCI_LE_Create_Connection_Cancel (Core 5.4, Vol 4, Part E, 7.8.13): cancels connecting. LEConnectionComplete
/// follows, with status 0x02.
package struct LECreateConnectionCancel: HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x200E, "LE Create Connection Cancel", supportedBit: (26, 5))
    /// The command has no parameters.
    package init() {}
}

/// HCI_LE_Connection_Update (Core 5.4, Vol 4, Part E, 7.8.18): changes parameters of a connection.
/// LEConnectionUpdateComplete follows.
package struct LEConnectionUpdate: ConnectionCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2013, "LE Connection Update", supportedBit: (27, 2))
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The shortest interval: 0x0006 to 0x0C80.
    package let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    package let maximumConnectionInterval: ConnectionInterval
    /// Connection events that the peripheral may skip: 0 to 499.
    package let maximumLatency: UInt16
    /// The supervision timeout: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// A hint.
    package let minimumEventLength: ConnectionEventLength
    /// A hint.
    package let maximumEventLength: ConnectionEventLength

    package init(
        connectionHandle: ConnectionHandle, minimumConnectionInterval: ConnectionInterval,
        maximumConnectionInterval: ConnectionInterval, maximumLatency: UInt16 = 0,
        supervisionTimeout: SupervisionTimeout, minimumEventLength: ConnectionEventLength = ConnectionEventLength(0),
        maximumEventLength: ConnectionEventLength = ConnectionEventLength(0)
    ) {
        self.connectionHandle = connectionHandle
        self.minimumConnectionInterval = minimumConnectionInterval
        self.maximumConnectionInterval = maximumConnectionInterval
        self.maximumLatency = maximumLatency
        self.supervisionTimeout = supervisionTimeout
        self.minimumEventLength = minimumEventLength
        self.maximumEventLength = maximumEventLength
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        minimumConnectionInterval = try reader.readTicks()
        maximumConnectionInterval = try reader.readTicks()
        maximumLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
        minimumEventLength = try reader.readTicks()
        maximumEventLength = try reader.readTicks()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeTicks(minimumConnectionInterval)
        writer.writeTicks(maximumConnectionInterval)
        writer.writeLittleEndian(maximumLatency)
        writer.writeTicks(supervisionTimeout)
        writer.writeTicks(minimumEventLength)
        writer.writeTicks(maximumEventLength)
    }
}

/// HCI_LE_Read_Remote_Features (Core 5.4, Vol 4, Part E, 7.8.21): the features of a peer.
/// LEReadRemoteFeaturesComplete follows.
package struct LEReadRemoteFeatures: ConnectionHandleCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2016, "LE Read Remote Features", supportedBit: (27, 5))
    /// The connection.
    package let connectionHandle: ConnectionHandle

    package init(connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }
}

/// HCI_LE_Remote_Connection_Parameter_Request_Reply (Core 5.4, Vol 4, Part E, 7.8.31): accepts the parameters
/// of LERemoteConnectionParameterRequest.
package struct LERemoteConnectionParameterRequestReply: ConnectionCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2020, "LE Remote Connection Parameter Request Reply", supportedBit: (33, 4))
    package typealias Returned = StatusAndConnectionHandle
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The shortest interval: 0x0006 to 0x0C80.
    package let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    package let maximumConnectionInterval: ConnectionInterval
    /// Connection events that the peripheral may skip: 0 to 499.
    package let maximumLatency: UInt16
    /// The supervision timeout: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// A hint.
    package let minimumEventLength: ConnectionEventLength
    /// A hint.
    package let maximumEventLength: ConnectionEventLength

    package init(
        connectionHandle: ConnectionHandle, minimumConnectionInterval: ConnectionInterval,
        maximumConnectionInterval: ConnectionInterval, maximumLatency: UInt16 = 0,
        supervisionTimeout: SupervisionTimeout, minimumEventLength: ConnectionEventLength = ConnectionEventLength(0),
        maximumEventLength: ConnectionEventLength = ConnectionEventLength(0)
    ) {
        self.connectionHandle = connectionHandle
        self.minimumConnectionInterval = minimumConnectionInterval
        self.maximumConnectionInterval = maximumConnectionInterval
        self.maximumLatency = maximumLatency
        self.supervisionTimeout = supervisionTimeout
        self.minimumEventLength = minimumEventLength
        self.maximumEventLength = maximumEventLength
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        minimumConnectionInterval = try reader.readTicks()
        maximumConnectionInterval = try reader.readTicks()
        maximumLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
        minimumEventLength = try reader.readTicks()
        maximumEventLength = try reader.readTicks()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeTicks(minimumConnectionInterval)
        writer.writeTicks(maximumConnectionInterval)
        writer.writeLittleEndian(maximumLatency)
        writer.writeTicks(supervisionTimeout)
        writer.writeTicks(minimumEventLength)
        writer.writeTicks(maximumEventLength)
    }
}

/// HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply (Core 5.4, Vol 4, Part E, 7.8.32): rejects the
/// parameters of LERemoteConnectionParameterRequest.
package struct LERemoteConnectionParameterRequestNegativeReply: ConnectionCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2021, "LE Remote Connection Parameter Request Negative Reply", supportedBit: (33, 5))
    package typealias Returned = StatusAndConnectionHandle
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The reason sent to the peer.
    package let reason: HCIStatus

    package init(connectionHandle: ConnectionHandle, reason: HCIStatus = .unacceptableConnectionParameters) {
        self.connectionHandle = connectionHandle
        self.reason = reason
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        reason = try HCIStatus(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        reason.serialize(into: &writer)
    }
}

/// HCI_LE_Extended_Create_Connection, version 1 (Core 5.4, Vol 4, Part E, 7.8.66): connects.
/// LEEnhancedConnectionComplete or LEConnectionComplete follows.
package struct LEExtendedCreateConnection: HCICommand {
    package static let definition = HCICommandDefinition(0x2043, "LE Extended Create Connection", supportedBit: (37, 7))

    /// Connection parameters of one PHY.
    package struct Parameters: WireCodable, Equatable {
        /// From the start of a window to the next: 0x0004 to 0xFFFF.
        package let scanInterval: ScanTime
        /// Duration of a window: 0x0004 to 0xFFFF, at most the interval.
        package let scanWindow: ScanTime
        /// The shortest interval: 0x0006 to 0x0C80.
        package let minimumConnectionInterval: ConnectionInterval
        /// The longest interval: 0x0006 to 0x0C80.
        package let maximumConnectionInterval: ConnectionInterval
        /// Connection events that the peripheral may skip: 0 to 499.
        package let maximumLatency: UInt16
        /// The supervision timeout: 0x000A to 0x0C80.
        package let supervisionTimeout: SupervisionTimeout
        /// A hint.
        package let minimumEventLength: ConnectionEventLength
        /// A hint.
        package let maximumEventLength: ConnectionEventLength

        package init(
            scanInterval: ScanTime, scanWindow: ScanTime, minimumConnectionInterval: ConnectionInterval,
            maximumConnectionInterval: ConnectionInterval, maximumLatency: UInt16 = 0,
            supervisionTimeout: SupervisionTimeout,
            minimumEventLength: ConnectionEventLength = ConnectionEventLength(0),
            maximumEventLength: ConnectionEventLength = ConnectionEventLength(0)
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.minimumConnectionInterval = minimumConnectionInterval
            self.maximumConnectionInterval = maximumConnectionInterval
            self.maximumLatency = maximumLatency
            self.supervisionTimeout = supervisionTimeout
            self.minimumEventLength = minimumEventLength
            self.maximumEventLength = maximumEventLength
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            scanInterval = try reader.readTicks()
            scanWindow = try reader.readTicks()
            minimumConnectionInterval = try reader.readTicks()
            maximumConnectionInterval = try reader.readTicks()
            maximumLatency = try reader.readLittleEndian()
            supervisionTimeout = try reader.readTicks()
            minimumEventLength = try reader.readTicks()
            maximumEventLength = try reader.readTicks()
        }

        package func serialize(into writer: inout ByteWriter) {
            writer.writeTicks(scanInterval)
            writer.writeTicks(scanWindow)
            writer.writeTicks(minimumConnectionInterval)
            writer.writeTicks(maximumConnectionInterval)
            writer.writeLittleEndian(maximumLatency)
            writer.writeTicks(supervisionTimeout)
            writer.writeTicks(minimumEventLength)
            writer.writeTicks(maximumEventLength)
        }
    }

    /// Which advertisers to connect to.
    package let initiatorFilterPolicy: InitiatorFilterPolicy
    /// The central's address.
    package let ownAddressType: OwnAddressType
    /// Address type of the peer; ignored if the filter accept list is used.
    package let peerAddressType: AddressType
    /// The peer; ignored if the filter accept list is used.
    package let peerAddress: BluetoothAddress
    /// The PHYs to scan for the peer, and those with connection parameters.
    package let initiatingPHYs: PHYSet
    /// One for each bit of `initiatingPHYs`, lowest bit first.
    package let parameters: [Parameters]

    package init(
        initiatorFilterPolicy: InitiatorFilterPolicy = .peerAddress, ownAddressType: OwnAddressType = .public,
        peerAddressType: AddressType = .public, peerAddress: BluetoothAddress = .zero,
        initiatingPHYs: PHYSet = .oneMegabit, parameters: [Parameters]
    ) {
        self.initiatorFilterPolicy = initiatorFilterPolicy
        self.ownAddressType = ownAddressType
        self.peerAddressType = peerAddressType
        self.peerAddress = peerAddress
        self.initiatingPHYs = initiatingPHYs
        self.parameters = parameters
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        initiatorFilterPolicy = try InitiatorFilterPolicy(parsing: &reader)
        ownAddressType = try OwnAddressType(parsing: &reader)
        peerAddressType = try AddressType(parsing: &reader)
        peerAddress = try BluetoothAddress(parsing: &reader)
        initiatingPHYs = try PHYSet(parsing: &reader)
        parameters = try reader.readList(count: initiatingPHYs.rawValue.nonzeroBitCount)
    }

    package func serialize(into writer: inout ByteWriter) {
        initiatorFilterPolicy.serialize(into: &writer)
        ownAddressType.serialize(into: &writer)
        peerAddressType.serialize(into: &writer)
        peerAddress.serialize(into: &writer)
        initiatingPHYs.serialize(into: &writer)
        for phy in parameters { phy.serialize(into: &writer) }
    }
}
