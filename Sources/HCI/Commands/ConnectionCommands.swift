// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Create_Connection (Core 5.4, Vol 4, Part E, 7.8.12): connects. LEConnectionComplete or
/// LEEnhancedConnectionComplete follows.
public struct LECreateConnection: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x200D)
    /// From the start of a window to the next: 0x0004 to 0x4000.
    public let scanInterval: ScanTime
    /// How long a window is: 0x0004 to 0x4000, at most the interval.
    public let scanWindow: ScanTime
    /// To whom.
    public let initiatorFilterPolicy: InitiatorFilterPolicy
    /// Of the peer; ignored where the filter accept list decides.
    public let peerAddressType: AddressType
    /// The peer; ignored where the filter accept list decides.
    public let peerAddress: BluetoothAddress
    /// The central's address.
    public let ownAddressType: OwnAddressType
    /// The shortest interval: 0x0006 to 0x0C80.
    public let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    public let maximumConnectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    public let maximumLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    public let supervisionTimeout: SupervisionTimeout
    /// A hint.
    public let minimumEventLength: ConnectionEventLength
    /// A hint.
    public let maximumEventLength: ConnectionEventLength

    /// A command of these fields.
    public init(
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

    public init(parsing reader: inout ByteReader) throws(WireError) {
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

    public func serialize(into writer: inout ByteWriter) {
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
public struct LECreateConnectionCancel: HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x200E)
    /// The command has no parameters.
    public init() {}
}

/// HCI_LE_Connection_Update (Core 5.4, Vol 4, Part E, 7.8.18): changes parameters of a connection.
/// LEConnectionUpdateComplete follows.
public struct LEConnectionUpdate: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2013)
    /// Which connection.
    public let connectionHandle: ConnectionHandle
    /// The shortest interval: 0x0006 to 0x0C80.
    public let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    public let maximumConnectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    public let maximumLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    public let supervisionTimeout: SupervisionTimeout
    /// A hint.
    public let minimumEventLength: ConnectionEventLength
    /// A hint.
    public let maximumEventLength: ConnectionEventLength

    /// A command of these fields.
    public init(
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

    public init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        minimumConnectionInterval = try reader.readTicks()
        maximumConnectionInterval = try reader.readTicks()
        maximumLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
        minimumEventLength = try reader.readTicks()
        maximumEventLength = try reader.readTicks()
    }

    public func serialize(into writer: inout ByteWriter) {
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
public struct LEReadRemoteFeatures: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2016)
    /// Which connection.
    public let connectionHandle: ConnectionHandle

    /// A command of these fields.
    public init(connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
    }
}

/// HCI_LE_Remote_Connection_Parameter_Request_Reply (Core 5.4, Vol 4, Part E, 7.8.31): accepts what
/// LERemoteConnectionParameterRequest asks for.
public struct LERemoteConnectionParameterRequestReply: HCIReturningCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2020)
    public typealias Returned = StatusAndConnectionHandle
    /// Which connection.
    public let connectionHandle: ConnectionHandle
    /// The shortest interval: 0x0006 to 0x0C80.
    public let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    public let maximumConnectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    public let maximumLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    public let supervisionTimeout: SupervisionTimeout
    /// A hint.
    public let minimumEventLength: ConnectionEventLength
    /// A hint.
    public let maximumEventLength: ConnectionEventLength

    /// A command of these fields.
    public init(
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

    public init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        minimumConnectionInterval = try reader.readTicks()
        maximumConnectionInterval = try reader.readTicks()
        maximumLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
        minimumEventLength = try reader.readTicks()
        maximumEventLength = try reader.readTicks()
    }

    public func serialize(into writer: inout ByteWriter) {
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
public struct LERemoteConnectionParameterRequestNegativeReply: HCIReturningCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2021)
    public typealias Returned = StatusAndConnectionHandle
    /// Which connection.
    public let connectionHandle: ConnectionHandle
    /// What the peer is told.
    public let reason: HCIStatus

    /// A command of these fields.
    public init(connectionHandle: ConnectionHandle, reason: HCIStatus = .unacceptableConnectionParameters) {
        self.connectionHandle = connectionHandle
        self.reason = reason
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        reason = try HCIStatus(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        reason.serialize(into: &writer)
    }
}
