// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Read_Filter_Accept_List_Size (Core 5.4, Vol 4, Part E, 7.8.14): how many devices the list can have.
package struct LEReadFilterAcceptListSize: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x200F)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// 1 to 255.
        package let filterAcceptListSize: UInt8

        /// What a command returned.
        package init(status: HCIStatus = .success, filterAcceptListSize: UInt8) {
            self.status = status
            self.filterAcceptListSize = filterAcceptListSize
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            filterAcceptListSize = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(filterAcceptListSize)
        }
    }
}

/// HCI_LE_Clear_Filter_Accept_List (Core 5.4, Vol 4, Part E, 7.8.15): empties the list.
package struct LEClearFilterAcceptList: HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2010)
    /// The command has no parameters.
    package init() {}
}

/// HCI_LE_Add_Device_To_Filter_Accept_List (Core 5.4, Vol 4, Part E, 7.8.16): adds a device to the list.
package struct LEAddDeviceToFilterAcceptList: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2011)
    /// Of the device; `.anonymous` for advertisements without an address.
    package let addressType: AddressType
    /// The device.
    package let address: BluetoothAddress

    /// A command of these fields.
    package init(addressType: AddressType, address: BluetoothAddress) {
        self.addressType = addressType
        self.address = address
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        addressType = try AddressType(parsing: &reader)
        address = try BluetoothAddress(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        addressType.serialize(into: &writer)
        address.serialize(into: &writer)
    }
}

/// HCI_LE_Remove_Device_From_Filter_Accept_List (Core 5.4, Vol 4, Part E, 7.8.17): removes a device from the
/// list.
package struct LERemoveDeviceFromFilterAcceptList: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2012)
    /// Of the device; `.anonymous` for advertisements without an address.
    package let addressType: AddressType
    /// The device.
    package let address: BluetoothAddress

    /// A command of these fields.
    package init(addressType: AddressType, address: BluetoothAddress) {
        self.addressType = addressType
        self.address = address
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        addressType = try AddressType(parsing: &reader)
        address = try BluetoothAddress(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        addressType.serialize(into: &writer)
        address.serialize(into: &writer)
    }
}
