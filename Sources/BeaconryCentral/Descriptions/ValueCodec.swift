// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The encoding of a type of values in a characteristic.
public struct ValueCodec<Value: Sendable>: Sendable {
    /// Decodes a value, which must be all of the bytes.
    public let decode: @Sendable ([UInt8]) throws(WireError) -> Value
    /// Encodes a value.
    public let encode: @Sendable (Value) -> [UInt8]

    /// A codec of these two functions, each the inverse of the other.
    public init(
        decode: @escaping @Sendable ([UInt8]) throws(WireError) -> Value,
        encode: @escaping @Sendable (Value) -> [UInt8]
    ) {
        self.decode = decode
        self.encode = encode
    }
}

extension ValueCodec where Value: WireCodable {
    /// A type that parses and serializes itself, such as a structure of several fields.
    public static var wire: Self {
        ValueCodec { bytes throws(WireError) in
            try Value(parsing: bytes)
        } encode: {
            $0.serialized()
        }
    }
}

extension ValueCodec where Value: FixedWidthInteger {
    /// An integer in little-endian order, as usual in Bluetooth.
    public static var littleEndian: Self {
        ValueCodec { bytes throws(WireError) in
            var reader = ByteReader(bytes)
            let value: Value = try reader.readLittleEndian()
            guard reader.isAtEnd else { throw WireError(.trailingBytes(reader.remaining), offset: reader.offset) }
            return value
        } encode: { value in
            var writer = ByteWriter()
            writer.writeLittleEndian(value)
            return writer.bytes
        }
    }
}

extension ValueCodec where Value == UInt8 {
    /// A number from 0 to 255.
    public static var uint8: Self { .littleEndian }

    /// A number from 0 to 100.
    public static var percentage: Self {
        ValueCodec { bytes throws(WireError) in
            let value = try uint8.decode(bytes)
            guard value <= 100 else { throw WireError(.badValue(field: "percentage"), offset: 0) }
            return value
        } encode: {
            [$0]
        }
    }
}

extension ValueCodec where Value == UInt16 {
    /// A number from 0 to 65,535, in little-endian order.
    public static var uint16: Self { .littleEndian }
}

extension ValueCodec where Value == UUID128 {
    /// 16 bytes in the order of their text, as in beacons.
    public static var uuidInTextOrder: Self {
        ValueCodec { bytes throws(WireError) in
            var reader = ByteReader(bytes)
            guard let uuid = UUID128(octets: try reader.read(count: 16)) else {
                throw WireError(.badLength(bytes.count), offset: 0)
            }
            guard reader.isAtEnd else { throw WireError(.trailingBytes(reader.remaining), offset: reader.offset) }
            return uuid
        } encode: {
            $0.octets
        }
    }
}

extension ValueCodec where Value == String {
    /// UTF-8, without the zero bytes that some devices append.
    public static var text: Self {
        ValueCodec { bytes throws(WireError) in
            let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
            guard let text = String(validating: bytes[..<end], as: UTF8.self) else {
                throw WireError(.badValue(field: "text"), offset: 0)
            }
            return text
        } encode: {
            Array($0.utf8)
        }
    }
}

extension ValueCodec where Value == [UInt8] {
    /// The bytes themselves.
    public static var octets: Self {
        ValueCodec { bytes throws(WireError) in
            bytes
        } encode: {
            $0
        }
    }
}
