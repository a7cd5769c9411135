// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Extended advertising commands (Core 5.4, Vol 4, Part E, 7.8.52 to 7.8.60).
    static let extendedAdvertising: [any HCICommand.Type] = [
        LESetAdvertisingSetRandomAddress.self, LESetExtendedAdvertisingParameters.self,
        LESetExtendedAdvertisingEnable.self, LEReadMaximumAdvertisingDataLength.self,
        LEReadNumberOfSupportedAdvertisingSets.self, LERemoveAdvertisingSet.self, LEClearAdvertisingSets.self,
        LESetExtendedAdvertisingData.self, LESetExtendedScanResponseData.self,
    ]
}

/// HCI_LE_Set_Advertising_Set_Random_Address (Core 5.4, Vol 4, Part E, 7.8.52): the random address of a set.
package struct LESetAdvertisingSetRandomAddress: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2035, "LE Set Advertising Set Random Address", supportedBit: (36, 1))
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8
    /// The advertiser's address in the PDUs, if the own address type of the set is random.
    package let randomAddress: BluetoothAddress

    package init(advertisingHandle: UInt8, randomAddress: BluetoothAddress) {
        self.advertisingHandle = advertisingHandle
        self.randomAddress = randomAddress
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        advertisingHandle = try reader.readUInt8()
        randomAddress = try BluetoothAddress(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
        randomAddress.serialize(into: &writer)
    }
}

/// HCI_LE_Set_Extended_Advertising_Parameters, version 1 (Core 5.4, Vol 4, Part E, 7.8.53): parameters of an advertising set.
package struct LESetExtendedAdvertisingParameters: HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2036, "LE Set Extended Advertising Parameters", supportedBit: (36, 2))
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8
    /// The type of the advertising events: connectable, scannable, directed, legacy PDUs and so on.
    package let properties: AdvertisingEventProperties
    /// The shortest primary interval: 0x000020 to 0xFFFFFF.
    package let minimumInterval: AdvertisingInterval
    /// The longest primary interval: 0x000020 to 0xFFFFFF.
    package let maximumInterval: AdvertisingInterval
    /// The primary channels, one bit each.
    package let channelMap: AdvertisingChannelMap
    /// Type of the advertiser's address.
    package let ownAddressType: OwnAddressType
    /// Address type of the peer, for a directed advertisement or a resolvable address.
    package let peerAddressType: AddressType
    /// The peer, for a directed advertisement or a resolvable address.
    package let peerAddress: BluetoothAddress
    /// The filter for scan requests and connection requests.
    package let filterPolicy: AdvertisingFilterPolicy
    /// The requested power: -127 to 20 dBm; 127 leaves it to the controller.
    package let transmitPower: TransmitPower
    /// LE 1M or LE Coded.
    package let primaryPHY: PHY
    /// The maximum number of advertising events that the controller may skip before it sends AUX_ADV_IND.
    package let secondaryMaximumSkip: UInt8
    /// LE 1M, LE 2M or LE Coded.
    package let secondaryPHY: PHY
    /// The Advertising_SID: 0x00 to 0x0F.
    package let advertisingSetIdentifier: UInt8
    /// 1 enables LEScanRequestReceived, 0 disables it.
    package let scanRequestNotificationEnable: UInt8

    package init(
        advertisingHandle: UInt8, properties: AdvertisingEventProperties, minimumInterval: AdvertisingInterval,
        maximumInterval: AdvertisingInterval, channelMap: AdvertisingChannelMap = .all,
        ownAddressType: OwnAddressType = .public, peerAddressType: AddressType = .public,
        peerAddress: BluetoothAddress = .zero, filterPolicy: AdvertisingFilterPolicy = [],
        transmitPower: TransmitPower = .unspecified, primaryPHY: PHY = .oneMegabit, secondaryMaximumSkip: UInt8 = 0,
        secondaryPHY: PHY = .oneMegabit, advertisingSetIdentifier: UInt8 = 0, scanRequestNotificationEnable: UInt8 = 0
    ) {
        self.advertisingHandle = advertisingHandle
        self.properties = properties
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.channelMap = channelMap
        self.ownAddressType = ownAddressType
        self.peerAddressType = peerAddressType
        self.peerAddress = peerAddress
        self.filterPolicy = filterPolicy
        self.transmitPower = transmitPower
        self.primaryPHY = primaryPHY
        self.secondaryMaximumSkip = secondaryMaximumSkip
        self.secondaryPHY = secondaryPHY
        self.advertisingSetIdentifier = advertisingSetIdentifier
        self.scanRequestNotificationEnable = scanRequestNotificationEnable
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        advertisingHandle = try reader.readUInt8()
        properties = try AdvertisingEventProperties(parsing: &reader)
        minimumInterval = try reader.readLongTicks()
        maximumInterval = try reader.readLongTicks()
        channelMap = try AdvertisingChannelMap(parsing: &reader)
        ownAddressType = try OwnAddressType(parsing: &reader)
        peerAddressType = try AddressType(parsing: &reader)
        peerAddress = try BluetoothAddress(parsing: &reader)
        filterPolicy = try AdvertisingFilterPolicy(parsing: &reader)
        transmitPower = TransmitPower(try reader.readInt8())
        primaryPHY = try PHY(parsing: &reader)
        secondaryMaximumSkip = try reader.readUInt8()
        secondaryPHY = try PHY(parsing: &reader)
        advertisingSetIdentifier = try reader.readUInt8()
        scanRequestNotificationEnable = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
        properties.serialize(into: &writer)
        writer.writeLongTicks(minimumInterval)
        writer.writeLongTicks(maximumInterval)
        channelMap.serialize(into: &writer)
        ownAddressType.serialize(into: &writer)
        peerAddressType.serialize(into: &writer)
        peerAddress.serialize(into: &writer)
        filterPolicy.serialize(into: &writer)
        writer.write(transmitPower.decibelMilliwatts)
        primaryPHY.serialize(into: &writer)
        writer.write(secondaryMaximumSkip)
        secondaryPHY.serialize(into: &writer)
        writer.write(advertisingSetIdentifier)
        writer.write(scanRequestNotificationEnable)
    }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The selected power: -127 to 20 dBm.
        package let selectedTransmitPower: TransmitPower

        package init(status: HCIStatus = .success, selectedTransmitPower: TransmitPower) {
            self.status = status
            self.selectedTransmitPower = selectedTransmitPower
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            selectedTransmitPower = TransmitPower(try reader.readInt8())
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(selectedTransmitPower.decibelMilliwatts)
        }
    }
}

