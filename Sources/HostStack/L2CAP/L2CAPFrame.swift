// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A basic frame: length, channel and payload (Core 5.4, Vol 3, Part A, 3.1).
package struct L2CAPFrame: Hashable, Sendable {
    /// The octets in front of a payload.
    package static let headerLength = 4

    /// The channel.
    package let channel: ChannelIdentifier
    /// What is carried: at most 65,535 octets.
    package let payload: [UInt8]

    /// A frame with this payload, of at most 65,535 octets.
    package init(channel: ChannelIdentifier, payload: [UInt8]) {
        self.channel = channel
        self.payload = payload
    }

    /// The frame in parts of at most `count` octets (at least one) as a controller takes them: the first is the start,
    /// all others continue it.
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
