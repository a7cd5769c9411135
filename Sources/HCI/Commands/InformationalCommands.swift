// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_Read_Local_Version_Information (Core 5.4, Vol 4, Part E, 7.4.1): what the controller is.
public struct ReadLocalVersionInformation: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x1001)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// Of the host controller interface.
        public let hciVersion: CoreVersion
        /// The manufacturer's own number.
        public let hciSubversion: UInt16
        /// Of the link layer or link manager.
        public let lmpVersion: CoreVersion
        /// Who made it.
        public let companyIdentifier: CompanyIdentifier
        /// The manufacturer's own number.
        public let lmpSubversion: UInt16

        /// What a command returned.
        public init(
            status: HCIStatus = .success, hciVersion: CoreVersion, hciSubversion: UInt16, lmpVersion: CoreVersion,
            companyIdentifier: CompanyIdentifier, lmpSubversion: UInt16
        ) {
            self.status = status
            self.hciVersion = hciVersion
            self.hciSubversion = hciSubversion
            self.lmpVersion = lmpVersion
            self.companyIdentifier = companyIdentifier
            self.lmpSubversion = lmpSubversion
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            hciVersion = try CoreVersion(parsing: &reader)
            hciSubversion = try reader.readLittleEndian()
            lmpVersion = try CoreVersion(parsing: &reader)
            companyIdentifier = CompanyIdentifier(try reader.readLittleEndian())
            lmpSubversion = try reader.readLittleEndian()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            hciVersion.serialize(into: &writer)
            writer.writeLittleEndian(hciSubversion)
            lmpVersion.serialize(into: &writer)
            writer.writeLittleEndian(companyIdentifier.rawValue)
            writer.writeLittleEndian(lmpSubversion)
        }
    }
}

/// HCI_Read_Local_Supported_Commands (Core 5.4, Vol 4, Part E, 7.4.2): which commands the controller has.
public struct ReadLocalSupportedCommands: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x1002)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// A bit each.
        public let supportedCommands: SupportedCommands

        /// What a command returned.
        public init(status: HCIStatus = .success, supportedCommands: SupportedCommands) {
            self.status = status
            self.supportedCommands = supportedCommands
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            supportedCommands = try SupportedCommands(parsing: &reader)
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            supportedCommands.serialize(into: &writer)
        }
    }
}

/// HCI_Read_Local_Supported_Features (Core 5.4, Vol 4, Part E, 7.4.3): what the link manager can do.
public struct ReadLocalSupportedFeatures: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x1003)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// Page 0.
        public let lmpFeatures: LMPFeatures

        /// What a command returned.
        public init(status: HCIStatus = .success, lmpFeatures: LMPFeatures) {
            self.status = status
            self.lmpFeatures = lmpFeatures
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            lmpFeatures = try LMPFeatures(parsing: &reader)
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            lmpFeatures.serialize(into: &writer)
        }
    }
}

/// HCI_Read_Local_Extended_Features (Core 5.4, Vol 4, Part E, 7.4.4): what the link manager can do, a page of it.
public struct ReadLocalExtendedFeatures: HCIReturningCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x1004)
    /// 0 for what HCI_Read_Local_Supported_Features returns.
    public let pageNumber: UInt8

    /// A command of these fields.
    public init(pageNumber: UInt8) {
        self.pageNumber = pageNumber
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        pageNumber = try reader.readUInt8()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(pageNumber)
    }

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// The page asked for.
        public let pageNumber: UInt8
        /// The last page.
        public let maximumPageNumber: UInt8
        /// 64 bits of the page.
        public let extendedLMPFeatures: UInt64

        /// What a command returned.
        public init(
            status: HCIStatus = .success, pageNumber: UInt8, maximumPageNumber: UInt8, extendedLMPFeatures: UInt64
        ) {
            self.status = status
            self.pageNumber = pageNumber
            self.maximumPageNumber = maximumPageNumber
            self.extendedLMPFeatures = extendedLMPFeatures
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            pageNumber = try reader.readUInt8()
            maximumPageNumber = try reader.readUInt8()
            extendedLMPFeatures = try reader.readLittleEndian()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(pageNumber)
            writer.write(maximumPageNumber)
            writer.writeLittleEndian(extendedLMPFeatures)
        }
    }
}

/// HCI_Read_Buffer_Size (Core 5.4, Vol 4, Part E, 7.4.5): how much the controller has room for.
public struct ReadBufferSize: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x1005)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// The most octets of data in an ACL packet.
        public let aclDataPacketLength: UInt16
        /// The most octets of data in a synchronous packet.
        public let synchronousDataPacketLength: UInt8
        /// How many ACL packets fit.
        public let totalACLDataPackets: UInt16
        /// How many synchronous packets fit.
        public let totalSynchronousDataPackets: UInt16

        /// What a command returned.
        public init(
            status: HCIStatus = .success, aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8,
            totalACLDataPackets: UInt16, totalSynchronousDataPackets: UInt16
        ) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.synchronousDataPacketLength = synchronousDataPacketLength
            self.totalACLDataPackets = totalACLDataPackets
            self.totalSynchronousDataPackets = totalSynchronousDataPackets
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            aclDataPacketLength = try reader.readLittleEndian()
            synchronousDataPacketLength = try reader.readUInt8()
            totalACLDataPackets = try reader.readLittleEndian()
            totalSynchronousDataPackets = try reader.readLittleEndian()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(aclDataPacketLength)
            writer.write(synchronousDataPacketLength)
            writer.writeLittleEndian(totalACLDataPackets)
            writer.writeLittleEndian(totalSynchronousDataPackets)
        }
    }
}

/// HCI_Read_BD_ADDR (Core 5.4, Vol 4, Part E, 7.4.6): the controller's public address.
public struct ReadBDADDR: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x1009)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// What came of the command.
        public let status: HCIStatus
        /// The public address; zero for a controller without one.
        public let address: BluetoothAddress

        /// What a command returned.
        public init(status: HCIStatus = .success, address: BluetoothAddress) {
            self.status = status
            self.address = address
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            address = try BluetoothAddress(parsing: &reader)
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            address.serialize(into: &writer)
        }
    }
}
