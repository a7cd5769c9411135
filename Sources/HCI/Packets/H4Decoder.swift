// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// Cuts a stream of bytes into HCI packets (Core 5.4, Vol 4, Part A).
///
/// It holds what was appended and not yet taken: less than one packet where all packets are taken after each append.
package struct H4Decoder: Sendable {
    private var stream = StreamBuffer()

    /// A decoder at the start of a stream.
    package init() {}

    /// Octets that were appended and not taken as packets.
    package var count: Int { stream.count }

    /// Adds the stream's next bytes.
    package mutating func append(_ bytes: some Collection<UInt8>) { stream.append(bytes) }

    /// The next packet that has come in whole; `nil` while there is none.
    /// - Throws: `WireError` at the octet of the stream that is no packet type. There is no way to find the next packet
    ///   then: every later call throws the same.
    package mutating func next() throws(WireError) -> HCIPacket? {
        guard let type = stream.peek(count: 1)?.first else { return nil }
        guard let kind = HCIPacket.Kind(rawValue: type) else {
            throw WireError(.badValue(field: "packet type"), offset: stream.offset)
        }
        guard let header = stream.peek(count: 1 + kind.headerLength) else { return nil }
        return try stream.take(HCIPacket.self, count: header.count + kind.payloadLength(header: header))
    }
}
