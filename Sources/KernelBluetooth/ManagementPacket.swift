// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The opcode of a management command (mgmt-api, "Commands"); the commands used here have names.
package struct ManagementOpcode: Hashable, Sendable {
    package let rawValue: UInt16
    package static let readCommands = ManagementOpcode(rawValue: 0x0002)
    package static let readIndexList = ManagementOpcode(rawValue: 0x0003)
    package static let readControllerInformation = ManagementOpcode(rawValue: 0x0004)
    package static let setPowered = ManagementOpcode(rawValue: 0x0005)
    package static let disconnect = ManagementOpcode(rawValue: 0x0014)
    package static let getConnections = ManagementOpcode(rawValue: 0x0015)
    package static let getConnectionInformation = ManagementOpcode(rawValue: 0x0031)
    package static let readAdvertisingFeatures = ManagementOpcode(rawValue: 0x003D)
    package static let addAdvertising = ManagementOpcode(rawValue: 0x003E)
    package static let removeAdvertising = ManagementOpcode(rawValue: 0x003F)
    package static let addExtendedAdvertisingParameters = ManagementOpcode(rawValue: 0x0054)
    package static let addExtendedAdvertisingData = ManagementOpcode(rawValue: 0x0055)
}

/// One packet of the management channel in either direction: code, controller index, length and parameters,
/// little-endian.
package struct ManagementPacket: WireCodable, Hashable {
    /// The index of packets that concern no controller.
    package static let noController: UInt16 = 0xFFFF

    /// The opcode of a command or the code of an event.
    package let code: UInt16
    /// The controller: N of hciN.
    package let index: UInt16
    /// The parameters of the command or event.
    package let parameters: [UInt8]

    package init(code: UInt16, index: UInt16, parameters: [UInt8]) {
        self.code = code
        self.index = index
        self.parameters = parameters
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        code = try reader.readLittleEndian()
        index = try reader.readLittleEndian()
        let length: UInt16 = try reader.readLittleEndian()
        parameters = Array(try reader.read(count: Int(length)))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(code)
        writer.writeLittleEndian(index)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: parameters.count))
        writer.write(parameters)
    }
}

/// An event of the management channel (mgmt-api, "Events").
package enum ManagementEvent: Hashable, Sendable {
    /// A command is complete: its status, 0 for success, and its return parameters.
    case completed(ManagementOpcode, status: UInt8, returned: [UInt8])
    /// A controller was added.
    case indexAdded
    /// A controller was removed.
    case indexRemoved
    /// The settings of a controller changed to these bits; bit 0 is powered.
    case newSettings(UInt32)
    /// A peer connected; flag bit 3 is set if this host initiated the connection.
    case deviceConnected(BluetoothAddress, addressType: UInt8, flags: UInt32)
    /// A peer disconnected.
    case deviceDisconnected(BluetoothAddress, addressType: UInt8)
    /// Pairing with a peer failed, or its key is wrong; the status is the reason.
    case authenticationFailed(BluetoothAddress, addressType: UInt8, status: UInt8)
    /// An advertising instance was added by another socket.
    case advertisingAdded(instance: UInt8)
    /// An advertising instance was removed, by another socket or by the kernel.
    case advertisingRemoved(instance: UInt8)
    /// An event that is not used here.
    case other(code: UInt16)

    /// The code of Command Complete.
    package static let commandComplete: UInt16 = 0x0001

    /// Parses the event in a packet.
    package init(_ packet: ManagementPacket) throws(WireError) {
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

// MARK: - Parameters

/// The return parameters of Read Management Supported Commands (mgmt-api, command 0x0002).
package struct ManagementCommandList: WireCodable, Hashable {
    /// The commands that this kernel supports.
    package let opcodes: [ManagementOpcode]
    /// The codes of the events that this kernel sends.
    package let events: [UInt16]

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let commandCount: UInt16 = try reader.readLittleEndian()
        let eventCount: UInt16 = try reader.readLittleEndian()
        var opcodes: [ManagementOpcode] = []
        for _ in 0..<commandCount { opcodes.append(ManagementOpcode(rawValue: try reader.readLittleEndian())) }
        var events: [UInt16] = []
        for _ in 0..<eventCount { events.append(try reader.readLittleEndian()) }
        self.opcodes = opcodes
        self.events = events
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: opcodes.count))
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: events.count))
        for opcode in opcodes { writer.writeLittleEndian(opcode.rawValue) }
        for event in events { writer.writeLittleEndian(event) }
    }
}

