// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// ATT_READ_BY_TYPE_REQ (Core 5.4, Vol 3, Part F, 3.4.4.1).
struct ATTReadByTypeRequest: ATTRangeRequest {
    static let opcode = ATTOpcode.readByTypeRequest
    /// The first handle of the range.
    let startingHandle: AttributeHandle
    /// The last handle of the range.
    let endingHandle: AttributeHandle
    /// The type to read.
    let type: BluetoothUUID
}

/// ATT_READ_BY_TYPE_RSP (Core 5.4, Vol 3, Part F, 3.4.4.2).
///
/// All values have the same length, at most 253 bytes, as the length byte defines.
struct ATTReadByTypeResponse: ATTMessage {
    /// An attribute and its value.
    struct Entry: Hashable, Sendable {
        /// The attribute.
        let handle: AttributeHandle
        /// Its value, cut to fit the PDU.
        let value: [UInt8]
    }

    static let opcode = ATTOpcode.readByTypeResponse
    /// The attributes in the order of their handles; at least one.
    let entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = Array(entries.prefix { $0.value.count == entries.first?.value.count })
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
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

    func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(truncatingIfNeeded: 2 + (entries.first?.value.count ?? 0)))
        for entry in entries {
            entry.handle.serialize(into: &writer)
            writer.write(entry.value)
        }
    }
}

/// A response whose parameters are bytes up to its end.
protocol ATTBytesResponse: ATTMessage {
    var value: [UInt8] { get }
    init(value: [UInt8])
}

extension ATTBytesResponse {
    init(parsing reader: inout ByteReader) throws(WireError) { self.init(value: Array(reader.readAll())) }
    func serialize(into writer: inout ByteWriter) { writer.write(value) }
}

/// ATT_READ_REQ (Core 5.4, Vol 3, Part F, 3.4.4.3).
struct ATTReadRequest: ATTMessage {
    static let opcode = ATTOpcode.readRequest
    /// The attribute.
    let handle: AttributeHandle

    init(handle: AttributeHandle) { self.handle = handle }

    init(parsing reader: inout ByteReader) throws(WireError) { handle = try AttributeHandle(parsing: &reader) }
    func serialize(into writer: inout ByteWriter) { handle.serialize(into: &writer) }
}

/// ATT_READ_RSP (Core 5.4, Vol 3, Part F, 3.4.4.4).
struct ATTReadResponse: ATTBytesResponse {
    static let opcode = ATTOpcode.readResponse
    /// The value, cut to fit the PDU.
    let value: [UInt8]
}

/// ATT_READ_BLOB_REQ (Core 5.4, Vol 3, Part F, 3.4.4.5).
struct ATTReadBlobRequest: ATTMessage {
    static let opcode = ATTOpcode.readBlobRequest
    /// The attribute.
    let handle: AttributeHandle
    /// The offset of the part in the value, in bytes.
    let offset: UInt16

    init(handle: AttributeHandle, offset: UInt16) {
        self.handle = handle
        self.offset = offset
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try AttributeHandle(parsing: &reader)
        offset = try reader.readLittleEndian()
    }

    func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.writeLittleEndian(offset)
    }
}

/// ATT_READ_BLOB_RSP (Core 5.4, Vol 3, Part F, 3.4.4.6).
struct ATTReadBlobResponse: ATTBytesResponse {
    static let opcode = ATTOpcode.readBlobResponse
    /// The part of the value; the last part does not fill the PDU.
    let value: [UInt8]
}

/// ATT_READ_MULTIPLE_REQ (Core 5.4, Vol 3, Part F, 3.4.4.7).
struct ATTReadMultipleRequest: ATTMessage {
    static let opcode = ATTOpcode.readMultipleRequest
    /// The attributes, two or more.
    let handles: [AttributeHandle]

    init(handles: [AttributeHandle]) { self.handles = handles }

    init(parsing reader: inout ByteReader) throws(WireError) { handles = try reader.readHandles() }
    func serialize(into writer: inout ByteWriter) { for handle in handles { handle.serialize(into: &writer) } }
}

