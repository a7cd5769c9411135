// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_READ_REQ (Core 5.4, Vol 3, Part F, 3.4.4.3).
package struct ATTReadRequest: ATTMessage {
    package static let opcode = ATTOpcode.readRequest
    /// The attribute.
    package let handle: AttributeHandle

    /// A request for the start of an attribute's value.
    package init(handle: AttributeHandle) { self.handle = handle }

    package init(parsing reader: inout ByteReader) throws(WireError) { handle = try AttributeHandle(parsing: &reader) }
    package func serialize(into writer: inout ByteWriter) { handle.serialize(into: &writer) }
}

/// ATT_READ_RSP (Core 5.4, Vol 3, Part F, 3.4.4.4).
package struct ATTReadResponse: ATTMessage {
    package static let opcode = ATTOpcode.readResponse
    /// The value, or as much of it as there was room for.
    package let value: [UInt8]

    /// A response with this value.
    package init(value: [UInt8]) { self.value = value }

    package init(parsing reader: inout ByteReader) throws(WireError) { value = Array(reader.readAll()) }
    package func serialize(into writer: inout ByteWriter) { writer.write(value) }
}

/// ATT_READ_BLOB_REQ (Core 5.4, Vol 3, Part F, 3.4.4.5).
package struct ATTReadBlobRequest: ATTMessage {
    package static let opcode = ATTOpcode.readBlobRequest
    /// The attribute.
    package let handle: AttributeHandle
    /// Where in its value the part begins, in octets.
    package let offset: UInt16

    /// A request for a part of an attribute's value.
    package init(handle: AttributeHandle, offset: UInt16) {
        self.handle = handle
        self.offset = offset
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        offset = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.writeLittleEndian(offset)
    }
}

/// ATT_READ_BLOB_RSP (Core 5.4, Vol 3, Part F, 3.4.4.6).
package struct ATTReadBlobResponse: ATTMessage {
    package static let opcode = ATTOpcode.readBlobResponse
    /// The part of the value; shorter than there was room for when it is the last one.
    package let value: [UInt8]

    /// A response with this part.
    package init(value: [UInt8]) { self.value = value }

    package init(parsing reader: inout ByteReader) throws(WireError) { value = Array(reader.readAll()) }
    package func serialize(into writer: inout ByteWriter) { writer.write(value) }
}