/// The return parameters of Read Advertising Features (mgmt-api, command 0x003D).
package struct AdvertisingFeatures: WireCodable, Hashable {
    /// The flags of Add Extended Advertising Parameters that this controller supports.
    package let supportedFlags: UInt32
    /// The maximum length of the advertising data, in bytes.
    package let maximumAdvertisingData: UInt8
    /// The maximum length of the scan response, in bytes.
    package let maximumScanResponse: UInt8
    /// The maximum number of instances, which are numbered from 1.
    package let maximumInstances: UInt8
    /// The instances that exist, of all programs.
    package let instances: [UInt8]

    /// Whether the controller has extended advertising: only then does the kernel offer flags for PHYs.
    package var isExtended: Bool { supportedFlags & 0x0000_0380 != 0 }

    /// Whether the length of an instance's turn can be set.
    package var canSetTurn: Bool { supportedFlags & AddExtendedAdvertisingParameters.Flags.hasDuration.rawValue != 0 }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        supportedFlags = try reader.readLittleEndian()
        maximumAdvertisingData = try reader.readUInt8()
        maximumScanResponse = try reader.readUInt8()
        maximumInstances = try reader.readUInt8()
        instances = Array(try reader.read(count: Int(try reader.readUInt8())))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(supportedFlags)
        writer.write([maximumAdvertisingData, maximumScanResponse, maximumInstances, UInt8(instances.count)])
        writer.write(instances)
    }
}

/// The parameters of Add Extended Advertising Parameters (mgmt-api, command 0x0054).
package struct AddExtendedAdvertisingParameters: WireCodable, Hashable {
    /// The flags that are used here (mgmt-api, "Add Extended Advertising Parameters"; Linux, `MGMT_ADV_FLAG_…` and
    /// `MGMT_ADV_PARAM_…`).
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The instance is connectable.
        package static let connectable = Flags(rawValue: 1 << 0)
        /// `duration` is used.
        package static let hasDuration = Flags(rawValue: 1 << 12)
        /// `minimumInterval` and `maximumInterval` are used.
        package static let hasIntervals = Flags(rawValue: 1 << 14)
        /// `transmitPower` is used.
        package static let hasTransmitPower = Flags(rawValue: 1 << 15)
        /// The instance is scannable. Without it the kernel makes an advertising set that is not connectable
        /// non-scannable as well, since the data that follows is not known yet, and the controller then refuses a scan
        /// response. On a legacy controller it has no effect: an instance is scannable there if it has a scan response.
        package static let hasScanResponse = Flags(rawValue: 1 << 16)
    }

    package let instance: UInt8
    package let flags: Flags
    /// The length of one turn in seconds; 0 for the kernel's default.
    package var duration: UInt16 = 0
    /// The life of the instance in seconds; 0 for no limit.
    package var timeout: UInt16 = 0
    package let minimumInterval: AdvertisingInterval
    package let maximumInterval: AdvertisingInterval
    /// In dBm; 127 for no preference.
    package let transmitPower: Int8

    /// - Parameter turn: the length of one turn in seconds; `nil` for the kernel's default.
    package init(
        instance: UInt8, flags: Flags, turn: UInt16? = nil, interval: AdvertisingInterval,
        transmitPower: TransmitPower?
    ) {
        self.instance = instance
        var flags = flags
        if turn != nil { flags.insert(.hasDuration) }
        if transmitPower != nil { flags.insert(.hasTransmitPower) }
        self.flags = flags
        duration = turn ?? 0
        minimumInterval = interval
        maximumInterval = interval
        self.transmitPower = transmitPower?.decibelMilliwatts ?? 127
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        instance = try reader.readUInt8()
        flags = Flags(rawValue: try reader.readLittleEndian())
        duration = try reader.readLittleEndian()
        timeout = try reader.readLittleEndian()
        minimumInterval = AdvertisingInterval(try reader.readLittleEndian())
        maximumInterval = AdvertisingInterval(try reader.readLittleEndian())
        transmitPower = try reader.readInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(instance)
        writer.writeLittleEndian(flags.rawValue)
        writer.writeLittleEndian(duration)
        writer.writeLittleEndian(timeout)
        writer.writeLittleEndian(minimumInterval.count)
        writer.writeLittleEndian(maximumInterval.count)
        writer.write(transmitPower)
    }
}
