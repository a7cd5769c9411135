// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Read_Filter_Accept_List_Size (Core 5.4, Vol 4, Part E, 7.8.14): how many devices the list can have.
public struct LEReadFilterAcceptListSize: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x200F)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// 1 to 255.
        public let filterAcceptListSize: UInt8

        /// What a command returned.
        public init(status: HCIStatus = .success, filterAcceptListSize: UInt8) {
            self.status = status
            self.filterAcceptListSize = filterAcceptListSize
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            filterAcceptListSize = try reader.readUInt8()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(filterAcceptListSize)
        }
    }
}

/// HCI_LE_Clear_Filter_Accept_List (Core 5.4, Vol 4, Part E, 7.8.15): empties the list.
public struct LEClearFilterAcceptList: HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2010)
    /// The command has no parameters.
    public init() {}
}

/// HCI_LE_Add_Device_To_Filter_Accept_List (Core 5.4, Vol 4, Part E, 7.8.16): adds a device to the list.
public struct LEAddDeviceToFilterAcceptList: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2011)
    /// Of the device; `.anonymous` for advertisements without an address.
    public let addressType: AddressType
    /// The device.
    public let address: BluetoothAddress

    /// A command of these fields.
    public init(addressType: AddressType, address: BluetoothAddress) {
        self.addressType = addressType
        self.address = address
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        addressType = try AddressType(parsing: &reader)
        address = try BluetoothAddress(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        addressType.serialize(into: &writer)
        address.serialize(into: &writer)
    }
}

/// HCI_LE_Remove_Device_From_Filter_Accept_List (Core 5.4, Vol 4, Part E, 7.8.17): removes a device from the
/// list.
public struct LERemoveDeviceFromFilterAcceptList: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2012)
    /// Of the device; `.anonymous` for advertisements without an address.
    public let addressType: AddressType
    /// The device.
    public let address: BluetoothAddress

    /// A command of these fields.
    public init(addressType: AddressType, address: BluetoothAddress) {
        self.addressType = addressType
        self.address = address
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        addressType = try AddressType(parsing: &reader)
        address = try BluetoothAddress(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        addressType.serialize(into: &writer)
        address.serialize(into: &writer)
    }
}
