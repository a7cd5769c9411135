// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A field of one octet whose values have names; those without one survive.
package protocol HCICode: WireCodable, Hashable, RawRepresentable where RawValue == UInt8 {
    /// Any value, known or not.
    init(rawValue: UInt8)
}

extension HCICode {
    package init(parsing reader: inout ByteReader) throws(WireError) { self.init(rawValue: try reader.readUInt8()) }
    package func serialize(into writer: inout ByteWriter) { writer.write(rawValue) }
}
