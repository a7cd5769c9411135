// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The content of the records of a btsnoop file.
package struct BtsnoopDatalink: Hashable, Sendable {
    /// The number in the file's header.
    package let rawValue: UInt32
    /// Any number, known or not.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// HCI packets; the flags hold the kind.
    package static let plain = BtsnoopDatalink(rawValue: 1001)
    /// HCI packets with the H4 byte in front.
    package static let h4 = BtsnoopDatalink(rawValue: 1002)
    /// Messages of Linux's monitor channel; the flags hold the controller and the kind.
    package static let monitor = BtsnoopDatalink(rawValue: 2001)
}

/// The first 16 bytes of a btsnoop file: name, version 1 and datalink, most significant byte first.
package struct BtsnoopHeader: WireCodable, Hashable {
    static let length = 16
    private static let name = Array("btsnoop\0".utf8)
    private static let version: UInt32 = 1

    /// The content of the records.
    package let datalink: BtsnoopDatalink

    /// The header of a file with these records.
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

/// One record of a btsnoop file, most significant byte first.
package struct BtsnoopRecord: WireCodable, Hashable {
    /// Bytes before the data.
    static let headerLength = 24
    /// Offset of the length of the data.
    static let includedLengthOffset = 4
    /// The longest ACL packet with the H4 byte: nothing is longer.
    static let maximumLength = 1 + 4 + 0xFFFF

    /// Length of the packet; more than `data` has if the file holds only the first bytes.
    package let originalLength: UInt32
    /// Their meaning depends on the datalink.
    package let flags: UInt32
    /// The number of packets lost so far.
    package let cumulativeDrops: UInt32
    /// Microseconds since the year 0.
    package let timestamp: Int64
    /// The packet, at most 65,540 bytes.
    package let data: [UInt8]

    /// A record with these fields; data beyond 65,540 bytes is left out.
    package init(originalLength: UInt32, flags: UInt32, cumulativeDrops: UInt32, timestamp: Int64, data: [UInt8]) {
        self.originalLength = originalLength
        self.flags = flags
        self.cumulativeDrops = cumulativeDrops
        self.timestamp = timestamp
        self.data = data.count > Self.maximumLength ? Array(data[..<Self.maximumLength]) : data
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        originalLength = try reader.readBigEndian()
        let includedLength = Int(try reader.readBigEndian(UInt32.self))
        try Self.check(includedLength: includedLength, recordOffset: start)
        flags = try reader.readBigEndian()
        cumulativeDrops = try reader.readBigEndian()
        timestamp = try reader.readBigEndian()
        data = Array(try reader.read(count: includedLength))
    }

    static func check(includedLength: Int, recordOffset: Int) throws(WireError) {
        guard includedLength <= maximumLength else {
            throw WireError(.badLength(includedLength), offset: recordOffset + includedLengthOffset)
        }
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeBigEndian(originalLength)
        writer.writeBigEndian(UInt32(truncatingIfNeeded: data.count))
        writer.writeBigEndian(flags)
        writer.writeBigEndian(cumulativeDrops)
        writer.writeBigEndian(timestamp)
        writer.write(data)
    }
}

/// The clock of btsnoop files: microseconds since the year 0.
enum BtsnoopTime {
    /// 1970-01-01 00:00 UTC.
    private static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

    static func sinceUnixEpoch(_ timestamp: Int64) -> Duration { .microseconds(timestamp) - .microseconds(unixEpoch) }

    /// Truncates to whole microseconds and clamps to the range of the clock.
    static func timestamp(sinceUnixEpoch time: Duration) -> Int64 {
        guard time > sinceUnixEpoch(.min) else { return .min }
        guard time < sinceUnixEpoch(.max) else { return .max }
        let (seconds, attoseconds) = (time + .microseconds(unixEpoch)).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