/// ATT_READ_MULTIPLE_RSP (Core 5.4, Vol 3, Part F, 3.4.4.8).
struct ATTReadMultipleResponse: ATTBytesResponse {
    static let opcode = ATTOpcode.readMultipleResponse
    /// The joined values; the client knows their lengths.
    let value: [UInt8]
}

/// ATT_READ_MULTIPLE_VARIABLE_REQ (Core 5.4, Vol 3, Part F, 3.4.4.11).
struct ATTReadMultipleVariableRequest: ATTMessage {
    static let opcode = ATTOpcode.readMultipleVariableRequest
    /// The attributes, two or more.
    let handles: [AttributeHandle]

    init(handles: [AttributeHandle]) { self.handles = handles }

    init(parsing reader: inout ByteReader) throws(WireError) { handles = try reader.readHandles() }
    func serialize(into writer: inout ByteWriter) { for handle in handles { handle.serialize(into: &writer) } }
}

/// ATT_READ_MULTIPLE_VARIABLE_RSP (Core 5.4, Vol 3, Part F, 3.4.4.12).
struct ATTReadMultipleVariableResponse: ATTMessage {
    /// A value with its length.
    struct Entry: Hashable, Sendable {
        /// The length of the whole value.
        let length: UInt16
        /// The value; the last one may be cut.
        let value: [UInt8]
    }

    static let opcode = ATTOpcode.readMultipleVariableResponse
    /// The values in the order of the request.
    let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    init(parsing reader: inout ByteReader) throws(WireError) {
        var entries: [Entry] = []
        while !reader.isAtEnd {
            let length: UInt16 = try reader.readLittleEndian()
            let value = Array(try reader.read(count: min(Int(length), reader.remaining)))
            entries.append(Entry(length: length, value: value))
        }
        self.entries = entries
    }

    func serialize(into writer: inout ByteWriter) {
        for entry in entries {
            writer.writeLittleEndian(entry.length)
            writer.write(entry.value)
        }
    }
}

extension ByteReader {
    /// Reads handles up to the end.
    fileprivate mutating func readHandles() throws(WireError) -> [AttributeHandle] {
        var handles: [AttributeHandle] = []
        for _ in 0..<(try countEntries(of: 2)) { handles.append(try AttributeHandle(parsing: &self)) }
        return handles
    }
}

/// ATT_READ_BY_GROUP_TYPE_REQ (Core 5.4, Vol 3, Part F, 3.4.4.9).
struct ATTReadByGroupTypeRequest: ATTRangeRequest {
    static let opcode = ATTOpcode.readByGroupTypeRequest
    /// The first handle of the range.
    let startingHandle: AttributeHandle
    /// The last handle of the range.
    let endingHandle: AttributeHandle
    /// The type to read; it must group attributes.
    let type: BluetoothUUID
}

/// ATT_READ_BY_GROUP_TYPE_RSP (Core 5.4, Vol 3, Part F, 3.4.4.10).
///
/// All values have the same length, at most 251 bytes, as the length byte defines.
struct ATTReadByGroupTypeResponse: ATTMessage {
    /// An attribute, the last of its group, and its value.
    struct Entry: Hashable, Sendable {
        /// The attribute.
        let handle: AttributeHandle
        /// The last attribute of its group.
        let groupEnd: AttributeHandle
        /// Its value, cut to fit the PDU.
        let value: [UInt8]
    }

    static let opcode = ATTOpcode.readByGroupTypeResponse
    /// The attributes in the order of their handles; at least one.
    let entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = Array(entries.prefix { $0.value.count == entries.first?.value.count })
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        let length = Int(try reader.readUInt8())
        guard length >= 4 else { throw WireError(.badLength(length), offset: start) }
        var entries: [Entry] = []
        for _ in 0..<(try reader.countEntries(of: length)) {
            let handle = try AttributeHandle(parsing: &reader)
            let groupEnd = try AttributeHandle(parsing: &reader)
            let value = Array(try reader.read(count: length - 4))
            entries.append(Entry(handle: handle, groupEnd: groupEnd, value: value))
        }
        self.entries = entries
    }

    func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(truncatingIfNeeded: 4 + (entries.first?.value.count ?? 0)))
        for entry in entries {
            entry.handle.serialize(into: &writer)
            entry.groupEnd.serialize(into: &writer)
            writer.write(entry.value)
        }
    }
}
