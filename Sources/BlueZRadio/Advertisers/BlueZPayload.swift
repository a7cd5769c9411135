// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus

/// The content of an AD structure as a property of org.bluez.LEAdvertisement1.
enum BlueZContent: Hashable, Sendable {
    /// `Discoverable`; bluetoothd computes the flags from it.
    case flags(AdvertisingFlags)
    /// `ServiceUUIDs`.
    case services([BluetoothUUID])
    /// `SolicitUUIDs`.
    case solicitation([BluetoothUUID])
    /// `ManufacturerData`.
    case manufacturerData(CompanyIdentifier, [UInt8])
    /// `ServiceData`.
    case serviceData(BluetoothUUID, [UInt8])
    /// `LocalName`.
    case localName(String)
    /// `Appearance`.
    case appearance(UInt16)
    /// `Includes` with `tx-power`; the kernel inserts the value.
    case transmitPower(TransmitPower)
    /// `Data`, for an AD type that has no property of its own.
    case other(type: UInt8, [UInt8])

    /// The reason why no property can carry a structure, as a clause of a sentence.
    struct Refusal: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The content of a structure.
    /// - Throws: `Refusal` when this bluetoothd has no property for it, or would refuse the whole advertisement.
    init(_ structure: AdvertisingStructure, for daemon: DaemonCapabilities) throws(Refusal) {
        switch structure {
        case .flags(let flags): self = .flags(flags)
        case .serviceUUIDs16(let uuids, _): self = .services(try Self.list(uuids.map { .bit16($0) }))
        case .serviceUUIDs128(let uuids, _): self = .services(try Self.list(uuids.map { .bit128($0) }))
        case .localName(let name, _):
            guard !name.isEmpty else { throw Refusal("bluetoothd omits an empty name") }
            guard !name.utf8.contains(0) else { throw Refusal("a D-Bus string cannot contain a NUL character") }
            self = .localName(name)
        case .transmitPower(let power):
            guard daemon.canIncludeTransmitPower else {
                throw Refusal("bluetoothd does not support tx-power on this adapter (SupportedIncludes)")
            }
            self = .transmitPower(power)
        case .serviceData16(let uuid, let data): self = .serviceData(.bit16(uuid), try Self.content(data))
        case .manufacturerSpecific(let company, let data):
            self = .manufacturerData(company, try Self.content(data))
        case .unknown(let type, let data): self = try Self(type: type, data: data, for: daemon)
        }
    }

    /// The content of a structure that `AdvertisingStructure` has no case for, or that is malformed.
    private init(type: UInt8, data: [UInt8], for daemon: DaemonCapabilities) throws(Refusal) {
        switch type {
        case 0x04, 0x05: self = .services(try Self.list(try Self.uuids(data, width: 4)))
        case 0x14: self = .solicitation(try Self.list(try Self.uuids(data, width: 2)))
        case 0x15: self = .solicitation(try Self.list(try Self.uuids(data, width: 16)))
        case 0x1F: self = .solicitation(try Self.list(try Self.uuids(data, width: 4)))
        case 0x20: self = try Self.serviceData(data, width: 4)
        case 0x21: self = try Self.serviceData(data, width: 16)
        case 0x19:
            guard data.count == 2 else { throw .malformed }
            let value = UInt16(data[0]) | UInt16(data[1]) << 8
            guard value != 0xFFFF else {
                throw Refusal("bluetoothd omits the appearance 0xFFFF, which is its mark for none")
            }
            self = .appearance(value)
        case 0x01...0x03, 0x06...0x0A, 0x16, 0xFF: throw .malformed
        case 0x2E where !daemon.takesAnySetIdentifier:
            throw Refusal("bluetoothd refuses a resolvable set identifier that does not resolve with its own key")
        default:
            guard !Self.typesWithoutProperty.contains(type) else {
                throw Refusal("bluetoothd has no property for it, and refuses its type in Data")
            }
            self = .other(type: type, try Self.content(data))
        }
    }

    /// AD types that `Data` refuses, other than those that have a property (`type_reject_list` of src/shared/ad.c).
    private static let typesWithoutProperty: Set<UInt8> = [
        0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x17, 0x18, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x22, 0x23, 0x27, 0x28, 0x29,
        0x2A,
        0x2B, 0x3D,
    ]

