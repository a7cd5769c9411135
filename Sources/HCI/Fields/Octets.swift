// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// So many octets, in the order of the wire: numbers and keys have the least significant first.
package struct Octets<let count: Int>: WireCodable, Hashable {
    /// The octets, `count` of them.
    package let bytes: [UInt8]

    /// Exactly `count` octets; `nil` for any other number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == count else { return nil }
        self.bytes = Array(bytes)
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// As many octets as fit, and zeros behind them.
    package init(padding bytes: some Collection<UInt8>) {
        let octets = bytes.prefix(count)
        self.bytes = Array(octets) + [UInt8](repeating: 0, count: count - octets.count)
    }

    /// Zeros.
    package static var zero: Self { Self(unchecked: [UInt8](repeating: 0, count: count)) }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        bytes = Array(try reader.read(count: count))
    }

    package func serialize(into writer: inout ByteWriter) { writer.write(bytes) }
}

extension Octets: CustomStringConvertible {
    /// Hexadecimal digits, in the order of the wire.
    package var description: String { Hexadecimal.string(bytes) }
}
