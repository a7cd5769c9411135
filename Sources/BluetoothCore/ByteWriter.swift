// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Collects bytes in order.
public struct ByteWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// A writer with nothing written.
    public init() {}

    /// A writer with nothing written and room for so many octets; more may be written.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends octets as they are.
    public mutating func write(_ octets: some Collection<UInt8>) {
        bytes.append(contentsOf: octets)
    }

    /// Appends one octet.
    public mutating func write(_ octet: UInt8) {
        bytes.append(octet)
    }

    /// Appends one octet in two's complement.
    public mutating func write(_ octet: Int8) {
        bytes.append(UInt8(bitPattern: octet))
    }

    /// Appends an integer in the Bluetooth order: least significant octet first.
    public mutating func writeLittleEndian(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends an integer in network order: most significant octet first.
    public mutating func writeBigEndian(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
