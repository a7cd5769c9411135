// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Read_PHY (Core 5.4, Vol 4, Part E, 7.8.47): the PHYs of a connection.
public struct LEReadPHY: HCIReturningCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2030)
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

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// Which connection.
        public let connectionHandle: ConnectionHandle
        /// For sending.
        public let transmitPHY: PHY
        /// For receiving.
        public let receivePHY: PHY

        /// What a command returned.
        public init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, transmitPHY: PHY, receivePHY: PHY)
        {
            self.status = status
            self.connectionHandle = connectionHandle
            self.transmitPHY = transmitPHY
            self.receivePHY = receivePHY
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            transmitPHY = try PHY(parsing: &reader)
            receivePHY = try PHY(parsing: &reader)
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            transmitPHY.serialize(into: &writer)
            receivePHY.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Set_Default_PHY (Core 5.4, Vol 4, Part E, 7.8.48): the PHYs that new connections should have.
public struct LESetDefaultPHY: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2031)
    /// The directions in which any will do.
    public let allPHYs: PHYIndifference
    /// Those for sending.
    public let transmitPHYs: PHYSet
    /// Those for receiving.
    public let receivePHYs: PHYSet

    /// A command of these fields.
    public init(allPHYs: PHYIndifference = [], transmitPHYs: PHYSet, receivePHYs: PHYSet) {
        self.allPHYs = allPHYs
        self.transmitPHYs = transmitPHYs
        self.receivePHYs = receivePHYs
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        allPHYs = try PHYIndifference(parsing: &reader)
        transmitPHYs = try PHYSet(parsing: &reader)
        receivePHYs = try PHYSet(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        allPHYs.serialize(into: &writer)
        transmitPHYs.serialize(into: &writer)
        receivePHYs.serialize(into: &writer)
    }
}

/// HCI_LE_Set_PHY (Core 5.4, Vol 4, Part E, 7.8.49): the PHYs that a connection should have. LEPHYUpdateComplete
/// follows.
public struct LESetPHY: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2032)
    /// Which connection.
    public let connectionHandle: ConnectionHandle
    /// The directions in which any will do.
    public let allPHYs: PHYIndifference
    /// Those for sending.
    public let transmitPHYs: PHYSet
    /// Those for receiving.
    public let receivePHYs: PHYSet
    /// On LE Coded: 0 any coding, 1 prefer S=2, 2 prefer S=8.
    public let phyOptions: UInt16

    /// A command of these fields.
    public init(
        connectionHandle: ConnectionHandle, allPHYs: PHYIndifference = [], transmitPHYs: PHYSet, receivePHYs: PHYSet,
        phyOptions: UInt16 = 0
    ) {
        self.connectionHandle = connectionHandle
        self.allPHYs = allPHYs
        self.transmitPHYs = transmitPHYs
        self.receivePHYs = receivePHYs
        self.phyOptions = phyOptions
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        allPHYs = try PHYIndifference(parsing: &reader)
        transmitPHYs = try PHYSet(parsing: &reader)
        receivePHYs = try PHYSet(parsing: &reader)
        phyOptions = try reader.readLittleEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        allPHYs.serialize(into: &writer)
        transmitPHYs.serialize(into: &writer)
        receivePHYs.serialize(into: &writer)
        writer.writeLittleEndian(phyOptions)
    }
}
