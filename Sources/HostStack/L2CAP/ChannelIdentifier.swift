// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// The channel that a frame belongs to (Core 5.4, Vol 3, Part A, 2.1).
package struct ChannelIdentifier: Hashable, Sendable {
    /// The number; little-endian on the wire.
    package let rawValue: UInt16

    /// Any number, a channel's or not.
    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The attribute protocol of an LE link.
    package static let attribute = ChannelIdentifier(0x0004)
    /// The signals of an LE link.
    package static let signalling = ChannelIdentifier(0x0005)
    /// The security manager protocol of an LE link.
    package static let securityManager = ChannelIdentifier(0x0006)
}

extension ChannelIdentifier: WireCodable {
    package init(parsing reader: inout ByteReader) throws(WireError) { rawValue = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(rawValue) }
}
