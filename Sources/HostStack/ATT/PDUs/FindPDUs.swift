// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// ATT_FIND_INFORMATION_REQ (Core 5.4, Vol 3, Part F, 3.4.3.1).
struct ATTFindInformationRequest: ATTMessage {
    static let opcode = ATTOpcode.findInformationRequest
    /// The first handle of the range.
    let startingHandle: AttributeHandle
    /// The last handle of the range.
    let endingHandle: AttributeHandle

    init(startingHandle: AttributeHandle, endingHandle: AttributeHandle) {
        self.startingHandle = startingHandle
        self.endingHandle = endingHandle
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        startingHandle = try AttributeHandle(parsing: &reader)
        endingHandle = try AttributeHandle(parsing: &reader)
    }

    func serialize(into writer: inout ByteWriter) {
        startingHandle.serialize(into: &writer)
        endingHandle.serialize(into: &writer)
    }
}

/// ATT_FIND_INFORMATION_RSP (Core 5.4, Vol 3, Part F, 3.4.3.2).
///
/// The format byte defines whether all types have 2 bytes or all have 16.
struct ATTFindInformationResponse: ATTMessage {
    /// An attribute and its type.
    struct Entry: Hashable, Sendable {
        /// The handle of the attribute.
        let handle: AttributeHandle
        /// The type of the attribute.
        let type: BluetoothUUID
    }

    static let opcode = ATTOpcode.findInformationResponse
    /// The attributes in the order of their handles; at least one.
    let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    init(parsing reader: inout ByteReader) throws(WireError) {
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

    func serialize(into writer: inout ByteWriter) {
        let isShort = entries.allSatisfy { if case .bit16 = $0.type { true } else { false } }
        writer.write(UInt8(isShort ? 1 : 2))
        for entry in entries {
            entry.handle.serialize(into: &writer)
            writer.writeAttributeType(isShort ? entry.type : .bit128(entry.type.expanded))
        }
    }
}

/// ATT_FIND_BY_TYPE_VALUE_REQ (Core 5.4, Vol 3, Part F, 3.4.3.3).
struct ATTFindByTypeValueRequest: ATTMessage {
    static let opcode = ATTOpcode.findByTypeValueRequest
    /// The first handle of the range.
    let startingHandle: AttributeHandle
    /// The last handle of the range.
    let endingHandle: AttributeHandle
    /// The 16-bit type to find.
    let type: UInt16
    /// The value to find.
    let value: [UInt8]

    init(startingHandle: AttributeHandle, endingHandle: AttributeHandle, type: UInt16, value: [UInt8]) {
        self.startingHandle = startingHandle
        self.endingHandle = endingHandle
        self.type = type
        self.value = value
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        startingHandle = try AttributeHandle(parsing: &reader)
        endingHandle = try AttributeHandle(parsing: &reader)
        type = try reader.readLittleEndian()
        value = Array(reader.readAll())
    }

    func serialize(into writer: inout ByteWriter) {
        startingHandle.serialize(into: &writer)
        endingHandle.serialize(into: &writer)
        writer.writeLittleEndian(type)
        writer.write(value)
    }
}

/// ATT_FIND_BY_TYPE_VALUE_RSP (Core 5.4, Vol 3, Part F, 3.4.3.4).
struct ATTFindByTypeValueResponse: ATTMessage {
    /// An attribute that was found, and the end of its group.
    struct HandlesInformation: Hashable, Sendable {
        /// The handle of the attribute.
        let found: AttributeHandle
        /// The handle of the last attribute in the group; equal to `found` for an attribute without a group.
        let groupEnd: AttributeHandle
    }

    static let opcode = ATTOpcode.findByTypeValueResponse
    /// The attributes that were found, in the order of their handles; at least one.
    let entries: [HandlesInformation]

    init(_ entries: [HandlesInformation]) { self.entries = entries }

    init(parsing reader: inout ByteReader) throws(WireError) {
        var entries: [HandlesInformation] = []
        for _ in 0..<(try reader.countEntries(of: 4)) {
            let found = try AttributeHandle(parsing: &reader)
            entries.append(HandlesInformation(found: found, groupEnd: try AttributeHandle(parsing: &reader)))
        }
        self.entries = entries
    }

    func serialize(into writer: inout ByteWriter) {
        for entry in entries {
            entry.found.serialize(into: &writer)
            entry.groupEnd.serialize(into: &writer)
        }
    }
}
