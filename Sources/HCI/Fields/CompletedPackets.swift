// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// How many data packets of a connection are done with.
package struct CompletedPackets: WireCodable, Hashable {
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// How many packets, 16 bits.
    package let count: UInt16

    /// So many packets of a connection.
    package init(connectionHandle: ConnectionHandle, count: UInt16) {
        self.connectionHandle = connectionHandle
        self.count = count
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        count = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeLittleEndian(count)
    }
}
