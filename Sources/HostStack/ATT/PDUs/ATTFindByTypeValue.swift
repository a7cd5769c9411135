// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import GATT

/// ATT_FIND_BY_TYPE_VALUE_REQ (Core 5.4, Vol 3, Part F, 3.4.3.3).
public struct ATTFindByTypeValueRequest: ATTMessage {
    public static let opcode = ATTOpcode.findByTypeValueRequest
    /// The first handle asked for.
    public let startingHandle: AttributeHandle
    /// The last handle asked for.
    public let endingHandle: AttributeHandle
    /// The 16-bit type asked for.
    public let type: UInt16
    /// The value asked for.
    public let value: [UInt8]

    /// A request for the attributes in a range that have this type and value.
    public init(startingHandle: AttributeHandle, endingHandle: AttributeHandle, type: UInt16, value: [UInt8]) {
        self.startingHandle = startingHandle
        self.endingHandle = endingHandle
        self.type = type
        self.value = value
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        startingHandle = try AttributeHandle(parsing: &reader)
        endingHandle = try AttributeHandle(parsing: &reader)
        type = try reader.readLittleEndian()
        value = Array(reader.readAll())
    }

    public func serialize(into writer: inout ByteWriter) {
        startingHandle.serialize(into: &writer)
        endingHandle.serialize(into: &writer)
        writer.writeLittleEndian(type)
        writer.write(value)
    }
}

/// ATT_FIND_BY_TYPE_VALUE_RSP (Core 5.4, Vol 3, Part F, 3.4.3.4).
public struct ATTFindByTypeValueResponse: ATTMessage {
    /// An attribute that was found, and the last of its group.
    public struct HandlesInformation: Hashable, Sendable {
        /// The attribute.
        public let found: AttributeHandle
        /// The last attribute of its group; itself when it has none.
        public let groupEnd: AttributeHandle

        /// An attribute and the last of its group.
        public init(found: AttributeHandle, groupEnd: AttributeHandle) {
            self.found = found
            self.groupEnd = groupEnd
        }
    }

    public static let opcode = ATTOpcode.findByTypeValueResponse
    /// What was found, in the order of the handles; at least one.
    public let entries: [HandlesInformation]

    /// A response with these attributes.
    public init(_ entries: [HandlesInformation]) { self.entries = entries }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        var entries: [HandlesInformation] = []
        for _ in 0..<(try reader.countEntries(of: 4)) {
            let found = try AttributeHandle(parsing: &reader)
            entries.append(HandlesInformation(found: found, groupEnd: try AttributeHandle(parsing: &reader)))
        }
        self.entries = entries
    }

    public func serialize(into writer: inout ByteWriter) {
        for entry in entries {
            entry.found.serialize(into: &writer)
            entry.groupEnd.serialize(into: &writer)
        }
    }
}
