// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// Write BD_ADDR, a vendor's command as Zephyr has it: gives a controller its public address.
///
/// Texas Instruments has one of the same number that takes the address in the other order.
package struct VendorWriteBDADDR: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0xFC06)
    /// The address.
    package let address: BluetoothAddress

    /// A command of these fields.
    package init(address: BluetoothAddress) { self.address = address }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) { address.serialize(into: &writer) }
}
