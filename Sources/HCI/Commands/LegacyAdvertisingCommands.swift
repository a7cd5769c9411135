// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Legacy advertising commands, and the random address (Core 5.4, Vol 4, Part E, 7.8.4 to 7.8.9).
    static let legacyAdvertising: [any HCICommand.Type] = [
        LESetRandomAddress.self, LESetAdvertisingParameters.self, LEReadAdvertisingPhysicalChannelTransmitPower.self,
        LESetAdvertisingData.self, LESetScanResponseData.self, LESetAdvertisingEnable.self,
    ]
}

/// HCI_LE_Set_Random_Address (Core 5.4, Vol 4, Part E, 7.8.4): the controller's random address.
package struct LESetRandomAddress: HCICommand {
    package static let definition = HCICommandDefinition(0x2005, "LE Set Random Address", supportedBit: (25, 4))
    /// The address of PDUs whose own address type is random.
    package let randomAddress: BluetoothAddress

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

/// HCI_LE_Set_Advertising_Parameters (Core 5.4, Vol 4, Part E, 7.8.5): advertising parameters.
package struct LESetAdvertisingParameters: HCICommand {
    package static let definition = HCICommandDefinition(0x2006, "LE Set Advertising Parameters", supportedBit: (25, 5))
    /// The shortest interval that the controller may select: 0x0020 to 0x4000.
    package let minimumInterval: AdvertisingInterval
    /// The longest interval that the controller may select: 0x0020 to 0x4000.
    package let maximumInterval: AdvertisingInterval
    /// The PDUs to send.
    package let advertisingType: AdvertisingType
    /// The advertiser's address.
    package let ownAddressType: OwnAddressType
    /// Address type of the peer, for a directed advertisement or a resolvable address.
    package let peerAddressType: AddressType
    /// The peer, for a directed advertisement or a resolvable address.
    package let peerAddress: BluetoothAddress
    /// The channels, one bit each.
    package let channelMap: AdvertisingChannelMap
    /// Which devices the advertiser answers.
    package let filterPolicy: AdvertisingFilterPolicy

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

/// HCI_LE_Read_Advertising_Physical_Channel_Tx_Power (Core 5.4, Vol 4, Part E, 7.8.6): the transmit power of
/// legacy advertisements.
package struct LEReadAdvertisingPhysicalChannelTransmitPower: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2007, "LE Read Advertising Physical Channel Tx Power", supportedBit: (25, 6))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// -127 to 20 dBm.
        package let transmitPowerLevel: TransmitPower

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

/// The parameters of the two legacy commands that set data: a length byte and 31 bytes, padded.
package protocol LegacyAdvertisingDataCommand: HCICommand {
    /// The significant bytes, at most 31.
    var data: [UInt8] { get }
    /// The bytes after the significant ones, up to 31 bytes together.
    var padding: [UInt8] { get }
    init(data: [UInt8], padding: [UInt8])
}

extension LegacyAdvertisingDataCommand {
    /// A command with these bytes, padded with zeros; `nil` for more than 31 bytes.
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
package struct LESetAdvertisingData: LegacyAdvertisingDataCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2008, "LE Set Advertising Data", supportedBit: (25, 7))
    package let data: [UInt8]
    package let padding: [UInt8]
    package init(data: [UInt8], padding: [UInt8]) {
        self.data = data
        self.padding = padding
    }
}

/// HCI_LE_Set_Scan_Response_Data (Core 5.4, Vol 4, Part E, 7.8.8).
package struct LESetScanResponseData: LegacyAdvertisingDataCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2009, "LE Set Scan Response Data", supportedBit: (26, 0))
    package let data: [UInt8]
    package let padding: [UInt8]
    package init(data: [UInt8], padding: [UInt8]) {
        self.data = data
        self.padding = padding
    }
}

/// HCI_LE_Set_Advertising_Enable (Core 5.4, Vol 4, Part E, 7.8.9): starts and stops advertising.
package struct LESetAdvertisingEnable: HCICommand {
    package static let definition = HCICommandDefinition(0x200A, "LE Set Advertising Enable", supportedBit: (26, 1))
    /// 0 stops, 1 starts.
    package let enable: UInt8

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
