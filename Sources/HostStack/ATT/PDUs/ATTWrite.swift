// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.5.1).
package struct ATTWriteRequest: ATTMessage {
    package static let opcode = ATTOpcode.writeRequest
    /// The attribute.
    package let handle: AttributeHandle
    /// Its new value.
    package let value: [UInt8]

    /// A request to write an attribute's value.
    package init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        value = Array(reader.readAll())
    }

    package func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.write(value)
    }
}

/// ATT_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.5.2).
package struct ATTWriteResponse: ATTMessage {
    package static let opcode = ATTOpcode.writeResponse

    /// A response that says that the value is written.
    package init() {}

    package init(parsing reader: inout ByteReader) throws(WireError) {}
    package func serialize(into writer: inout ByteWriter) {}
}

/// ATT_WRITE_CMD (Core 5.4, Vol 3, Part F, 3.4.5.3).
package struct ATTWriteCommand: ATTMessage {
    package static let opcode = ATTOpcode.writeCommand
    /// The attribute.
    package let handle: AttributeHandle
    /// Its new value.
    package let value: [UInt8]

    /// A command, which nobody answers, to write an attribute's value.
    package init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        value = Array(reader.readAll())
    }

    package func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.write(value)
    }
}

/// ATT_SIGNED_WRITE_CMD (Core 5.4, Vol 3, Part F, 3.4.5.4).
package struct ATTSignedWriteCommand: ATTMessage {
    package static let opcode = ATTOpcode.signedWriteCommand
    /// The octets of a signature.
    private static let signatureLength = 12

    /// The attribute.
    package let handle: AttributeHandle
    /// Its new value.
    package let value: [UInt8]
    /// The authentication signature: 12 octets.
    package let signature: [UInt8]

    /// A command with a signature of 12 octets; `nil` when it has another length.
    package init?(handle: AttributeHandle, value: [UInt8], signature: [UInt8]) {
        guard signature.count == Self.signatureLength else { return nil }
        self.handle = handle
        self.value = value
        self.signature = signature
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        guard reader.remaining >= Self.signatureLength else {
            throw WireError(
                .truncated(needed: Self.signatureLength, available: reader.remaining), offset: reader.offset)
        }
        value = Array(try reader.read(count: reader.remaining - Self.signatureLength))
        signature = Array(reader.readAll())
    }

    package func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.write(value)
        writer.write(signature)
    }
}
