// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus

/// An advertisement that a program registers: the properties of its `org.bluez.LEAdvertisement1`
/// (bluez 5.82 doc/org.bluez.LEAdvertisement.rst, src/advertising.c).
///
/// All properties are read and checked. The bytes are those that bluetoothd and the kernel compose, but for the order: flags
/// come first. The name is in the scan response, cut to its room.
struct AdvertisementProperties: Hashable {
    /// What the adapter adds.
    struct Context: Hashable {
        /// The name of the adapter.
        var name: String
        /// Whether the adapter is discoverable.
        var isDiscoverable: Bool
        /// The address of the adapter.
        var address: BluetoothAddress
    }

    /// A property that cannot be advertised as given.
    struct Fault: Error, Hashable {
        /// The property.
        let property: String
    }

    /// The interval that the kernel has, if the program gives none.
    static let standardInterval = AdvertisingInterval(0x0800)
    /// The names in `Includes`.
    static let includes = ["tx-power", "appearance", "local-name"]

    /// The names in `Includes` that have no effect, as bluetoothd ignores them. `rsi` is not among them: bluetoothctl always
    /// requests it, and without a key of a coordinated set bluetoothd includes nothing either.
    let ignoredIncludes: [String]
    /// What is advertised.
    private(set) var advertisement: Advertisement
    /// The time after which it ends; `nil` for none.
    private(set) var timeout: Duration?
    /// The time after which it is not discoverable any more; `nil` for none.
    private(set) var discoverableTimeout: Duration?

    /// Reads the properties of the object.
    /// - Throws: `Fault` for the first property with a wrong type or value, or which does not fit.
    init(_ properties: [String: DBusValue], _ context: Context) throws(Fault) {
        var reader = Reader(properties)
        let isPeripheral = try reader.isPeripheral()
        var data = Payload()
        var response = Payload()
        try data.read(&reader, prefix: "")
        try response.read(&reader, prefix: "ScanResponse")
        let includes = try reader.strings("Includes") ?? []
        ignoredIncludes = includes.filter { !Self.includes.contains($0) && $0 != "rsi" }
        if includes.contains("appearance") {
            if try reader.uint16("Appearance") != nil { throw Fault(property: "Appearance") }
            // The adapter's, which bluetoothd does not know (`generate_adv_data`).
            data.structures.append(AdvertisingStructure(type: 0x19, data: [0, 0]))
        }
        let power = try reader.power()
        if includes.contains("tx-power") {
            data.structures.append(.transmitPower(TransmitPower(power ?? 0)))
        }
        let discoverable = try reader.boolean("Discoverable")
        // Flags make a broadcast discoverable, which it cannot be.
        if discoverable != nil, !isPeripheral { throw Fault(property: "Discoverable") }
        timeout = try reader.seconds("Timeout")
        discoverableTimeout = try reader.seconds("DiscoverableTimeout")
        // What is not discoverable has no such timeout (bluez 5.66 src/advertising.c:1432, 5.82 :1549).
        if discoverable != true { discoverableTimeout = nil }
        if let timeout, let discoverableTimeout, discoverableTimeout > timeout {
            throw Fault(property: "DiscoverableTimeout")
        }
        _ = try reader.seconds("Duration")
        // Extended advertising, which the service does not have; no other text is one, either.
        if try reader.string("SecondaryChannel") != nil { throw Fault(property: "SecondaryChannel") }
        if let flags = Self.flags(discoverable, isPeripheral: isPeripheral, discoverableTimeout, context) {
            data.structures.insert(.flags(flags), at: 0)
        }
        let name = try reader.string("LocalName")
        if name != nil, includes.contains("local-name") { throw Fault(property: "LocalName") }
        if let name = name ?? (includes.contains("local-name") ? context.name : nil), !name.isEmpty {
            try response.append(name: name)
        }
        let advertisingData = try data.advertisingData("advertising data")
        let scanResponse = try response.advertisingData("scan response")
        // A discoverable adapter is connectable, and then all that it advertises is (kernel, `mgmt_get_connectable`).
        let isConnectable = isPeripheral || context.isDiscoverable
        advertisement = Advertisement(
            pdu: isConnectable ? .connectableScannable : scanResponse.size > 0 ? .scannable : .nonConnectable,
            advertisingData: advertisingData, scanResponse: scanResponse, interval: try reader.interval(),
            transmitPower: power.map { TransmitPower($0) }, address: context.address)
    }

