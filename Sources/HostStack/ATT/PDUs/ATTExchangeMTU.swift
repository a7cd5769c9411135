// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// ATT_EXCHANGE_MTU_REQ (Core 5.4, Vol 3, Part F, 3.4.2.1).
package struct ATTExchangeMTURequest: ATTMessage {
    package static let opcode = ATTOpcode.exchangeMTURequest
    /// The longest PDU that the client takes, in octets.
    package let clientMTU: UInt16

    /// A request of a client that takes so many octets.
    package init(clientMTU: UInt16) { self.clientMTU = clientMTU }

    package init(parsing reader: inout ByteReader) throws(WireError) { clientMTU = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(clientMTU) }
}

/// ATT_EXCHANGE_MTU_RSP (Core 5.4, Vol 3, Part F, 3.4.2.2).
package struct ATTExchangeMTUResponse: ATTMessage {
    package static let opcode = ATTOpcode.exchangeMTUResponse
    /// The longest PDU that the server takes, in octets.
    package let serverMTU: UInt16

    /// A response of a server that takes so many octets.
    package init(serverMTU: UInt16) { self.serverMTU = serverMTU }

    package init(parsing reader: inout ByteReader) throws(WireError) { serverMTU = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(serverMTU) }
}
