// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@Suite struct ByteReaderTests {
    @Test func integersAreReadInBothOrders() throws {
        var reader = ByteReader([0x01, 0x02, 0x01, 0x02, 1, 2, 3, 4, 1, 2, 3, 4, 0xFF, 0xFF, 0x80])
        #expect(try reader.readLittleEndian(UInt16.self) == 0x0201)
        #expect(try reader.readBigEndian(UInt16.self) == 0x0102)
        #expect(try reader.readLittleEndian(UInt32.self) == 0x0403_0201)
        #expect(try reader.readBigEndian(UInt32.self) == 0x0102_0304)
        #expect(try reader.readUInt8() == 255)
        #expect(try reader.readInt8() == -1)
        #expect(try reader.readInt8() == -128)
        #expect(reader.isAtEnd)
    }

    @Test func writerMirrorsReader() {
        var writer = ByteWriter()
        writer.writeLittleEndian(UInt16(0x0201))
        writer.writeBigEndian(UInt16(0x0102))
        writer.writeLittleEndian(UInt32(0x0403_0201))
        writer.writeBigEndian(UInt32(0x0102_0304))
        writer.write(UInt8(255))
        writer.write(Int8(-1))
        writer.write([7, 8][...])
        #expect(writer.bytes == [1, 2, 1, 2, 1, 2, 3, 4, 1, 2, 3, 4, 255, 255, 7, 8])
    }

    @Test(arguments: [3, 4, Int.max])
    func truncatedReadConsumesNothing(_ count: Int) throws {
        var reader = ByteReader([1, 2, 3])
        _ = try reader.readUInt8()
        let error = #expect(throws: WireError.self) { try reader.read(count: count) }
        #expect(error == WireError(.truncated(needed: count, available: 2), offset: 1))
        #expect(reader.offset == 1)
        #expect(reader.remaining == 2)
        #expect(try reader.read(count: 2) == [2, 3])
    }

    @Test(arguments: [-1, Int.min])
    func negativeCountIsRefused(_ count: Int) {
        var reader = ByteReader([1, 2, 3])
        let error = #expect(throws: WireError.self) { try reader.read(count: count) }
        #expect(error == WireError(.truncated(needed: 0, available: 3), offset: 0))
    }

    @Test func integersDoNotReadPastTheEnd() {
        var reader = ByteReader([1, 2, 3])
        #expect(throws: WireError(.truncated(needed: 4, available: 3), offset: 0)) {
            _ = try reader.readLittleEndian(UInt32.self)
        }
        #expect(throws: WireError(.truncated(needed: 8, available: 3), offset: 0)) {
            _ = try reader.readBigEndian(UInt64.self)
        }
        var empty = ByteReader([])
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 0)) { _ = try empty.readUInt8() }
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 0)) { _ = try empty.readInt8() }
        #expect(empty.readAll().isEmpty)
    }

    @Test func offsetsOfPartsCountFromTheStart() throws {
        let bytes: [UInt8] = [9, 9, 9, 1, 2, 3, 4]
        var reader = ByteReader(bytes[3...], baseOffset: 100)
        #expect(reader.offset == 100)
        _ = try reader.readUInt8()
        var part = try reader.reader(count: 2)
        #expect(reader.offset == 103)
        #expect(part.offset == 101)
        #expect(try part.readUInt8() == 2)
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 102)) {
            _ = try part.readLittleEndian(UInt16.self)
        }
        #expect(part.readAll() == [3])
        #expect(part.isAtEnd)
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 103)) {
            _ = try reader.reader(count: 2)
        }
        #expect(try reader.readUInt8() == 4)
    }

    @Test func trailingBytesAreRefused() {
        #expect(throws: WireError(.trailingBytes(2), offset: 6)) {
            _ = try BluetoothAddress(parsing: [1, 2, 3, 4, 5, 6, 7, 8])
        }
        #expect(throws: WireError(.truncated(needed: 6, available: 5), offset: 0)) {
            _ = try BluetoothAddress(parsing: [1, 2, 3, 4, 5])
        }
    }
}
