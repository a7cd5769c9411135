// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// ATT_HANDLE_VALUE_NTF (Core 5.4, Vol 3, Part F, 3.4.7.1).
struct ATTHandleValueNotification: ATTValueMessage {
    static let opcode = ATTOpcode.handleValueNotification
    /// The attribute.
    let handle: AttributeHandle
    /// Its value, cut to fit the PDU.
    let value: [UInt8]
}

/// ATT_HANDLE_VALUE_IND (Core 5.4, Vol 3, Part F, 3.4.7.2).
struct ATTHandleValueIndication: ATTValueMessage {
    static let opcode = ATTOpcode.handleValueIndication
    /// The attribute.
    let handle: AttributeHandle
    /// Its value, cut to fit the PDU.
    let value: [UInt8]
}

/// ATT_HANDLE_VALUE_CFM (Core 5.4, Vol 3, Part F, 3.4.7.3).
struct ATTHandleValueConfirmation: ATTMessage {
    static let opcode = ATTOpcode.handleValueConfirmation

    init() {}

    init(parsing reader: inout ByteReader) throws(WireError) {}
    func serialize(into writer: inout ByteWriter) {}
}

/// ATT_MULTIPLE_HANDLE_VALUE_NTF (Core 5.4, Vol 3, Part F, 3.4.7.4).
struct ATTMultipleHandleValueNotification: ATTMessage {
    /// An attribute and its value.
    struct Entry: Hashable, Sendable {
        /// The attribute.
        let handle: AttributeHandle
        /// Its value.
        let value: [UInt8]
    }

    static let opcode = ATTOpcode.multipleHandleValueNotification
    /// The attributes, two or more.
    let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    init(parsing reader: inout ByteReader) throws(WireError) {
        var entries: [Entry] = []
        while !reader.isAtEnd {
            let handle = try AttributeHandle(parsing: &reader)
            let length: UInt16 = try reader.readLittleEndian()
            entries.append(Entry(handle: handle, value: Array(try reader.read(count: Int(length)))))
        }
        self.entries = entries
    }

    func serialize(into writer: inout ByteWriter) {
        for entry in entries {
            entry.handle.serialize(into: &writer)
            writer.writeLittleEndian(UInt16(truncatingIfNeeded: entry.value.count))
            writer.write(entry.value)
        }
    }
}
