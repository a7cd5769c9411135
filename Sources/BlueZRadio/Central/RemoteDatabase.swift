// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The attributes of a device that bluetoothd has discovered: objects below the device's object, with the handles in
/// their names (`…/service0010/char0011/desc0013`; org.bluez.GattService1, GattCharacteristic1 and GattDescriptor1).
///
/// The value of a characteristic has the handle after its declaration (Core 5.4, Vol 3, Part G, 3.3).
struct RemoteDatabase {
    static let serviceInterface = "org.bluez.GattService1"
    static let characteristicInterface = "org.bluez.GattCharacteristic1"
    static let descriptorInterface = "org.bluez.GattDescriptor1"

    /// The place of an attribute on the bus.
    struct Place: Hashable {
        /// The object.
        let path: ObjectPath
        /// The interface of a characteristic or of a descriptor.
        let interface: String
    }

    /// The primary services in the order of their handles.
    private(set) var services: [RemoteService] = []
    private var characteristics: [AttributeHandle: [RemoteCharacteristic]] = [:]
    private var descriptors: [AttributeHandle: [RemoteDescriptor]] = [:]
    private var places: [AttributeHandle: Place] = [:]
    private var servicePaths: [ObjectPath: RemoteService] = [:]

    /// An object and the handle in its name.
    private struct Node {
        let path: ObjectPath
        let handle: AttributeHandle
        let uuid: BluetoothUUID
        let properties: [String: DBusValue]
    }

    /// Parses the reply of GetManagedObjects.
    init(of device: ObjectPath, in objects: [DBusDictionaryEntry]) {
        var below: [ObjectPath: [String: DBusValue]] = [:]
        for object in objects {
            guard let path = object.key.objectPathValue, path.isDescendant(of: device) else { continue }
            below[path] = object.value.dictionaryValue
        }
        let nodes = Nodes(below)
        for service in nodes.children(of: device, Self.serviceInterface, "service") {
            guard service.properties["Primary"]?.boolValue == true else { continue }
            add(service, nodes)
        }
    }

    /// The characteristics of a service.
    func characteristics(of service: RemoteService) -> [RemoteCharacteristic] {
        characteristics[service.handles.lowerBound] ?? []
    }

    /// The descriptors of a characteristic.
    func descriptors(of characteristic: RemoteCharacteristic) -> [RemoteDescriptor] {
        descriptors[characteristic.declaration] ?? []
    }

    /// The place of a characteristic's value or a descriptor; `nil` for any other handle.
    func place(of handle: AttributeHandle) -> Place? { places[handle] }

    /// The value handle of a characteristic's object.
    func value(at path: ObjectPath) -> AttributeHandle? {
        places.first { $0.value.path == path && $0.value.interface == Self.characteristicInterface }?.key
    }

    /// The object of any characteristic, to read a property of the connection such as the MTU.
    var anyCharacteristic: ObjectPath? {
        places.values.first { $0.interface == Self.characteristicInterface }?.path
    }

    /// Whether there is a primary service at this path.
    func hasService(at path: ObjectPath) -> Bool { servicePaths[path] != nil }

    /// Removes a service.
    /// - Returns: the value handles of its characteristics.
    mutating func removeService(at path: ObjectPath) -> [AttributeHandle] {
        guard let service = servicePaths.removeValue(forKey: path) else { return [] }
        services.removeAll { $0 == service }
        let gone = characteristics.removeValue(forKey: service.handles.lowerBound) ?? []
        for characteristic in gone {
            for descriptor in descriptors.removeValue(forKey: characteristic.declaration) ?? [] {
                places[descriptor.handle] = nil
            }
            places[characteristic.value] = nil
        }
        return gone.map(\.value)
    }

    private mutating func add(_ service: Node, _ nodes: Nodes) {
        var found: [RemoteCharacteristic] = []
        for characteristic in nodes.children(of: service.path, Self.characteristicInterface, "char") {
            guard let value = characteristic.handle.successor else { continue }
            places[value] = Place(path: characteristic.path, interface: Self.characteristicInterface)
            let own = nodes.children(of: characteristic.path, Self.descriptorInterface, "desc")
            for descriptor in own {
                places[descriptor.handle] = Place(path: descriptor.path, interface: Self.descriptorInterface)
            }
            descriptors[characteristic.handle] = own.map { RemoteDescriptor(uuid: $0.uuid, handle: $0.handle) }
            found.append(
                RemoteCharacteristic(
                    uuid: characteristic.uuid, properties: Self.properties(characteristic.properties["Flags"]),
                    declaration: characteristic.handle, value: value, end: max(value, own.last?.handle ?? value)))
        }
        characteristics[service.handle] = found
        let end = max(service.handle, found.last?.end ?? service.handle)
        let added = RemoteService(uuid: service.uuid, handles: service.handle...end)
        services.append(added)
        servicePaths[service.path] = added
    }

    private static func properties(_ flags: DBusValue?) -> CharacteristicProperties {
        CharacteristicProperties((flags?.stringsValue ?? []).compactMap { names[$0] })
    }

    private static let names = Dictionary(
        uniqueKeysWithValues: CharacteristicProperties.named.map { ($0.name, $0.property) })

    /// Objects, grouped by their parent.
    private struct Nodes {
        private let objects: [ObjectPath: [(path: ObjectPath, interfaces: [String: DBusValue])]]

        init(_ objects: [ObjectPath: [String: DBusValue]]) {
            var children: [ObjectPath: [(path: ObjectPath, interfaces: [String: DBusValue])]] = [:]
            for (path, interfaces) in objects {
                if let parent = path.parent { children[parent, default: []].append((path, interfaces)) }
            }
            self.objects = children
        }

        /// The children that have an interface, and a name of this prefix and four hexadecimal digits, in the order of
        /// their handles.
        func children(of parent: ObjectPath, _ interface: String, _ prefix: String) -> [Node] {
            let nodes = (objects[parent] ?? []).compactMap { path, interfaces -> Node? in
                guard let properties = interfaces[interface]?.dictionaryValue,
                    let handle = RemoteDatabase.handle(in: path, prefix),
                    let uuid = properties["UUID"]?.stringValue.flatMap({ BluetoothUUID($0)?.abbreviated })
                else { return nil }
                return Node(path: path, handle: handle, uuid: uuid, properties: properties)
            }
            return nodes.sorted { $0.handle < $1.handle }
        }
    }

    /// The handle in the last component of a path: 0x0011 in `char0011`.
    static func handle(in path: ObjectPath, _ prefix: String) -> AttributeHandle? {
        let component = path.lastComponent
        let digits = component.dropFirst(prefix.count)
        guard component.hasPrefix(prefix), digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
            let number = UInt16(digits, radix: 16), number != 0
        else { return nil }
        return AttributeHandle(number)
    }
}
