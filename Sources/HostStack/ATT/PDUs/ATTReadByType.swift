// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_READ_BY_TYPE_REQ (Core 5.4, Vol 3, Part F, 3.4.4.1).
package struct ATTReadByTypeRequest: ATTMessage {
    package static let opcode = ATTOpcode.readByTypeRequest
    /// The first handle asked for.
    package let startingHandle: AttributeHandle
    /// The last handle asked for.
    package let endingHandle: AttributeHandle
    /// The type asked for.
    package let type: BluetoothUUID

    /// A request for the values of the attributes of a type in a range.
    package init(startingHandle: AttributeHandle, endingHandle: AttributeHandle, type: BluetoothUUID) {
        self.startingHandle = startingHandle
        self.endingHandle = endingHandle
        self.type = type
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        startingHandle = try AttributeHandle(parsing: &reader)
        endingHandle = try AttributeHandle(parsing: &reader)
        type = try reader.readAttributeType()
    }

    package func serialize(into writer: inout ByteWriter) {
        startingHandle.serialize(into: &writer)
        endingHandle.serialize(into: &writer)
        writer.writeAttributeType(type)
    }
}

/// ATT_READ_BY_TYPE_RSP (Core 5.4, Vol 3, Part F, 3.4.4.2).
///
/// All values have one length, at most 253 octets: that is the length octet.
package struct ATTReadByTypeResponse: ATTMessage {
    /// An attribute and its value.
    package struct Entry: Hashable, Sendable {
        /// The attribute.
        package let handle: AttributeHandle
        /// Its value, or as much of it as there was room for.
        package let value: [UInt8]

        /// An attribute of this value.
        package init(handle: AttributeHandle, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }

    package static let opcode = ATTOpcode.readByTypeResponse
    /// Attributes in the order of their handles; at least one.
    package let entries: [Entry]

    /// A response with these attributes, up to the first whose value has another length than the first one's.
    package init(_ entries: [Entry]) {
        self.entries = Array(entries.prefix { $0.value.count == entries.first?.value.count })
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        let length = Int(try reader.readUInt8())
        guard length >= 2 else { throw WireError(.badLength(length), offset: start) }
        var entries: [Entry] = []
        for _ in 0..<(try reader.countEntries(of: length)) {
            let handle = try AttributeHandle(parsing: &reader)
            entries.append(Entry(handle: handle, value: Array(try reader.read(count: length - 2))))
        }
        self.entries = entries
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(truncatingIfNeeded: 2 + (entries.first?.value.count ?? 0)))
        for entry in entries {
            entry.handle.serialize(into: &writer)
            writer.write(entry.value)
        }
    }
}
