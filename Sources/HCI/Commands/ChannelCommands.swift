// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Set_Host_Channel_Classification (Core 5.4, Vol 4, Part E, 7.8.19): which data channels are bad.
package struct LESetHostChannelClassification: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2014)
    /// 37 bits, channel 0 first: 0 bad, 1 unknown.
    package let channelMap: Octets<5>

    /// A command of these fields.
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

/// HCI_LE_Read_Channel_Map (Core 5.4, Vol 4, Part E, 7.8.20): which data channels a connection uses.
package struct LEReadChannelMap: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2015)
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
        /// 37 bits, channel 0 first: 1 used.
        package let channelMap: Octets<5>

        /// What a command returned.
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
