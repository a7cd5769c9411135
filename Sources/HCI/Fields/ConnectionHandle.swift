// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A controller's number for a connection (Core 5.4, Vol 4, Part E, 5.3.1): 0x0000 to 0x0EFF.
///
/// It has 12 bits; the four above are reserved, and survive in commands and events.
package struct ConnectionHandle: WireCodable, Hashable, Comparable {
    /// The number.
    package let rawValue: UInt16
    /// Any number, in use or not.
    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The numbers that a controller may give.
    package static let range = ConnectionHandle(0)...ConnectionHandle(0x0EFF)

    package init(parsing reader: inout ByteReader) throws(WireError) { rawValue = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(rawValue) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
