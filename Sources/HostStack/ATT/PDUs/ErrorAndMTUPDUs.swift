// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// ATT_ERROR_RSP (Core 5.4, Vol 3, Part F, 3.4.1.1).
struct ATTErrorResponse: ATTMessage {
    static let opcode = ATTOpcode.errorResponse
    /// The request that failed.
    let request: ATTOpcode
    /// The attribute that caused the error; 0x0000 if none did.
    let handle: AttributeHandle
    /// The error code.
    let error: ATTError

    init(request: ATTOpcode, handle: AttributeHandle, error: ATTError) {
        self.request = request
        self.handle = handle
        self.error = error
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        request = ATTOpcode(rawValue: try reader.readUInt8())
        handle = try AttributeHandle(parsing: &reader)
        error = ATTError(rawValue: try reader.readUInt8())
    }

    func serialize(into writer: inout ByteWriter) {
        writer.write(request.rawValue)
        handle.serialize(into: &writer)
        writer.write(error.rawValue)
    }
}

/// ATT_EXCHANGE_MTU_REQ (Core 5.4, Vol 3, Part F, 3.4.2.1).
struct ATTExchangeMTURequest: ATTMessage {
    static let opcode = ATTOpcode.exchangeMTURequest
    /// The longest PDU that the client accepts, in bytes.
    let clientMTU: UInt16

    init(clientMTU: UInt16) { self.clientMTU = clientMTU }

    init(parsing reader: inout ByteReader) throws(WireError) { clientMTU = try reader.readLittleEndian() }
    func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(clientMTU) }
}

/// ATT_EXCHANGE_MTU_RSP (Core 5.4, Vol 3, Part F, 3.4.2.2).
struct ATTExchangeMTUResponse: ATTMessage {
    static let opcode = ATTOpcode.exchangeMTUResponse
    /// The longest PDU that the server accepts, in bytes.
    let serverMTU: UInt16

    init(serverMTU: UInt16) { self.serverMTU = serverMTU }

    init(parsing reader: inout ByteReader) throws(WireError) { serverMTU = try reader.readLittleEndian() }
    func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(serverMTU) }
}
