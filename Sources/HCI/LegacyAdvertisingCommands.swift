// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Set_Random_Address (Core 5.4, Vol 4, Part E, 7.8.4).
public struct LESetRandomAddress: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2005)
    /// The address of PDUs whose own address type is random.
    public let address: BluetoothAddress

    public init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) { address.serialize(into: &writer) }
}

/// HCI_LE_Set_Advertising_Parameters (Core 5.4, Vol 4, Part E, 7.8.5).
public struct LESetAdvertisingParameters: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2006)
    /// The shortest interval that the controller may take.
    public let minimumInterval: AdvertisingInterval
    /// The longest interval that the controller may take.
    public let maximumInterval: AdvertisingInterval
    /// 0 ADV_IND, 1 and 4 directed, 2 ADV_SCAN_IND, 3 ADV_NONCONN_IND.
    public let advertisingType: UInt8
    /// 0 public, 1 random, 2 and 3 resolvable.
    public let ownAddressType: UInt8
    /// Peer address type and address, channel map and filter policy: 9 octets that beacons do not use.
    public let rest: [UInt8]

    public init(parsing reader: inout ByteReader) throws(WireError) {
        minimumInterval = AdvertisingInterval(UInt32(try reader.readLittleEndian(UInt16.self)))
        maximumInterval = AdvertisingInterval(UInt32(try reader.readLittleEndian(UInt16.self)))
        advertisingType = try reader.readUInt8()
        ownAddressType = try reader.readUInt8()
        rest = Array(try reader.read(count: 9))
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: minimumInterval.count))
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: maximumInterval.count))
        writer.write(advertisingType)
        writer.write(ownAddressType)
        writer.write(rest)
    }
}

/// The parameters of the two legacy commands that set data: a length octet and 31 octets, the rest of them padding.
public protocol LegacyAdvertisingDataCommand: HCICommand {
    /// The significant octets, at most 31.
    var data: [UInt8] { get }
    /// What stands behind them, up to 31 octets together.
    var padding: [UInt8] { get }
    /// A command of these octets.
    init(data: [UInt8], padding: [UInt8])
}

extension LegacyAdvertisingDataCommand {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        let length = Int(try reader.readUInt8())
        let field = Array(try reader.read(count: 31))
        guard length <= field.count else { throw WireError(.badLength(length), offset: start) }
        self.init(data: Array(field[..<length]), padding: Array(field[length...]))
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(truncatingIfNeeded: data.count))
        writer.write(data)
        writer.write(padding)
    }
}

/// HCI_LE_Set_Advertising_Data (Core 5.4, Vol 4, Part E, 7.8.7).
public struct LESetAdvertisingData: LegacyAdvertisingDataCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2008)
    public let data: [UInt8]
    public let padding: [UInt8]
    public init(data: [UInt8], padding: [UInt8]) {
        self.data = data
        self.padding = padding
    }
}

/// HCI_LE_Set_Scan_Response_Data (Core 5.4, Vol 4, Part E, 7.8.8).
public struct LESetScanResponseData: LegacyAdvertisingDataCommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x2009)
    public let data: [UInt8]
    public let padding: [UInt8]
    public init(data: [UInt8], padding: [UInt8]) {
        self.data = data
        self.padding = padding
    }
}

/// HCI_LE_Set_Advertising_Enable (Core 5.4, Vol 4, Part E, 7.8.9).
public struct LESetAdvertisingEnable: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x200A)
    /// 0 disables, 1 enables.
    public let enable: UInt8

    public init(parsing reader: inout ByteReader) throws(WireError) { enable = try reader.readUInt8() }
    public func serialize(into writer: inout ByteWriter) { writer.write(enable) }
}
