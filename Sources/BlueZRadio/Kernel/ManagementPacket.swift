// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A number of a management command (mgmt-api, "Commands"); only those used here have names.
struct ManagementOpcode: Hashable, Sendable {
    let rawValue: UInt16
    static let readCommands = ManagementOpcode(rawValue: 0x0002)
    static let disconnect = ManagementOpcode(rawValue: 0x0014)
    static let getConnectionInformation = ManagementOpcode(rawValue: 0x0031)
    static let readAdvertisingFeatures = ManagementOpcode(rawValue: 0x003D)
    static let removeAdvertising = ManagementOpcode(rawValue: 0x003F)
    static let addExtendedAdvertisingParameters = ManagementOpcode(rawValue: 0x0054)
    static let addExtendedAdvertisingData = ManagementOpcode(rawValue: 0x0055)
}

/// One packet of the management channel, either way: code, controller index, length and parameters, little-endian.
struct ManagementPacket: WireCodable, Hashable {
    /// The index that means no particular controller.
    static let noController: UInt16 = 0xFFFF

    /// The opcode of a command, or the code of an event.
    let code: UInt16
    /// The controller: N of hciN.
    let index: UInt16
    /// What follows.
    let parameters: [UInt8]

    init(code: UInt16, index: UInt16, parameters: [UInt8]) {
        self.code = code
        self.index = index
        self.parameters = parameters
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        code = try reader.readLittleEndian()
        index = try reader.readLittleEndian()
        let length: UInt16 = try reader.readLittleEndian()
        parameters = Array(try reader.read(count: Int(length)))
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(code)
        writer.writeLittleEndian(index)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: parameters.count))
        writer.write(parameters)
    }
}

/// What an event of the management channel says (mgmt-api, "Events").
enum ManagementEvent: Hashable, Sendable {
    /// A command is done: its status, 0 for success, and what it returns.
    case completed(ManagementOpcode, status: UInt8, returned: [UInt8])
    /// A controller is there.
    case indexAdded
    /// A controller is gone.
    case indexRemoved
    /// A controller's settings are these bits; bit 0 is powered.
    case newSettings(UInt32)
    /// A peer connected; flag bit 3 says that this host initiated it.
    case deviceConnected(BluetoothAddress, addressType: UInt8, flags: UInt32)
    /// A peer is gone.
    case deviceDisconnected(BluetoothAddress, addressType: UInt8)
    /// A peer did not pair, or its key is not the right one; the status says why.
    case authenticationFailed(BluetoothAddress, addressType: UInt8, status: UInt8)
    /// An advertising instance was added by another socket.
    case advertisingAdded(instance: UInt8)
    /// An advertising instance was removed, by another socket or by the kernel.
    case advertisingRemoved(instance: UInt8)
    /// An event that is of no use here.
    case other(code: UInt16)

    /// Reads the event in a packet.
    init(_ packet: ManagementPacket) throws(WireError) {
        var reader = ByteReader(packet.parameters)
        switch packet.code {
        case 0x0001, 0x0002:
            let opcode = ManagementOpcode(rawValue: try reader.readLittleEndian())
            self = .completed(opcode, status: try reader.readUInt8(), returned: Array(reader.readAll()))
        case 0x0004: self = .indexAdded
        case 0x0005: self = .indexRemoved
        case 0x0006: self = .newSettings(try reader.readLittleEndian())
        case 0x000B:
            self = .deviceConnected(
                try BluetoothAddress(parsing: &reader), addressType: try reader.readUInt8(),
                flags: try reader.readLittleEndian())
        case 0x000C:
            self = .deviceDisconnected(try BluetoothAddress(parsing: &reader), addressType: try reader.readUInt8())
        case 0x0011:
            self = .authenticationFailed(
                try BluetoothAddress(parsing: &reader), addressType: try reader.readUInt8(),
                status: try reader.readUInt8())
        case 0x0023: self = .advertisingAdded(instance: try reader.readUInt8())
        case 0x0024: self = .advertisingRemoved(instance: try reader.readUInt8())
        default: self = .other(code: packet.code)
        }
    }
}
