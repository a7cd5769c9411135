// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// ATT_FIND_INFORMATION_REQ (Core 5.4, Vol 3, Part F, 3.4.3.1).
package struct ATTFindInformationRequest: ATTMessage {
    package static let opcode = ATTOpcode.findInformationRequest
    /// The first handle asked for.
    package let startingHandle: AttributeHandle
    /// The last handle asked for.
    package let endingHandle: AttributeHandle

    /// A request for the types of the attributes in a range.
    package init(startingHandle: AttributeHandle, endingHandle: AttributeHandle) {
        self.startingHandle = startingHandle
        self.endingHandle = endingHandle
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        startingHandle = try AttributeHandle(parsing: &reader)
        endingHandle = try AttributeHandle(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        startingHandle.serialize(into: &writer)
        endingHandle.serialize(into: &writer)
    }
}

/// ATT_FIND_INFORMATION_RSP (Core 5.4, Vol 3, Part F, 3.4.3.2).
///
/// All types are written in two octets, or all in sixteen: that is the format octet.
package struct ATTFindInformationResponse: ATTMessage {
    /// An attribute and its type.
    package struct Entry: Hashable, Sendable {
        /// The attribute.
        package let handle: AttributeHandle
        /// Its type.
        package let type: BluetoothUUID

        /// An attribute of this type.
        package init(handle: AttributeHandle, type: BluetoothUUID) {
            self.handle = handle
            self.type = type
        }
    }

    package static let opcode = ATTOpcode.findInformationResponse
    /// Attributes in the order of their handles; at least one.
    package let entries: [Entry]

    /// A response with these attributes: in the short format when every type is a 16-bit one.
    package init(_ entries: [Entry]) { self.entries = entries }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        let typeLength: Int
        switch try reader.readUInt8() {
        case 1: typeLength = 2
        case 2: typeLength = 16
        default: throw WireError(.badValue(field: "format"), offset: start)
        }
        var entries: [Entry] = []
        for _ in 0..<(try reader.countEntries(of: 2 + typeLength)) {
            let handle = try AttributeHandle(parsing: &reader)
            var field = try reader.reader(count: typeLength)
            entries.append(Entry(handle: handle, type: try field.readAttributeType()))
        }
        self.entries = entries
    }

    package func serialize(into writer: inout ByteWriter) {
        let isShort = entries.allSatisfy { if case .bit16 = $0.type { true } else { false } }
        writer.write(UInt8(isShort ? 1 : 2))
        for entry in entries {
            entry.handle.serialize(into: &writer)
            writer.writeAttributeType(isShort ? entry.type : .bit128(entry.type.expanded))
        }
    }
}
