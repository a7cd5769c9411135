// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Direct test mode (Core 5.4, Vol 4, Part E, 7.8.28 to 7.8.30).
    static let directTest: [any HCICommand.Type] = [
        LEReceiverTest.self, LEReceiverTestV2.self, LETransmitterTest.self, LETransmitterTestV2.self, LETestEnd.self,
    ]
}

/// HCI_LE_Receiver_Test, version 1 (Core 5.4, Vol 4, Part E, 7.8.28): counts test packets on LE 1M until HCI_LE_Test_End.
package struct LEReceiverTest: HCICommand {
    package static let definition = HCICommandDefinition(0x201D, "LE Receiver Test", supportedBit: (28, 4))
    /// The channel: 0 to 39, at 2402 MHz plus 2 MHz each.
    package let channel: UInt8

    package init(channel: UInt8) { self.channel = channel }

    package init(parsing reader: inout ByteReader) throws(WireError) { channel = try reader.readUInt8() }

    package func serialize(into writer: inout ByteWriter) { writer.write(channel) }
}

/// HCI_LE_Receiver_Test, version 2 (Core 5.4, Vol 4, Part E, 7.8.28): counts test packets on a PHY.
package struct LEReceiverTestV2: HCICommand {
    package static let definition = HCICommandDefinition(0x2033, "LE Receiver Test [v2]", supportedBit: (35, 7))
    /// The channel: 0 to 39.
    package let channel: UInt8
    /// The PHY.
    package let phy: PHY
    /// 0: the transmitter has a standard modulation index; 1: a stable one.
    package let modulationIndex: UInt8

    package init(channel: UInt8, phy: PHY, modulationIndex: UInt8 = 0) {
        self.channel = channel
        self.phy = phy
        self.modulationIndex = modulationIndex
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        channel = try reader.readUInt8()
        phy = try PHY(parsing: &reader)
        modulationIndex = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(channel)
        phy.serialize(into: &writer)
        writer.write(modulationIndex)
    }
}

/// HCI_LE_Transmitter_Test, version 1 (Core 5.4, Vol 4, Part E, 7.8.29): sends test packets on LE 1M until
/// HCI_LE_Test_End.
package struct LETransmitterTest: HCICommand {
    package static let definition = HCICommandDefinition(0x201E, "LE Transmitter Test", supportedBit: (28, 5))
    /// The channel: 0 to 39.
    package let channel: UInt8
    /// Payload of a packet, in bytes.
    package let length: UInt8
    /// The payload pattern: 0 to 7.
    package let payload: UInt8

    package init(channel: UInt8, length: UInt8, payload: UInt8 = 0) {
        self.channel = channel
        self.length = length
        self.payload = payload
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        channel = try reader.readUInt8()
        length = try reader.readUInt8()
        payload = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(channel)
        writer.write(length)
        writer.write(payload)
    }
}

/// HCI_LE_Transmitter_Test, version 2 (Core 5.4, Vol 4, Part E, 7.8.29): sends test packets on a PHY.
package struct LETransmitterTestV2: HCICommand {
    package static let definition = HCICommandDefinition(0x2034, "LE Transmitter Test [v2]", supportedBit: (36, 0))
    /// The channel: 0 to 39.
    package let channel: UInt8
    /// Payload of a packet, in bytes.
    package let length: UInt8
    /// The payload pattern: 0 to 7.
    package let payload: UInt8
    /// The PHY; 3 is LE Coded with S=8, 4 with S=2.
    package let phy: PHY

    package init(channel: UInt8, length: UInt8, payload: UInt8 = 0, phy: PHY) {
        self.channel = channel
        self.length = length
        self.payload = payload
        self.phy = phy
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        channel = try reader.readUInt8()
        length = try reader.readUInt8()
        payload = try reader.readUInt8()
        phy = try PHY(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(channel)
        writer.write(length)
        writer.write(payload)
        phy.serialize(into: &writer)
    }
}

/// HCI_LE_Test_End (Core 5.4, Vol 4, Part E, 7.8.30): ends a direct test.
package struct LETestEnd: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x201F, "LE Test End", supportedBit: (28, 6))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The number of received packets; 0 for a transmitter.
        package let packets: UInt16

        package init(status: HCIStatus = .success, packets: UInt16) {
            self.status = status
            self.packets = packets
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            packets = try reader.readLittleEndian()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(packets)
        }
    }
}
