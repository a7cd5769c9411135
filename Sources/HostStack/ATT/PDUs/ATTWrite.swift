// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import GATT

/// ATT_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.5.1).
public struct ATTWriteRequest: ATTMessage {
    public static let opcode = ATTOpcode.writeRequest
    /// The attribute.
    public let handle: AttributeHandle
    /// Its new value.
    public let value: [UInt8]

    /// A request to write an attribute's value.
    public init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        value = Array(reader.readAll())
    }

    public func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.write(value)
    }
}

/// ATT_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.5.2).
public struct ATTWriteResponse: ATTMessage {
    public static let opcode = ATTOpcode.writeResponse

    /// A response that says that the value is written.
    public init() {}

    public init(parsing reader: inout ByteReader) throws(WireError) {}
    public func serialize(into writer: inout ByteWriter) {}
}

/// ATT_WRITE_CMD (Core 5.4, Vol 3, Part F, 3.4.5.3).
public struct ATTWriteCommand: ATTMessage {
    public static let opcode = ATTOpcode.writeCommand
    /// The attribute.
    public let handle: AttributeHandle
    /// Its new value.
    public let value: [UInt8]

    /// A command, which nobody answers, to write an attribute's value.
    public init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        value = Array(reader.readAll())
    }

    public func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.write(value)
    }
}

/// ATT_SIGNED_WRITE_CMD (Core 5.4, Vol 3, Part F, 3.4.5.4).
public struct ATTSignedWriteCommand: ATTMessage {
    public static let opcode = ATTOpcode.signedWriteCommand
    /// The octets of a signature.
    private static let signatureLength = 12

    /// The attribute.
    public let handle: AttributeHandle
    /// Its new value.
    public let value: [UInt8]
    /// The authentication signature: 12 octets.
    public let signature: [UInt8]

    /// A command with a signature of 12 octets; `nil` when it has another length.
    public init?(handle: AttributeHandle, value: [UInt8], signature: [UInt8]) {
        guard signature.count == Self.signatureLength else { return nil }
        self.handle = handle
        self.value = value
        self.signature = signature
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        guard reader.remaining >= Self.signatureLength else {
            throw WireError(
                .truncated(needed: Self.signatureLength, available: reader.remaining), offset: reader.offset)
        }
        value = Array(try reader.read(count: reader.remaining - Self.signatureLength))
        signature = Array(reader.readAll())
    }

    public func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.write(value)
        writer.write(signature)
    }
}
