// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The part of a stream that has come in and was not taken.
struct StreamBuffer: Sendable {
    private var bytes: [UInt8] = []
    /// Where the untaken part begins in `bytes`.
    private var start = 0
    /// Octets of the stream in front of `bytes`.
    private var discarded = 0

    /// Octets that were not taken.
    var count: Int { bytes.count - start }
    /// Octets from the start of the stream to the first that was not taken.
    var offset: Int { discarded + start }

    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            discarded += start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The first so many octets that were not taken; `nil` when there are fewer.
    func peek(count: Int) -> ArraySlice<UInt8>? {
        count <= self.count ? bytes[start..<start + count] : nil
    }

    /// Takes a value of so many octets; `nil` when there are fewer, and nothing is taken then, nor when it throws.
    mutating func take<Value: WireCodable>(_: Value.Type, count: Int) throws(WireError) -> Value? {
        guard let octets = peek(count: count) else { return nil }
        var reader = ByteReader(octets, baseOffset: offset)
        let value = try Value(parsing: &reader)
        start += count
        return value
    }
}
