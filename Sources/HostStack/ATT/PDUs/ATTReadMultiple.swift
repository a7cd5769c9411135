// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_READ_MULTIPLE_REQ (Core 5.4, Vol 3, Part F, 3.4.4.7).
package struct ATTReadMultipleRequest: ATTMessage {
    package static let opcode = ATTOpcode.readMultipleRequest
    /// The attributes, two or more.
    package let handles: [AttributeHandle]

    /// A request for the values of these attributes.
    package init(handles: [AttributeHandle]) { self.handles = handles }

    package init(parsing reader: inout ByteReader) throws(WireError) { handles = try reader.readHandles() }
    package func serialize(into writer: inout ByteWriter) { for handle in handles { handle.serialize(into: &writer) } }
}

/// ATT_READ_MULTIPLE_RSP (Core 5.4, Vol 3, Part F, 3.4.4.8).
package struct ATTReadMultipleResponse: ATTMessage {
    package static let opcode = ATTOpcode.readMultipleResponse
    /// The values one behind the other; the client knows their lengths.
    package let values: [UInt8]

    /// A response with these values.
    package init(values: [UInt8]) { self.values = values }

    package init(parsing reader: inout ByteReader) throws(WireError) { values = Array(reader.readAll()) }
    package func serialize(into writer: inout ByteWriter) { writer.write(values) }
}

/// ATT_READ_MULTIPLE_VARIABLE_REQ (Core 5.4, Vol 3, Part F, 3.4.4.11).
package struct ATTReadMultipleVariableRequest: ATTMessage {
    package static let opcode = ATTOpcode.readMultipleVariableRequest
    /// The attributes, two or more.
    package let handles: [AttributeHandle]

    /// A request for the values of these attributes.
    package init(handles: [AttributeHandle]) { self.handles = handles }

    package init(parsing reader: inout ByteReader) throws(WireError) { handles = try reader.readHandles() }
    package func serialize(into writer: inout ByteWriter) { for handle in handles { handle.serialize(into: &writer) } }
}

/// ATT_READ_MULTIPLE_VARIABLE_RSP (Core 5.4, Vol 3, Part F, 3.4.4.12).
package struct ATTReadMultipleVariableResponse: ATTMessage {
    /// A value and how long it is.
    package struct Entry: Hashable, Sendable {
        /// The length of the whole value.
        package let length: UInt16
        /// The value; the last one may be cut.
        package let value: [UInt8]

        /// A value, or the part of it that there is room for.
        package init(length: UInt16, value: [UInt8]) {
            self.length = length
            self.value = value
        }
    }

    package static let opcode = ATTOpcode.readMultipleVariableResponse
    /// The values in the order in which they were asked for.
    package let entries: [Entry]

    /// A response with these values.
    package init(_ entries: [Entry]) { self.entries = entries }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        var entries: [Entry] = []
        while !reader.isAtEnd {
            let length: UInt16 = try reader.readLittleEndian()
            let value = Array(try reader.read(count: min(Int(length), reader.remaining)))
            entries.append(Entry(length: length, value: value))
        }
        self.entries = entries
    }

    package func serialize(into writer: inout ByteWriter) {
        for entry in entries {
            writer.writeLittleEndian(entry.length)
            writer.write(entry.value)
        }
    }
}

extension ByteReader {
    /// Handles up to the end.
    fileprivate mutating func readHandles() throws(WireError) -> [AttributeHandle] {
        var handles: [AttributeHandle] = []
        for _ in 0..<(try countEntries(of: 2)) { handles.append(try AttributeHandle(parsing: &self)) }
        return handles
    }
}
