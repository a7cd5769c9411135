// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import DBus
import Radio

/// A beacon's or a central's services as bluetoothd takes them: an object manager with GattService1, GattCharacteristic1
/// and GattDescriptor1 objects.
///
/// Requests are handed on one at a time, in the order in which they came.
struct AttributeApplication: Sendable {
    static let root: ObjectPath = "/org/beaconry/application"
    private static let managerInterface = "org.bluez.GattManager1"
    private static let characteristicInterface = "org.bluez.GattCharacteristic1"

    /// Answers what a peer, by its object, asks of a characteristic.
    typealias Responder =
        @Sendable (CharacteristicIdentifier, ObjectPath?, AttributeRequest.Operation) async -> AttributeResponse

    private let services: [Service]
    private let respond: Responder
    /// Hears whether any peer wants to be told of a characteristic: the daemon does not say who, nor in which way.
    private let subscribe: @Sendable (CharacteristicIdentifier, Bool) async -> Void

    /// A service where it is exported.
    private struct Service {
        let path: ObjectPath
        let declaration: GATTService
        let characteristics: [(path: ObjectPath, declared: IdentifiedCharacteristic)]
    }

    /// Services, but for those that bluetoothd has itself.
    init(
        services: [GATTService], respond: @escaping Responder,
        subscribe: @escaping @Sendable (CharacteristicIdentifier, Bool) async -> Void
    ) throws(DBusError) {
        self.respond = respond
        self.subscribe = subscribe
        var characteristics = services.identifiedCharacteristics[...]
        var exported: [Service] = []
        for (number, service) in services.enumerated() {
            let path = try Self.root.appending("service\(number)")
            var placed: [(ObjectPath, IdentifiedCharacteristic)] = []
            for (number, declared) in characteristics.prefix(service.characteristics.count).enumerated() {
                placed.append((try path.appending("characteristic\(number)"), declared))
            }
            characteristics = characteristics.dropFirst(service.characteristics.count)
            guard !Self.servicesOfTheDaemon.contains(service.uuid.expanded) else { continue }
            exported.append(Service(path: path, declaration: service, characteristics: placed))
        }
        self.services = exported
    }

    /// Generic access and generic attribute; it refuses applications that bring their own.
    private static let servicesOfTheDaemon = [BluetoothUUID.genericAccess, .genericAttribute].map(\.expanded)

    /// Exports the objects and has the daemon serve them on an adapter.
    /// - Throws: `DBusError`, the daemon's or the bus's.
    func register(with daemon: BlueZDaemon, on adapter: BlueZAdapter) async throws(DBusError) {
        try await daemon.connection.export(ExportedObject(path: Self.root, isObjectManager: true))
        for service in services {
            let properties: [String: DBusValue] = [
                "UUID": Self.text(service.declaration.uuid), "Primary": .boolean(service.declaration.isPrimary),
            ]
            let interface = ExportedInterface("org.bluez.GattService1", properties: { properties })
            try await daemon.connection.export(ExportedObject(path: service.path, interfaces: [interface]))
            for (path, declared) in service.characteristics {
                let interface = self.interface(of: declared, in: service.path)
                try await daemon.connection.export(ExportedObject(path: path, interfaces: [interface]))
                try await export(Self.ownDescriptors(of: declared.characteristic), of: path, on: daemon.connection)
            }
        }
        _ = try await daemon.connection.call(
            BlueZDaemon.busName, adapter.path, Self.managerInterface, "RegisterApplication",
            [.objectPath(Self.root), .variants([:])], timeout: .seconds(10))
    }

    /// Takes the services back.
    func unregister(from daemon: BlueZDaemon, on adapter: BlueZAdapter) async {
        // A daemon that is gone, or has dropped them already, leaves nothing to do.
        _ = try? await daemon.connection.call(
            BlueZDaemon.busName, adapter.path, Self.managerInterface, "UnregisterApplication",
            [.objectPath(Self.root)], timeout: .seconds(5))
        await daemon.connection.unexport(Self.root)
        for service in services {
            await daemon.connection.unexport(service.path)
            for (path, declared) in service.characteristics {
                await daemon.connection.unexport(path)
                for number in Self.ownDescriptors(of: declared.characteristic).indices {
                    guard let path = try? path.appending("descriptor\(number)") else { continue }
                    await daemon.connection.unexport(path)
                }
            }
        }
    }

