// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Reads a pcap file (draft-ietf-opsawg-pcap), in either byte order, with microseconds or nanoseconds; its bytes may arrive in
/// parts.
struct PcapReader: CaptureFileReader {
    private static let headerLength = 24
    private static let recordHeaderLength = 16
    /// Longer than any record of Bluetooth.
    static let maximumLength = 1 << 18

    private var stream = StreamBuffer()
    private var header: (isBigEndian: Bool, isNanoseconds: Bool, link: CaptureLink)?

    static func isOne(startingWith bytes: some Sequence<UInt8>) -> Bool { magic(bytes) != nil }

    private static func magic(_ bytes: some Sequence<UInt8>) -> (isBigEndian: Bool, isNanoseconds: Bool)? {
        switch Array(bytes.prefix(4)) {
        case [0xA1, 0xB2, 0xC3, 0xD4]: (true, false)
        case [0xD4, 0xC3, 0xB2, 0xA1]: (false, false)
        case [0xA1, 0xB2, 0x3C, 0x4D]: (true, true)
        case [0x4D, 0x3C, 0xB2, 0xA1]: (false, true)
        default: nil
        }
    }

    var rest: Int { stream.count }
    var offset: Int { stream.offset }
    var hasHeader: Bool { header != nil }

    mutating func append(_ bytes: some Collection<UInt8>) { stream.append(bytes) }

    mutating func next() throws(CaptureFault) -> [CapturedPacket]? {
        if header == nil {
            guard let bytes = stream.peek(count: Self.headerLength), let (isBig, isNanoseconds) = Self.magic(bytes)
            else { return nil }
            // The upper bits have the length of the frame check sequence.
            let number = UInt32(bytes.dropFirst(20), isBig) & 0x0FFF_FFFF
            header = (isBig, isNanoseconds, try CaptureLink.readable(number))
            _ = stream.takeBytes(Self.headerLength)
        }
        guard let header, let start = stream.peek(count: Self.recordHeaderLength) else { return nil }
        let fields = (0..<3).map { UInt32(start.dropFirst($0 * 4), header.isBigEndian) }
        let length = Int(fields[2])
        guard length <= Self.maximumLength else {
            throw .malformed(WireError(.badLength(length), offset: stream.offset + 8))
        }
        guard let record = stream.takeBytes(Self.recordHeaderLength + length) else { return nil }
        let fraction = Int64(fields[1])
        let time =
            Duration.seconds(Int64(fields[0]))
            + (header.isNanoseconds ? .nanoseconds(fraction) : .microseconds(fraction))
        return header.link.packets(in: record.dropFirst(Self.recordHeaderLength), at: time)
    }
}

/// Reads a pcapng file (draft-ietf-opsawg-pcapng), in either byte order; its bytes may arrive in parts.
struct PcapngReader: CaptureFileReader {
    private static let sectionHeader: UInt32 = 0x0A0D_0D0A
    /// Longer than any block of Bluetooth; blocks of other kinds may be longer, and are skipped.
    private static let maximumLength = 1 << 18
    /// More interfaces than any file has.
    private static let maximumInterfaces = 4096

    /// An interface of a section: its link type, and what its times mean.
    private struct Interface {
        let link: CaptureLink
        /// Ticks in a second.
        var ticks: UInt64 = 1_000_000
        var offset: Int64 = 0
    }

    private var stream = StreamBuffer()
    private var isBigEndian = false
    private var interfaces: [Interface] = []
    private(set) var hasHeader = false
    /// The bytes of a long block that are still to be skipped.
    private var skipped = 0

    static func isOne(startingWith bytes: some Sequence<UInt8>) -> Bool {
        Array(bytes.prefix(4)) == [0x0A, 0x0D, 0x0D, 0x0A]
    }

    var rest: Int { max(stream.count, skipped) }
    var offset: Int { stream.offset }

    mutating func append(_ bytes: some Collection<UInt8>) { stream.append(bytes) }

