// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// How many data packets of a connection are done with.
public struct CompletedPackets: WireCodable, Hashable {
    /// Which connection.
    public let connectionHandle: ConnectionHandle
    /// How many packets, 16 bits.
    public let count: UInt16

    /// So many packets of a connection.
    public init(connectionHandle: ConnectionHandle, count: UInt16) {
        self.connectionHandle = connectionHandle
        self.count = count
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        count = try reader.readLittleEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeLittleEndian(count)
    }
}
