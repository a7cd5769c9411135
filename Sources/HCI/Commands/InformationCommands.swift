// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Space

extension HCICommands {
    /// Informational parameters, status parameters and vendor commands (Core 5.4, Vol 4, Part E, 7.4 and 7.5).
    static let information: [any HCICommand.Type] = [
        ReadLocalVersionInformation.self, ReadLocalSupportedCommands.self, ReadLocalSupportedFeatures.self,
        ReadLocalExtendedFeatures.self, ReadBufferSize.self, ReadBDADDR.self, ReadRSSI.self, VendorWriteBDADDR.self,
        VendorSetPosition.self,
    ]
}

/// HCI_Read_Local_Version_Information (Core 5.4, Vol 4, Part E, 7.4.1): the version of the controller.
package struct ReadLocalVersionInformation: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x1001, "Read Local Version Information", supportedBit: (14, 3))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Version of the host controller interface.
        package let hciVersion: CoreVersion
        /// The manufacturer's version number.
        package let hciSubversion: UInt16
        /// Version of the link layer or link manager.
        package let lmpVersion: CoreVersion
        /// The manufacturer.
        package let companyIdentifier: CompanyIdentifier
        /// The manufacturer's version number.
        package let lmpSubversion: UInt16

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

/// HCI_Read_Local_Supported_Commands (Core 5.4, Vol 4, Part E, 7.4.2): the commands that the controller supports.
package struct ReadLocalSupportedCommands: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x1002, "Read Local Supported Commands", supportedBit: (14, 4))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// One bit each.
        package let supportedCommands: SupportedCommands

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

/// HCI_Read_Local_Supported_Features (Core 5.4, Vol 4, Part E, 7.4.3): the features of the link manager.
package struct ReadLocalSupportedFeatures: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x1003, "Read Local Supported Features", supportedBit: (14, 5))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Page 0.
        package let lmpFeatures: LMPFeatures

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

/// HCI_Read_Local_Extended_Features (Core 5.4, Vol 4, Part E, 7.4.4): one page of the features of the link manager.
package struct ReadLocalExtendedFeatures: HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x1004, "Read Local Extended Features", supportedBit: (14, 6))
    /// 0: the features of HCI_Read_Local_Supported_Features.
    package let pageNumber: UInt8

    package init(pageNumber: UInt8) {
        self.pageNumber = pageNumber
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        pageNumber = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(pageNumber)
    }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The requested page.
        package let pageNumber: UInt8
        /// The last page.
        package let maximumPageNumber: UInt8
        /// 64 bits of the page.
        package let extendedLMPFeatures: UInt64

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

/// HCI_Read_Buffer_Size (Core 5.4, Vol 4, Part E, 7.4.5): the buffers of the controller.
package struct ReadBufferSize: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x1005, "Read Buffer Size", supportedBit: (14, 7))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Maximum data bytes in an ACL packet.
        package let aclDataPacketLength: UInt16
        /// Maximum data bytes in a synchronous packet.
        package let synchronousDataPacketLength: UInt8
        /// The number of ACL packet buffers.
        package let totalACLDataPackets: UInt16
        /// The number of synchronous packet buffers.
        package let totalSynchronousDataPackets: UInt16

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
package struct ReadBDADDR: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x1009, "Read BD_ADDR", supportedBit: (15, 1))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The public address; zero for a controller without one.
        package let address: BluetoothAddress

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

/// HCI_Read_RSSI (Core 5.4, Vol 4, Part E, 7.5.4): the RSSI of a connection.
package struct ReadRSSI: ConnectionHandleCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x1405, "Read RSSI", supportedBit: (15, 5))
    /// The connection.
    package let connectionHandle: ConnectionHandle

    package init(connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The connection.
        package let connectionHandle: ConnectionHandle
        /// -127 to 20 dBm; 127 if unknown.
        package let rssi: RSSI

        package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, rssi: RSSI) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.rssi = rssi
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            rssi = RSSI(try reader.readInt8())
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            writer.write(rssi.decibelMilliwatts)
        }
    }
}

/// Write BD_ADDR, a vendor command of Zephyr: sets the public address of a controller.
///
/// Texas Instruments has a command of the same opcode with the address in the other order.
package struct VendorWriteBDADDR: HCICommand {
    package static let definition = HCICommandDefinition(0xFC06, "Vendor Write BD_ADDR", supportedBit: nil)
    /// The address.
    package let address: BluetoothAddress

    package init(address: BluetoothAddress) { self.address = address }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) { address.serialize(into: &writer) }
}

/// Set Position, a vendor command of Beaconry's emulated controllers: where the controller is on the virtual air.
///
/// Other controllers refuse it as an unknown command, or do not answer: it is only sent to a controller that may be one of
/// Beaconry's by its version.
package struct VendorSetPosition: HCICommand {
    package static let definition = HCICommandDefinition(0xFFBE, "Vendor Set Position", supportedBit: nil)
    /// The company of these controllers in Read Local Version Information: the number for unreleased devices.
    package static let company = CompanyIdentifier(0xFFFF)
    /// Their HCI subversion and LMP subversion.
    package static let subversion: UInt16 = 1

    /// In millimetres, on the axes of the profile; z is the height.
    package let x, y, z: Int32

    package init(x: Int32, y: Int32, z: Int32) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// A command with a position in metres, rounded to millimetres, as far as the command can have it.
    package init(_ position: Position) {
        func millimetres(_ metres: Double) -> Int32 {
            Int32(exactly: (metres * 1000).rounded()) ?? (metres < 0 ? .min : .max)
        }
        self.init(x: millimetres(position.x), y: millimetres(position.y), z: millimetres(position.z))
    }

    /// In metres.
    package var position: Position {
        Position(x: Double(x) / 1000, y: Double(y) / 1000, z: Double(z) / 1000)
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        x = try reader.readLittleEndian(Int32.self)
        y = try reader.readLittleEndian(Int32.self)
        z = try reader.readLittleEndian(Int32.self)
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(x)
        writer.writeLittleEndian(y)
        writer.writeLittleEndian(z)
    }
}