    mutating func next() throws(CaptureFault) -> [CapturedPacket]? {
        if skipped > 0 {
            let count = min(skipped, stream.count)
            _ = stream.takeBytes(count)
            skipped -= count
        }
        guard skipped == 0, let start = stream.peek(count: 12) else { return nil }
        var type = UInt32(start, isBigEndian)
        if type == Self.sectionHeader {
            // The order of bytes may be another one in each section.
            guard let order = [true, false].first(where: { UInt32(start.dropFirst(8), $0) == 0x1A2B_3C4D }) else {
                throw malformed(.badValue(field: "byte-order magic"), at: 8)
            }
            isBigEndian = order
            hasHeader = true
            interfaces = []
        }
        type = UInt32(start, isBigEndian)
        let length = Int(UInt32(start.dropFirst(4), isBigEndian))
        guard length >= 12, length.isMultiple(of: 4) else { throw malformed(.badLength(length), at: 4) }
        guard length <= Self.maximumLength else {
            skipped = length
            return []
        }
        guard let block = stream.peek(count: length) else { return nil }
        let body = block.dropFirst(8).dropLast(4)
        var packets: [CapturedPacket] = []
        switch type {
        case 1: try addInterface(body)
        case 2, 6: packets = try packet(body, hasShortInterface: type == 2)
        case 3: packets = simplePacket(body)
        default: break
        }
        _ = stream.takeBytes(length)
        return packets
    }

    private func malformed(_ kind: WireError.Kind, at place: Int) -> CaptureFault {
        .malformed(WireError(kind, offset: stream.offset + place))
    }

    private mutating func addInterface(_ body: ArraySlice<UInt8>) throws(CaptureFault) {
        guard body.count >= 8, interfaces.count < Self.maximumInterfaces else {
            throw malformed(.badValue(field: "interface description"), at: 8)
        }
        let number =
            isBigEndian
            ? UInt32(body.first ?? 0) << 8 | UInt32(body.dropFirst().first ?? 0) : UInt32(body, false) & 0xFFFF
        var interface = Interface(link: try CaptureLink.readable(number))
        var options = body.dropFirst(8)
        while options.count >= 4 {
            let head = UInt32(options, isBigEndian)
            let (code, size) = isBigEndian ? (head >> 16, Int(head & 0xFFFF)) : (head & 0xFFFF, Int(head >> 16))
            let value = options.dropFirst(4).prefix(size)
            guard value.count == size, code != 0 else { break }
            if code == 9, let resolution = value.first { interface.ticks = Self.ticks(resolution) }
            if code == 14, size == 8 { interface.offset = Int64(truncatingIfNeeded: UInt64(value, isBigEndian)) }
            options = options.dropFirst(4 + (size + 3) / 4 * 4)
        }
        interfaces.append(interface)
    }

    /// Ticks in a second: a power of 10, or of 2 with the highest bit; the greatest that fits for more.
    private static func ticks(_ resolution: UInt8) -> UInt64 {
        let exponent = Int(resolution & 0x7F)
        if resolution & 0x80 != 0 { return 1 << UInt64(min(exponent, 63)) }
        return (0..<min(exponent, 18)).reduce(1) { ticks, _ in ticks * 10 }
    }

    /// An enhanced packet block, or a packet block of old files, whose interface has 16 bits.
    private func packet(_ body: ArraySlice<UInt8>, hasShortInterface: Bool) throws(CaptureFault) -> [CapturedPacket] {
        guard body.count >= 20 else { throw malformed(.badLength(body.count), at: 8) }
        let fields = (0..<4).map { UInt32(body.dropFirst($0 * 4), isBigEndian) }
        let number = hasShortInterface ? (isBigEndian ? fields[0] >> 16 : fields[0] & 0xFFFF) : fields[0]
        guard let interface = interfaces.indices.contains(Int(number)) ? interfaces[Int(number)] : nil else {
            throw malformed(.badValue(field: "interface"), at: 8)
        }
        let count = Int(fields[3])
        guard count <= body.count - 20 else { throw malformed(.badLength(count), at: 20) }
        let ticks = UInt64(fields[1]) << 32 | UInt64(fields[2])
        let (seconds, fraction) = ticks.quotientAndRemainder(dividingBy: interface.ticks)
        let microseconds = UInt64(Double(fraction) / Double(interface.ticks) * 1_000_000)
        let time =
            Duration.seconds(Double(Int64(clamping: seconds)) + Double(interface.offset))
            + .microseconds(Int64(clamping: microseconds))
        return interface.link.packets(in: body.dropFirst(20).prefix(count), at: time)
    }

    /// A packet of the first interface, without a time.
    private func simplePacket(_ body: ArraySlice<UInt8>) -> [CapturedPacket] {
        guard let interface = interfaces.first, body.count >= 4 else { return [] }
        let count = min(Int(UInt32(body, isBigEndian)), body.count - 4)
        return interface.link.packets(in: body.dropFirst(4).prefix(count), at: .zero)
    }
}

extension FixedWidthInteger {
    /// The integer of the first bytes, in an order.
    fileprivate init(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) {
        let own = bytes.prefix(Self.bitWidth / 8)
        self = (isBigEndian ? Array(own) : own.reversed()).reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
