// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_PREPARE_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.6.1).
package struct ATTPrepareWriteRequest: ATTMessage {
    package static let opcode = ATTOpcode.prepareWriteRequest
    /// The attribute.
    package let handle: AttributeHandle
    /// Where in its value the part begins, in octets.
    package let offset: UInt16
    /// The part of the new value.
    package let value: [UInt8]

    /// A request to note a part of an attribute's new value.
    package init(handle: AttributeHandle, offset: UInt16, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        offset = try reader.readLittleEndian()
        value = Array(reader.readAll())
    }

    package func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.writeLittleEndian(offset)
        writer.write(value)
    }
}

/// ATT_PREPARE_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.6.2).
package struct ATTPrepareWriteResponse: ATTMessage {
    package static let opcode = ATTOpcode.prepareWriteResponse
    /// The attribute.
    package let handle: AttributeHandle
    /// Where in its value the part begins, in octets.
    package let offset: UInt16
    /// The part as it was noted.
    package let value: [UInt8]

    /// A response that repeats the request.
    package init(handle: AttributeHandle, offset: UInt16, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        offset = try reader.readLittleEndian()
        value = Array(reader.readAll())
    }

    package func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.writeLittleEndian(offset)
        writer.write(value)
    }
}

/// ATT_EXECUTE_WRITE_REQ (Core 5.4, Vol 3, Part F, 3.4.6.3).
package struct ATTExecuteWriteRequest: ATTMessage {
    package static let opcode = ATTOpcode.executeWriteRequest
    /// 0x00 forgets what was prepared, 0x01 writes it.
    package let flags: UInt8

    /// Forget what was prepared.
    package static let cancel = ATTExecuteWriteRequest(flags: 0x00)
    /// Write what was prepared.
    package static let write = ATTExecuteWriteRequest(flags: 0x01)

    /// A request with these flags.
    package init(flags: UInt8) { self.flags = flags }

    package init(parsing reader: inout ByteReader) throws(WireError) { flags = try reader.readUInt8() }
    package func serialize(into writer: inout ByteWriter) { writer.write(flags) }
}

/// ATT_EXECUTE_WRITE_RSP (Core 5.4, Vol 3, Part F, 3.4.6.4).
package struct ATTExecuteWriteResponse: ATTMessage {
    package static let opcode = ATTOpcode.executeWriteResponse

    /// A response that says that it is done.
    package init() {}

    package init(parsing reader: inout ByteReader) throws(WireError) {}
    package func serialize(into writer: inout ByteWriter) {}
}
