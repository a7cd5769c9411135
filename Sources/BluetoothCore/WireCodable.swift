// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A value with one exact representation in bytes.
///
/// What is parsed serialises to the same bytes: reserved bits and unknown types survive.
public protocol WireCodable: Sendable {
    /// Reads one value and leaves the reader behind it.
    init(parsing reader: inout ByteReader) throws(WireError)
    /// Appends the value's bytes.
    func serialize(into writer: inout ByteWriter)
}

extension WireCodable {
    /// Reads a value that must be the whole of `bytes`.
    /// - Throws: `WireError`; `.trailingBytes` when something is left over.
    public init(parsing bytes: [UInt8]) throws(WireError) {
        var reader = ByteReader(bytes)
        self = try Self(parsing: &reader)
        guard reader.isAtEnd else {
            throw WireError(.trailingBytes(reader.remaining), offset: reader.offset)
        }
    }

    /// The value's bytes.
    /// - Parameter capacity: room to begin with, in octets. Most packets fit into what it is unless said otherwise, and
    ///   need no second allocation; what is kept for each of many beacons is better given what it needs.
    public func serialized(capacity: Int = 64) -> [UInt8] {
        var writer = ByteWriter(capacity: capacity)
        serialize(into: &writer)
        return writer.bytes
    }
}
