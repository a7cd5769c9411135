// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_Disconnect (Core 5.4, Vol 4, Part E, 7.1.6): ends a connection. DisconnectionComplete follows.
package struct Disconnect: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x0406)
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// What the peer is told: 0x05, 0x13 to 0x15, 0x1A, 0x29 or 0x3B.
    package let reason: HCIStatus

    /// A command of these fields.
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

/// HCI_Read_Remote_Version_Information (Core 5.4, Vol 4, Part E, 7.1.23): asks a peer for its version.
/// ReadRemoteVersionInformationComplete follows.
package struct ReadRemoteVersionInformation: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x041D)
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
