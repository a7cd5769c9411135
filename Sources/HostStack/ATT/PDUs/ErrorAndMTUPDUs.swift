// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_ERROR_RSP (Core 5.4, Vol 3, Part F, 3.4.1.1).
package struct ATTErrorResponse: ATTMessage {
    package static let opcode = ATTOpcode.errorResponse
    /// The request that failed.
    package let request: ATTOpcode
    /// The attribute that caused the error; 0x0000 if none did.
    package let handle: AttributeHandle
    /// The error code.
    package let error: ATTError

    /// A response to a failed request.
    package init(request: ATTOpcode, handle: AttributeHandle, error: ATTError) {
        self.request = request
        self.handle = handle
        self.error = error
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        request = ATTOpcode(rawValue: try reader.readUInt8())
        handle = try AttributeHandle(parsing: &reader)
        error = ATTError(rawValue: try reader.readUInt8())
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(request.rawValue)
        handle.serialize(into: &writer)
        writer.write(error.rawValue)
    }
}

/// ATT_EXCHANGE_MTU_REQ (Core 5.4, Vol 3, Part F, 3.4.2.1).
package struct ATTExchangeMTURequest: ATTMessage {
    package static let opcode = ATTOpcode.exchangeMTURequest
    /// The longest PDU that the client accepts, in bytes.
    package let clientMTU: UInt16

    /// A request of a client with this maximum.
    package init(clientMTU: UInt16) { self.clientMTU = clientMTU }

    package init(parsing reader: inout ByteReader) throws(WireError) { clientMTU = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(clientMTU) }
}

/// ATT_EXCHANGE_MTU_RSP (Core 5.4, Vol 3, Part F, 3.4.2.2).
package struct ATTExchangeMTUResponse: ATTMessage {
    package static let opcode = ATTOpcode.exchangeMTUResponse
    /// The longest PDU that the server accepts, in bytes.
    package let serverMTU: UInt16

    /// A response of a server with this maximum.
    package init(serverMTU: UInt16) { self.serverMTU = serverMTU }

    package init(parsing reader: inout ByteReader) throws(WireError) { serverMTU = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(serverMTU) }
}
