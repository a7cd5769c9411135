// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus

/// The objects of a program that are to be served: services, characteristics and descriptors
/// (bluez 5.82 doc/org.bluez.GattService.rst, GattCharacteristic.rst, GattDescriptor.rst).
///
/// Properties are read with their types. Services are in the order of the program, and so are the characteristics of a
/// service.
struct ApplicationObjects: Hashable {
    /// A characteristic.
    struct Characteristic: Hashable {
        let path: ObjectPath
        let uuid: BluetoothUUID
        let flags: CharacteristicFlags
        /// Whether values come and go through sockets (`AcquireNotify`, `AcquireWrite`).
        let offersNotifySocket: Bool
        let offersWriteSocket: Bool
        let hasHandle: Bool
        var descriptors: [Descriptor] = []
    }

    /// A descriptor.
    struct Descriptor: Hashable {
        let path: ObjectPath
        let uuid: BluetoothUUID
        let service: ServedDescriptor
        let hasHandle: Bool
    }

    /// A service.
    struct Service: Hashable {
        let path: ObjectPath
        let uuid: BluetoothUUID
        let isPrimary: Bool
        /// Whether the program has a property for the handle, as its characteristics and descriptors may have.
        let hasHandle: Bool
        fileprivate let includedPaths: [ObjectPath]
        /// The types of the included services of the application.
        fileprivate(set) var includedServices: [BluetoothUUID] = []
        var characteristics: [Characteristic] = []
    }

    /// Why a program's objects cannot be served.
    enum Fault: Error, Hashable {
        /// There are none.
        case noObject
        /// None is a service.
        case noService
        /// An object lacks a property, or it has a wrong type or value.
        case invalid(ObjectPath, property: String)
        /// There are too many.
        case tooMany
    }

    /// The number of objects that an application may have.
    static let capacity = 1024

    private(set) var services: [Service] = []
    /// Sentences about what is not served.
    private(set) var warnings: [String] = []

    /// Reads the reply of `GetManagedObjects`.
    init(_ entries: [DBusDictionaryEntry]) throws(Fault) {
        guard entries.count <= Self.capacity else { throw .tooMany }
        var objects: [(path: ObjectPath, interfaces: [String: [String: DBusValue]])] = []
        for entry in entries {
            guard let path = entry.key.objectPathValue else { continue }
            objects.append((path, (entry.value.dictionaryValue ?? [:]).compactMapValues(\.dictionaryValue)))
        }
        var isEmpty = true
        for (path, interfaces) in objects {
            guard let properties = interfaces["org.bluez.GattService1"] else { continue }
            isEmpty = false
            services.append(try Self.service(path, properties))
        }
        for (path, interfaces) in objects {
            guard let properties = interfaces["org.bluez.GattCharacteristic1"] else { continue }
            isEmpty = false
            try addCharacteristic(path, properties)
        }
        for (path, interfaces) in objects {
            guard let properties = interfaces["org.bluez.GattDescriptor1"] else { continue }
            isEmpty = false
            try addDescriptor(path, properties)
        }
        if isEmpty, !objects.contains(where: { $0.interfaces["org.bluez.GattProfile1"] != nil }) { throw .noObject }
        // A profile without services registers for devices, which programs find anyway.
        guard !services.isEmpty || isEmpty else { throw .noService }
        let types = Dictionary(services.map { ($0.path, $0.uuid) }) { first, _ in first }
        for index in services.indices {
            services[index].includedServices = services[index].includedPaths.compactMap { types[$0] }
        }
    }

    private static func service(_ path: ObjectPath, _ properties: [String: DBusValue]) throws(Fault) -> Service {
        let uuid = try uuid(path, properties)
        guard uuid != .genericAccess, uuid != .genericAttribute else { throw .invalid(path, property: "UUID") }
        var includes: [ObjectPath] = []
        if let value = properties["Includes"] {
            guard let paths = value.arrayValue?.compactMap(\.objectPathValue) else {
                throw .invalid(path, property: "Includes")
            }
            includes = paths
        }
        guard let isPrimary = properties["Primary"]?.boolValue else { throw .invalid(path, property: "Primary") }
        return Service(
            path: path, uuid: uuid, isPrimary: isPrimary, hasHandle: properties["Handle"] != nil,
            includedPaths: includes)
    }

