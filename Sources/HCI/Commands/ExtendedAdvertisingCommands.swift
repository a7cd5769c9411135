// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Set_Advertising_Set_Random_Address (Core 5.4, Vol 4, Part E, 7.8.52): the random address of a set.
package struct LESetAdvertisingSetRandomAddress: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2035)
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8
    /// The address of its PDUs while its own address type is random.
    package let randomAddress: BluetoothAddress

    /// A command of these fields.
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

/// HCI_LE_Set_Extended_Advertising_Parameters, version 1 (Core 5.4, Vol 4, Part E, 7.8.53): how a set advertises.
package struct LESetExtendedAdvertisingParameters: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2036)
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8
    /// Which PDUs are sent.
    package let properties: AdvertisingEventProperties
    /// The shortest primary interval: 0x000020 to 0xFFFFFF.
    package let minimumInterval: AdvertisingInterval
    /// The longest primary interval: 0x000020 to 0xFFFFFF.
    package let maximumInterval: AdvertisingInterval
    /// The primary channels, a bit each.
    package let channelMap: AdvertisingChannelMap
    /// The advertiser's address.
    package let ownAddressType: OwnAddressType
    /// Of the peer, where the advertisement is directed or the address resolvable.
    package let peerAddressType: AddressType
    /// The peer, where the advertisement is directed or the address resolvable.
    package let peerAddress: BluetoothAddress
    /// Whose requests are taken.
    package let filterPolicy: AdvertisingFilterPolicy
    /// The power asked for: -127 to 20 dBm; 127 leaves it to the controller.
    package let transmitPower: TransmitPower
    /// LE 1M or LE Coded.
    package let primaryPHY: PHY
    /// How many advertising events may pass until the secondary PDU is sent.
    package let secondaryMaximumSkip: UInt8
    /// Any of the three.
    package let secondaryPHY: PHY
    /// The number of the set that a scanner sees: 0x00 to 0x0F.
    package let advertisingSetIdentifier: UInt8
    /// 1 to get LEScanRequestReceived, 0 not.
    package let scanRequestNotificationEnable: UInt8

    /// A command of these fields.
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

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// What the controller took: -127 to 20 dBm.
        package let selectedTransmitPower: TransmitPower

        /// What a command returned.
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
package struct LESetExtendedAdvertisingEnable: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2039)

    /// One set and how long it is enabled.
    package struct AdvertisingSet: WireCodable, Hashable {
        /// The advertising set: 0x00 to 0xEF.
        package let advertisingHandle: UInt8
        /// How long, in 10 ms; 0 for no end.
        package let duration: Ticks<10_000>
        /// After how many advertising events to end; 0 for no limit.
        package let maximumEvents: UInt8

        /// These fields.
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

    /// 0 stops, 1 starts.
    package let enable: UInt8
    /// The sets concerned, at most 63; none while stopping means all.
    package let sets: [AdvertisingSet]

    /// A command of these fields.
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

/// HCI_LE_Read_Maximum_Advertising_Data_Length (Core 5.4, Vol 4, Part E, 7.8.57): how much data a set can have.
package struct LEReadMaximumAdvertisingDataLength: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x203A)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// Octets: 31 to 1,650.
        package let maximumAdvertisingDataLength: UInt16

        /// What a command returned.
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

/// HCI_LE_Read_Number_of_Supported_Advertising_Sets (Core 5.4, Vol 4, Part E, 7.8.58): how many sets there can be
/// now.
package struct LEReadNumberOfSupportedAdvertisingSets: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x203B)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// 1 to 240; it may change.
        package let supportedAdvertisingSets: UInt8

        /// What a command returned.
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

/// HCI_LE_Remove_Advertising_Set (Core 5.4, Vol 4, Part E, 7.8.59): forgets a set.
package struct LERemoveAdvertisingSet: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x203C)
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8

    /// A command of these fields.
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

/// HCI_LE_Clear_Advertising_Sets (Core 5.4, Vol 4, Part E, 7.8.60): forgets all sets.
package struct LEClearAdvertisingSets: HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x203D)
    /// The command has no parameters.
    package init() {}
}
