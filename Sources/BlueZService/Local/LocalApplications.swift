// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The attributes of programs on an adapter: `org.bluez.GattManager1` (bluez 5.82 src/gatt-database.c).
///
/// An application is the objects of a program: their declarations are served to all centrals, and the requests of centrals
/// are calls of the objects. It ends with `UnregisterApplication`, and when the program leaves the bus.
@ServiceActor
final class LocalApplications: AdapterManager {
    private static let declaration = InterfaceDeclaration(
        "org.bluez.GattManager1",
        methods: [
            MethodDeclaration("RegisterApplication", in: ["application": "o", "options": "a{sv}"]),
            MethodDeclaration("UnregisterApplication", in: ["application": "o"]),
        ])
    /// The number of applications of an adapter.
    private static let capacity = 64

    private struct Key: Hashable {
        let owner: String
        let path: ObjectPath
    }

    private weak var adapter: Adapter?
    private let context: AdapterContext
    private let peripheral: LocalPeripheral
    private var registering: Set<Key> = []
    /// In the order of their registration, which is also the order of their handles.
    private var applications: [(key: Key, application: LocalApplication)] = []
    private var characteristics: [CharacteristicIdentifier: LocalCharacteristic] = [:]

    init(of adapter: Adapter, on peripheral: LocalPeripheral) {
        self.adapter = adapter
        context = adapter.context
        self.peripheral = peripheral
        peripheral.applications = self
    }

    /// The types of the services.
    var services: [BluetoothUUID] { applications.flatMap { $0.application.services.map(\.uuid) } }

    private var bus: ServiceBus { context.bus }

    var interface: ExportedInterface {
        ExportedInterface(
            Self.declaration, call: { call, reply in ServiceActor.assumeIsolated { self.handle(call, reply) } })
    }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        guard let path = call.arguments.first?.objectPathValue else { return reply.fail(BlueZError.invalidArguments()) }
        let key = Key(owner: call.sender, path: path)
        if call.member == "RegisterApplication" { return register(key, reply) }
        guard applications.contains(where: { $0.key == key }) else { return reply.fail(BlueZError.doesNotExist) }
        remove { $0 == key }
        reply.succeed()
    }

    // MARK: - Registering

    private func register(_ key: Key, _ reply: PendingReply) {
        guard !registering.contains(key), !applications.contains(where: { $0.key == key }) else {
            return reply.fail(BlueZError.alreadyExists)
        }
        guard applications.count + registering.count < Self.capacity else {
            return reply.fail(BlueZError.notPermitted("Maximum applications reached"))
        }
        registering.insert(key)
        Task {
            do throws(DBusError) {
                let application = try await LocalApplication.read(
                    of: key.owner, at: key.path, bus: bus, warn: context.options.warn)
                try await begin(application, key)
                reply.succeed()
            } catch {
                registering.remove(key)
                reply.fail(error)
            }
        }
    }

    private func begin(_ application: LocalApplication, _ key: Key) async throws(DBusError) {
        // The program may have left meanwhile.
        guard registering.contains(key) else { throw BlueZError.failed("No object received") }
        do throws(RadioError) {
            try await peripheral.serve(applications.flatMap { $0.application.services } + application.services)
        } catch {
            context.options.warn("the services of a program are refused: \(error)")
            throw BlueZError.failed("Failed to create entry in database")
        }
        guard registering.remove(key) != nil else { return restore() }
        applications.append((key, application))
        indexCharacteristics()
        setHandles()
        adapter?.servicesChanged()
        application.start { [weak self] characteristic, value in
            guard let self, let identifier = characteristic.identifier else { return }
            peripheral.notify(value, of: identifier)
        }
    }

    private func remove(where matches: (Key) -> Bool) {
        let ended = applications.filter { matches($0.key) }
        guard !ended.isEmpty else { return }
        applications.removeAll { matches($0.key) }
        for (_, application) in ended { application.close() }
        indexCharacteristics()
        setHandles()
        adapter?.servicesChanged()
        restore()
    }

    /// Serves what is registered.
    private func restore() {
        let services = applications.flatMap { $0.application.services }
        Task { try? await peripheral.serve(services) }
    }

    /// Identifiers count the characteristics of one type in all services.
    private func indexCharacteristics() {
        let services = applications.flatMap { $0.application.services }
        let declared = ([LocalPeripheral.deviceInformation] + services).identifiedCharacteristics.dropFirst()
        let objects = applications.flatMap { $0.application.characteristics }
        characteristics = [:]
        for (declaration, object) in zip(declared, objects) {
            object.identifier = declaration.identifier
            characteristics[declaration.identifier] = object
        }
    }

    /// Gives the programs the handles of their attributes.
    private func setHandles() {
        let services = applications.flatMap { $0.application.services }
        var handles = ServiceHandles.table(of: [LocalPeripheral.deviceInformation] + services).dropFirst()
        for (_, application) in applications {
            application.setHandles(Array(handles.prefix(application.services.count)))
            handles = handles.dropFirst(application.services.count)
        }
    }

    // MARK: - Requests of centrals

    /// Answers a request.
    func answer(_ request: AttributeRequest, of central: LocalPeripheral.Central?) async -> AttributeResponse {
        guard let characteristic = characteristics[request.characteristic] else { return .failure(.invalidHandle) }
        if let number = request.attribute.descriptor {
            guard let descriptor = characteristic.descriptor(number) else { return .failure(.invalidHandle) }
            switch request.operation {
            case .read(let offset): return await descriptor.read(offset, of: central)
            case .write(let offset, let value): return await descriptor.write(value, offset, of: central)
            }
        }
        switch request.operation {
        case .read(let offset): return await characteristic.read(offset, of: central)
        case .write(let offset, let value): return await characteristic.write(value, offset, of: central)
        }
    }

    /// Takes a subscription of a central, or its end.
    func subscribed(
        _ name: String, to identifier: CharacteristicIdentifier, _ configuration: ClientCharacteristicConfiguration,
        of central: LocalPeripheral.Central?
    ) {
        characteristics[identifier]?.setSubscribed(!configuration.isEmpty, name, of: central)
    }

    /// Ends the subscriptions of a central.
    func disconnected(_ name: String) {
        for characteristic in characteristics.values { characteristic.setSubscribed(false, name, of: nil) }
    }

    // MARK: - Ends

    func ownerVanished(_ owner: String) {
        for key in registering where key.owner == owner { registering.remove(key) }
        remove { $0.owner == owner }
    }

    func powerChanged(_ isPowered: Bool) {}

    func stop() async {
        for (_, application) in applications { application.close() }
        applications = []
        characteristics = [:]
    }
}
