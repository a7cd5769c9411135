// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An array of bytes that values are appended to.
///
/// Inlinable across modules: every packet passes through it.
public struct ByteWriter: Sendable {
    @usableFromInline var written: [UInt8] = []
    /// The bytes so far.
    @inlinable public var bytes: [UInt8] { written }

    /// An empty writer.
    public init() {}

    /// An empty writer with memory for this number of bytes; more may be written.
    public init(capacity: Int) { written.reserveCapacity(capacity) }

    /// Appends bytes.
    @inlinable public mutating func write(_ octets: some Collection<UInt8>) {
        written.append(contentsOf: octets)
    }

    /// Appends one byte.
    @inlinable public mutating func write(_ octet: UInt8) {
        written.append(octet)
    }

    /// Appends one byte in two's complement.
    @inlinable public mutating func write(_ octet: Int8) {
        written.append(UInt8(bitPattern: octet))
    }

    /// Appends an integer in the order of Bluetooth: least significant byte first.
    @inlinable public mutating func writeLittleEndian(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<MemoryLayout.size(ofValue: value) {
            written.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Appends an integer in network order: most significant byte first.
    @inlinable public mutating func writeBigEndian(_ value: some FixedWidthInteger) {
        writeLittleEndian(value.byteSwapped)
    }
}
