// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@Suite struct BtsnoopTests {
    private static let header = "6274736e6f6f7000 00000001 000003ea"
    /// 2023-11-14 22:13:20.001 UTC.
    private static let time = Duration.milliseconds(1_700_000_000_001)
    private static let timestamp = "00e2e7d7 274dc3e8"
    private static let reset = HCIPacket.command(HCICommandPacket(HCIReset()))
    private static let complete = HCIPacket.event(
        HCIEventPacket(HCICommandComplete(opcode: HCIReset.opcode, status: .success)))
    private static let acl = HCIPacket.acl(
        ACLDataPacket(handle: ConnectionHandle(0x40), boundary: .firstNonFlushable, payload: [3, 0, 4, 0, 2, 5, 2]))

    private func read(_ bytes: [UInt8]) throws -> [CapturedPacket] {
        var reader = BtsnoopReader()
        reader.append(bytes)
        var packets: [CapturedPacket] = []
        while let packet = try reader.next() { packets.append(packet) }
        return packets
    }

    @Test func fileIsWrittenInTheFormatOfBtmon() throws {
        var writer = BtsnoopWriter()
        #expect(Hexadecimal.string(writer.header) == Self.header.filter { $0 != " " })
        #expect(
            try writer.record(Self.reset, direction: .hostToController, time: Self.time)
                == Hexadecimal.bytes("00000004 00000004 00000002 00000000" + Self.timestamp + "01030c00"))
        writer.cumulativeDrops = 9
        #expect(
            try writer.record(Self.complete, direction: .controllerToHost, time: Self.time)
                == Hexadecimal.bytes("00000007 00000007 00000003 00000009" + Self.timestamp + "040e0401030c00"))
        #expect(
            writer.record(Self.acl, direction: .hostToController, time: Self.time)[8..<12] == [0, 0, 0, 0])
        #expect(
            writer.record(Self.acl, direction: .controllerToHost, time: Self.time)[8..<12] == [0, 0, 0, 1])
    }

    @Test func writtenFileIsReadBack() throws {
        let writer = BtsnoopWriter()
        let packets = [
            CapturedPacket(time: Self.time, direction: .hostToController, packet: Self.reset),
            CapturedPacket(time: .zero, direction: .controllerToHost, packet: Self.complete),
            CapturedPacket(time: .microseconds(-1), direction: .hostToController, packet: Self.acl),
            CapturedPacket(
                time: Self.time + .microseconds(1), direction: .controllerToHost, packet: .synchronous([1, 0, 0])),
        ]
        let file = packets.reduce(into: writer.header) {
            $0 += writer.record($1.packet, direction: $1.direction, time: $1.time)
        }
        #expect(try read(file) == packets)

        var reader = BtsnoopReader()
        var parts: [CapturedPacket] = []
        for byte in file {
            reader.append([byte])
            while let packet = try reader.next() { parts.append(packet) }
        }
        #expect(parts == packets)
        #expect(reader.datalink == .h4)
        #expect(reader.count == 0)
    }

    @Test func flagsGiveTheKindOfPacketsWithoutH4() throws {
        let bytes = try Hexadecimal.bytes(
            "6274736e6f6f7000 00000001 000003e9"
                + "00000003 00000003 00000002 00000000" + Self.timestamp + "030c00"
                + "00000006 00000006 00000003 00000000" + Self.timestamp + "0e0401030c00"
                + "0000000b 0000000b 00000000 00000000" + Self.timestamp + "40000700 03000400020502"
                + "0000000b 0000000b 00000001 00000000" + Self.timestamp + "40000700 03000400020502")
        let packets = try read(bytes)
        #expect(packets.map(\.packet) == [Self.reset, Self.complete, Self.acl, Self.acl])
        #expect(
            packets.map(\.direction) == [.hostToController, .controllerToHost, .hostToController, .controllerToHost])
        #expect(packets.allSatisfy { $0.time == Self.time })
    }

    /// Linux's monitor channel has other messages, too: a new index, a note.
    @Test func monitorRecordsHaveControllerAndKind() throws {
        func record(_ flags: String, _ data: String) -> String {
            let length = "000000" + Hexadecimal.string([UInt8(data.count / 2)])
            return length + length + flags + "00000000" + Self.timestamp + data
        }
        let bytes = try Hexadecimal.bytes(
            "6274736e6f6f7000 00000001 000007d1"
                + record("00010000", "0000010000eeffc06863693100000000") + record("00010002", "030c00")
                + record("00010003", "0e0401030c00") + record("0001000c", "6e6f746500")
                + record("00020004", "4000070003000400020502") + record("00020005", "4000070003000400020502")
                + record("00000006", "01000109") + record("00000007", "01000109")
                + record("00000012", "602001000a") + record("00000013", "602001000a"))
        let packets = try read(bytes)
        #expect(
            packets.map(\.packet) == [
                Self.reset, Self.complete, Self.acl, Self.acl, .synchronous([1, 0, 1, 9]), .synchronous([1, 0, 1, 9]),
                .isochronous([0x60, 0x20, 1, 0, 10]), .isochronous([0x60, 0x20, 1, 0, 10]),
            ])
        #expect(packets.map(\.controllerIndex) == [1, 1, 2, 2, 0, 0, 0, 0])
        let turns: [CapturedPacket.Direction] = [.hostToController, .controllerToHost]
        #expect(packets.map(\.direction) == turns + turns + turns + turns)
    }

    @Test func truncatedPacketsAreSkippedAndReadAsRecords() throws {
        let cut = try Hexadecimal.bytes("0000000b 00000005 00000000 00000000" + Self.timestamp + "02 40000700")
        let whole = BtsnoopWriter().record(Self.reset, direction: .hostToController, time: Self.time)
        let file = try Hexadecimal.bytes(Self.header) + cut + whole
        #expect(try read(file).map(\.packet) == [Self.reset])
        var reader = BtsnoopReader()
        reader.append(file)
        let record = try #require(try reader.nextRecord())
        #expect(record.originalLength == 11)
        #expect(record.data == [2, 0x40, 0, 7, 0])
    }

    @Test func truncatedFileLeavesAnIncompleteRecord() throws {
        let record = BtsnoopWriter().record(Self.reset, direction: .hostToController, time: Self.time)
        for count in 1..<record.count {
            var reader = BtsnoopReader()
            reader.append(try Hexadecimal.bytes(Self.header) + record[..<count])
            #expect(try reader.next() == nil)
            #expect(reader.count == count)
        }
    }

    @Test(
        arguments: [
            ("6274736e6f6f7020 00000001 000003ea", WireError(.badValue(field: "btsnoop file's name"), offset: 0)),
            ("6274736e6f6f7000 00000002 000003ea", WireError(.badValue(field: "btsnoop version"), offset: 8)),
            ("6274736e6f6f7000 00000001 000003eb", WireError(.badValue(field: "btsnoop datalink"), offset: 12)),
            (
                header + "00010006 00010006 00000001 00000000" + timestamp,
                WireError(.badLength(0x10006), offset: 20)
            ),
            (
                header + "00000000 ffffffff 00000001 00000000" + timestamp,
                WireError(.badLength(0xFFFF_FFFF), offset: 20)
            ),
        ])
    func invalidFileIsRefusedEachTime(_ hexadecimal: String, _ error: WireError) throws {
        var reader = BtsnoopReader()
        reader.append(try Hexadecimal.bytes(hexadecimal))
        #expect(throws: error) { _ = try reader.next() }
        reader.append([0, 0, 0, 0])
        #expect(throws: error) { _ = try reader.next() }
    }

    @Test func recordsAreParsedAndSerialized() throws {
        let bytes = try Hexadecimal.bytes("ffffffff 00000002 80000001 00000007 8000000000000000 0102")
        let record = try checkWire(BtsnoopRecord.self, bytes: bytes)
        #expect(record.timestamp == .min)
        #expect(CapturedPacket(record, datalink: .h4) == nil)
        try fuzzWire(BtsnoopRecord.self, samples: [bytes])
        let header = try checkWire(BtsnoopHeader.self, bytes: Hexadecimal.bytes(Self.header))
        #expect(header.datalink == .h4)
        try fuzzWire(BtsnoopHeader.self, samples: [header.serialized()])
    }

    /// Times outside of the range of the file are clamped.
    @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
    func timesOutsideOfTheRangeAreClamped(_ timestamp: Int64) throws {
        let record = BtsnoopRecord(
            originalLength: 4, flags: 2, cumulativeDrops: 0, timestamp: timestamp, data: Self.reset.serialized())
        let packet = try #require(CapturedPacket(record, datalink: .h4))
        let written = BtsnoopWriter().record(packet.packet, direction: packet.direction, time: packet.time)
        #expect(try BtsnoopRecord(parsing: written).timestamp == timestamp)
        for beyond in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
            let ends = BtsnoopWriter().record(Self.reset, direction: .hostToController, time: beyond)
            #expect(try BtsnoopRecord(parsing: ends).timestamp == (beyond < .zero ? .min : .max))
        }
    }

    @Test func randomBytesDoNotTrap() throws {
        var generator = SplitMix64(seed: 6)
        let file =
            try Hexadecimal.bytes(Self.header)
            + BtsnoopWriter().record(Self.acl, direction: .hostToController, time: Self.time)
        for _ in 0..<2000 {
            var bytes = file + file.dropFirst(16)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? read(bytes)
        }
    }
}
