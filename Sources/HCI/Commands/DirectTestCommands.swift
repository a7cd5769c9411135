// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Receiver_Test, version 1 (Core 5.4, Vol 4, Part E, 7.8.28): counts test packets on LE 1M until HCI_LE_Test_End.
public struct LEReceiverTest: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x201D)
    /// The channel, 2402 MHz and 2 MHz for each number: 0 to 39.
    public let channel: UInt8

    /// A command of these fields.
    public init(channel: UInt8) { self.channel = channel }

    public init(parsing reader: inout ByteReader) throws(WireError) { channel = try reader.readUInt8() }

    public func serialize(into writer: inout ByteWriter) { writer.write(channel) }
}

/// HCI_LE_Receiver_Test, version 2 (Core 5.4, Vol 4, Part E, 7.8.28): counts test packets on a PHY.
public struct LEReceiverTestV2: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2033)
    /// The channel: 0 to 39.
    public let channel: UInt8
    /// The PHY.
    public let phy: PHY
    /// 0: the transmitter has a standard modulation index; 1: a stable one.
    public let modulationIndex: UInt8

    /// A command of these fields.
    public init(channel: UInt8, phy: PHY, modulationIndex: UInt8 = 0) {
        self.channel = channel
        self.phy = phy
        self.modulationIndex = modulationIndex
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        channel = try reader.readUInt8()
        phy = try PHY(parsing: &reader)
        modulationIndex = try reader.readUInt8()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(channel)
        phy.serialize(into: &writer)
        writer.write(modulationIndex)
    }
}

/// HCI_LE_Transmitter_Test, version 1 (Core 5.4, Vol 4, Part E, 7.8.29): sends test packets on LE 1M until
/// HCI_LE_Test_End.
public struct LETransmitterTest: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x201E)
    /// The channel: 0 to 39.
    public let channel: UInt8
    /// The payload of a packet, in octets.
    public let length: UInt8
    /// What the payload consists of: 0 to 7.
    public let payload: UInt8

    /// A command of these fields.
    public init(channel: UInt8, length: UInt8, payload: UInt8 = 0) {
        self.channel = channel
        self.length = length
        self.payload = payload
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        channel = try reader.readUInt8()
        length = try reader.readUInt8()
        payload = try reader.readUInt8()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(channel)
        writer.write(length)
        writer.write(payload)
    }
}

/// HCI_LE_Transmitter_Test, version 2 (Core 5.4, Vol 4, Part E, 7.8.29): sends test packets on a PHY.
public struct LETransmitterTestV2: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2034)
    /// The channel: 0 to 39.
    public let channel: UInt8
    /// The payload of a packet, in octets.
    public let length: UInt8
    /// What the payload consists of: 0 to 7.
    public let payload: UInt8
    /// The PHY; 3 is LE Coded with S=8, 4 with S=2.
    public let phy: PHY

    /// A command of these fields.
    public init(channel: UInt8, length: UInt8, payload: UInt8 = 0, phy: PHY) {
        self.channel = channel
        self.length = length
        self.payload = payload
        self.phy = phy
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        channel = try reader.readUInt8()
        length = try reader.readUInt8()
        payload = try reader.readUInt8()
        phy = try PHY(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(channel)
        writer.write(length)
        writer.write(payload)
        phy.serialize(into: &writer)
    }
}

/// HCI_LE_Test_End (Core 5.4, Vol 4, Part E, 7.8.30): ends a direct test.
public struct LETestEnd: HCIReturningCommand, HCIParameterlessCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x201F)
    /// The command has no parameters.
    public init() {}

    /// What the command returns.
    public struct Returned: WireCodable, Hashable {
        /// The HCI status.
        public let status: HCIStatus
        /// How many packets were received; 0 of a transmitter.
        public let packets: UInt16

        /// What a command returned.
        public init(status: HCIStatus = .success, packets: UInt16) {
            self.status = status
            self.packets = packets
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            packets = try reader.readLittleEndian()
        }

        public func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(packets)
        }
    }
}
