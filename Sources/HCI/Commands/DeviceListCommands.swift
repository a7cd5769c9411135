// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Commands for the filter accept list and the resolving list (Core 5.4, Vol 4, Part E, 7.8.14 to 7.8.45).
    static let deviceLists: [any HCICommand.Type] = [
        LEReadFilterAcceptListSize.self, LEClearFilterAcceptList.self, LEAddDeviceToFilterAcceptList.self,
        LERemoveDeviceFromFilterAcceptList.self, LEAddDeviceToResolvingList.self, LERemoveDeviceFromResolvingList.self,
        LEClearResolvingList.self, LEReadResolvingListSize.self, LESetAddressResolutionEnable.self,
        LESetResolvablePrivateAddressTimeout.self, LESetPrivacyMode.self,
    ]
}

/// HCI_LE_Read_Filter_Accept_List_Size (Core 5.4, Vol 4, Part E, 7.8.14): the capacity of the list.
package struct LEReadFilterAcceptListSize: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x200F, "LE Read Filter Accept List Size", supportedBit: (26, 6))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The capacity, 1 to 255.
        package let filterAcceptListSize: UInt8

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

/// HCI_LE_Clear_Filter_Accept_List (Core 5.4, Vol 4, Part E, 7.8.15): clears the list.
package struct LEClearFilterAcceptList: HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2010, "LE Clear Filter Accept List", supportedBit: (26, 7))
    /// The command has no parameters.
    package init() {}
}

/// HCI_LE_Add_Device_To_Filter_Accept_List (Core 5.4, Vol 4, Part E, 7.8.16): adds a device to the list.
package struct LEAddDeviceToFilterAcceptList: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2011, "LE Add Device To Filter Accept List", supportedBit: (27, 0))
    /// Address type of the device; `.anonymous` for advertisements without an address.
    package let addressType: AddressType
    /// The device.
    package let address: BluetoothAddress

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
package struct LERemoveDeviceFromFilterAcceptList: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2012, "LE Remove Device From Filter Accept List", supportedBit: (27, 1))
    /// Address type of the device; `.anonymous` for advertisements without an address.
    package let addressType: AddressType
    /// The device.
    package let address: BluetoothAddress

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

/// HCI_LE_Add_Device_To_Resolving_List (Core 5.4, Vol 4, Part E, 7.8.38): adds a peer with its keys.
package struct LEAddDeviceToResolvingList: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2027, "LE Add Device To Resolving List", supportedBit: (34, 3))
    /// Identity address type of the peer: `.public` or `.random`.
    package let peerIdentityAddressType: AddressType
    /// The peer.
    package let peerIdentityAddress: BluetoothAddress
    /// The peer's identity resolving key, least significant byte first; zeros for a peer without one.
    package let peerIdentityResolvingKey: Octets<16>
    /// The local identity resolving key, least significant byte first; zeros if there is none.
    package let localIdentityResolvingKey: Octets<16>

    package init(
        peerIdentityAddressType: AddressType, peerIdentityAddress: BluetoothAddress,
        peerIdentityResolvingKey: Octets<16>, localIdentityResolvingKey: Octets<16>
    ) {
        self.peerIdentityAddressType = peerIdentityAddressType
        self.peerIdentityAddress = peerIdentityAddress
        self.peerIdentityResolvingKey = peerIdentityResolvingKey
        self.localIdentityResolvingKey = localIdentityResolvingKey
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        peerIdentityAddressType = try AddressType(parsing: &reader)
        peerIdentityAddress = try BluetoothAddress(parsing: &reader)
        peerIdentityResolvingKey = try Octets<16>(parsing: &reader)
        localIdentityResolvingKey = try Octets<16>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        peerIdentityAddressType.serialize(into: &writer)
        peerIdentityAddress.serialize(into: &writer)
        peerIdentityResolvingKey.serialize(into: &writer)
        localIdentityResolvingKey.serialize(into: &writer)
    }
}

