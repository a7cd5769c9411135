// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What the records of a btsnoop file hold.
public struct BtsnoopDatalink: Hashable, Sendable {
    /// The number in the file's header.
    public let rawValue: UInt32
    /// Any number, known or not.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// HCI packets; the flags tell which kind.
    public static let plain = BtsnoopDatalink(rawValue: 1001)
    /// HCI packets with the octet of H4 in front.
    public static let h4 = BtsnoopDatalink(rawValue: 1002)
    /// What Linux's monitor channel says; the flags tell the controller and the kind.
    public static let monitor = BtsnoopDatalink(rawValue: 2001)
}

/// The first 16 octets of a btsnoop file: a name, the version 1 and the datalink, most significant octet first.
public struct BtsnoopHeader: WireCodable, Hashable {
    static let length = 16
    private static let name = Array("btsnoop\0".utf8)
    private static let version: UInt32 = 1

    /// What the records hold.
    public let datalink: BtsnoopDatalink

    /// The header of a file with such records.
    public init(datalink: BtsnoopDatalink) { self.datalink = datalink }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        guard try reader.read(count: 8).elementsEqual(Self.name) else {
            throw WireError(.badValue(field: "btsnoop file's name"), offset: start)
        }
        guard try reader.readBigEndian(UInt32.self) == Self.version else {
            throw WireError(.badValue(field: "btsnoop version"), offset: start + 8)
        }
        datalink = BtsnoopDatalink(rawValue: try reader.readBigEndian())
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(Self.name)
        writer.writeBigEndian(Self.version)
        writer.writeBigEndian(datalink.rawValue)
    }
}
