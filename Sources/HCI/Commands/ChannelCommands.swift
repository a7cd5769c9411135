// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Set_Host_Channel_Classification (Core 5.4, Vol 4, Part E, 7.8.19): which data channels are bad.
public struct LESetHostChannelClassification: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2014)
    /// 37 bits, channel 0 first: 0 bad, 1 unknown.
    public let channelMap: Octets<5>

    /// A command of these fields.
    public init(channelMap: Octets<5>) {
        self.channelMap = channelMap
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        channelMap = try Octets<5>(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        channelMap.serialize(into: &writer)
    }
}

/// HCI_LE_Read_Channel_Map (Core 5.4, Vol 4, Part E, 7.8.20): which data channels a connection uses.
public struct LEReadChannelMap: HCIReturningCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2015)
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
        /// 37 bits, channel 0 first: 1 used.
        public let channelMap: Octets<5>

        /// What a command returned.
        public init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, channelMap: Octets<5>) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.channelMap = channelMap
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            channelMap = try Octets<5>(parsing: &reader)
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            channelMap.serialize(into: &writer)
        }
    }
}