/// HCI_LE_Remove_Device_From_Resolving_List (Core 5.4, Vol 4, Part E, 7.8.39): removes a peer.
package struct LERemoveDeviceFromResolvingList: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2028, "LE Remove Device From Resolving List", supportedBit: (34, 4))
    /// Identity address type of the peer: `.public` or `.random`.
    package let peerIdentityAddressType: AddressType
    /// The peer.
    package let peerIdentityAddress: BluetoothAddress

    package init(peerIdentityAddressType: AddressType, peerIdentityAddress: BluetoothAddress) {
        self.peerIdentityAddressType = peerIdentityAddressType
        self.peerIdentityAddress = peerIdentityAddress
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        peerIdentityAddressType = try AddressType(parsing: &reader)
        peerIdentityAddress = try BluetoothAddress(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        peerIdentityAddressType.serialize(into: &writer)
        peerIdentityAddress.serialize(into: &writer)
    }
}

/// HCI_LE_Clear_Resolving_List (Core 5.4, Vol 4, Part E, 7.8.40): removes all peers.
package struct LEClearResolvingList: HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2029, "LE Clear Resolving List", supportedBit: (34, 5))
    /// The command has no parameters.
    package init() {}
}

/// HCI_LE_Read_Resolving_List_Size (Core 5.4, Vol 4, Part E, 7.8.41): the capacity of the resolving list.
package struct LEReadResolvingListSize: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x202A, "LE Read Resolving List Size", supportedBit: (34, 6))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The capacity, 0 to 255.
        package let resolvingListSize: UInt8

        package init(status: HCIStatus = .success, resolvingListSize: UInt8) {
            self.status = status
            self.resolvingListSize = resolvingListSize
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            resolvingListSize = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(resolvingListSize)
        }
    }
}

/// HCI_LE_Set_Address_Resolution_Enable (Core 5.4, Vol 4, Part E, 7.8.44): whether the controller resolves
/// private addresses.
package struct LESetAddressResolutionEnable: HCICommand {
    package static let definition = HCICommandDefinition(
        0x202D, "LE Set Address Resolution Enable", supportedBit: (35, 1))
    /// 0 disables address resolution, 1 enables it.
    package let addressResolutionEnable: UInt8

    package init(addressResolutionEnable: UInt8) {
        self.addressResolutionEnable = addressResolutionEnable
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        addressResolutionEnable = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(addressResolutionEnable)
    }
}

/// HCI_LE_Set_Resolvable_Private_Address_Timeout (Core 5.4, Vol 4, Part E, 7.8.45): the lifetime of a
/// resolvable private address.
package struct LESetResolvablePrivateAddressTimeout: HCICommand {
    package static let definition = HCICommandDefinition(
        0x202E, "LE Set Resolvable Private Address Timeout", supportedBit: (35, 2))
    /// The lifetime in seconds: 1 to 3,600.
    package let resolvablePrivateAddressTimeout: Ticks<1_000_000>

    package init(resolvablePrivateAddressTimeout: Ticks<1_000_000>) {
        self.resolvablePrivateAddressTimeout = resolvablePrivateAddressTimeout
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        resolvablePrivateAddressTimeout = try reader.readTicks()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeTicks(resolvablePrivateAddressTimeout)
    }
}

/// HCI_LE_Set_Privacy_Mode (Core 5.4, Vol 4, Part E, 7.8.77): the addresses that a peer in the
/// resolving list may use.
package struct LESetPrivacyMode: HCICommand {
    package static let definition = HCICommandDefinition(0x204E, "LE Set Privacy Mode", supportedBit: (39, 2))
    /// Identity address type of the peer: `.public` or `.random`.
    package let peerIdentityAddressType: AddressType
    /// The peer.
    package let peerIdentityAddress: BluetoothAddress
    /// Network or device privacy.
    package let privacyMode: PrivacyMode

    package init(peerIdentityAddressType: AddressType, peerIdentityAddress: BluetoothAddress, privacyMode: PrivacyMode)
    {
        self.peerIdentityAddressType = peerIdentityAddressType
        self.peerIdentityAddress = peerIdentityAddress
        self.privacyMode = privacyMode
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        peerIdentityAddressType = try AddressType(parsing: &reader)
        peerIdentityAddress = try BluetoothAddress(parsing: &reader)
        privacyMode = try PrivacyMode(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        peerIdentityAddressType.serialize(into: &writer)
        peerIdentityAddress.serialize(into: &writer)
        privacyMode.serialize(into: &writer)
    }
}
