// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// One record of a btsnoop file as it is, most significant octet first.
package struct BtsnoopRecord: WireCodable, Hashable {
    /// Octets in front of the data.
    static let headerLength = 24
    /// Where the length of the data is.
    static let includedLengthOffset = 4
    /// An ACL packet with all that its length field can say, and H4's octet: nothing is longer.
    static let maximumLength = 1 + 4 + 0xFFFF

    /// How long the packet was; more than `data` has when the file keeps only its start.
    package let originalLength: UInt32
    /// What the datalink says they are.
    package let flags: UInt32
    /// How many packets were lost up to here.
    package let cumulativeDrops: UInt32
    /// Microseconds since the year 0.
    package let timestamp: Int64
    /// The packet, at most 65,540 octets.
    package let data: [UInt8]

    /// A record of these fields; data that exceeds 65,540 octets is left out.
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
