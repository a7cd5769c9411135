// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Set_Advertising_Set_Random_Address (Core 5.4, Vol 4, Part E, 7.8.52).
public struct LESetAdvertisingSetRandomAddress: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2035)
    /// The advertising set.
    public let handle: UInt8
    /// Its address while its own address type is random.
    public let address: BluetoothAddress

    public init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try reader.readUInt8()
        address = try BluetoothAddress(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(handle)
        address.serialize(into: &writer)
    }
}

/// HCI_LE_Set_Extended_Advertising_Parameters, version 1 (Core 5.4, Vol 4, Part E, 7.8.53).
///
/// It returns a status and the transmit power that the controller selected, one octet each.
public struct LESetExtendedAdvertisingParameters: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2036)
    /// The advertising set.
    public let handle: UInt8
    /// Bits 0 connectable, 1 scannable, 2 directed, 4 legacy PDU.
    public let properties: UInt16
    /// The shortest primary interval, 24 bits.
    public let minimumInterval: AdvertisingInterval
    /// The longest primary interval, 24 bits.
    public let maximumInterval: AdvertisingInterval
    /// The primary channels, a bit each.
    public let channelMap: UInt8
    /// 0 public, 1 random, 2 and 3 resolvable.
    public let ownAddressType: UInt8
    /// Peer address type and address, and filter policy: 8 octets that beacons do not use.
    public let peerAndFilter: [UInt8]
    /// The power asked for in dBm; 127 leaves it to the controller.
    public let transmitPower: Int8
    /// Primary PHY, secondary maximum skip, secondary PHY, set identifier and scan request notification: 5 octets.
    public let rest: [UInt8]

    public init(parsing reader: inout ByteReader) throws(WireError) {
        handle = try reader.readUInt8()
        properties = try reader.readLittleEndian()
        minimumInterval = try Self.interval(&reader)
        maximumInterval = try Self.interval(&reader)
        channelMap = try reader.readUInt8()
        ownAddressType = try reader.readUInt8()
        peerAndFilter = Array(try reader.read(count: 8))
        transmitPower = try reader.readInt8()
        rest = Array(try reader.read(count: 5))
    }

    private static func interval(_ reader: inout ByteReader) throws(WireError) -> AdvertisingInterval {
        let low: UInt16 = try reader.readLittleEndian()
        return AdvertisingInterval(UInt32(low) | UInt32(try reader.readUInt8()) << 16)
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(handle)
        writer.writeLittleEndian(properties)
        for interval in [minimumInterval, maximumInterval] {
            writer.writeLittleEndian(UInt16(truncatingIfNeeded: interval.count))
            writer.write(UInt8(truncatingIfNeeded: interval.count >> 16))
        }
        writer.write(channelMap)
        writer.write(ownAddressType)
        writer.write(peerAndFilter)
        writer.write(transmitPower)
        writer.write(rest)
    }
}

/// The parameters of the two extended commands that set data.
public protocol ExtendedAdvertisingDataCommand: HCICommand {
    /// The advertising set.
    var handle: UInt8 { get }
    /// 0 intermediate, 1 first, 2 last fragment, 3 complete, 4 unchanged.
    var operation: UInt8 { get }
    /// Whether the controller may fragment: 0 it may, 1 it should not.
    var fragmentPreference: UInt8 { get }
    /// The octets of this fragment, at most 251.
    var data: [UInt8] { get }
    /// A command of these fields.
    init(handle: UInt8, operation: UInt8, fragmentPreference: UInt8, data: [UInt8])
}

extension ExtendedAdvertisingDataCommand {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        let handle = try reader.readUInt8()
        let operation = try reader.readUInt8()
        let preference = try reader.readUInt8()
        let length = Int(try reader.readUInt8())
        self.init(
            handle: handle, operation: operation, fragmentPreference: preference,
            data: Array(try reader.read(count: length)))
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write([handle, operation, fragmentPreference, UInt8(truncatingIfNeeded: data.count)])
        writer.write(data)
    }
}

/// HCI_LE_Set_Extended_Advertising_Data (Core 5.4, Vol 4, Part E, 7.8.54).
public struct LESetExtendedAdvertisingData: ExtendedAdvertisingDataCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2037)
    public let handle: UInt8
    public let operation: UInt8
    public let fragmentPreference: UInt8
    public let data: [UInt8]
    public init(handle: UInt8, operation: UInt8, fragmentPreference: UInt8, data: [UInt8]) {
        self.handle = handle
        self.operation = operation
        self.fragmentPreference = fragmentPreference
        self.data = data
    }
}

/// HCI_LE_Set_Extended_Scan_Response_Data (Core 5.4, Vol 4, Part E, 7.8.55).
public struct LESetExtendedScanResponseData: ExtendedAdvertisingDataCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2038)
    public let handle: UInt8
    public let operation: UInt8
    public let fragmentPreference: UInt8
    public let data: [UInt8]
    public init(handle: UInt8, operation: UInt8, fragmentPreference: UInt8, data: [UInt8]) {
        self.handle = handle
        self.operation = operation
        self.fragmentPreference = fragmentPreference
        self.data = data
    }
}

/// HCI_LE_Set_Extended_Advertising_Enable (Core 5.4, Vol 4, Part E, 7.8.56).
public struct LESetExtendedAdvertisingEnable: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2039)

    /// One set and how long it is enabled.
    public struct AdvertisingSet: Hashable, Sendable {
        /// The advertising set.
        public let handle: UInt8
        /// In 10 ms; 0 for no end.
        public let duration: UInt16
        /// 0 for no limit.
        public let maximumEvents: UInt8
    }

    /// 0 disables, 1 enables.
    public let enable: UInt8
    /// The sets concerned; none while disabling means all.
    public let sets: [AdvertisingSet]

    public init(parsing reader: inout ByteReader) throws(WireError) {
        enable = try reader.readUInt8()
        var sets: [AdvertisingSet] = []
        for _ in 0..<(try reader.readUInt8()) {
            sets.append(
                AdvertisingSet(
                    handle: try reader.readUInt8(), duration: try reader.readLittleEndian(),
                    maximumEvents: try reader.readUInt8()))
        }
        self.sets = sets
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(enable)
        writer.write(UInt8(truncatingIfNeeded: sets.count))
        for set in sets {
            writer.write(set.handle)
            writer.writeLittleEndian(set.duration)
            writer.write(set.maximumEvents)
        }
    }
}

/// HCI_LE_Remove_Advertising_Set (Core 5.4, Vol 4, Part E, 7.8.59).
public struct LERemoveAdvertisingSet: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x203C)
    /// The advertising set.
    public let handle: UInt8

    public init(parsing reader: inout ByteReader) throws(WireError) { handle = try reader.readUInt8() }
    public func serialize(into writer: inout ByteWriter) { writer.write(handle) }
}

/// HCI_LE_Clear_Advertising_Sets (Core 5.4, Vol 4, Part E, 7.8.60).
public struct LEClearAdvertisingSets: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x203D)
    public init() {}
    public init(parsing reader: inout ByteReader) throws(WireError) {}
    public func serialize(into writer: inout ByteWriter) {}
}
