// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A cursor over the fields of a protobuf message (protobuf.dev, "Encoding").
package struct ProtobufReader {
    /// The value of a field, by its wire type.
    package enum Value: Hashable {
        case varint(UInt64)
        case fixed64(UInt64)
        case bytes(ArraySlice<UInt8>)
        case fixed32(UInt32)
    }

    private var reader: ByteReader

    /// A reader of the fields in these bytes.
    package init(_ bytes: ArraySlice<UInt8>) { reader = ByteReader(bytes) }

    /// The next field; `nil` at the end.
    /// - Throws: `WireError` for truncated fields, varints of more than ten bytes, groups, and the field number 0.
    package mutating func next() throws(WireError) -> (number: UInt64, value: Value)? {
        guard !reader.isAtEnd else { return nil }
        let start = reader.offset
        let tag = try reader.readVarint()
        guard tag >> 3 != 0 else { throw WireError(.badValue(field: "field number"), offset: start) }
        switch tag & 7 {
        case 0: return (tag >> 3, .varint(try reader.readVarint()))
        case 1: return (tag >> 3, .fixed64(try reader.readLittleEndian()))
        case 2:
            let place = reader.offset
            guard let length = Int(exactly: try reader.readVarint()) else {
                throw WireError(.badLength(Int.max), offset: place)
            }
            return (tag >> 3, .bytes(try reader.read(count: length)))
        case 5: return (tag >> 3, .fixed32(try reader.readLittleEndian()))
        default: throw WireError(.badValue(field: "wire type"), offset: start)
        }
    }
}

/// The fields of a message with few fields, by number. Of a field that is repeated the last value counts, and a field that
/// is missing, or has another type, is zero or empty, as proto3 defines it.
package struct ProtobufFields {
    /// The highest number of a field that a message has here.
    private static let highestNumber: UInt64 = 31

    private var values: [UInt64: ProtobufReader.Value] = [:]

    /// Reads all fields; those with higher numbers are checked and ignored.
    package init(parsing bytes: ArraySlice<UInt8>) throws(WireError) {
        var reader = ProtobufReader(bytes)
        while let (number, value) = try reader.next() {
            if number <= Self.highestNumber { values[number] = value }
        }
    }

    package func uint64(_ number: UInt64) -> UInt64 {
        if case .varint(let value)? = values[number] { value } else { 0 }
    }

    /// The low 32 bits of a varint, as protobuf reads it.
    package func uint32(_ number: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: uint64(number)) }

    package func bool(_ number: UInt64) -> Bool { uint64(number) != 0 }

    /// `sint32`: zigzag.
    package func sint32(_ number: UInt64) -> Int32 {
        let value = uint32(number)
        return Int32(bitPattern: value >> 1) ^ -Int32(bitPattern: value & 1)
    }

    package func bytes(_ number: UInt64) -> [UInt8] {
        if case .bytes(let bytes)? = values[number] { Array(bytes) } else { [] }
    }

    package func string(_ number: UInt64) -> String { String(decoding: bytes(number), as: UTF8.self) }
}

/// Writes the fields of a protobuf message. Zeros and empty values are left out, as in proto3.
package struct ProtobufWriter {
    /// The bytes so far.
    package private(set) var bytes: [UInt8] = []

    /// A message without fields.
    package init() {}

    package mutating func uint64(_ number: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        writeVarint(number << 3)
        writeVarint(value)
    }

    package mutating func uint32(_ number: UInt64, _ value: UInt32) { uint64(number, UInt64(value)) }

    package mutating func bool(_ number: UInt64, _ value: Bool) { uint64(number, value ? 1 : 0) }

    /// `int32`: negative values have ten bytes.
    package mutating func int32(_ number: UInt64, _ value: Int32) {
        uint64(number, UInt64(bitPattern: Int64(value)))
    }

    /// `sint32`: zigzag.
    package mutating func sint32(_ number: UInt64, _ value: Int32) {
        uint64(number, UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }

    package mutating func bytes(_ number: UInt64, _ value: some Collection<UInt8>) {
        guard !value.isEmpty else { return }
        writeLengthDelimited(number, value)
    }

    package mutating func string(_ number: UInt64, _ value: String) { bytes(number, Array(value.utf8)) }

    /// `repeated uint64`, packed.
    package mutating func packed(_ number: UInt64, _ values: [UInt64]) {
        var inner = ProtobufWriter()
        for value in values { inner.writeVarint(value) }
        bytes(number, inner.bytes)
    }

    /// A message as an entry of a repeated field; an empty one is written, too.
    package mutating func message(_ number: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        writeLengthDelimited(number, inner.bytes)
    }

    private mutating func writeLengthDelimited(_ number: UInt64, _ value: some Collection<UInt8>) {
        writeVarint(number << 3 | 2)
        writeVarint(UInt64(value.count))
        bytes += value
    }

    package mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

extension ByteReader {
    /// Reads a varint.
    /// - Parameter limit: the most bytes that it may have.
    /// - Throws: `WireError` `.truncated` if its end is missing, `.badValue` if it is longer. Bits beyond 64 are dropped, as
    ///   other parsers do.
    package mutating func readVarint(limit: Int = 10) throws(WireError) -> UInt64 {
        let start = offset
        var value: UInt64 = 0
        for index in 0..<limit {
            let byte = try readUInt8()
            value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            if byte & 0x80 == 0 { return value }
        }
        throw WireError(.badValue(field: "varint"), offset: start)
    }
}
