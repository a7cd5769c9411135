// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Add_Device_To_Resolving_List (Core 5.4, Vol 4, Part E, 7.8.38): adds a peer with its keys.
public struct LEAddDeviceToResolvingList: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2027)
    /// `.public` or `.random`.
    public let peerIdentityAddressType: AddressType
    /// The peer.
    public let peerIdentityAddress: BluetoothAddress
    /// Least significant octet first; zeros for none.
    public let peerIdentityResolvingKey: Octets<16>
    /// Least significant octet first; zeros for none.
    public let localIdentityResolvingKey: Octets<16>

    /// A command of these fields.
    public init(
        peerIdentityAddressType: AddressType, peerIdentityAddress: BluetoothAddress,
        peerIdentityResolvingKey: Octets<16>, localIdentityResolvingKey: Octets<16>
    ) {
        self.peerIdentityAddressType = peerIdentityAddressType
        self.peerIdentityAddress = peerIdentityAddress
        self.peerIdentityResolvingKey = peerIdentityResolvingKey
        self.localIdentityResolvingKey = localIdentityResolvingKey
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        peerIdentityAddressType = try AddressType(parsing: &reader)
        peerIdentityAddress = try BluetoothAddress(parsing: &reader)
        peerIdentityResolvingKey = try Octets<16>(parsing: &reader)
        localIdentityResolvingKey = try Octets<16>(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        peerIdentityAddressType.serialize(into: &writer)
        peerIdentityAddress.serialize(into: &writer)
        peerIdentityResolvingKey.serialize(into: &writer)
        localIdentityResolvingKey.serialize(into: &writer)
    }
}

/// HCI_LE_Remove_Device_From_Resolving_List (Core 5.4, Vol 4, Part E, 7.8.39): removes a peer.
public struct LERemoveDeviceFromResolvingList: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2028)
    /// `.public` or `.random`.
    public let peerIdentityAddressType: AddressType
    /// The peer.
    public let peerIdentityAddress: BluetoothAddress

    /// A command of these fields.
    public init(peerIdentityAddressType: AddressType, peerIdentityAddress: BluetoothAddress) {
        self.peerIdentityAddressType = peerIdentityAddressType
        self.peerIdentityAddress = peerIdentityAddress
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        peerIdentityAddressType = try AddressType(parsing: &reader)
        peerIdentityAddress = try BluetoothAddress(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        peerIdentityAddressType.serialize(into: &writer)
        peerIdentityAddress.serialize(into: &writer)
    }
}

/// HCI_LE_Clear_Resolving_List (Core 5.4, Vol 4, Part E, 7.8.40): removes all peers.
public struct LEClearResolvingList: HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2029)
    /// The command has no parameters.
    public init() {}
}

/// HCI_LE_Read_Resolving_List_Size (Core 5.4, Vol 4, Part E, 7.8.41): how many peers the list can have.
public struct LEReadResolvingListSize: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x202A)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// 0 to 255.
        public let resolvingListSize: UInt8

        /// What a command returned.
        public init(status: HCIStatus = .success, resolvingListSize: UInt8) {
            self.status = status
            self.resolvingListSize = resolvingListSize
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            resolvingListSize = try reader.readUInt8()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(resolvingListSize)
        }
    }
}

/// HCI_LE_Set_Address_Resolution_Enable (Core 5.4, Vol 4, Part E, 7.8.44): whether the controller resolves
/// private addresses.
public struct LESetAddressResolutionEnable: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x202D)
    /// 0 it does not, 1 it does.
    public let addressResolutionEnable: UInt8

    /// A command of these fields.
    public init(addressResolutionEnable: UInt8) {
        self.addressResolutionEnable = addressResolutionEnable
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        addressResolutionEnable = try reader.readUInt8()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(addressResolutionEnable)
    }
}

/// HCI_LE_Set_Resolvable_Private_Address_Timeout (Core 5.4, Vol 4, Part E, 7.8.45): how long the controller keeps
/// a private address.
public struct LESetResolvablePrivateAddressTimeout: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x202E)
    /// In seconds: 1 to 3,600.
    public let resolvablePrivateAddressTimeout: Ticks<1_000_000>

    /// A command of these fields.
    public init(resolvablePrivateAddressTimeout: Ticks<1_000_000>) {
        self.resolvablePrivateAddressTimeout = resolvablePrivateAddressTimeout
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        resolvablePrivateAddressTimeout = try reader.readTicks()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeTicks(resolvablePrivateAddressTimeout)
    }
}

/// HCI_LE_Set_Privacy_Mode (Core 5.4, Vol 4, Part E, 7.8.77): what a peer in the list may show as its address.
public struct LESetPrivacyMode: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x204E)
    /// `.public` or `.random`.
    public let peerIdentityAddressType: AddressType
    /// The peer.
    public let peerIdentityAddress: BluetoothAddress
    /// Network or device.
    public let privacyMode: PrivacyMode

    /// A command of these fields.
    public init(peerIdentityAddressType: AddressType, peerIdentityAddress: BluetoothAddress, privacyMode: PrivacyMode) {
        self.peerIdentityAddressType = peerIdentityAddressType
        self.peerIdentityAddress = peerIdentityAddress
        self.privacyMode = privacyMode
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        peerIdentityAddressType = try AddressType(parsing: &reader)
        peerIdentityAddress = try BluetoothAddress(parsing: &reader)
        privacyMode = try PrivacyMode(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        peerIdentityAddressType.serialize(into: &writer)
        peerIdentityAddress.serialize(into: &writer)
        privacyMode.serialize(into: &writer)
    }
}
