// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// ATT_EXCHANGE_MTU_REQ (Core 5.4, Vol 3, Part F, 3.4.2.1).
public struct ATTExchangeMTURequest: ATTMessage {
    public static let opcode = ATTOpcode.exchangeMTURequest
    /// The longest PDU that the client takes, in octets.
    public let clientMTU: UInt16

    /// A request of a client that takes so many octets.
    public init(clientMTU: UInt16) { self.clientMTU = clientMTU }

    public init(parsing reader: inout ByteReader) throws(WireError) { clientMTU = try reader.readLittleEndian() }
    public func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(clientMTU) }
}

/// ATT_EXCHANGE_MTU_RSP (Core 5.4, Vol 3, Part F, 3.4.2.2).
public struct ATTExchangeMTUResponse: ATTMessage {
    public static let opcode = ATTOpcode.exchangeMTUResponse
    /// The longest PDU that the server takes, in octets.
    public let serverMTU: UInt16

    /// A response of a server that takes so many octets.
    public init(serverMTU: UInt16) { self.serverMTU = serverMTU }

    public init(parsing reader: inout ByteReader) throws(WireError) { serverMTU = try reader.readLittleEndian() }
    public func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(serverMTU) }
}
