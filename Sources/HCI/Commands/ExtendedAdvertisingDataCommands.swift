// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// The parameters of the two extended commands that set data.
package protocol ExtendedAdvertisingDataCommand: HCICommand {
    /// The advertising set: 0x00 to 0xEF.
    var advertisingHandle: UInt8 { get }
    /// Which part of the data this is.
    var operation: AdvertisingDataOperation { get }
    /// Whether the controller may fragment: 0 it may, 1 it should not.
    var fragmentPreference: UInt8 { get }
    /// The octets of this fragment, at most 251.
    var data: [UInt8] { get }
    /// A command of these fields.
    init(advertisingHandle: UInt8, operation: AdvertisingDataOperation, fragmentPreference: UInt8, data: [UInt8])
}

extension ExtendedAdvertisingDataCommand {
    /// A command with all of a set's data, at most 251 octets.
    package init(advertisingHandle: UInt8, data: [UInt8]) {
        self.init(advertisingHandle: advertisingHandle, operation: .complete, fragmentPreference: 1, data: data)
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let handle = try reader.readUInt8()
        let operation = try AdvertisingDataOperation(parsing: &reader)
        let preference = try reader.readUInt8()
        let length = Int(try reader.readUInt8())
        self.init(
            advertisingHandle: handle, operation: operation, fragmentPreference: preference,
            data: Array(try reader.read(count: length)))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
        operation.serialize(into: &writer)
        writer.write(fragmentPreference)
        writer.writeCountedOctets(data)
    }
}

/// HCI_LE_Set_Extended_Advertising_Data (Core 5.4, Vol 4, Part E, 7.8.54).
package struct LESetExtendedAdvertisingData: ExtendedAdvertisingDataCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2037)
    package let advertisingHandle: UInt8
    package let operation: AdvertisingDataOperation
    package let fragmentPreference: UInt8
    package let data: [UInt8]
    package init(
        advertisingHandle: UInt8, operation: AdvertisingDataOperation, fragmentPreference: UInt8, data: [UInt8]
    ) {
        self.advertisingHandle = advertisingHandle
        self.operation = operation
        self.fragmentPreference = fragmentPreference
        self.data = data
    }
}

/// HCI_LE_Set_Extended_Scan_Response_Data (Core 5.4, Vol 4, Part E, 7.8.55).
package struct LESetExtendedScanResponseData: ExtendedAdvertisingDataCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2038)
    package let advertisingHandle: UInt8
    package let operation: AdvertisingDataOperation
    package let fragmentPreference: UInt8
    package let data: [UInt8]
    package init(
        advertisingHandle: UInt8, operation: AdvertisingDataOperation, fragmentPreference: UInt8, data: [UInt8]
    ) {
        self.advertisingHandle = advertisingHandle
        self.operation = operation
        self.fragmentPreference = fragmentPreference
        self.data = data
    }
}
