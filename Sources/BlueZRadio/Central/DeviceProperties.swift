// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import DBus
import Radio

/// What bluetoothd tells of a device that it hears or knows (org.bluez.Device).
struct DeviceProperties {
    static let interface = "org.bluez.Device1"

    private var values: [String: DBusValue]

    /// Properties as they come from the bus, variants unwrapped.
    init(_ values: [String: DBusValue]) {
        self.values = values
    }

    /// Takes what changed, and what is not so any more.
    mutating func change(_ changed: [String: DBusValue], invalidated: [String]) {
        for name in invalidated { values[name] = nil }
        values.merge(changed) { _, new in new }
    }

    /// Whether such a change means that the device was heard: others come from connections, too.
    static func tellsOfHearing(_ changed: [String: DBusValue]) -> Bool {
        !heard.isDisjoint(with: changed.keys)
    }

    private static let heard: Set = [
        "RSSI", "ManufacturerData", "ServiceData", "TxPower", "AdvertisingFlags", "AdvertisingData",
    ]

    /// The device; `nil` when the properties do not say.
    var device: RemoteAddress? {
        guard let address = values["Address"]?.stringValue.flatMap({ BluetoothAddress($0) }),
            let type = values["AddressType"]?.stringValue
        else { return nil }
        return RemoteAddress(address, isRandom: type == "random")
    }

    /// Whether it is connected.
    var isConnected: Bool { values["Connected"]?.boolValue ?? false }
    /// Whether its services are known.
    var areServicesResolved: Bool { values["ServicesResolved"]?.boolValue ?? false }
    /// Whether it was heard in the discovery under way.
    var isHeard: Bool { values["RSSI"] != nil }

    /// The sighting that they make; `nil` when they do not say of whom.
    var sighting: Sighting? {
        device.map { Sighting(device: $0, pdu: nil, data: advertisingData.serialized(), rssi: rssi) }
    }

    private var rssi: RSSI? {
        let rssi = values["RSSI"]?.int16Value.flatMap { Int8(exactly: $0) }.map { RSSI($0) }
        return rssi == .unavailable ? nil : rssi
    }

    /// AD structures of what is told, advertising data and scan response in one; the order is ours.
    private var advertisingData: AdvertisingData {
        AdvertisingData(
            flags + services + name + transmitPower + serviceData + manufacturerData + others)
    }

    private var flags: [AdvertisingStructure] {
        // bluetoothd has 0 for none.
        guard let flags = values["AdvertisingFlags"]?.bytesValue?.first, flags != 0 else { return [] }
        return [.flags(AdvertisingFlags(rawValue: flags))]
    }

    private var services: [AdvertisingStructure] {
        var short: [UInt16] = []
        var middle = ByteWriter()
        var long: [UUID128] = []
        for uuid in (values["UUIDs"]?.stringsValue ?? []).compactMap({ BluetoothUUID($0) }) {
            switch uuid.abbreviated {
            case .bit16(let value): short.append(value)
            case .bit32(let value): middle.writeLittleEndian(value)
            case .bit128(let value): long.append(value)
            }
        }
        var structures: [AdvertisingStructure] = []
        if !short.isEmpty { structures.append(.serviceUUIDs16(short, isComplete: true)) }
        if !middle.bytes.isEmpty { structures.append(AdvertisingStructure(type: 0x05, data: middle.bytes)) }
        if !long.isEmpty { structures.append(.serviceUUIDs128(long, isComplete: true)) }
        return structures
    }

    private var name: [AdvertisingStructure] {
        guard let name = values["Name"]?.stringValue, !name.isEmpty else { return [] }
        return [.localName(name, isComplete: true)]
    }

    private var transmitPower: [AdvertisingStructure] {
        guard let power = values["TxPower"]?.int16Value.flatMap({ Int8(exactly: $0) }) else { return [] }
        return [.transmitPower(TransmitPower(power))]
    }

    private var serviceData: [AdvertisingStructure] {
        let entries = values["ServiceData"]?.dictionaryValue ?? [:]
        return entries.sorted { $0.key < $1.key }.compactMap { entry in
            guard let uuid = BluetoothUUID(entry.key), let data = entry.value.bytesValue else { return nil }
            var writer = ByteWriter()
            switch uuid.abbreviated {
            case .bit16(let value): return .serviceData16(value, data)
            case .bit32(let value): writer.writeLittleEndian(value)
            case .bit128(let value): value.serialize(into: &writer)
            }
            let type: UInt8 = writer.bytes.count == 4 ? 0x20 : 0x21
            return AdvertisingStructure(type: type, data: writer.bytes + data)
        }
    }

    private var manufacturerData: [AdvertisingStructure] {
        (values["ManufacturerData"]?.entriesValue ?? []).compactMap { entry in
            guard let company = entry.key.uint16Value, let data = entry.value.unwrapped.bytesValue else { return nil }
            return .manufacturerSpecific(CompanyIdentifier(company), data)
        }
    }

    /// Types that bluetoothd does not understand.
    private var others: [AdvertisingStructure] {
        (values["AdvertisingData"]?.entriesValue ?? []).compactMap { entry in
            guard let type = entry.key.byteValue, let data = entry.value.unwrapped.bytesValue else { return nil }
            return AdvertisingStructure(type: type, data: data)
        }
    }
}

extension BlueZDaemon {
    /// Why a device is not connected any more, and whether the daemon knows it still; `nil` when it is connected, or the
    /// daemon is busy, which says nothing about the connection.
    func loss(of device: ObjectPath) async -> (reason: String, isKnown: Bool)? {
        do throws(DBusError) {
            let properties = try await properties(DeviceProperties.interface, of: device)
            return DeviceProperties(properties).isConnected ? nil : ("the connection was lost", true)
        } catch {
            guard error.kind == .remote else { return nil }
            return (error.isDaemonGone ? "bluetoothd is gone" : "bluetoothd has removed the device", false)
        }
    }
}
