// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Write BD_ADDR, a vendor's command as Zephyr has it: gives a controller its public address.
///
/// Texas Instruments has one of the same number that takes the address in the other order.
public struct VendorWriteBDADDR: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0xFC06)
    /// The address.
    public let address: BluetoothAddress

    /// A command of these fields.
    public init(address: BluetoothAddress) { self.address = address }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) { address.serialize(into: &writer) }
}
