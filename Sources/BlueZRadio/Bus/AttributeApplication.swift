// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The services of a beacon or of a central as an application for bluetoothd's GattManager1: an object manager with
/// GattService1, GattCharacteristic1 and GattDescriptor1 objects.
///
/// The requests for one characteristic are answered one at a time, in the order of their arrival.
struct AttributeApplication: Sendable {
    static let root: ObjectPath = "/org/beaconry/application"
    private static let managerInterface = "org.bluez.GattManager1"
    private static let characteristicInterface = "org.bluez.GattCharacteristic1"

    /// Answers the request of a peer, given by its object, for a characteristic.
    typealias Responder =
        @Sendable (CharacteristicIdentifier, ObjectPath?, AttributeRequest.Operation) async -> AttributeResponse

    private let services: [Service]
    private let respond: Responder
    /// Takes the first subscription to a characteristic and the end of the last one. bluetoothd does not report which
    /// peer it is, nor whether for notifications or indications.
    private let noteSubscription: @Sendable (CharacteristicIdentifier, Bool) async -> Void

    /// A service with the paths of its objects.
    private struct Service {
        let path: ObjectPath
        let declaration: GATTService
        let characteristics: [(path: ObjectPath, declared: IdentifiedCharacteristic)]
    }

    /// Makes an application of services, without those that bluetoothd has itself.
    init(
        services: [GATTService], respond: @escaping Responder,
        noteSubscription: @escaping @Sendable (CharacteristicIdentifier, Bool) async -> Void
    ) throws(DBusError) {
        self.respond = respond
        self.noteSubscription = noteSubscription
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

    /// Generic access and generic attribute. bluetoothd refuses applications that have them.
    private static let servicesOfTheDaemon = [BluetoothUUID.genericAccess, .genericAttribute].map(\.expanded)

    /// Exports the objects and registers them on an adapter.
    /// - Throws: `DBusError` of the daemon or of the bus.
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
        _ = try await daemon.call(
            adapter.path, Self.managerInterface, "RegisterApplication", [.objectPath(Self.root), .variants([:])],
            timeout: .seconds(10))
    }

    /// Unregisters the application and removes its objects.
    func unregister(from daemon: BlueZDaemon, on adapter: BlueZAdapter) async {
        // An error means that the daemon has ended, or has dropped the application.
        _ = try? await daemon.call(
            adapter.path, Self.managerInterface, "UnregisterApplication", [.objectPath(Self.root)], timeout: .seconds(5)
        )
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

    /// Has bluetoothd notify or indicate a value to all subscribers.
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

    /// The descriptors that bluetoothd adds by itself, from the flags of a characteristic.
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
                    await noteSubscription(identifier, true)
                    return .success([])
                },
                "StopNotify": { _ in
                    await noteSubscription(identifier, false)
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
        // bluetoothd only checks whether a queued write is authorized; the write itself follows.
        if options.isAuthorizationOnly { return .success([]) }
        let response = await respond(characteristic, options.device, .write(offset: options.offset, value: value))
        return response.map { _ in [] }.mapError(Self.busError)
    }

    /// The options of ReadValue and WriteValue.
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

    /// The error name that bluetoothd translates to an ATT error; it translates unknown names to 0x0E, Unlikely Error. An
    /// application error code is the message of Failed.
    private static func busError(_ error: ATTError) -> DBusError {
        if ATTError.applicationCodes.contains(error.rawValue) {
            return .blueZ("Failed", "0x" + Hexadecimal.string([error.rawValue]))
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
        return .blueZ(name, "ATT error \(error.rawValue)")
    }
}

extension GATTCharacteristic {
    /// The Flags property of org.bluez.GattCharacteristic1: the properties, and the security that each operation requires.
    ///
    /// An operation that requires encryption has a flag with a prefix: instead of the plain flag for reads, in addition
    /// to it for the other operations.
    var daemonFlags: [String] {
        var flags: [String] = []
        if properties.contains(.read) { flags.append(permissions.read.daemonPrefix + "read") }
        if properties.contains(.writeWithoutResponse) { flags.append("write-without-response") }
        if properties.contains(.write) { flags.append("write") }
        if !permissions.write.daemonPrefix.isEmpty, !properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
            flags.append(permissions.write.daemonPrefix + "write")
        }
        let subscribing = permissions.subscribe.daemonPrefix
        for (property, name) in [(CharacteristicProperties.notify, "notify"), (.indicate, "indicate")]
        where properties.contains(property) {
            flags += subscribing.isEmpty ? [name] : [name, subscribing + name]
        }
        if permissions.read.union(permissions.write).contains(.authorization) { flags.append("authorize") }
        return flags
    }
}

extension AttributeSecurity {
    /// The prefix of the flag of an operation that requires this security.
    fileprivate var daemonPrefix: String {
        if contains(.authentication) { return "encrypt-authenticated-" }
        return contains(.encryption) ? "encrypt-" : ""
    }
}
