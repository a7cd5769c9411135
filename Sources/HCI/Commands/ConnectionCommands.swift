// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Create_Connection (Core 5.4, Vol 4, Part E, 7.8.12): connects. LEConnectionComplete or
/// LEEnhancedConnectionComplete follows.
package struct LECreateConnection: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x200D)
    /// From the start of a window to the next: 0x0004 to 0x4000.
    package let scanInterval: ScanTime
    /// How long a window is: 0x0004 to 0x4000, at most the interval.
    package let scanWindow: ScanTime
    /// To whom.
    package let initiatorFilterPolicy: InitiatorFilterPolicy
    /// Of the peer; ignored where the filter accept list decides.
    package let peerAddressType: AddressType
    /// The peer; ignored where the filter accept list decides.
    package let peerAddress: BluetoothAddress
    /// The central's address.
    package let ownAddressType: OwnAddressType
    /// The shortest interval: 0x0006 to 0x0C80.
    package let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    package let maximumConnectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    package let maximumLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// A hint.
    package let minimumEventLength: ConnectionEventLength
    /// A hint.
    package let maximumEventLength: ConnectionEventLength

    /// A command of these fields.
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

/// HCI_LE_Create_Connection_Cancel (Core 5.4, Vol 4, Part E, 7.8.13): gives up. LEConnectionComplete follows,
/// with status 0x02.
package struct LECreateConnectionCancel: HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x200E)
    /// The command has no parameters.
    package init() {}
}

/// HCI_LE_Connection_Update (Core 5.4, Vol 4, Part E, 7.8.18): changes parameters of a connection.
/// LEConnectionUpdateComplete follows.
package struct LEConnectionUpdate: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2013)
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// The shortest interval: 0x0006 to 0x0C80.
    package let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    package let maximumConnectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    package let maximumLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// A hint.
    package let minimumEventLength: ConnectionEventLength
    /// A hint.
    package let maximumEventLength: ConnectionEventLength

    /// A command of these fields.
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

/// HCI_LE_Read_Remote_Features (Core 5.4, Vol 4, Part E, 7.8.21): what a peer can do.
/// LEReadRemoteFeaturesComplete follows.
package struct LEReadRemoteFeatures: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2016)
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
}

/// HCI_LE_Remote_Connection_Parameter_Request_Reply (Core 5.4, Vol 4, Part E, 7.8.31): accepts what
/// LERemoteConnectionParameterRequest asks for.
package struct LERemoteConnectionParameterRequestReply: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2020)
    package typealias Returned = StatusAndConnectionHandle
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// The shortest interval: 0x0006 to 0x0C80.
    package let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    package let maximumConnectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    package let maximumLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// A hint.
    package let minimumEventLength: ConnectionEventLength
    /// A hint.
    package let maximumEventLength: ConnectionEventLength

    /// A command of these fields.
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

/// HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply (Core 5.4, Vol 4, Part E, 7.8.32): refuses what
/// LERemoteConnectionParameterRequest asks for.
package struct LERemoteConnectionParameterRequestNegativeReply: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2021)
    package typealias Returned = StatusAndConnectionHandle
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// What the peer is told.
    package let reason: HCIStatus

    /// A command of these fields.
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
