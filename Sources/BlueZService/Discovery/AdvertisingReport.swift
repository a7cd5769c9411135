// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving

/// A received advertisement in the terms of `org.bluez.Device1` (bluez 5.82 src/eir.c, `eir_parse`).
struct AdvertisingReport: Sendable {
    /// The data of a company.
    struct ManufacturerData: Hashable, Sendable {
        let company: UInt16
        let data: [UInt8]
    }

    /// The data of a service.
    struct ServiceData: Hashable, Sendable {
        let service: BluetoothUUID
        let data: [UInt8]
    }

    /// The sender, by its identity address if it is bonded.
    let device: RemoteAddress
    /// The type of the PDU.
    let pdu: Sighting.PDU?
    /// The structures, for monitors.
    let structures: [AdvertisingStructure]
    /// The advertised services: lists, and the UUIDs of service data; each once.
    private(set) var services: [BluetoothUUID] = []
    /// The name.
    private(set) var name: String?
    /// Whether the name is complete.
    private(set) var isNameComplete = false
    /// The transmit power, in dBm.
    private(set) var transmitPower: Int8?
    /// The appearance; `nil` if it is 0.
    private(set) var appearance: UInt16?
    /// The byte of flags; `nil` without flags.
    private(set) var flags: UInt8?
    /// The data of companies, in order.
    private(set) var manufacturerData: [ManufacturerData] = []
    /// The data of services, in order.
    private(set) var serviceData: [ServiceData] = []
    /// Structures that no other property has, by their types.
    private(set) var otherData: [UInt8: [UInt8]] = [:]

    /// The report of a sighting; bytes that make no structure are ignored.
    init(_ sighting: Sighting) {
        device = sighting.identity ?? sighting.device
        pdu = sighting.pdu
        structures = AdvertisingData(verbatim: sighting.data).structures
        for structure in structures { add(structure) }
    }

    /// Whether it is a scan response, which makes no device.
    var isScanResponse: Bool { pdu == .scanResponse || pdu == .extendedScanResponse }

    /// Whether the sender can be connected to, as far as the PDU shows it.
    var isConnectable: Bool { pdu != .nonConnectable && pdu != .scannable }

    /// Whether the sender answers scan requests.
    var isScannable: Bool { pdu == .connectableScannable || pdu == .scannable }

    private mutating func add(_ structure: AdvertisingStructure) {
        for service in structure.services where !services.contains(service) { services.append(service) }
        switch structure {
        case .flags(let flags): self.flags = flags.rawValue
        case .serviceUUIDs16, .serviceUUIDs128: break
        case .localName(let text, let isComplete):
            // Up to the first NUL, as bluetoothd reads it; D-Bus has no strings with one.
            let text = String(text.prefix { $0 != "\0" })
            guard !text.isEmpty else { break }
            name = text
            isNameComplete = isComplete
        case .transmitPower(let power): transmitPower = power.decibelMilliwatts
        case .serviceData16(let service, let data):
            serviceData.append(ServiceData(service: .bit16(service), data: data))
        case .manufacturerSpecific(let company, let data):
            manufacturerData.append(ManufacturerData(company: company.rawValue, data: data))
        case .unknown(let type, let data): add(type, data, structure.services.first)
        }
    }

    private mutating func add(_ type: UInt8, _ data: [UInt8], _ service: BluetoothUUID?) {
        switch type {
        case 0x20: if let service { serviceData.append(ServiceData(service: service, data: Array(data.dropFirst(4)))) }
        case 0x21: if let service { serviceData.append(ServiceData(service: service, data: Array(data.dropFirst(16)))) }
        case 0x19 where data.count == 2:
            let value = UInt16(data[0]) | UInt16(data[1]) << 8
            appearance = value == 0 ? nil : value
        // bluetoothd gives these to no program: they have properties of their own, or serve an attack.
        case 0x00...0x0A, 0x0D...0x10, 0x14...0x16, 0x19, 0x1B, 0x1C, 0x1F, 0x22, 0x23, 0x3E...0xFF: break
        default: otherData[type] = data
        }
    }
}