    private mutating func addCharacteristic(_ path: ObjectPath, _ properties: [String: DBusValue]) throws(Fault) {
        guard let service = properties["Service"]?.objectPathValue,
            let index = services.firstIndex(where: { $0.path == service })
        else { throw .invalid(path, property: "Service") }
        guard let texts = properties["Flags"]?.stringsValue, let flags = CharacteristicFlags(texts) else {
            throw .invalid(path, property: "Flags")
        }
        if flags.isAuthorized {
            warnings.append("\(path): authorize has no effect; all requests of centrals are passed on")
        }
        services[index].characteristics.append(
            Characteristic(
                path: path, uuid: try Self.uuid(path, properties), flags: flags,
                offersNotifySocket: properties["NotifyAcquired"] != nil,
                offersWriteSocket: properties["WriteAcquired"] != nil, hasHandle: properties["Handle"] != nil))
    }

    private mutating func addDescriptor(_ path: ObjectPath, _ properties: [String: DBusValue]) throws(Fault) {
        let uuid = try Self.uuid(path, properties)
        guard let parent = properties["Characteristic"]?.objectPathValue else {
            throw .invalid(path, property: "Characteristic")
        }
        for service in services.indices {
            guard let index = services[service].characteristics.firstIndex(where: { $0.path == parent }) else {
                continue
            }
            guard !Self.implied.contains(uuid) else {
                warnings.append("\(path): this descriptor follows from the flags of its characteristic")
                return
            }
            guard let texts = properties["Flags"]?.stringsValue, let flags = CharacteristicFlags(texts),
                let served = flags.descriptor
            else { throw .invalid(path, property: "Flags") }
            if flags.isAuthorized {
                warnings.append("\(path): authorize has no effect; all requests of centrals are passed on")
            }
            services[service].characteristics[index].descriptors.append(
                Descriptor(path: path, uuid: uuid, service: served, hasHandle: properties["Handle"] != nil))
            return
        }
        throw .invalid(path, property: "Characteristic")
    }

    /// The descriptors that the properties of a characteristic imply.
    private static let implied: Set<BluetoothUUID> = [
        .characteristicExtendedProperties, .clientCharacteristicConfiguration, .serverCharacteristicConfiguration,
    ]

    private static func uuid(_ path: ObjectPath, _ properties: [String: DBusValue]) throws(Fault) -> BluetoothUUID {
        guard let uuid = properties["UUID"]?.stringValue.flatMap({ BluetoothUUID(busText: $0) }) else {
            throw .invalid(path, property: "UUID")
        }
        return uuid
    }
}

/// The `Flags` of a characteristic or a descriptor: operations, and the security that they require.
struct CharacteristicFlags: Hashable {
    private(set) var properties: CharacteristicProperties = []
    private(set) var permissions = AttributePermissions()
    private(set) var extended: ExtendedCharacteristicProperties = []
    /// Whether each request of a central is to be authorized.
    private(set) var isAuthorized = false

    /// - Returns: `nil` for an unknown flag, or for none.
    init?(_ flags: [String]) {
        guard !flags.isEmpty else { return nil }
        for flag in flags {
            switch flag {
            case "broadcast": properties.insert(.broadcast)
            case "authenticated-signed-writes": properties.insert(.authenticatedSignedWrites)
            case "write-without-response": properties.insert(.writeWithoutResponse)
            case "extended-properties": break
            case "reliable-write": extended.insert(.reliableWrite)
            case "writable-auxiliaries": extended.insert(.writableAuxiliaries)
            case "authorize": isAuthorized = true
            default: guard insert(flag) else { return nil }
            }
        }
        if !extended.isEmpty { properties.insert(.extendedProperties) }
    }

    /// The flags of a descriptor; `nil` if only a characteristic can have them.
    var descriptor: ServedDescriptor? {
        guard properties.isSubset(of: [.read, .write]) else { return nil }
        return ServedDescriptor(
            read: properties.contains(.read) ? permissions.read : nil,
            write: properties.contains(.write) ? permissions.write : nil)
    }

    /// Inserts `read`, `write`, `notify` or `indicate`, which may have a prefix for the security.
    private mutating func insert(_ flag: String) -> Bool {
        let prefixes: [(String, AttributeSecurity)] = [
            ("encrypt-authenticated-", [.encryption, .authentication]), ("secure-", [.encryption, .authentication]),
            ("encrypt-", .encryption), ("", []),
        ]
        guard let (prefix, security) = prefixes.first(where: { flag.hasPrefix($0.0) }) else { return false }
        switch flag.dropFirst(prefix.count) {
        case "read":
            properties.insert(.read)
            permissions.read.formUnion(security)
        case "write":
            properties.insert(.write)
            permissions.write.formUnion(security)
        case "notify":
            properties.insert(.notify)
            permissions.subscribe.formUnion(security)
        case "indicate":
            properties.insert(.indicate)
            permissions.subscribe.formUnion(security)
        default: return false
        }
        return true
    }
}
