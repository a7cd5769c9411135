// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The channel that a frame belongs to (Core 5.4, Vol 3, Part A, 2.1).
package struct ChannelIdentifier: Hashable, Sendable {
    /// The number; little-endian on the wire.
    let rawValue: UInt16

    /// A channel of this number, assigned or not.
    init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The Attribute Protocol of an LE link.
    package static let attribute = ChannelIdentifier(0x0004)
    /// The signalling channel of an LE link.
    package static let signalling = ChannelIdentifier(0x0005)
    /// The Security Manager Protocol of an LE link.
    package static let securityManager = ChannelIdentifier(0x0006)
}

extension ChannelIdentifier: WireCodable {
    package init(parsing reader: inout ByteReader) throws(WireError) { rawValue = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(rawValue) }
}

/// A basic frame: length, channel and payload (Core 5.4, Vol 3, Part A, 3.1).
package struct L2CAPFrame: Hashable, Sendable {
    /// The number of bytes before the payload.
    package static let headerLength = 4

    /// The channel.
    package let channel: ChannelIdentifier
    /// The payload: at most 65,535 bytes.
    package let payload: [UInt8]

    /// A frame with a payload of at most 65,535 bytes.
    package init(channel: ChannelIdentifier, payload: [UInt8]) {
        self.channel = channel
        self.payload = payload
    }

    /// The frame in fragments of at most `count` bytes (at least one): the first starts the frame, the others continue
    /// it.
    package func fragments(ofAtMost count: Int) -> [[UInt8]] {
        let bytes = serialized()
        let count = max(count, 1)
        guard bytes.count > count else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: count).map { Array(bytes[$0..<min($0 + count, bytes.count)]) }
    }
}

extension L2CAPFrame: WireCodable {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        let length: UInt16 = try reader.readLittleEndian()
        channel = try ChannelIdentifier(parsing: &reader)
        payload = Array(try reader.read(count: Int(length)))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: payload.count))
        channel.serialize(into: &writer)
        writer.write(payload)
    }
}
