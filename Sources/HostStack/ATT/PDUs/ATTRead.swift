// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import GATT

/// ATT_READ_REQ (Core 5.4, Vol 3, Part F, 3.4.4.3).
public struct ATTReadRequest: ATTMessage {
    public static let opcode = ATTOpcode.readRequest
    /// The attribute.
    public let handle: AttributeHandle

    /// A request for the start of an attribute's value.
    public init(handle: AttributeHandle) { self.handle = handle }

    public init(parsing reader: inout ByteReader) throws(WireError) { handle = try AttributeHandle(parsing: &reader) }
    public func serialize(into writer: inout ByteWriter) { handle.serialize(into: &writer) }
}

/// ATT_READ_RSP (Core 5.4, Vol 3, Part F, 3.4.4.4).
public struct ATTReadResponse: ATTMessage {
    public static let opcode = ATTOpcode.readResponse
    /// The value, or as much of it as there was room for.
    public let value: [UInt8]

    /// A response with this value.
    public init(value: [UInt8]) { self.value = value }

    public init(parsing reader: inout ByteReader) throws(WireError) { value = Array(reader.readAll()) }
    public func serialize(into writer: inout ByteWriter) { writer.write(value) }
}

/// ATT_READ_BLOB_REQ (Core 5.4, Vol 3, Part F, 3.4.4.5).
public struct ATTReadBlobRequest: ATTMessage {
    public static let opcode = ATTOpcode.readBlobRequest
    /// The attribute.
    public let handle: AttributeHandle
    /// Where in its value the part begins, in octets.
    public let offset: UInt16

    /// A request for a part of an attribute's value.
    public init(handle: AttributeHandle, offset: UInt16) {
        self.handle = handle
        self.offset = offset
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        offset = try reader.readLittleEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.writeLittleEndian(offset)
    }
}

/// ATT_READ_BLOB_RSP (Core 5.4, Vol 3, Part F, 3.4.4.6).
public struct ATTReadBlobResponse: ATTMessage {
    public static let opcode = ATTOpcode.readBlobResponse
    /// The part of the value; shorter than there was room for when it is the last one.
    public let value: [UInt8]

    /// A response with this part.
    public init(value: [UInt8]) { self.value = value }

    public init(parsing reader: inout ByteReader) throws(WireError) { value = Array(reader.readAll()) }
    public func serialize(into writer: inout ByteWriter) { writer.write(value) }
}
