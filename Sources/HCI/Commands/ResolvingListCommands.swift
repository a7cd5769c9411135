// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Add_Device_To_Resolving_List (Core 5.4, Vol 4, Part E, 7.8.38): adds a peer with its keys.
package struct LEAddDeviceToResolvingList: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2027)
    /// `.public` or `.random`.
    package let peerIdentityAddressType: AddressType
    /// The peer.
    package let peerIdentityAddress: BluetoothAddress
    /// Least significant octet first; zeros for none.
    package let peerIdentityResolvingKey: Octets<16>
    /// Least significant octet first; zeros for none.
    package let localIdentityResolvingKey: Octets<16>

    /// A command of these fields.
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
package struct LERemoveDeviceFromResolvingList: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2028)
    /// `.public` or `.random`.
    package let peerIdentityAddressType: AddressType
    /// The peer.
    package let peerIdentityAddress: BluetoothAddress

    /// A command of these fields.
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
package struct LEClearResolvingList: HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2029)
    /// The command has no parameters.
    package init() {}
}

/// HCI_LE_Read_Resolving_List_Size (Core 5.4, Vol 4, Part E, 7.8.41): how many peers the list can have.
package struct LEReadResolvingListSize: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x202A)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// 0 to 255.
        package let resolvingListSize: UInt8

        /// What a command returned.
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
package struct LESetAddressResolutionEnable: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x202D)
    /// 0 it does not, 1 it does.
    package let addressResolutionEnable: UInt8

    /// A command of these fields.
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

/// HCI_LE_Set_Resolvable_Private_Address_Timeout (Core 5.4, Vol 4, Part E, 7.8.45): how long the controller keeps
/// a private address.
package struct LESetResolvablePrivateAddressTimeout: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x202E)
    /// In seconds: 1 to 3,600.
    package let resolvablePrivateAddressTimeout: Ticks<1_000_000>

    /// A command of these fields.
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

/// HCI_LE_Set_Privacy_Mode (Core 5.4, Vol 4, Part E, 7.8.77): what a peer in the list may show as its address.
package struct LESetPrivacyMode: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x204E)
    /// `.public` or `.random`.
    package let peerIdentityAddressType: AddressType
    /// The peer.
    package let peerIdentityAddress: BluetoothAddress
    /// Network or device.
    package let privacyMode: PrivacyMode

    /// A command of these fields.
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
