// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// What the records of a btsnoop file hold.
package struct BtsnoopDatalink: Hashable, Sendable {
    /// The number in the file's header.
    package let rawValue: UInt32
    /// Any number, known or not.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// HCI packets; the flags tell which kind.
    package static let plain = BtsnoopDatalink(rawValue: 1001)
    /// HCI packets with the octet of H4 in front.
    package static let h4 = BtsnoopDatalink(rawValue: 1002)
    /// What Linux's monitor channel says; the flags tell the controller and the kind.
    package static let monitor = BtsnoopDatalink(rawValue: 2001)
}

/// The first 16 octets of a btsnoop file: a name, the version 1 and the datalink, most significant octet first.
package struct BtsnoopHeader: WireCodable, Hashable {
    static let length = 16
    private static let name = Array("btsnoop\0".utf8)
    private static let version: UInt32 = 1

    /// What the records hold.
    package let datalink: BtsnoopDatalink

    /// The header of a file with such records.
    package init(datalink: BtsnoopDatalink) { self.datalink = datalink }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        guard try reader.read(count: 8).elementsEqual(Self.name) else {
            throw WireError(.badValue(field: "btsnoop file's name"), offset: start)
        }
        guard try reader.readBigEndian(UInt32.self) == Self.version else {
            throw WireError(.badValue(field: "btsnoop version"), offset: start + 8)
        }
        datalink = BtsnoopDatalink(rawValue: try reader.readBigEndian())
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(Self.name)
        writer.writeBigEndian(Self.version)
        writer.writeBigEndian(datalink.rawValue)
    }
}
