// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// Reads a btsnoop file of datalink 1001, 1002 or 2001; its bytes may arrive in parts.
package struct BtsnoopReader: Sendable {
    private var stream = StreamBuffer()
    /// The content of the records; `nil` until the header was read.
    package private(set) var datalink: BtsnoopDatalink?

    /// A reader at the start of a file.
    package init() {}

    /// Bytes that were appended and not yet read; not 0 after the last record of a truncated file.
    package var count: Int { stream.count }

    /// The place of the next record in the file.
    var offset: Int { stream.offset }

    /// The datalink in the header if it is not one that is read; `nil` after the header, and before it has arrived.
    var unreadDatalink: UInt32? {
        guard datalink == nil, let bytes = stream.peek(count: BtsnoopHeader.length),
            let header = try? BtsnoopHeader(parsing: Array(bytes)),
            CaptureLink.of(header.datalink.rawValue, .btsnoop)?.reading == nil
        else { return nil }
        return header.datalink.rawValue
    }

    /// Adds the file's next bytes.
    package mutating func append(_ bytes: some Collection<UInt8>) { stream.append(bytes) }

    /// The next complete record; `nil` until one has arrived.
    /// - Throws: `WireError` at the invalid byte of the file; every later call throws the same error.
    package mutating func nextRecord() throws(WireError) -> BtsnoopRecord? {
        try readHeader()
        guard datalink != nil, let start = stream.peek(count: BtsnoopRecord.headerLength) else { return nil }
        var reader = ByteReader(start.dropFirst(BtsnoopRecord.includedLengthOffset))
        let length = Int(try reader.readBigEndian(UInt32.self))
        try BtsnoopRecord.check(includedLength: length, recordOffset: stream.offset)
        return try stream.take(BtsnoopRecord.self, count: BtsnoopRecord.headerLength + length)
    }

    /// The next complete HCI packet; other records are skipped.
    /// - Throws: `WireError` at the invalid byte of the file; every later call throws the same error.
    package mutating func next() throws(WireError) -> CapturedPacket? {
        while let record = try nextRecord(), let datalink {
            if let packet = CapturedPacket(record, datalink: datalink) { return packet }
        }
        return nil
    }

    private mutating func readHeader() throws(WireError) {
        guard datalink == nil, let octets = stream.peek(count: BtsnoopHeader.length) else { return }
        let header = try BtsnoopHeader(parsing: Array(octets))
        guard [.plain, .h4, .monitor].contains(header.datalink) else {
            throw WireError(.badValue(field: "btsnoop datalink"), offset: BtsnoopHeader.length - 4)
        }
        datalink = try stream.take(BtsnoopHeader.self, count: BtsnoopHeader.length)?.datalink
    }
}
