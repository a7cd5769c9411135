// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@Suite struct CaptureReaderTests {
    private static let data: [UInt8] = [0x02, 0x01, 0x06]
    private static let address: [UInt8] = [1, 0, 0, 0xEE, 0xFF, 0xC0]

    /// An LE Advertising Report of ADV_NONCONN_IND, with the H4 byte.
    private static let event: [UInt8] = [4, 0x3E, 15, 2, 1, 3, 1] + address + [3] + data + [0xC4]

    private static func bytes(_ value: UInt32, _ count: Int, isBigEndian: Bool) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    /// The content of a record of a link type that is read.
    private static func record(_ link: CaptureLink) -> [UInt8] {
        switch link.reading {
        case .plain: Array(event.dropFirst())
        case .h4, nil: event
        case .h4WithDirection: [0, 0, 0, 1] + event
        case .monitor: (link.family == .pcap ? [0, 0, 0, 3] : []) + event.dropFirst()
        case .linkLayer: [0xD6, 0xBE, 0x89, 0x8E, 0x42, 9] + address + data + [0, 0, 0]
        }
    }

    private static func btsnoop(_ link: CaptureLink) -> [UInt8] {
        let content = record(link)
        let length = bytes(UInt32(content.count), 4, isBigEndian: true)
        let time: [UInt8] = [0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x80, 0x07]
        return Array("btsnoop\0".utf8) + bytes(1, 4, isBigEndian: true) + bytes(link.number, 4, isBigEndian: true)
            + length + length
            + [0, 0, 0, 3, 0, 0, 0, 0] + time + content
    }

    private static func pcap(_ link: CaptureLink, isBigEndian: Bool, isNanoseconds: Bool) -> [UInt8] {
        let content = record(link)
        let word = { bytes($0, 4, isBigEndian: isBigEndian) }
        return word(isNanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4) + bytes(2, 2, isBigEndian: isBigEndian)
            + bytes(4, 2, isBigEndian: isBigEndian) + word(0) + word(0) + word(65535) + word(link.number)
            + word(0) + word(isNanoseconds ? 7000 : 7) + word(UInt32(content.count)) + word(UInt32(content.count))
            + content
    }

    private static func pcapng(_ link: CaptureLink, isBigEndian: Bool, resolution: [UInt8] = []) -> [UInt8] {
        let content = record(link)
        let word = { bytes($0, 4, isBigEndian: isBigEndian) }
        func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
            let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            let length = word(UInt32(padded.count + 12))
            return word(type) + length + padded + length
        }
        let half = { bytes($0, 2, isBigEndian: isBigEndian) }
        let option =
            resolution.isEmpty
            ? [] : half(9) + half(UInt32(resolution.count)) + resolution + [0, 0, 0] + half(0) + half(0)
        let ticks: UInt32 = resolution.isEmpty ? 7 : 7000
        return block(0x0A0D_0D0A, word(0x1A2B_3C4D) + half(1) + half(0) + word(0xFFFF_FFFF) + word(0xFFFF_FFFF))
            + block(1, half(link.number) + half(0) + word(65535) + option) + block(0xBAD, [1, 2, 3])
            + block(
                6, word(0) + word(0) + word(ticks) + word(UInt32(content.count)) + word(UInt32(content.count)) + content
            )
    }

    /// The files of a link type, by their names.
    private static func files(_ link: CaptureLink) -> [(String, [UInt8])] {
        guard link.family == .pcap else { return [("btsnoop", btsnoop(link))] }
        return [false, true].flatMap { isBig in
            [
                ("pcap \(isBig)", pcap(link, isBigEndian: isBig, isNanoseconds: false)),
                ("pcap of nanoseconds \(isBig)", pcap(link, isBigEndian: isBig, isNanoseconds: true)),
                ("pcapng \(isBig)", pcapng(link, isBigEndian: isBig)),
                ("pcapng of nanoseconds \(isBig)", pcapng(link, isBigEndian: isBig, resolution: [9])),
            ]
        }
    }

    private static func packets(_ file: [UInt8], inPartsOf size: Int) throws -> [CapturedPacket] {
        var reader = try #require(CaptureReader(startingWith: file.prefix(max(size, 8))))
        var rest = file.dropFirst(max(size, 8))
        var packets: [CapturedPacket] = []
        while true {
            while let packet = try reader.next() { packets.append(packet) }
            guard !rest.isEmpty else { break }
            reader.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        #expect(reader.rest == 0 && reader.hasHeader)
        return packets
    }

    @Test(arguments: CaptureLink.all)
    func linkTypeIsReadOrRefusedByItsName(_ link: CaptureLink) throws {
        for (name, file) in Self.files(link) {
            guard link.reading != nil else {
                #expect(!link.hint.isEmpty)
                #expect(throws: CaptureFault.link(link, number: link.number), "\(name)") {
                    try Self.packets(file, inPartsOf: 1000)
                }
                continue
            }
            for size in [1, 7, 1000] {
                let packets = try Self.packets(file, inPartsOf: size)
                let packet = try #require(packets.first, "\(name)")
                #expect(packets.count == 1 && packet.direction == .controllerToHost, "\(name)")
                #expect(packet.time == .microseconds(7), "\(name)")
                guard case .event(let event) = packet.packet else { return #expect(Bool(false), "\(name)") }
                let report = try #require(try event.parameters(as: LEAdvertisingReport.self).reports.first)
                #expect(report.data == Self.data && report.address.description == "C0:FF:EE:00:00:01", "\(name)")
                #expect(report.rssi == (link.reading == .linkLayer ? .unavailable : RSSI(-60)), "\(name)")
            }
        }
    }

    @Test func linkTypeOfAnotherKindIsRefused() throws {
        let link = try #require(CaptureLink.of(187, .pcap))
        var file = Self.pcap(link, isBigEndian: true, isNanoseconds: false)
        file[23] = 1
        #expect(throws: CaptureFault.link(nil, number: 1)) { try Self.packets(file, inPartsOf: 1000) }
    }

    /// A file that is cut at any byte gives the packets before it, or none, and the place of the record.
    @Test func cutFilesAreReadAsFarAsTheyGo() throws {
        for link in CaptureLink.all where link.reading != nil {
            for (name, file) in Self.files(link) {
                for count in 8..<file.count {
                    var reader = try #require(CaptureReader(startingWith: file.prefix(count)), "\(name)")
                    #expect(try reader.next() == nil, "\(name) \(count)")
                    #expect(reader.rest > 0 || !reader.hasHeader || reader.offset == count, "\(name) \(count)")
                }
            }
        }
    }

    /// Damaged files end in an error or in packets, never in a trap or a loop.
    @Test func damagedFilesAreSafe() throws {
        var generator = SplitMix64(seed: 9)
        for link in CaptureLink.all where link.reading != nil {
            for (_, file) in Self.files(link) {
                for _ in 0..<300 {
                    var damaged = file
                    for _ in 0...Int.random(in: 0...3, using: &generator) {
                        damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(
                            in: 0...255, using: &generator)
                    }
                    guard var reader = CaptureReader(startingWith: damaged) else { continue }
                    var count = 0
                    while count < 100, (try? reader.next()) != nil { count += 1 }
                    #expect(count < 100)
                }
            }
        }
    }

    /// An advertisement of 240 bytes in extended advertising is reported in two parts, as a controller does.
    @Test func extendedAdvertisementsOfTheLinkLayerAreReported() throws {
        let data = (0..<240).map { UInt8($0) }
        // A header of nine bytes: flags for the address and the set, the address, and the set 5 of ADI.
        let body: [UInt8] = [0x09, 0x09] + Self.address + [0x34, 0x52] + data
        let frame: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E, 0x47, UInt8(body.count)] + body + [0, 0, 0]
        let link = try #require(CaptureLink.of(251, .pcap))
        var file = Self.pcap(link, isBigEndian: true, isNanoseconds: false)
        file.removeLast(Self.record(link).count + 8)
        file +=
            Self.bytes(UInt32(frame.count), 4, isBigEndian: true)
            + Self.bytes(UInt32(frame.count), 4, isBigEndian: true) + frame
        var assembler = ReportAssembler()
        let reports = try Self.packets(file, inPartsOf: 1000).flatMap {
            packet -> [LEExtendedAdvertisingReport.Report] in
            guard case .event(let event) = packet.packet else { return [] }
            return try event.parameters(as: LEExtendedAdvertisingReport.self).reports
        }
        let whole = reports.compactMap { assembler.take($0) }
        #expect(reports.count == 2 && whole.count == 1)
        #expect(whole.first?.data == data && whole.first?.setIdentifier == 5)
        #expect(whole.first?.address.description == "C0:FF:EE:00:00:01")
    }
}
