// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A cursor over bytes that never reads past their end.
///
/// Inlinable across modules: every packet passes through it.
public struct ByteReader: Sendable {
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline let base: Int
    @usableFromInline var index: Int

    /// A reader at the start of `bytes`; `baseOffset` is added to the offsets in errors, for bytes that are part of others.
    public init(_ bytes: ArraySlice<UInt8>, baseOffset: Int = 0) {
        self.bytes = bytes
        self.base = baseOffset - bytes.startIndex
        self.index = bytes.startIndex
    }

    /// A reader at the start of `bytes`.
    public init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// The offset of the next byte from the start of the input.
    @inlinable public var offset: Int { index + base }
    /// The number of bytes that are left.
    @inlinable public var remaining: Int { bytes.endIndex - index }
    /// Whether no bytes are left.
    public var isAtEnd: Bool { remaining == 0 }

    /// Reads the next `count` bytes.
    /// - Throws: `WireError.Kind.truncated` if fewer are left; then nothing is consumed.
    @inlinable public mutating func read(count: Int) throws(WireError) -> ArraySlice<UInt8> {
        try check(count)
        defer { index += count }
        return bytes[index..<index + count]
    }

    /// Reads all bytes that are left.
    public mutating func readAll() -> ArraySlice<UInt8> {
        defer { index = bytes.endIndex }
        return bytes[index...]
    }

    /// Reads the next `count` bytes, as a reader with the same origin of offsets.
    public mutating func reader(count: Int) throws(WireError) -> ByteReader {
        let start = offset
        return ByteReader(try read(count: count), baseOffset: start)
    }

    /// Reads the next byte, unsigned.
    @inlinable public mutating func readUInt8() throws(WireError) -> UInt8 { try readInteger() }
    /// Reads the next byte, in two's complement.
    @inlinable public mutating func readInt8() throws(WireError) -> Int8 { try readInteger() }

    /// Reads the next integer in the order of Bluetooth: least significant byte first.
    @inlinable public mutating func readLittleEndian<Value: FixedWidthInteger>(
        _: Value.Type = Value.self
    ) throws(WireError) -> Value {
        Value(littleEndian: try readInteger())
    }

    /// Reads the next integer in network order, which some beacon formats use: most significant byte first.
    @inlinable public mutating func readBigEndian<Value: FixedWidthInteger>(
        _: Value.Type = Value.self
    ) throws(WireError) -> Value {
        Value(bigEndian: try readInteger())
    }

    /// Reads the next integer in the order of memory; the caller converts it.
    @inlinable mutating func readInteger<Value: FixedWidthInteger>() throws(WireError) -> Value {
        let count = MemoryLayout<Value>.size
        try check(count)
        defer { index += count }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index - bytes.startIndex, as: Value.self) }
    }

    /// - Throws: `WireError.Kind.truncated` if fewer bytes than these are left.
    @inlinable func check(_ count: Int) throws(WireError) {
        guard count >= 0, count <= remaining else {
            throw WireError(.truncated(needed: max(count, 0), available: remaining), offset: offset)
        }
    }
}