    private static func list(_ uuids: [BluetoothUUID]) throws(Refusal) -> [BluetoothUUID] {
        guard !uuids.isEmpty else { throw Refusal("bluetoothd omits an empty list of services") }
        return uuids.map(asBlueZReadsIt)
    }

    private static func content(_ data: [UInt8]) throws(Refusal) -> [UInt8] {
        guard !data.isEmpty else { throw Refusal("bluetoothd refuses a structure without content") }
        return data
    }

    private static func uuids(_ data: [UInt8], width: Int) throws(Refusal) -> [BluetoothUUID] {
        guard data.count.isMultiple(of: width) else { throw .malformed }
        return stride(from: 0, to: data.count, by: width).compactMap { start in
            BluetoothUUID(littleEndian: data[start..<start + width])
        }
    }

    private static func serviceData(_ data: [UInt8], width: Int) throws(Refusal) -> BlueZContent {
        guard let uuid = BluetoothUUID(littleEndian: data.prefix(width)) else { throw .malformed }
        return .serviceData(asBlueZReadsIt(uuid), try content(Array(data.dropFirst(width))))
    }

    /// The UUID as bluetoothd parses it: it abbreviates 128 bits to 16, but never to 32 (`bt_string_to_uuid`, lib/uuid.c).
    private static func asBlueZReadsIt(_ uuid: BluetoothUUID) -> BluetoothUUID {
        guard case .bit128 = uuid, case .bit16(let short) = uuid.abbreviated else { return uuid }
        return .bit16(short)
    }
}

extension BlueZContent.Refusal {
    static let malformed = Self("its data is malformed, and bluetoothd composes well-formed structures only")
    static let noRoom = Self("there is no room in the payload that bluetoothd would add the structure to")

    /// The refusal of a second structure where bluetoothd keeps only the last one.
    static func only(_ what: String) -> Self { Self("bluetoothd takes only one \(what)") }
}

/// The data of one PDU as bluetoothd composes it (`bt_ad_generate`, src/shared/ad.c): structures in a fixed order, at
/// most one of most types; then the flags; then the TX power, which the kernel appends.
struct BlueZPayload: Hashable, Sendable {
    private(set) var flags: AdvertisingFlags?
    private var services: [BluetoothUUID] = []
    private var solicitation: [BluetoothUUID] = []
    private var manufacturerData: [Entry<CompanyIdentifier>] = []
    private var serviceData: [Entry<BluetoothUUID>] = []
    private var localName: String?
    private var appearance: UInt16?
    private var other: [Entry<UInt8>] = []
    private var transmitPower: TransmitPower?

    /// An entry of a dictionary property.
    private struct Entry<Key: Hashable & Sendable>: Hashable {
        let key: Key
        let data: [UInt8]
    }

    /// Adds the content of one structure.
    /// - Throws: `Refusal` when there may be only one structure of its kind, or when the data would exceed the PDU.
    mutating func add(_ content: BlueZContent) throws(BlueZContent.Refusal) {
        var grown = self
        switch content {
        case .flags(let flags):
            guard self.flags == nil else { throw .only("structure of flags") }
            grown.flags = flags
        case .services(let uuids): grown.services += uuids
        case .solicitation(let uuids): grown.solicitation += uuids
        case .manufacturerData(let company, let data):
            guard !manufacturerData.contains(where: { $0.key == company }) else {
                throw .only("structure of a manufacturer")
            }
            grown.manufacturerData.append(Entry(key: company, data: data))
        case .serviceData(let uuid, let data):
            guard !serviceData.contains(where: { $0.key == uuid }) else {
                throw .only("structure of service data for each UUID")
            }
            grown.serviceData.append(Entry(key: uuid, data: data))
        case .localName(let name):
            guard localName == nil else { throw .only("name") }
            grown.localName = name
        case .appearance(let value):
            guard appearance == nil else { throw .only("appearance") }
            grown.appearance = value
        case .transmitPower(let power):
            guard transmitPower == nil else { throw .only("power") }
            grown.transmitPower = power
        case .other(let type, let data):
            guard !other.contains(where: { $0.key == type }) else { throw .only("structure of this type") }
            grown.other.append(Entry(key: type, data: data))
        }
        guard grown.data.size <= AdvertisingPDU.capacity else { throw .noRoom }
        self = grown
    }

    /// Whether the payload has no structures.
    var isEmpty: Bool { structures.isEmpty }

