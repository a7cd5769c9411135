// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A field of bits, some of which have names; those without one survive.
package protocol HCIFlags: OptionSet, WireCodable, Hashable where RawValue: FixedWidthInteger {
    /// Any bits, known or not.
    init(rawValue: RawValue)
}

extension HCIFlags {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        self.init(rawValue: try reader.readLittleEndian())
    }

    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(rawValue) }
}