    /// The flags of the property, else the flags of a discoverable adapter (kernel, `create_instance_adv_data`).
    private static func flags(
        _ discoverable: Bool?, isPeripheral: Bool, _ timeout: Duration?, _ context: Context
    ) -> AdvertisingFlags? {
        switch discoverable {
        case true?: timeout == nil ? .beacon : [.limitedDiscoverable, .classicNotSupported]
        case false?: .classicNotSupported
        case nil: isPeripheral && context.isDiscoverable ? .beacon : nil
        }
    }
}

/// The structures of advertising data or a scan response.
private struct Payload {
    var structures: [AdvertisingStructure] = []

    /// Types that have properties of their own, or are the controller's (bluez 5.82 src/shared/ad.c).
    private static let reservedTypes: Set<UInt8> = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x14, 0x15, 0x16, 0x1F, 0x20, 0x21, 0xFF,
    ]

    mutating func read(_ reader: inout Reader, prefix: String) throws(AdvertisementProperties.Fault) {
        append(try reader.uuids(prefix + "ServiceUUIDs"), types: (0x03, 0x05, 0x07))
        append(try reader.uuids(prefix + "SolicitUUIDs"), types: (0x14, 0x1F, 0x15))
        for (company, data) in try reader.manufacturerData(prefix + "ManufacturerData") {
            structures.append(.manufacturerSpecific(CompanyIdentifier(company), data))
        }
        for (uuid, data) in try reader.serviceData(prefix + "ServiceData") {
            let (type, bytes): (UInt8, [UInt8]) =
                switch uuid {
                case .bit16: (0x16, uuid.advertisedBytes)
                case .bit32: (0x20, uuid.advertisedBytes)
                case .bit128: (0x21, uuid.advertisedBytes)
                }
            structures.append(AdvertisingStructure(type: type, data: bytes + data))
        }
        if prefix.isEmpty, let appearance = try reader.uint16("Appearance") {
            structures.append(
                AdvertisingStructure(type: 0x19, data: [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]))
        }
        for (type, data) in try reader.data(prefix + "Data") {
            guard !Self.reservedTypes.contains(type) else { throw .init(property: prefix + "Data") }
            structures.append(AdvertisingStructure(type: type, data: data))
        }
    }

    private mutating func append(_ uuids: [BluetoothUUID], types: (UInt8, UInt8, UInt8)) {
        var bytes: (short: [UInt8], medium: [UInt8], long: [UInt8]) = ([], [], [])
        for uuid in uuids {
            switch uuid {
            case .bit16: bytes.short += uuid.advertisedBytes
            case .bit32: bytes.medium += uuid.advertisedBytes
            case .bit128: bytes.long += uuid.advertisedBytes
            }
        }
        for (type, data) in [(types.0, bytes.short), (types.1, bytes.medium), (types.2, bytes.long)]
        where !data.isEmpty {
            structures.append(AdvertisingStructure(type: type, data: data))
        }
    }

    /// Appends a name, shortened to what fits.
    mutating func append(name: String) throws(AdvertisementProperties.Fault) {
        let room = AdvertisingPDU.capacity - structures.reduce(0) { $0 + $1.size } - 2
        var shortened = name
        while shortened.utf8.count > max(0, room) { shortened.removeLast() }
        guard !shortened.isEmpty else { throw .init(property: "LocalName") }
        structures.append(.localName(shortened, isComplete: shortened == name))
    }

    /// The bytes, of which there are at most 31.
    func advertisingData(_ what: String) throws(AdvertisementProperties.Fault) -> AdvertisingData {
        // A structure counts its bytes in one.
        guard structures.allSatisfy({ $0.size <= AdvertisingPDU.capacity }) else { throw .init(property: what) }
        let data = AdvertisingData(structures)
        guard data.size <= AdvertisingPDU.capacity else { throw .init(property: what) }
        return data
    }
}

/// The properties, which are read with their types.
private struct Reader {
    private typealias Fault = AdvertisementProperties.Fault

    private let properties: [String: DBusValue]

    init(_ properties: [String: DBusValue]) { self.properties = properties }

    private func value<Value>(
        _ name: String, _ read: (DBusValue) -> Value?
    ) throws(AdvertisementProperties.Fault) -> Value? {
        guard let value = properties[name]?.unwrapped else { return nil }
        guard let result = read(value) else { throw Fault(property: name) }
        return result
    }

    func isPeripheral() throws(AdvertisementProperties.Fault) -> Bool {
        switch try string("Type") {
        case "peripheral": true
        case "broadcast", nil: false
        default: throw Fault(property: "Type")
        }
    }

    func string(_ name: String) throws(AdvertisementProperties.Fault) -> String? { try value(name, \.stringValue) }

