// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_Read_Local_Version_Information (Core 5.4, Vol 4, Part E, 7.4.1): what the controller is.
package struct ReadLocalVersionInformation: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x1001)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// Of the host controller interface.
        package let hciVersion: CoreVersion
        /// The manufacturer's own number.
        package let hciSubversion: UInt16
        /// Of the link layer or link manager.
        package let lmpVersion: CoreVersion
        /// Who made it.
        package let companyIdentifier: CompanyIdentifier
        /// The manufacturer's own number.
        package let lmpSubversion: UInt16

        /// What a command returned.
        package init(
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

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            hciVersion = try CoreVersion(parsing: &reader)
            hciSubversion = try reader.readLittleEndian()
            lmpVersion = try CoreVersion(parsing: &reader)
            companyIdentifier = CompanyIdentifier(try reader.readLittleEndian())
            lmpSubversion = try reader.readLittleEndian()
        }

        package func serialize(into writer: inout ByteWriter) {
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
package struct ReadLocalSupportedCommands: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x1002)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// A bit each.
        package let supportedCommands: SupportedCommands

        /// What a command returned.
        package init(status: HCIStatus = .success, supportedCommands: SupportedCommands) {
            self.status = status
            self.supportedCommands = supportedCommands
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            supportedCommands = try SupportedCommands(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            supportedCommands.serialize(into: &writer)
        }
    }
}

/// HCI_Read_Local_Supported_Features (Core 5.4, Vol 4, Part E, 7.4.3): what the link manager can do.
package struct ReadLocalSupportedFeatures: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x1003)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// Page 0.
        package let lmpFeatures: LMPFeatures

        /// What a command returned.
        package init(status: HCIStatus = .success, lmpFeatures: LMPFeatures) {
            self.status = status
            self.lmpFeatures = lmpFeatures
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            lmpFeatures = try LMPFeatures(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            lmpFeatures.serialize(into: &writer)
        }
    }
}

/// HCI_Read_Local_Extended_Features (Core 5.4, Vol 4, Part E, 7.4.4): what the link manager can do, a page of it.
package struct ReadLocalExtendedFeatures: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x1004)
    /// 0 for what HCI_Read_Local_Supported_Features returns.
    package let pageNumber: UInt8

    /// A command of these fields.
    package init(pageNumber: UInt8) {
        self.pageNumber = pageNumber
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        pageNumber = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(pageNumber)
    }

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// The page asked for.
        package let pageNumber: UInt8
        /// The last page.
        package let maximumPageNumber: UInt8
        /// 64 bits of the page.
        package let extendedLMPFeatures: UInt64

        /// What a command returned.
        package init(
            status: HCIStatus = .success, pageNumber: UInt8, maximumPageNumber: UInt8, extendedLMPFeatures: UInt64
        ) {
            self.status = status
            self.pageNumber = pageNumber
            self.maximumPageNumber = maximumPageNumber
            self.extendedLMPFeatures = extendedLMPFeatures
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            pageNumber = try reader.readUInt8()
            maximumPageNumber = try reader.readUInt8()
            extendedLMPFeatures = try reader.readLittleEndian()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(pageNumber)
            writer.write(maximumPageNumber)
            writer.writeLittleEndian(extendedLMPFeatures)
        }
    }
}

/// HCI_Read_Buffer_Size (Core 5.4, Vol 4, Part E, 7.4.5): how much the controller has room for.
package struct ReadBufferSize: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x1005)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// The most octets of data in an ACL packet.
        package let aclDataPacketLength: UInt16
        /// The most octets of data in a synchronous packet.
        package let synchronousDataPacketLength: UInt8
        /// How many ACL packets fit.
        package let totalACLDataPackets: UInt16
        /// How many synchronous packets fit.
        package let totalSynchronousDataPackets: UInt16

        /// What a command returned.
        package init(
            status: HCIStatus = .success, aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8,
            totalACLDataPackets: UInt16, totalSynchronousDataPackets: UInt16
        ) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.synchronousDataPacketLength = synchronousDataPacketLength
            self.totalACLDataPackets = totalACLDataPackets
            self.totalSynchronousDataPackets = totalSynchronousDataPackets
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            aclDataPacketLength = try reader.readLittleEndian()
            synchronousDataPacketLength = try reader.readUInt8()
            totalACLDataPackets = try reader.readLittleEndian()
            totalSynchronousDataPackets = try reader.readLittleEndian()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(aclDataPacketLength)
            writer.write(synchronousDataPacketLength)
            writer.writeLittleEndian(totalACLDataPackets)
            writer.writeLittleEndian(totalSynchronousDataPackets)
        }
    }
}

/// HCI_Read_BD_ADDR (Core 5.4, Vol 4, Part E, 7.4.6): the controller's public address.
package struct ReadBDADDR: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x1009)
    /// The command has no parameters.
    package init() {}

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// The public address; zero for a controller without one.
        package let address: BluetoothAddress

        /// What a command returned.
        package init(status: HCIStatus = .success, address: BluetoothAddress) {
            self.status = status
            self.address = address
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            address = try BluetoothAddress(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            address.serialize(into: &writer)
        }
    }
}
