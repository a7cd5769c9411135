// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import Radio

/// The properties of a device that bluetoothd receives or remembers (org.bluez.Device1).
struct DeviceProperties {
    static let interface = "org.bluez.Device1"

    private var values: [String: DBusValue]

    /// Takes properties as they come from the bus, with the variants unwrapped.
    init(_ values: [String: DBusValue]) {
        self.values = values
    }

    /// Applies changed and invalidated properties.
    mutating func change(_ changed: [String: DBusValue], invalidated: [String]) {
        for name in invalidated { values[name] = nil }
        values.merge(changed) { _, new in new }
    }

    /// Whether these changed properties mean that an advertisement was received; others also change with connections.
    static func isSighting(_ changed: [String: DBusValue]) -> Bool {
        !advertised.isDisjoint(with: changed.keys)
    }

    private static let advertised: Set = [
        "RSSI", "ManufacturerData", "ServiceData", "TxPower", "AdvertisingFlags", "AdvertisingData",
    ]

    /// The address; `nil` if the properties lack it.
    var device: RemoteAddress? {
        guard let address = values["Address"]?.stringValue.flatMap({ BluetoothAddress($0) }),
            let type = values["AddressType"]?.stringValue
        else { return nil }
        return RemoteAddress(address, isRandom: type == "random")
    }

    /// Whether the device is connected.
    var isConnected: Bool { values["Connected"]?.boolValue ?? false }
    /// Whether bluetoothd has discovered the services.
    var areServicesResolved: Bool { values["ServicesResolved"]?.boolValue ?? false }
    /// Whether the device was received in the current discovery.
    var isInRange: Bool { values["RSSI"] != nil }

    /// The properties as a sighting; `nil` without an address.
    var sighting: Sighting? {
        device.map { Sighting(device: $0, pdu: nil, data: advertisingData.serialized(), rssi: rssi) }
    }

    private var rssi: RSSI? {
        let rssi = values["RSSI"]?.int16Value.flatMap { Int8(exactly: $0) }.map { RSSI($0) }
        return rssi == .unavailable ? nil : rssi
    }

    /// The AD structures of advertising data and scan response together; bluetoothd does not report their order.
    private var advertisingData: AdvertisingData {
        AdvertisingData(
            flags + services + name + transmitPower + serviceData + manufacturerData + others)
    }

    private var flags: [AdvertisingStructure] {
        // bluetoothd reports 0 for missing flags.
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

    /// Structures of types that bluetoothd does not interpret.
    private var others: [AdvertisingStructure] {
        (values["AdvertisingData"]?.entriesValue ?? []).compactMap { entry in
            guard let type = entry.key.byteValue, let data = entry.value.unwrapped.bytesValue else { return nil }
            return AdvertisingStructure(type: type, data: data)
        }
    }
}

extension BlueZDaemon {
    /// Why a device is not connected any more, and whether the daemon still has its object. `nil` if the device is
    /// connected, or if there was no reply.
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
