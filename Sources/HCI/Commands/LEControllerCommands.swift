// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Set_Event_Mask (Core 5.4, Vol 4, Part E, 7.8.1): says which LE meta events the host wants.
public struct LESetEventMask: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2001)
    /// The events that are not held back.
    public let eventMask: LEEventMask

    /// A command of these fields.
    public init(eventMask: LEEventMask) {
        self.eventMask = eventMask
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        eventMask = try LEEventMask(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        eventMask.serialize(into: &writer)
    }
}

/// HCI_LE_Read_Buffer_Size, version 1 (Core 5.4, Vol 4, Part E, 7.8.2): how much the controller has room for.
public struct LEReadBufferSize: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2002)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// The most octets of data in an LE ACL packet; 0: HCI_Read_Buffer_Size says it.
        public let aclDataPacketLength: UInt16
        /// How many of them fit; 0: HCI_Read_Buffer_Size says it.
        public let totalACLDataPackets: UInt8

        /// What a command returned.
        public init(status: HCIStatus = .success, aclDataPacketLength: UInt16, totalACLDataPackets: UInt8) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.totalACLDataPackets = totalACLDataPackets
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            aclDataPacketLength = try reader.readLittleEndian()
            totalACLDataPackets = try reader.readUInt8()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(aclDataPacketLength)
            writer.write(totalACLDataPackets)
        }
    }
}

/// HCI_LE_Read_Buffer_Size, version 2 (Core 5.4, Vol 4, Part E, 7.8.2): how much the controller has room for.
public struct LEReadBufferSizeV2: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2060)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// The most octets of data in an LE ACL packet; 0: HCI_Read_Buffer_Size says it.
        public let aclDataPacketLength: UInt16
        /// How many of them fit; 0: HCI_Read_Buffer_Size says it.
        public let totalACLDataPackets: UInt8
        /// The most octets of data in an isochronous packet; 0 for none.
        public let isochronousDataPacketLength: UInt16
        /// How many of them fit; 0 for none.
        public let totalIsochronousDataPackets: UInt8

        /// What a command returned.
        public init(
            status: HCIStatus = .success, aclDataPacketLength: UInt16, totalACLDataPackets: UInt8,
            isochronousDataPacketLength: UInt16, totalIsochronousDataPackets: UInt8
        ) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.totalACLDataPackets = totalACLDataPackets
            self.isochronousDataPacketLength = isochronousDataPacketLength
            self.totalIsochronousDataPackets = totalIsochronousDataPackets
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            aclDataPacketLength = try reader.readLittleEndian()
            totalACLDataPackets = try reader.readUInt8()
            isochronousDataPacketLength = try reader.readLittleEndian()
            totalIsochronousDataPackets = try reader.readUInt8()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(aclDataPacketLength)
            writer.write(totalACLDataPackets)
            writer.writeLittleEndian(isochronousDataPacketLength)
            writer.write(totalIsochronousDataPackets)
        }
    }
}

/// HCI_LE_Read_Local_Supported_Features (Core 5.4, Vol 4, Part E, 7.8.3): what the link layer can do.
public struct LEReadLocalSupportedFeatures: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2003)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// A bit each.
        public let features: LEFeatures

        /// What a command returned.
        public init(status: HCIStatus = .success, features: LEFeatures) {
            self.status = status
            self.features = features
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            features = try LEFeatures(parsing: &reader)
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            features.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Encrypt (Core 5.4, Vol 4, Part E, 7.8.22): AES-128 of a block.
public struct LEEncrypt: HCIReturningCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2017)
    /// Least significant octet first.
    public let key: Octets<16>
    /// The block, least significant octet first.
    public let plaintextData: Octets<16>

    /// A command of these fields.
    public init(key: Octets<16>, plaintextData: Octets<16>) {
        self.key = key
        self.plaintextData = plaintextData
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        key = try Octets<16>(parsing: &reader)
        plaintextData = try Octets<16>(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        key.serialize(into: &writer)
        plaintextData.serialize(into: &writer)
    }

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// The block, least significant octet first.
        public let encryptedData: Octets<16>

        /// What a command returned.
        public init(status: HCIStatus = .success, encryptedData: Octets<16>) {
            self.status = status
            self.encryptedData = encryptedData
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            encryptedData = try Octets<16>(parsing: &reader)
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            encryptedData.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Rand (Core 5.4, Vol 4, Part E, 7.8.23): 64 random bits.
public struct LERand: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2018)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// Any value.
        public let randomNumber: UInt64

        /// What a command returned.
        public init(status: HCIStatus = .success, randomNumber: UInt64) {
            self.status = status
            self.randomNumber = randomNumber
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            randomNumber = try reader.readLittleEndian()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(randomNumber)
        }
    }
}

/// HCI_LE_Read_Supported_States (Core 5.4, Vol 4, Part E, 7.8.27): which roles the controller can have at once.
public struct LEReadSupportedStates: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x201C)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// A bit each.
        public let states: LESupportedStates

        /// What a command returned.
        public init(status: HCIStatus = .success, states: LESupportedStates) {
            self.status = status
            self.states = states
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            states = try LESupportedStates(parsing: &reader)
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            states.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Read_Transmit_Power (Core 5.4, Vol 4, Part E, 7.8.74): how weak and how strong the controller can send.
public struct LEReadTransmitPower: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x204B)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// -127 to 20 dBm.
        public let minimumTransmitPower: TransmitPower
        /// -127 to 20 dBm.
        public let maximumTransmitPower: TransmitPower

        /// What a command returned.
        public init(
            status: HCIStatus = .success, minimumTransmitPower: TransmitPower, maximumTransmitPower: TransmitPower
        ) {
            self.status = status
            self.minimumTransmitPower = minimumTransmitPower
            self.maximumTransmitPower = maximumTransmitPower
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            minimumTransmitPower = TransmitPower(try reader.readInt8())
            maximumTransmitPower = TransmitPower(try reader.readInt8())
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(minimumTransmitPower.decibelMilliwatts)
            writer.write(maximumTransmitPower.decibelMilliwatts)
        }
    }
}
