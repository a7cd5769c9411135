// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// Cuts a stream of bytes into HCI packets (Core 5.4, Vol 4, Part A).
///
/// Buffers the appended bytes until they are taken: less than one packet if all packets are taken after each append.
package struct H4Decoder: Sendable {
    private var stream = StreamBuffer()

    /// A decoder at the start of a stream.
    package init() {}

    /// Bytes that were appended and not yet taken as packets.
    package var count: Int { stream.count }

    /// Adds the stream's next bytes.
    package mutating func append(_ bytes: some Collection<UInt8>) { stream.append(bytes) }

    /// The next complete packet; `nil` until one has arrived.
    /// - Throws: `WireError` at a byte of the stream that is not a packet type. The next packet cannot be found then:
    ///   every later call throws the same error.
    package mutating func next() throws(WireError) -> HCIPacket? {
        guard let type = stream.peek(count: 1)?.first else { return nil }
        guard let kind = HCIPacket.Kind(rawValue: type) else {
            throw WireError(.badValue(field: "packet type"), offset: stream.offset)
        }
        guard let header = stream.peek(count: 1 + kind.headerLength) else { return nil }
        return try stream.take(HCIPacket.self, count: header.count + kind.payloadLength(header: header))
    }
}

/// The received part of a stream that was not yet taken.
struct StreamBuffer: Sendable {
    private var bytes: [UInt8] = []
    /// Index in `bytes` of the first byte that was not taken.
    private var start = 0
    /// The number of bytes of the stream before `bytes`.
    private var discarded = 0

    /// The number of bytes that were not taken.
    var count: Int { bytes.count - start }
    /// Offset in the stream of the first byte that was not taken.
    var offset: Int { discarded + start }

    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            discarded += start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The first `count` bytes that were not taken; `nil` if there are fewer.
    func peek(count: Int) -> ArraySlice<UInt8>? {
        count <= self.count ? bytes[start..<start + count] : nil
    }

    /// Takes the first `count` bytes; `nil` if there are fewer.
    mutating func takeBytes(_ count: Int) -> [UInt8]? {
        guard let bytes = peek(count: count) else { return nil }
        start += count
        return Array(bytes)
    }

    /// Takes a value of `count` bytes; `nil` if there are fewer. Takes nothing in that case or when it throws.
    mutating func take<Value: WireCodable>(_: Value.Type, count: Int) throws(WireError) -> Value? {
        guard let octets = peek(count: count) else { return nil }
        var reader = ByteReader(octets, baseOffset: offset)
        let value = try Value(parsing: &reader)
        start += count
        return value
    }
}
