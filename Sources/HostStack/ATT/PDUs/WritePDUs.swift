// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// ATT_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.5.1).
struct ATTWriteRequest: ATTValueMessage {
    static let opcode = ATTOpcode.writeRequest
    /// The attribute.
    let handle: AttributeHandle
    /// Its new value.
    let value: [UInt8]
}

/// ATT_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.5.2).
struct ATTWriteResponse: ATTMessage {
    static let opcode = ATTOpcode.writeResponse

    init() {}

    init(parsing reader: inout ByteReader) throws(WireError) {}
    func serialize(into writer: inout ByteWriter) {}
}

/// ATT_WRITE_CMD (Core 5.4, Vol 3, Part F, 3.4.5.3).
struct ATTWriteCommand: ATTValueMessage {
    static let opcode = ATTOpcode.writeCommand
    /// The attribute.
    let handle: AttributeHandle
    /// Its new value.
    let value: [UInt8]
}

/// ATT_SIGNED_WRITE_CMD (Core 5.4, Vol 3, Part F, 3.4.5.4).
struct ATTSignedWriteCommand: ATTMessage {
    static let opcode = ATTOpcode.signedWriteCommand
    /// The length of a signature, in bytes.
    private static let signatureLength = 12

    /// The attribute.
    let handle: AttributeHandle
    /// Its new value.
    let value: [UInt8]
    /// The authentication signature: 12 bytes.
    let signature: [UInt8]

    /// A command with a signature of 12 bytes; `nil` for any other length.
    init?(handle: AttributeHandle, value: [UInt8], signature: [UInt8]) {
        guard signature.count == Self.signatureLength else { return nil }
        self.handle = handle
        self.value = value
        self.signature = signature
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        guard reader.remaining >= Self.signatureLength else {
            throw WireError(
                .truncated(needed: Self.signatureLength, available: reader.remaining), offset: reader.offset)
        }
        value = Array(try reader.read(count: reader.remaining - Self.signatureLength))
        signature = Array(reader.readAll())
    }

    func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.write(value)
        writer.write(signature)
    }
}

/// A PDU with a part of a value.
protocol ATTPreparedPart: ATTMessage {
    var handle: AttributeHandle { get }
    var offset: UInt16 { get }
    var value: [UInt8] { get }
    init(handle: AttributeHandle, offset: UInt16, value: [UInt8])
}

extension ATTPreparedPart {
    init(parsing reader: inout ByteReader) throws(WireError) {
        self.init(
            handle: try AttributeHandle(parsing: &reader), offset: try reader.readLittleEndian(),
            value: Array(reader.readAll()))
    }

    func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.writeLittleEndian(offset)
        writer.write(value)
    }
}

/// ATT_PREPARE_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.6.1).
struct ATTPrepareWriteRequest: ATTPreparedPart {
    static let opcode = ATTOpcode.prepareWriteRequest
    /// The attribute.
    let handle: AttributeHandle
    /// The offset of the part in the value, in bytes.
    let offset: UInt16
    /// The part of the new value.
    let value: [UInt8]
}

/// ATT_PREPARE_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.6.2).
struct ATTPrepareWriteResponse: ATTPreparedPart {
    static let opcode = ATTOpcode.prepareWriteResponse
    /// The attribute.
    let handle: AttributeHandle
    /// The offset of the part in the value, in bytes.
    let offset: UInt16
    /// The part as the server received it.
    let value: [UInt8]
}

/// ATT_EXECUTE_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.6.3).
struct ATTExecuteWriteRequest: ATTMessage {
    static let opcode = ATTOpcode.executeWriteRequest
    /// 0x00 drops the prepared writes, 0x01 executes them.
    let flags: UInt8

    /// Drops the prepared writes.
    static let cancel = ATTExecuteWriteRequest(flags: 0x00)
    /// Executes the prepared writes.
    static let write = ATTExecuteWriteRequest(flags: 0x01)

    init(flags: UInt8) { self.flags = flags }

    init(parsing reader: inout ByteReader) throws(WireError) { flags = try reader.readUInt8() }
    func serialize(into writer: inout ByteWriter) { writer.write(flags) }
}

/// ATT_EXECUTE_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.6.4).
struct ATTExecuteWriteResponse: ATTMessage {
    static let opcode = ATTOpcode.executeWriteResponse

    init() {}

    init(parsing reader: inout ByteReader) throws(WireError) {}
    func serialize(into writer: inout ByteWriter) {}
}
