// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What Read Advertising Features returns (mgmt-api, command 0x003D).
struct AdvertisingFeatures: WireCodable, Hashable {
    /// The flags that Add Extended Advertising Parameters takes on this controller.
    let supportedFlags: UInt32
    /// Octets of advertising data.
    let maximumAdvertisingData: UInt8
    /// Octets of scan response.
    let maximumScanResponse: UInt8
    /// How many instances there can be, numbered from 1.
    let maximumInstances: UInt8
    /// The instances that there are, anybody's.
    let instances: [UInt8]

    /// Whether the controller has extended advertising: only then the kernel offers a choice of PHYs.
    var isExtended: Bool { supportedFlags & 0x0000_0380 != 0 }

    init(parsing reader: inout ByteReader) throws(WireError) {
        supportedFlags = try reader.readLittleEndian()
        maximumAdvertisingData = try reader.readUInt8()
        maximumScanResponse = try reader.readUInt8()
        maximumInstances = try reader.readUInt8()
        instances = Array(try reader.read(count: Int(try reader.readUInt8())))
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(supportedFlags)
        writer.write([maximumAdvertisingData, maximumScanResponse, maximumInstances, UInt8(instances.count)])
        writer.write(instances)
    }
}

/// The parameters of Add Extended Advertising Parameters (mgmt-api, command 0x0054).
struct AddExtendedAdvertisingParameters: WireCodable, Hashable {
    /// Its flags, those used here.
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt32
        static let connectable = Flags(rawValue: 1 << 0)
        static let hasIntervals = Flags(rawValue: 1 << 14)
        static let hasTransmitPower = Flags(rawValue: 1 << 15)
    }

    let instance: UInt8
    let flags: Flags
    /// Seconds of one turn and of the whole, 0 for the kernel's choice.
    var duration: UInt16 = 0
    var timeout: UInt16 = 0
    let minimumInterval: AdvertisingInterval
    let maximumInterval: AdvertisingInterval
    /// In dBm; 127 for none.
    let transmitPower: Int8

    init(instance: UInt8, flags: Flags, interval: AdvertisingInterval, transmitPower: TransmitPower?) {
        self.instance = instance
        self.flags = transmitPower == nil ? flags : flags.union(.hasTransmitPower)
        minimumInterval = interval
        maximumInterval = interval
        self.transmitPower = transmitPower?.decibelMilliwatts ?? 127
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        instance = try reader.readUInt8()
        flags = Flags(rawValue: try reader.readLittleEndian())
        duration = try reader.readLittleEndian()
        timeout = try reader.readLittleEndian()
        minimumInterval = AdvertisingInterval(try reader.readLittleEndian())
        maximumInterval = AdvertisingInterval(try reader.readLittleEndian())
        transmitPower = try reader.readInt8()
    }

    func serialize(into writer: inout ByteWriter) {
        writer.write(instance)
        writer.writeLittleEndian(flags.rawValue)
        writer.writeLittleEndian(duration)
        writer.writeLittleEndian(timeout)
        writer.writeLittleEndian(minimumInterval.count)
        writer.writeLittleEndian(maximumInterval.count)
        writer.write(transmitPower)
    }
}
