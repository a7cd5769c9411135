// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// What many commands about a connection return.
package struct StatusAndConnectionHandle: WireCodable, Hashable {
    /// What came of the command.
    package let status: HCIStatus
    /// Which connection it was about.
    package let connectionHandle: ConnectionHandle

    /// What a command returned.
    package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle) {
        self.status = status
        self.connectionHandle = connectionHandle
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
    }
}