    /// Has the daemon tell a value to all peers that want to be told of it.
    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on connection: DBusConnection
    ) async throws(DBusError) {
        let all = services.flatMap(\.characteristics)
        guard let path = all.first(where: { $0.declared.identifier == characteristic })?.path else { return }
        try await connection.emitPropertiesChanged(path, Self.characteristicInterface, ["Value": .bytes(value)])
    }

    private func export(
        _ descriptors: [GATTDescriptor], of characteristic: ObjectPath, on connection: DBusConnection
    ) async throws(DBusError) {
        for (number, descriptor) in descriptors.enumerated() {
            let properties: [String: DBusValue] = [
                "UUID": Self.text(descriptor.uuid), "Characteristic": .objectPath(characteristic),
                "Flags": .strings([descriptor.read.daemonPrefix + "read"]),
            ]
            let interface = ExportedInterface(
                "org.bluez.GattDescriptor1", properties: { properties },
                methods: [
                    "ReadValue": { call in
                        let offset = Options(call.arguments.first).offset
                        guard offset <= descriptor.value.count else { return .failure(Self.busError(.invalidOffset)) }
                        return .success([.bytes(Array(descriptor.value[offset...]))])
                    }
                ])
            let path = try characteristic.appending("descriptor\(number)")
            try await connection.export(ExportedObject(path: path, interfaces: [interface]))
        }
    }

    private static func ownDescriptors(of characteristic: GATTCharacteristic) -> [GATTDescriptor] {
        characteristic.descriptors.filter { !descriptorsOfTheDaemon.contains($0.uuid.expanded) }
    }

    /// Those that follow from the flags of a characteristic.
    private static let descriptorsOfTheDaemon = [
        GATTDescriptor.clientConfiguration, .serverConfiguration, .extendedProperties([]),
    ].map(\.uuid.expanded)

    private static func text(_ uuid: BluetoothUUID) -> DBusValue { .string(uuid.expanded.description.lowercased()) }

    private func interface(of declared: IdentifiedCharacteristic, in service: ObjectPath) -> ExportedInterface {
        let properties: [String: DBusValue] = [
            "UUID": Self.text(declared.characteristic.uuid), "Service": .objectPath(service),
            "Flags": .strings(declared.characteristic.daemonFlags),
        ]
        let identifier = declared.identifier
        return ExportedInterface(
            Self.characteristicInterface, properties: { properties },
            methods: [
                "ReadValue": { call in await read(identifier, call) },
                "WriteValue": { call in await write(identifier, call) },
                "StartNotify": { _ in
                    await subscribe(identifier, true)
                    return .success([])
                },
                "StopNotify": { _ in
                    await subscribe(identifier, false)
                    return .success([])
                },
            ])
    }

    private func read(
        _ characteristic: CharacteristicIdentifier, _ call: MethodCall
    ) async -> Result<[DBusValue], DBusError> {
        let options = Options(call.arguments.first)
        let response = await respond(characteristic, options.device, .read(offset: options.offset))
        return response.map { [.bytes($0)] }.mapError(Self.busError)
    }

    private func write(
        _ characteristic: CharacteristicIdentifier, _ call: MethodCall
    ) async -> Result<[DBusValue], DBusError> {
        guard let value = call.arguments.first?.bytesValue else {
            return .failure(.invalidArgument("WriteValue takes an array of bytes and options"))
        }
        let options = Options(call.arguments.dropFirst().first)
        // The daemon asks whether a queued write would be allowed; the write itself follows.
        if options.isAuthorizationOnly { return .success([]) }
        let response = await respond(characteristic, options.device, .write(offset: options.offset, value: value))
        return response.map { _ in [] }.mapError(Self.busError)
    }

    /// What comes with a request.
    private struct Options {
        let offset: Int
        let device: ObjectPath?
        let isAuthorizationOnly: Bool

        init(_ value: DBusValue?) {
            let options = value?.dictionaryValue ?? [:]
            offset = Int(options["offset"]?.uint16Value ?? 0)
            device = options["device"]?.objectPathValue
            isAuthorizationOnly = options["prepare-authorize"]?.boolValue ?? false
        }
    }

    /// bluetoothd turns error names into ATT codes; one that it does not know becomes 0x0E, Unlikely Error. A code of the
    /// application's own is the message of Failed.
    private static func busError(_ error: ATTError) -> DBusError {
        if ATTError.applicationCodes.contains(error.rawValue) {
            return DBusError(name: "org.bluez.Error.Failed", message: "0x" + Hexadecimal.string([error.rawValue]))
        }
        let name =
            switch error {
            case .readNotPermitted, .writeNotPermitted: "NotPermitted"
            case .invalidOffset: "InvalidOffset"
            case .invalidAttributeValueLength: "InvalidValueLength"
            case .insufficientAuthorization: "NotAuthorized"
            case .requestNotSupported: "NotSupported"
            case .insufficientResources: "InsufficientResources"
            default: "UnlikelyError"
            }
        return DBusError(name: "org.bluez.Error.\(name)", message: "ATT error \(error.rawValue)")
    }
}

/// The paths that bluetoothd gives to peers: `/org/bluez/hci0/dev_00_AA_01_00_00_00`.
enum BlueZDevice {
    /// The peer's address.
    static func address(of path: ObjectPath) -> BluetoothAddress? {
        let component = path.lastComponent
        guard component.hasPrefix("dev_") else { return nil }
        return BluetoothAddress(component.dropFirst(4).split(separator: "_").joined(separator: ":"))
    }

    /// The path of a peer of an adapter.
    static func path(of address: String, on adapter: BlueZAdapter) -> ObjectPath? {
        try? adapter.path.appending("dev_" + address.split(separator: ":").joined(separator: "_"))
    }
}
