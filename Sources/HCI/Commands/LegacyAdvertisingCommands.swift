// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Set_Random_Address (Core 5.4, Vol 4, Part E, 7.8.4): the controller's random address.
package struct LESetRandomAddress: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2005)
    /// The address of PDUs whose own address type is random.
    package let randomAddress: BluetoothAddress

    /// A command of these fields.
    package init(randomAddress: BluetoothAddress) {
        self.randomAddress = randomAddress
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        randomAddress = try BluetoothAddress(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        randomAddress.serialize(into: &writer)
    }
}

/// HCI_LE_Set_Advertising_Parameters (Core 5.4, Vol 4, Part E, 7.8.5): how to advertise.
package struct LESetAdvertisingParameters: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2006)
    /// The shortest interval that the controller may take: 0x0020 to 0x4000.
    package let minimumInterval: AdvertisingInterval
    /// The longest interval that the controller may take: 0x0020 to 0x4000.
    package let maximumInterval: AdvertisingInterval
    /// Which PDUs are sent.
    package let advertisingType: AdvertisingType
    /// The advertiser's address.
    package let ownAddressType: OwnAddressType
    /// Of the peer, where the advertisement is directed or the address resolvable.
    package let peerAddressType: AddressType
    /// The peer, where the advertisement is directed or the address resolvable.
    package let peerAddress: BluetoothAddress
    /// The channels, a bit each.
    package let channelMap: AdvertisingChannelMap
    /// Whose requests are taken.
    package let filterPolicy: AdvertisingFilterPolicy

    /// A command of these fields.
    package init(
        minimumInterval: AdvertisingInterval, maximumInterval: AdvertisingInterval, advertisingType: AdvertisingType,
        ownAddressType: OwnAddressType = .public, peerAddressType: AddressType = .public,
        peerAddress: BluetoothAddress = .zero, channelMap: AdvertisingChannelMap = .all,
        filterPolicy: AdvertisingFilterPolicy = []
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.advertisingType = advertisingType
        self.ownAddressType = ownAddressType
        self.peerAddressType = peerAddressType
        self.peerAddress = peerAddress
        self.channelMap = channelMap
        self.filterPolicy = filterPolicy
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        minimumInterval = try reader.readTicks()
        maximumInterval = try reader.readTicks()
        advertisingType = try AdvertisingType(parsing: &reader)
        ownAddressType = try OwnAddressType(parsing: &reader)
        peerAddressType = try AddressType(parsing: &reader)
        peerAddress = try BluetoothAddress(parsing: &reader)
        channelMap = try AdvertisingChannelMap(parsing: &reader)
        filterPolicy = try AdvertisingFilterPolicy(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeTicks(minimumInterval)
        writer.writeTicks(maximumInterval)
        advertisingType.serialize(into: &writer)
        ownAddressType.serialize(into: &writer)
        peerAddressType.serialize(into: &writer)
        peerAddress.serialize(into: &writer)
        channelMap.serialize(into: &writer)
        filterPolicy.serialize(into: &writer)
    }
}

/// HCI_LE_Read_Advertising_Physical_Channel_Tx_Power (Core 5.4, Vol 4, Part E, 7.8.6): the power of legacy
/// advertisements.
package struct LEReadAdvertisingPhysicalChannelTransmitPower: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2007)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// -127 to 20 dBm.
        package let transmitPowerLevel: TransmitPower

        /// What a command returned.
        package init(status: HCIStatus = .success, transmitPowerLevel: TransmitPower) {
            self.status = status
            self.transmitPowerLevel = transmitPowerLevel
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            transmitPowerLevel = TransmitPower(try reader.readInt8())
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(transmitPowerLevel.decibelMilliwatts)
        }
    }
}

/// The parameters of the two legacy commands that set data: a length octet and 31 octets, the rest of them padding.
package protocol LegacyAdvertisingDataCommand: HCICommand {
    /// The significant octets, at most 31.
    var data: [UInt8] { get }
    /// What stands behind them, up to 31 octets together.
    var padding: [UInt8] { get }
    /// A command of these octets.
    init(data: [UInt8], padding: [UInt8])
}

extension LegacyAdvertisingDataCommand {
    /// A command of these octets and zeros; `nil` when they are more than 31.
    package init?(data: [UInt8]) {
        guard data.count <= 31 else { return nil }
        self.init(data: data, padding: [UInt8](repeating: 0, count: 31 - data.count))
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        let length = Int(try reader.readUInt8())
        let field = try reader.read(count: 31)
        guard length <= field.count else { throw WireError(.badLength(length), offset: start) }
        self.init(data: Array(field.prefix(length)), padding: Array(field.dropFirst(length)))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(truncatingIfNeeded: data.count))
        writer.write(data)
        writer.write(padding)
    }
}

/// HCI_LE_Set_Advertising_Data (Core 5.4, Vol 4, Part E, 7.8.7).
package struct LESetAdvertisingData: LegacyAdvertisingDataCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2008)
    package let data: [UInt8]
    package let padding: [UInt8]
    package init(data: [UInt8], padding: [UInt8]) {
        self.data = data
        self.padding = padding
    }
}

/// HCI_LE_Set_Scan_Response_Data (Core 5.4, Vol 4, Part E, 7.8.8).
package struct LESetScanResponseData: LegacyAdvertisingDataCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2009)
    package let data: [UInt8]
    package let padding: [UInt8]
    package init(data: [UInt8], padding: [UInt8]) {
        self.data = data
        self.padding = padding
    }
}

/// HCI_LE_Set_Advertising_Enable (Core 5.4, Vol 4, Part E, 7.8.9): starts and stops advertising.
package struct LESetAdvertisingEnable: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x200A)
    /// 0 stops, 1 starts.
    package let enable: UInt8

    /// A command of these fields.
    package init(enable: UInt8) {
        self.enable = enable
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        enable = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(enable)
    }
}
