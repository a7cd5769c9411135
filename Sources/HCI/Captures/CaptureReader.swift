// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// Why a capture is not read.
package enum CaptureFault: Error, Hashable {
    /// The bytes at this offset of the file are invalid.
    case malformed(WireError)
    /// Its records are of a link type that is not read; `nil` for one that is not of Bluetooth.
    case link(CaptureLink?, number: UInt32)
}

/// A reader of one kind of file.
protocol CaptureFileReader: Sendable {
    /// Whether a file with these first bytes is of this kind.
    static func isOne(startingWith bytes: some Sequence<UInt8>) -> Bool
    /// The bytes of an incomplete record.
    var rest: Int { get }
    /// The place of that record in the file.
    var offset: Int { get }
    /// Whether the header of the file was read.
    var hasHeader: Bool { get }
    /// A reader at the start of a file.
    init()
    /// Adds the file's next bytes.
    mutating func append(_ bytes: some Collection<UInt8>)
    /// The packets of the next complete record; `nil` until one has arrived.
    mutating func next() throws(CaptureFault) -> [CapturedPacket]?
}

extension BtsnoopReader: CaptureFileReader {
    static func isOne(startingWith bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: "btsnoop".utf8) }

    var rest: Int { count }
    var hasHeader: Bool { datalink != nil }

    mutating func next() throws(CaptureFault) -> [CapturedPacket]? {
        if let number = unreadDatalink { throw .link(.of(number, .btsnoop), number: number) }
        do throws(WireError) {
            guard let record = try nextRecord(), let datalink else { return nil }
            return CapturedPacket(record, datalink: datalink).map { [$0] } ?? []
        } catch {
            throw .malformed(error)
        }
    }
}

extension CaptureLink {
    /// The link type of this number in pcap and pcapng files.
    /// - Throws: `CaptureFault.link` for one that is not read.
    static func readable(_ number: UInt32) throws(CaptureFault) -> CaptureLink {
        guard let link = of(number, .pcap), link.reading != nil else {
            throw .link(of(number, .pcap), number: number)
        }
        return link
    }

    /// The packets of a record of a pcap or pcapng file.
    func packets(in data: ArraySlice<UInt8>, at time: Duration) -> [CapturedPacket] {
        var data = data
        guard let reading, let content = Content(reading, &data) else { return [] }
        return content.packets(data, at: time)
    }
}

/// Reads the HCI packets of a capture: btsnoop, pcap or pcapng, of the link types in `CaptureLink`. Its bytes may arrive in parts.
package struct CaptureReader: Sendable {
    private static let kinds: [any CaptureFileReader.Type] = [BtsnoopReader.self, PcapReader.self, PcapngReader.self]

    private var reader: any CaptureFileReader
    private var packets: [CapturedPacket] = []

    /// A reader of a file with these first bytes, which it reads; `nil` if it is no capture.
    package init?(startingWith bytes: some Collection<UInt8>) {
        guard let kind = Self.kinds.first(where: { $0.isOne(startingWith: bytes) }) else { return nil }
        reader = kind.init()
        reader.append(bytes)
    }

    /// The bytes of an incomplete record; not 0 after the last record of a file that is cut.
    package var rest: Int { reader.rest }
    /// The place of that record in the file.
    package var offset: Int { reader.offset }
    /// Whether the header of the file was read.
    package var hasHeader: Bool { reader.hasHeader }

    /// Adds the file's next bytes.
    package mutating func append(_ bytes: some Collection<UInt8>) { reader.append(bytes) }

    /// The next complete HCI packet; other records are skipped. `nil` until one has arrived.
    /// - Throws: `CaptureFault`.
    package mutating func next() throws(CaptureFault) -> CapturedPacket? {
        while packets.isEmpty {
            guard let more = try reader.next() else { return nil }
            packets = more.reversed()
        }
        return packets.popLast()
    }
}