    /// The data that bluetoothd composes, with the requested power.
    var data: AdvertisingData { AdvertisingData(structures) }

    /// The structures in bluetoothd's order.
    var structures: [AdvertisingStructure] {
        var structures = Self.lists(of: services, types: (0x03, 0x05, 0x07))
        structures += Self.lists(of: solicitation, types: (0x14, 0x1F, 0x15))
        structures += manufacturerData.map { .manufacturerSpecific($0.key, $0.data) }
        structures += serviceData.map { entry in
            let type: UInt8 =
                switch entry.key {
                case .bit16: 0x16
                case .bit32: 0x20
                case .bit128: 0x21
                }
            return AdvertisingStructure(type: type, data: entry.key.littleEndian + entry.data)
        }
        if let localName { structures.append(.localName(localName, isComplete: true)) }
        if let appearance {
            structures.append(.unknown(type: 0x19, data: [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]))
        }
        structures += other.map { AdvertisingStructure(type: $0.key, data: $0.data) }
        if let flags { structures.append(.flags(flags)) }
        if let transmitPower { structures.append(.transmitPower(transmitPower)) }
        return structures
    }

    /// The properties from which bluetoothd composes this data.
    func properties(inScanResponse: Bool) -> [String: DBusValue] {
        let prefix = inScanResponse ? "ScanResponse" : ""
        var properties: [String: DBusValue] = [:]
        func set<Key>(
            _ name: String, _ entries: [Entry<Key>], _ signature: DBusSignature, _ key: (Key) -> DBusValue
        ) {
            guard !entries.isEmpty else { return }
            properties[prefix + name] = .dictionary(
                signature, "v", entries.map { DBusDictionaryEntry(key($0.key), .variant(.bytes($0.data))) })
        }
        if !services.isEmpty { properties[prefix + "ServiceUUIDs"] = .strings(services.map(\.blueZText)) }
        if !solicitation.isEmpty { properties[prefix + "SolicitUUIDs"] = .strings(solicitation.map(\.blueZText)) }
        set("ManufacturerData", manufacturerData, "q") { .uint16($0.rawValue) }
        set("ServiceData", serviceData, "s") { .string($0.blueZText) }
        set("Data", other, "y") { .byte($0) }
        if let localName { properties["LocalName"] = .string(localName) }
        if let appearance { properties["Appearance"] = .uint16(appearance) }
        if transmitPower != nil { properties["Includes"] = .strings(["tx-power"]) }
        if let flags { properties["Discoverable"] = .boolean(flags.contains(.generalDiscoverable)) }
        return properties
    }

    private static func lists(
        of uuids: [BluetoothUUID], types: (bit16: UInt8, bit32: UInt8, bit128: UInt8)
    ) -> [AdvertisingStructure] {
        var lists: [UInt8: [UInt8]] = [:]
        for uuid in uuids {
            switch uuid {
            case .bit16: lists[types.bit16, default: []] += uuid.littleEndian
            case .bit32: lists[types.bit32, default: []] += uuid.littleEndian
            case .bit128: lists[types.bit128, default: []] += uuid.littleEndian
            }
        }
        return [types.bit16, types.bit32, types.bit128].compactMap { type in
            lists[type].map { AdvertisingStructure(type: type, data: $0) }
        }
    }
}

extension BluetoothUUID {
    /// Parses 2, 4 or 16 bytes in the order of AD structures; `nil` for any other count.
    fileprivate init?(littleEndian bytes: ArraySlice<UInt8>) {
        let number = bytes.reversed().prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        switch bytes.count {
        case 2: self = .bit16(UInt16(number))
        case 4: self = .bit32(number)
        default:
            guard let uuid = UUID128(octets: bytes.reversed()) else { return nil }
            self = .bit128(uuid)
        }
    }

    /// The bytes in the order of AD structures.
    fileprivate var littleEndian: [UInt8] {
        switch self {
        case .bit16(let value): [UInt8(value & 0xFF), UInt8(value >> 8)]
        case .bit32(let value): [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
        case .bit128(let uuid): uuid.octets.reversed()
        }
    }

    /// The text that bluetoothd parses as a UUID of the same width. The form of 128 bits is never parsed as 32 bits.
    fileprivate var blueZText: String {
        switch self {
        case .bit16, .bit128: expanded.description
        case .bit32: description
        }
    }
}
