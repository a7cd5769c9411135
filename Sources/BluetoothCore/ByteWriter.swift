// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Collects bytes in order.
///
/// All that is on the air passes here, so other modules may inline it.
public struct ByteWriter: Sendable {
    @usableFromInline var written: [UInt8] = []
    /// What was written so far.
    @inlinable public var bytes: [UInt8] { written }

    /// A writer with nothing written.
    public init() {}

    /// A writer with nothing written and room for so many octets; more may be written.
    public init(capacity: Int) { written.reserveCapacity(capacity) }

    /// Appends octets as they are.
    @inlinable public mutating func write(_ octets: some Collection<UInt8>) {
        written.append(contentsOf: octets)
    }

    /// Appends one octet.
    @inlinable public mutating func write(_ octet: UInt8) {
        written.append(octet)
    }

    /// Appends one octet in two's complement.
    @inlinable public mutating func write(_ octet: Int8) {
        written.append(UInt8(bitPattern: octet))
    }

    /// Appends an integer in the Bluetooth order: least significant octet first.
    @inlinable public mutating func writeLittleEndian(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<MemoryLayout.size(ofValue: value) {
            written.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Appends an integer in network order: most significant octet first.
    @inlinable public mutating func writeBigEndian(_ value: some FixedWidthInteger) {
        writeLittleEndian(value.byteSwapped)
    }
}