    func strings(_ name: String) throws(AdvertisementProperties.Fault) -> [String]? { try value(name, \.stringsValue) }

    func boolean(_ name: String) throws(AdvertisementProperties.Fault) -> Bool? { try value(name, \.boolValue) }

    func uint16(_ name: String) throws(AdvertisementProperties.Fault) -> UInt16? { try value(name, \.uint16Value) }

    /// A number of seconds, 0 being none.
    func seconds(_ name: String) throws(AdvertisementProperties.Fault) -> Duration? {
        try uint16(name).flatMap { $0 == 0 ? nil : .seconds(Int($0)) }
    }

    /// The transmit power in dBm, -127 to 20.
    func power() throws(AdvertisementProperties.Fault) -> Int8? {
        try value("TxPower") { $0.int16Value.flatMap { (-127...20).contains($0) ? Int8($0) : nil } }
    }

    func uuids(_ name: String) throws(AdvertisementProperties.Fault) -> [BluetoothUUID] {
        try value(name) { value -> [BluetoothUUID]? in
            guard let texts = value.stringsValue else { return nil }
            let uuids = texts.compactMap { BluetoothUUID(busText: $0) }
            return uuids.count == texts.count ? uuids : nil
        } ?? []
    }

    /// In the order of the dictionary.
    func manufacturerData(_ name: String) throws(AdvertisementProperties.Fault) -> [(UInt16, [UInt8])] {
        try entries(name) { $0.uint16Value }
    }

    func serviceData(_ name: String) throws(AdvertisementProperties.Fault) -> [(BluetoothUUID, [UInt8])] {
        try entries(name) { $0.stringValue.flatMap { BluetoothUUID(busText: $0) } }
    }

    func data(_ name: String) throws(AdvertisementProperties.Fault) -> [(UInt8, [UInt8])] {
        try entries(name) { $0.byteValue }
    }

    private func entries<Key>(
        _ name: String, key: (DBusValue) -> Key?
    ) throws(AdvertisementProperties.Fault) -> [(Key, [UInt8])] {
        try value(name) { value -> [(Key, [UInt8])]? in
            guard let entries = value.entriesValue else { return nil }
            let pairs = entries.compactMap { entry -> (Key, [UInt8])? in
                // An array without bytes has no type of its elements, which bluetoothd refuses.
                guard let key = key(entry.key), let bytes = entry.value.unwrapped.bytesValue, !bytes.isEmpty
                else { return nil }
                return (key, bytes)
            }
            return pairs.count == entries.count ? pairs : nil
        } ?? []
    }

    /// The interval: the shortest that is requested, within what the controller can; only both limits together count.
    func interval() throws(AdvertisementProperties.Fault) -> AdvertisingInterval {
        let shortest = try milliseconds("MinInterval")
        let longest = try milliseconds("MaxInterval")
        if let shortest, shortest > longest ?? 0 { throw Fault(property: "MinInterval") }
        guard let chosen = shortest else { return AdvertisementProperties.standardInterval }
        let range = AdvertisingInterval.legacyRange
        guard let interval = AdvertisingInterval(nearest: .milliseconds(Int(chosen))) else {
            throw Fault(property: "MinInterval")
        }
        return min(max(interval, range.lowerBound), range.upperBound)
    }

    /// 20 ms to 0xFFFFFF units of 0.625 ms.
    private func milliseconds(_ name: String) throws(AdvertisementProperties.Fault) -> UInt32? {
        try value(name) { $0.uint32Value.flatMap { (20...10_485_759).contains($0) ? $0 : nil } }
    }
}

extension BluetoothUUID {
    /// Reads a UUID as bluetoothd does: 4 or 8 digits, with or without 0x, or the long form; the shortest form of it.
    init?(busText text: String) {
        let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : Substring(text)
        guard let uuid = BluetoothUUID(digits) else { return nil }
        self = uuid.abbreviated
    }

    /// The bytes in advertising data, least significant first.
    fileprivate var advertisedBytes: [UInt8] {
        switch self {
        case .bit16(let value): (0..<2).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        case .bit32(let value): (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        case .bit128(let uuid): uuid.octets.reversed()
        }
    }
}

extension AdvertisingData {
    /// The same data with flags that are not discoverable.
    var withoutDiscoverability: AdvertisingData {
        AdvertisingData(
            structures.map { structure in
                guard case .flags(let flags) = structure else { return structure }
                return .flags(flags.subtracting([.limitedDiscoverable, .generalDiscoverable]))
            })
    }
}
