// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The objects of a device's services, characteristics and descriptors.
///
/// They stay when the link ends (bluetoothd's `Cache = always`); those that are found unchanged over the next link are the
/// same objects, the others are replaced.
@ServiceActor
final class AttributeObjects {
    private weak var connection: DeviceConnection?
    private let device: ObjectPath
    private let context: AdapterContext
    private var objects: [AttributeHandle: ServiceObject] = [:]
    /// The characteristics by the handles of their values.
    private var characteristics: [AttributeHandle: CharacteristicObject] = [:]

    /// The objects of the device with this path, which are read and written over its connection.
    init(over connection: DeviceConnection, below device: ObjectPath, _ context: AdapterContext) {
        self.connection = connection
        self.device = device
        self.context = context
    }

    private var bus: ServiceBus { context.bus }

    /// The types of the services, in the order of their handles.
    var services: [BluetoothUUID] {
        objects.sorted { $0.key < $1.key }.map(\.value.table.service.uuid)
    }

    /// Replaces the objects by the objects of a table.
    func update(_ table: RemoteTable, mtu: Int) {
        let new = Dictionary(uniqueKeysWithValues: table.services.map { ($0.service.handles.lowerBound, $0) })
        for (handle, object) in objects where new[handle] != object.table { remove(object, handle) }
        for service in table.services where objects[service.service.handles.lowerBound] == nil { add(service) }
        for characteristic in characteristics.values { characteristic.setMTU(UInt16(clamping: mtu)) }
    }

    private func add(_ service: RemoteTable.Service) {
        let handle = service.service.handles.lowerBound
        guard let connection, let object = ServiceObject(service, below: device, over: connection, context) else {
            return
        }
        objects[handle] = object
        for characteristic in object.characteristics { characteristics[characteristic.handle] = characteristic }
        object.export(on: bus)
    }

    private func remove(_ object: ServiceObject, _ handle: AttributeHandle) {
        for characteristic in object.characteristics {
            characteristic.disconnected()
            characteristics[characteristic.handle] = nil
        }
        objects[handle] = nil
        bus.unexportTree(object.path)
    }

    /// Passes a value that the device sent to its characteristic.
    func receive(_ notification: RemoteNotification) {
        characteristics[notification.handle]?.receive(notification.value)
    }

    /// Whether this is the value of Service Changed (Core 5.4, Vol 3, Part G, 7.1).
    func isServiceChanged(_ handle: AttributeHandle) -> Bool {
        characteristics[handle]?.isServiceChanged ?? false
    }

    /// Subscribes to Service Changed, and to all that programs subscribed to over a former link.
    func subscribe(over link: any RemoteLink) async {
        for characteristic in characteristics.values.sorted(by: { $0.handle < $1.handle }) {
            if characteristic.isServiceChanged { await characteristic.observe { _ in } }
            await characteristic.subscribeAgain()
        }
    }

    /// Subscribes to a characteristic for the service itself.
    func observe(_ handle: AttributeHandle, _ take: @escaping @ServiceActor ([UInt8]) -> Void) async {
        await characteristics[handle]?.observe(take)
    }

    /// Closes sockets, because the link has ended.
    func disconnected() {
        for characteristic in characteristics.values { characteristic.disconnected() }
    }

    /// Ends all use of the objects, because the device is removed.
    func close() { disconnected() }

    /// Ends the notifications of a caller that has left the bus.
    func ownerVanished(_ name: String) {
        for characteristic in characteristics.values { characteristic.ownerVanished(name) }
    }
}

/// A service: `org.bluez.GattService1`.
@ServiceActor
final class ServiceObject {
    private static let declaration = InterfaceDeclaration(
        "org.bluez.GattService1",
        properties: [
            PropertyDeclaration("Handle", "q"),
            PropertyDeclaration("UUID", "s"),
            PropertyDeclaration("Device", "o"),
            PropertyDeclaration("Primary", "b"),
            PropertyDeclaration("Includes", "ao"),
        ])

    /// The object.
    let path: ObjectPath
    /// The service as it was found.
    let table: RemoteTable.Service
    /// Its characteristics.
    let characteristics: [CharacteristicObject]
    private let device: ObjectPath

    /// The object of a service.
    init?(
        _ table: RemoteTable.Service, below device: ObjectPath, over connection: DeviceConnection,
        _ context: AdapterContext
    ) {
        guard let path = Self.path(of: table.service.handles.lowerBound, on: device) else { return nil }
        self.path = path
        self.table = table
        self.device = device
        characteristics = table.characteristics.compactMap {
            CharacteristicObject($0, below: path, over: connection, context)
        }
    }

    private static func path(of handle: AttributeHandle, on device: ObjectPath) -> ObjectPath? {
        try? device.appending("service" + handle.pathText)
    }

    /// Exports the service, then its characteristics, each with its descriptors.
    func export(on bus: ServiceBus) {
        let interface = ExportedInterface(
            Self.declaration, properties: { ServiceActor.assumeIsolated { self.properties } })
        bus.export(path, [interface])
        for characteristic in characteristics { characteristic.export(on: bus) }
    }

    private var properties: [String: DBusValue] {
        [
            "Handle": .uint16(table.service.handles.lowerBound.rawValue), "UUID": .string(table.service.uuid.busText),
            "Device": .objectPath(device), "Primary": .boolean(table.isPrimary),
            "Includes": .objectPaths(table.included.compactMap { Self.path(of: $0, on: device) }),
        ]
    }
}

extension AttributeHandle {
    /// Four digits in lower case, as in the paths of objects.
    var pathText: String {
        let text = String(rawValue, radix: 16)
        return String(repeating: "0", count: 4 - text.count) + text
    }
}