/// HCI_LE_Set_Extended_Advertising_Enable (Core 5.4, Vol 4, Part E, 7.8.56): starts and stops sets.
package struct LESetExtendedAdvertisingEnable: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2039, "LE Set Extended Advertising Enable", supportedBit: (36, 5))

    /// One set and the duration for which it is enabled.
    package struct AdvertisingSet: WireCodable, Equatable {
        /// The advertising set: 0x00 to 0xEF.
        package let advertisingHandle: UInt8
        /// Duration in units of 10 ms; 0 without a limit.
        package let duration: Ticks<10_000>
        /// Maximum number of advertising events; 0 without a limit.
        package let maximumEvents: UInt8

        package init(advertisingHandle: UInt8, duration: Ticks<10_000> = Ticks(0), maximumEvents: UInt8 = 0) {
            self.advertisingHandle = advertisingHandle
            self.duration = duration
            self.maximumEvents = maximumEvents
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            advertisingHandle = try reader.readUInt8()
            duration = try reader.readTicks()
            maximumEvents = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            writer.write(advertisingHandle)
            writer.writeTicks(duration)
            writer.write(maximumEvents)
        }
    }

    /// 0 disables the sets, 1 enables them.
    package let enable: UInt8
    /// The advertising sets, at most 63; an empty list disables all sets.
    package let sets: [AdvertisingSet]

    package init(enable: UInt8, sets: [AdvertisingSet]) {
        self.enable = enable
        self.sets = sets
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        enable = try reader.readUInt8()
        sets = try reader.readCountedList()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(enable)
        writer.writeCountedList(sets)
    }
}

/// HCI_LE_Read_Maximum_Advertising_Data_Length (Core 5.4, Vol 4, Part E, 7.8.57): the maximum length of advertising data.
package struct LEReadMaximumAdvertisingDataLength: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x203A, "LE Read Maximum Advertising Data Length", supportedBit: (36, 6))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The maximum length in bytes: 31 to 1,650.
        package let maximumAdvertisingDataLength: UInt16

        package init(status: HCIStatus = .success, maximumAdvertisingDataLength: UInt16) {
            self.status = status
            self.maximumAdvertisingDataLength = maximumAdvertisingDataLength
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            maximumAdvertisingDataLength = try reader.readLittleEndian()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(maximumAdvertisingDataLength)
        }
    }
}

/// HCI_LE_Read_Number_of_Supported_Advertising_Sets (Core 5.4, Vol 4, Part E, 7.8.58): the number of
/// advertising sets that the controller supports at present.
package struct LEReadNumberOfSupportedAdvertisingSets: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x203B, "LE Read Number of Supported Advertising Sets", supportedBit: (36, 7))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The number of advertising sets: 1 to 240. The controller can change it at any time.
        package let supportedAdvertisingSets: UInt8

        package init(status: HCIStatus = .success, supportedAdvertisingSets: UInt8) {
            self.status = status
            self.supportedAdvertisingSets = supportedAdvertisingSets
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            supportedAdvertisingSets = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(supportedAdvertisingSets)
        }
    }
}

/// HCI_LE_Remove_Advertising_Set (Core 5.4, Vol 4, Part E, 7.8.59): removes a set.
package struct LERemoveAdvertisingSet: HCICommand {
    package static let definition = HCICommandDefinition(0x203C, "LE Remove Advertising Set", supportedBit: (37, 0))
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8

    package init(advertisingHandle: UInt8) {
        self.advertisingHandle = advertisingHandle
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        advertisingHandle = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
    }
}

/// HCI_LE_Clear_Advertising_Sets (Core 5.4, Vol 4, Part E, 7.8.60): removes all sets.
package struct LEClearAdvertisingSets: HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x203D, "LE Clear Advertising Sets", supportedBit: (37, 1))
    /// The command has no parameters.
    package init() {}
}

/// The parameters of the two extended commands that set data.
package protocol ExtendedAdvertisingDataCommand: HCICommand {
    /// The advertising set: 0x00 to 0xEF.
    var advertisingHandle: UInt8 { get }
    /// Whether `data` is complete, a fragment (first, intermediate or last), or unchanged.
    var operation: AdvertisingDataOperation { get }
    /// Fragmentation by the controller: 0 allowed, 1 discouraged.
    var fragmentPreference: UInt8 { get }
    /// The bytes of this fragment, at most 251.
    var data: [UInt8] { get }
    init(advertisingHandle: UInt8, operation: AdvertisingDataOperation, fragmentPreference: UInt8, data: [UInt8])
}

extension ExtendedAdvertisingDataCommand {
    /// A command with the complete data of a set, at most 251 bytes.
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
package struct LESetExtendedAdvertisingData: ExtendedAdvertisingDataCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2037, "LE Set Extended Advertising Data", supportedBit: (36, 3))
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
package struct LESetExtendedScanResponseData: ExtendedAdvertisingDataCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2038, "LE Set Extended Scan Response Data", supportedBit: (36, 4))
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
