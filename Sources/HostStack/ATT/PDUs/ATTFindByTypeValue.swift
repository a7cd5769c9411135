// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_FIND_BY_TYPE_VALUE_REQ (Core 5.4, Vol 3, Part F, 3.4.3.3).
package struct ATTFindByTypeValueRequest: ATTMessage {
    package static let opcode = ATTOpcode.findByTypeValueRequest
    /// The first handle asked for.
    package let startingHandle: AttributeHandle
    /// The last handle asked for.
    package let endingHandle: AttributeHandle
    /// The 16-bit type asked for.
    package let type: UInt16
    /// The value asked for.
    package let value: [UInt8]

    /// A request for the attributes in a range that have this type and value.
    package init(startingHandle: AttributeHandle, endingHandle: AttributeHandle, type: UInt16, value: [UInt8]) {
        self.startingHandle = startingHandle
        self.endingHandle = endingHandle
        self.type = type
        self.value = value
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        startingHandle = try AttributeHandle(parsing: &reader)
        endingHandle = try AttributeHandle(parsing: &reader)
        type = try reader.readLittleEndian()
        value = Array(reader.readAll())
    }

    package func serialize(into writer: inout ByteWriter) {
        startingHandle.serialize(into: &writer)
        endingHandle.serialize(into: &writer)
        writer.writeLittleEndian(type)
        writer.write(value)
    }
}

/// ATT_FIND_BY_TYPE_VALUE_RSP (Core 5.4, Vol 3, Part F, 3.4.3.4).
package struct ATTFindByTypeValueResponse: ATTMessage {
    /// An attribute that was found, and the last of its group.
    package struct HandlesInformation: Hashable, Sendable {
        /// The attribute.
        package let found: AttributeHandle
        /// The last attribute of its group; itself when it has none.
        package let groupEnd: AttributeHandle

        /// An attribute and the last of its group.
        package init(found: AttributeHandle, groupEnd: AttributeHandle) {
            self.found = found
            self.groupEnd = groupEnd
        }
    }

    package static let opcode = ATTOpcode.findByTypeValueResponse
    /// What was found, in the order of the handles; at least one.
    package let entries: [HandlesInformation]

    /// A response with these attributes.
    package init(_ entries: [HandlesInformation]) { self.entries = entries }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        var entries: [HandlesInformation] = []
        for _ in 0..<(try reader.countEntries(of: 4)) {
            let found = try AttributeHandle(parsing: &reader)
            entries.append(HandlesInformation(found: found, groupEnd: try AttributeHandle(parsing: &reader)))
        }
        self.entries = entries
    }

    package func serialize(into writer: inout ByteWriter) {
        for entry in entries {
            entry.found.serialize(into: &writer)
            entry.groupEnd.serialize(into: &writer)
        }
    }
}
