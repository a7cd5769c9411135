// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import GATT

/// ATT_PREPARE_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.6.1).
public struct ATTPrepareWriteRequest: ATTMessage {
    public static let opcode = ATTOpcode.prepareWriteRequest
    /// The attribute.
    public let handle: AttributeHandle
    /// Where in its value the part begins, in octets.
    public let offset: UInt16
    /// The part of the new value.
    public let value: [UInt8]

    /// A request to note a part of an attribute's new value.
    public init(handle: AttributeHandle, offset: UInt16, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        offset = try reader.readLittleEndian()
        value = Array(reader.readAll())
    }

    public func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.writeLittleEndian(offset)
        writer.write(value)
    }
}

/// ATT_PREPARE_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.6.2).
public struct ATTPrepareWriteResponse: ATTMessage {
    public static let opcode = ATTOpcode.prepareWriteResponse
    /// The attribute.
    public let handle: AttributeHandle
    /// Where in its value the part begins, in octets.
    public let offset: UInt16
    /// The part as it was noted.
    public let value: [UInt8]

    /// A response that repeats the request.
    public init(handle: AttributeHandle, offset: UInt16, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        offset = try reader.readLittleEndian()
        value = Array(reader.readAll())
    }

    public func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.writeLittleEndian(offset)
        writer.write(value)
    }
}

/// ATT_EXECUTE_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.6.3).
public struct ATTExecuteWriteRequest: ATTMessage {
    public static let opcode = ATTOpcode.executeWriteRequest
    /// 0x00 forgets what was prepared, 0x01 writes it.
    public let flags: UInt8

    /// Forget what was prepared.
    public static let cancel = ATTExecuteWriteRequest(flags: 0x00)
    /// Write what was prepared.
    public static let write = ATTExecuteWriteRequest(flags: 0x01)

    /// A request with these flags.
    public init(flags: UInt8) { self.flags = flags }

    public init(parsing reader: inout ByteReader) throws(WireError) { flags = try reader.readUInt8() }
    public func serialize(into writer: inout ByteWriter) { writer.write(flags) }
}

/// ATT_EXECUTE_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.6.4).
public struct ATTExecuteWriteResponse: ATTMessage {
    public static let opcode = ATTOpcode.executeWriteResponse

    /// A response that says that it is done.
    public init() {}

    public init(parsing reader: inout ByteReader) throws(WireError) {}
    public func serialize(into writer: inout ByteWriter) {}
}
