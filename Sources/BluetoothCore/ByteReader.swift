// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A cursor over bytes that never reads past their end.
///
/// All that is on the air passes here, so other modules may inline it.
public struct ByteReader: Sendable {
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline let base: Int
    @usableFromInline var index: Int

    /// Reads `bytes` from their start; `baseOffset` is added to the offsets of errors, for readers of a part.
    public init(_ bytes: ArraySlice<UInt8>, baseOffset: Int = 0) {
        self.bytes = bytes
        self.base = baseOffset - bytes.startIndex
        self.index = bytes.startIndex
    }

    /// Reads `bytes` from their start.
    public init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// Octets from the start of the input to the next one read.
    @inlinable public var offset: Int { index + base }
    /// Octets not read yet.
    @inlinable public var remaining: Int { bytes.endIndex - index }
    /// Whether all has been read.
    public var isAtEnd: Bool { remaining == 0 }

    /// The next `count` octets.
    /// - Throws: `WireError.Kind.truncated` when fewer are left; nothing is consumed then.
    @inlinable public mutating func read(count: Int) throws(WireError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else {
            throw WireError(.truncated(needed: max(count, 0), available: remaining), offset: offset)
        }
        defer { index += count }
        return bytes[index..<index + count]
    }

    /// All octets that are left.
    public mutating func readAll() -> ArraySlice<UInt8> {
        defer { index = bytes.endIndex }
        return bytes[index...]
    }

    /// A reader of the next `count` octets, whose errors keep counting from this reader's start.
    public mutating func reader(count: Int) throws(WireError) -> ByteReader {
        let start = offset
        return ByteReader(try read(count: count), baseOffset: start)
    }

    /// The next octet, unsigned.
    @inlinable public mutating func readUInt8() throws(WireError) -> UInt8 { try readInteger() }
    /// The next octet, two's complement.
    @inlinable public mutating func readInt8() throws(WireError) -> Int8 { try readInteger() }

    /// The next integer in the Bluetooth order: least significant octet first.
    @inlinable public mutating func readLittleEndian<Value: FixedWidthInteger>(
        _: Value.Type = Value.self
    ) throws(WireError) -> Value {
        Value(littleEndian: try readInteger())
    }

    /// The next integer in network order, as some beacon formats have it: most significant octet first.
    @inlinable public mutating func readBigEndian<Value: FixedWidthInteger>(
        _: Value.Type = Value.self
    ) throws(WireError) -> Value {
        Value(bigEndian: try readInteger())
    }

    /// The octets as they lie in memory; the caller names their order.
    @inlinable mutating func readInteger<Value: FixedWidthInteger>() throws(WireError) -> Value {
        var value = Value.zero
        let octets = try read(count: MemoryLayout<Value>.size)
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: octets) }
        return value
    }
}
