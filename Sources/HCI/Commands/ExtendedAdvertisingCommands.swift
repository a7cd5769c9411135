// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Set_Advertising_Set_Random_Address (Core 5.4, Vol 4, Part E, 7.8.52): the random address of a set.
public struct LESetAdvertisingSetRandomAddress: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2035)
    /// The advertising set: 0x00 to 0xEF.
    public let advertisingHandle: UInt8
    /// The address of its PDUs while its own address type is random.
    public let randomAddress: BluetoothAddress

    /// A command of these fields.
    public init(advertisingHandle: UInt8, randomAddress: BluetoothAddress) {
        self.advertisingHandle = advertisingHandle
        self.randomAddress = randomAddress
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        advertisingHandle = try reader.readUInt8()
        randomAddress = try BluetoothAddress(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
        randomAddress.serialize(into: &writer)
    }
}

/// HCI_LE_Set_Extended_Advertising_Parameters, version 1 (Core 5.4, Vol 4, Part E, 7.8.53): how a set advertises.
public struct LESetExtendedAdvertisingParameters: HCIReturningCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2036)
    /// The advertising set: 0x00 to 0xEF.
    public let advertisingHandle: UInt8
    /// Which PDUs are sent.
    public let properties: AdvertisingEventProperties
    /// The shortest primary interval: 0x000020 to 0xFFFFFF.
    public let minimumInterval: AdvertisingInterval
    /// The longest primary interval: 0x000020 to 0xFFFFFF.
    public let maximumInterval: AdvertisingInterval
    /// The primary channels, a bit each.
    public let channelMap: AdvertisingChannelMap
    /// The advertiser's address.
    public let ownAddressType: OwnAddressType
    /// Of the peer, where the advertisement is directed or the address resolvable.
    public let peerAddressType: AddressType
    /// The peer, where the advertisement is directed or the address resolvable.
    public let peerAddress: BluetoothAddress
    /// Whose requests are taken.
    public let filterPolicy: AdvertisingFilterPolicy
    /// The power asked for: -127 to 20 dBm; 127 leaves it to the controller.
    public let transmitPower: TransmitPower
    /// LE 1M or LE Coded.
    public let primaryPHY: PHY
    /// How many advertising events may pass until the secondary PDU is sent.
    public let secondaryMaximumSkip: UInt8
    /// Any of the three.
    public let secondaryPHY: PHY
    /// The number of the set that a scanner sees: 0x00 to 0x0F.
    public let advertisingSetIdentifier: UInt8
    /// 1 to get LEScanRequestReceived, 0 not.
    public let scanRequestNotificationEnable: UInt8

    /// A command of these fields.
    public init(
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

    public init(parsing reader: inout ByteReader) throws(WireError) {
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

    public func serialize(into writer: inout ByteWriter) {
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
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// What the controller took: -127 to 20 dBm.
        public let selectedTransmitPower: TransmitPower

        /// What a command returned.
        public init(status: HCIStatus = .success, selectedTransmitPower: TransmitPower) {
            self.status = status
            self.selectedTransmitPower = selectedTransmitPower
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            selectedTransmitPower = TransmitPower(try reader.readInt8())
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(selectedTransmitPower.decibelMilliwatts)
        }
    }
}

/// HCI_LE_Set_Extended_Advertising_Enable (Core 5.4, Vol 4, Part E, 7.8.56): starts and stops sets.
public struct LESetExtendedAdvertisingEnable: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2039)

    /// One set and how long it is enabled.
    public struct AdvertisingSet: WireCodable, Hashable {
        /// The advertising set: 0x00 to 0xEF.
        public let advertisingHandle: UInt8
        /// How long, in 10 ms; 0 for no end.
        public let duration: Ticks<10_000>
        /// After how many advertising events to end; 0 for no limit.
        public let maximumEvents: UInt8

        /// These fields.
        public init(advertisingHandle: UInt8, duration: Ticks<10_000> = Ticks(0), maximumEvents: UInt8 = 0) {
            self.advertisingHandle = advertisingHandle
            self.duration = duration
            self.maximumEvents = maximumEvents
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            advertisingHandle = try reader.readUInt8()
            duration = try reader.readTicks()
            maximumEvents = try reader.readUInt8()
        }

        public func serialize(into writer: inout ByteWriter) {
            writer.write(advertisingHandle)
            writer.writeTicks(duration)
            writer.write(maximumEvents)
        }
    }

    /// 0 stops, 1 starts.
    public let enable: UInt8
    /// The sets concerned, at most 63; none while stopping means all.
    public let sets: [AdvertisingSet]

    /// A command of these fields.
    public init(enable: UInt8, sets: [AdvertisingSet]) {
        self.enable = enable
        self.sets = sets
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        enable = try reader.readUInt8()
        sets = try reader.readCountedList()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(enable)
        writer.writeCountedList(sets)
    }
}

/// HCI_LE_Read_Maximum_Advertising_Data_Length (Core 5.4, Vol 4, Part E, 7.8.57): how much data a set can have.
public struct LEReadMaximumAdvertisingDataLength: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x203A)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// Octets: 31 to 1,650.
        public let maximumAdvertisingDataLength: UInt16

        /// What a command returned.
        public init(status: HCIStatus = .success, maximumAdvertisingDataLength: UInt16) {
            self.status = status
            self.maximumAdvertisingDataLength = maximumAdvertisingDataLength
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            maximumAdvertisingDataLength = try reader.readLittleEndian()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(maximumAdvertisingDataLength)
        }
    }
}

/// HCI_LE_Read_Number_of_Supported_Advertising_Sets (Core 5.4, Vol 4, Part E, 7.8.58): how many sets there can be
/// now.
public struct LEReadNumberOfSupportedAdvertisingSets: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x203B)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// 1 to 240; it may change.
        public let supportedAdvertisingSets: UInt8

        /// What a command returned.
        public init(status: HCIStatus = .success, supportedAdvertisingSets: UInt8) {
            self.status = status
            self.supportedAdvertisingSets = supportedAdvertisingSets
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            supportedAdvertisingSets = try reader.readUInt8()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(supportedAdvertisingSets)
        }
    }
}

/// HCI_LE_Remove_Advertising_Set (Core 5.4, Vol 4, Part E, 7.8.59): forgets a set.
public struct LERemoveAdvertisingSet: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x203C)
    /// The advertising set: 0x00 to 0xEF.
    public let advertisingHandle: UInt8

    /// A command of these fields.
    public init(advertisingHandle: UInt8) {
        self.advertisingHandle = advertisingHandle
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        advertisingHandle = try reader.readUInt8()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
    }
}

/// HCI_LE_Clear_Advertising_Sets (Core 5.4, Vol 4, Part E, 7.8.60): forgets all sets.
public struct LEClearAdvertisingSets: HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x203D)
    /// The command has no parameters.
    public init() {}
}
