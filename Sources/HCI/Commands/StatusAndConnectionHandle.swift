// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What many commands about a connection return.
public struct StatusAndConnectionHandle: WireCodable, Hashable {
    /// What came of the command.
    public let status: HCIStatus
    /// Which connection it was about.
    public let connectionHandle: ConnectionHandle

    /// What a command returned.
    public init(status: HCIStatus = .success, connectionHandle: ConnectionHandle) {
        self.status = status
        self.connectionHandle = connectionHandle
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
    }
}
