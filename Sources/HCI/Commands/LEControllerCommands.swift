// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Properties of an LE controller, and its event mask (Core 5.4, Vol 4, Part E, 7.8).
    static let lowEnergy: [any HCICommand.Type] = [
        LESetEventMask.self, LEReadBufferSize.self, LEReadBufferSizeV2.self, LEReadLocalSupportedFeatures.self,
        LEEncrypt.self, LERand.self, LEReadSupportedStates.self, LEReadTransmitPower.self,
    ]
}

/// HCI_LE_Set_Event_Mask (Core 5.4, Vol 4, Part E, 7.8.1): selects the LE meta events.
package struct LESetEventMask: HCICommand {
    package static let definition = HCICommandDefinition(0x2001, "LE Set Event Mask", supportedBit: (25, 0))
    /// The events that the controller may send.
    package let eventMask: LEEventMask

    package init(eventMask: LEEventMask) {
        self.eventMask = eventMask
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        eventMask = try LEEventMask(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        eventMask.serialize(into: &writer)
    }
}

/// HCI_LE_Read_Buffer_Size, version 1 (Core 5.4, Vol 4, Part E, 7.8.2): the buffers of the controller.
package struct LEReadBufferSize: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2002, "LE Read Buffer Size", supportedBit: (25, 1))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Maximum data bytes in an LE ACL packet; 0: see HCI_Read_Buffer_Size.
        package let aclDataPacketLength: UInt16
        /// The number of packet buffers; 0: see HCI_Read_Buffer_Size.
        package let totalACLDataPackets: UInt8

        package init(status: HCIStatus = .success, aclDataPacketLength: UInt16, totalACLDataPackets: UInt8) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.totalACLDataPackets = totalACLDataPackets
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            aclDataPacketLength = try reader.readLittleEndian()
            totalACLDataPackets = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(aclDataPacketLength)
            writer.write(totalACLDataPackets)
        }
    }
}

/// HCI_LE_Read_Buffer_Size, version 2 (Core 5.4, Vol 4, Part E, 7.8.2): the buffers of the controller.
package struct LEReadBufferSizeV2: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2060, "LE Read Buffer Size [v2]", supportedBit: (41, 5))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Maximum data bytes in an LE ACL packet; 0: see HCI_Read_Buffer_Size.
        package let aclDataPacketLength: UInt16
        /// The number of packet buffers; 0: see HCI_Read_Buffer_Size.
        package let totalACLDataPackets: UInt8
        /// Maximum data bytes in an isochronous packet; 0 without buffers.
        package let isochronousDataPacketLength: UInt16
        /// The number of packet buffers; 0 without buffers.
        package let totalIsochronousDataPackets: UInt8

        package init(
            status: HCIStatus = .success, aclDataPacketLength: UInt16, totalACLDataPackets: UInt8,
            isochronousDataPacketLength: UInt16, totalIsochronousDataPackets: UInt8
        ) {
            self.status = status
            self.aclDataPacketLength = aclDataPacketLength
            self.totalACLDataPackets = totalACLDataPackets
            self.isochronousDataPacketLength = isochronousDataPacketLength
            self.totalIsochronousDataPackets = totalIsochronousDataPackets
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            aclDataPacketLength = try reader.readLittleEndian()
            totalACLDataPackets = try reader.readUInt8()
            isochronousDataPacketLength = try reader.readLittleEndian()
            totalIsochronousDataPackets = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(aclDataPacketLength)
            writer.write(totalACLDataPackets)
            writer.writeLittleEndian(isochronousDataPacketLength)
            writer.write(totalIsochronousDataPackets)
        }
    }
}

/// HCI_LE_Read_Local_Supported_Features (Core 5.4, Vol 4, Part E, 7.8.3): the features of the link layer.
package struct LEReadLocalSupportedFeatures: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2003, "LE Read Local Supported Features", supportedBit: (25, 2))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// One bit each.
        package let features: LEFeatures

        package init(status: HCIStatus = .success, features: LEFeatures) {
            self.status = status
            self.features = features
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            features = try LEFeatures(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            features.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Encrypt (Core 5.4, Vol 4, Part E, 7.8.22): AES-128 of a block.
package struct LEEncrypt: HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2017, "LE Encrypt", supportedBit: (27, 6))
    /// Least significant byte first.
    package let key: Octets<16>
    /// The block, least significant byte first.
    package let plaintextData: Octets<16>

    package init(key: Octets<16>, plaintextData: Octets<16>) {
        self.key = key
        self.plaintextData = plaintextData
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        key = try Octets<16>(parsing: &reader)
        plaintextData = try Octets<16>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        key.serialize(into: &writer)
        plaintextData.serialize(into: &writer)
    }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The block, least significant byte first.
        package let encryptedData: Octets<16>

        package init(status: HCIStatus = .success, encryptedData: Octets<16>) {
            self.status = status
            self.encryptedData = encryptedData
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            encryptedData = try Octets<16>(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            encryptedData.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Rand (Core 5.4, Vol 4, Part E, 7.8.23): 64 random bits.
package struct LERand: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2018, "LE Rand", supportedBit: (27, 7))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Any value.
        package let randomNumber: UInt64

        package init(status: HCIStatus = .success, randomNumber: UInt64) {
            self.status = status
            self.randomNumber = randomNumber
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            randomNumber = try reader.readLittleEndian()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(randomNumber)
        }
    }
}

/// HCI_LE_Read_Supported_States (Core 5.4, Vol 4, Part E, 7.8.27): the supported combinations of roles.
package struct LEReadSupportedStates: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x201C, "LE Read Supported States", supportedBit: (28, 3))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// One bit each.
        package let states: LESupportedStates

        package init(status: HCIStatus = .success, states: LESupportedStates) {
            self.status = status
            self.states = states
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            states = try LESupportedStates(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            states.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Read_Transmit_Power (Core 5.4, Vol 4, Part E, 7.8.74): the transmit power range of the controller.
package struct LEReadTransmitPower: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x204B, "LE Read Transmit Power", supportedBit: (38, 7))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// -127 to 20 dBm.
        package let minimumTransmitPower: TransmitPower
        /// -127 to 20 dBm.
        package let maximumTransmitPower: TransmitPower

        package init(
            status: HCIStatus = .success, minimumTransmitPower: TransmitPower, maximumTransmitPower: TransmitPower
        ) {
            self.status = status
            self.minimumTransmitPower = minimumTransmitPower
            self.maximumTransmitPower = maximumTransmitPower
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            minimumTransmitPower = TransmitPower(try reader.readInt8())
            maximumTransmitPower = TransmitPower(try reader.readInt8())
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(minimumTransmitPower.decibelMilliwatts)
            writer.write(maximumTransmitPower.decibelMilliwatts)
        }
    }
}
