// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The attributes of one program: what is declared to centrals, and the objects that answer.
@ServiceActor
final class LocalApplication {
    /// The declarations.
    let services: [GATTService]
    /// The objects of all characteristics, in the order of `services`.
    let characteristics: [LocalCharacteristic]
    private let objects: ApplicationObjects
    private let owner: String
    private let bus: ServiceBus
    private let changes: AsyncStream<DBusMessage>
    private var following: Task<Void, Never>?
    /// The handles that the program has been given.
    private var handles: [ObjectPath: AttributeHandle] = [:]

    private init(
        _ objects: ApplicationObjects, of owner: String, changes: AsyncStream<DBusMessage>, bus: ServiceBus,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.objects = objects
        self.owner = owner
        self.bus = bus
        self.changes = changes
        services = objects.services.map(\.declaration)
        characteristics = objects.services.flatMap(\.characteristics).map {
            LocalCharacteristic($0, of: owner, bus: bus, warn: warn)
        }
    }

    /// Reads the objects of a program.
    /// - Throws: `Failed` if they cannot be served.
    static func read(
        of owner: String, at path: ObjectPath, bus: ServiceBus, warn: @escaping @Sendable (String) -> Void
    ) async throws(DBusError) -> LocalApplication {
        let changes = try await bus.connection.subscribe(
            MatchRule(
                sender: owner, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged"))
        let objects = try await objects(of: owner, at: path, bus: bus, warn: warn)
        objects.warnings.forEach(warn)
        return LocalApplication(objects, of: owner, changes: changes, bus: bus, warn: warn)
    }

    private static func objects(
        of owner: String, at path: ObjectPath, bus: ServiceBus, warn: @Sendable (String) -> Void
    ) async throws(DBusError) -> ApplicationObjects {
        let entries: [DBusDictionaryEntry]
        do throws(DBusError) {
            let reply = try await bus.connection.call(
                owner, path, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", timeout: .seconds(10))
            entries = reply.first?.entriesValue ?? []
        } catch {
            throw BlueZError.failed("No object received")
        }
        do throws(ApplicationObjects.Fault) {
            return try ApplicationObjects(entries)
        } catch {
            switch error {
            case .noObject: throw BlueZError.failed("No object received")
            case .noService: throw BlueZError.failed("No valid service object found")
            case .invalid(let path, let property):
                warn("\(path) is refused: \(property) is missing, or has a wrong type or value")
                throw BlueZError.failed("No valid external GATT objects found")
            case .tooMany:
                warn("an application is refused: it has more than \(ApplicationObjects.capacity) objects")
                throw BlueZError.failed("Failed to create entry in database")
            }
        }
    }

    /// Gives the program the handles of its objects that have a property for them (bluez 5.82 src/gatt-database.c,
    /// `database_add_service`); later only the handles that have changed.
    /// - Parameter table: the handles of `services`.
    func setHandles(_ table: [ServiceHandles]) {
        for (service, assigned) in zip(objects.services, table) {
            if service.hasHandle { setHandle(assigned.declaration, of: service.path, "org.bluez.GattService1") }
            for (characteristic, assigned) in zip(service.characteristics, assigned.characteristics) {
                if characteristic.hasHandle {
                    setHandle(assigned.value, of: characteristic.path, LocalCharacteristic.interface)
                }
                for (descriptor, handle) in zip(characteristic.descriptors, assigned.served) where descriptor.hasHandle
                {
                    setHandle(handle, of: descriptor.path, LocalDescriptor.interface)
                }
            }
        }
    }

    private func setHandle(_ handle: AttributeHandle, of path: ObjectPath, _ interface: String) {
        guard handles.updateValue(handle, forKey: path) != handle else { return }
        bus.notify(
            owner, path, "org.freedesktop.DBus.Properties", "Set",
            [.string(interface), "Handle", .variant(.uint16(handle.rawValue))])
    }

    /// Passes on the values that the program signals.
    func start(notify: @escaping @ServiceActor (LocalCharacteristic, [UInt8]) -> Void) {
        let characteristics = Dictionary(characteristics.map { ($0.path, $0) }) { first, _ in first }
        for characteristic in characteristics.values {
            characteristic.notify = { [weak characteristic] value in
                if let characteristic { notify(characteristic, value) }
            }
        }
        let changes = changes
        following = Task {
            for await change in changes {
                guard let path = change.path, let characteristic = characteristics[path], change.body.count >= 2,
                    change.body[0].stringValue == LocalCharacteristic.interface,
                    let value = change.body[1].dictionaryValue?["Value"]?.bytesValue
                else { continue }
                notify(characteristic, value)
            }
        }
    }

    /// Ends it, with its sockets.
    func close() {
        following?.cancel()
        for characteristic in characteristics { characteristic.close() }
    }
}

extension ApplicationObjects.Service {
    /// What is declared to centrals.
    fileprivate var declaration: GATTService {
        GATTService(
            uuid: uuid, isPrimary: isPrimary, includedServices: includedServices,
            characteristics: characteristics.map { characteristic in
                var descriptors = characteristic.descriptors.map { GATTDescriptor(uuid: $0.uuid, $0.service) }
                if !characteristic.flags.extended.isEmpty {
                    descriptors.insert(.extendedProperties(characteristic.flags.extended), at: 0)
                }
                return GATTCharacteristic(
                    uuid: characteristic.uuid, properties: characteristic.flags.properties,
                    permissions: characteristic.flags.permissions, descriptors: descriptors)
            })
    }
}

/// An object of a program that the requests of centrals are calls of.
@ServiceActor
struct LocalObject {
    /// The time limit of an ATT transaction (Core 5.4, Vol 3, Part F, 3.3.3).
    private static let timeout = Duration.seconds(30)

    let path: ObjectPath
    let interface: String
    let owner: String
    let bus: ServiceBus

    /// The options of a request (bluez 5.82 src/gatt-database.c, `append_options`).
    func options(_ central: LocalPeripheral.Central?, offset: Int = 0) -> DBusValue {
        var options: [String: DBusValue] = ["link": "LE", "mtu": .uint16(central?.mtu ?? 23)]
        if let device = central?.device { options["device"] = .objectPath(device) }
        if offset != 0 { options["offset"] = .uint16(UInt16(clamping: offset)) }
        return .variants(options)
    }

    func call(_ method: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
        try await bus.connection.call(owner, path, interface, method, arguments, timeout: Self.timeout)
    }

    /// Reads the value for a central.
    func read(_ offset: Int, of central: LocalPeripheral.Central?) async -> AttributeResponse {
        do throws(DBusError) {
            let reply = try await call("ReadValue", [options(central, offset: offset)])
            guard let value = reply.first?.bytesValue else { return .failure(.unlikely) }
            return .success(Array(value.prefix(512)))
        } catch {
            return .failure(ATTError(error, refusing: .readNotPermitted))
        }
    }

    /// Writes the value for a central.
    func write(_ value: [UInt8], _ offset: Int, of central: LocalPeripheral.Central?) async -> AttributeResponse {
        do throws(DBusError) {
            _ = try await call("WriteValue", [.bytes(value), options(central, offset: offset)])
            return .success([])
        } catch {
            return .failure(ATTError(error, refusing: .writeNotPermitted))
        }
    }
}

/// The interface of a program's descriptors.
enum LocalDescriptor {
    static let interface = "org.bluez.GattDescriptor1"
}

/// A characteristic of a program, with its descriptors: the requests of centrals are calls of its objects.
@ServiceActor
final class LocalCharacteristic {
    static let interface = "org.bluez.GattCharacteristic1"

    /// The object.
    let path: ObjectPath
    /// The identifier among all characteristics of the adapter; `nil` before it is served.
    var identifier: CharacteristicIdentifier?
    /// Sends a value to the centrals that subscribed.
    var notify: (@ServiceActor ([UInt8]) -> Void)?
    private let definition: ApplicationObjects.Characteristic
    private let object: LocalObject
    private let descriptors: [LocalObject]
    private let warn: @Sendable (String) -> Void
    private var subscribers: Set<String> = []
    private var notifySocket: ValueSocket?
    private var writeSocket: ValueSocket?

    init(
        _ definition: ApplicationObjects.Characteristic, of owner: String, bus: ServiceBus,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.definition = definition
        path = definition.path
        object = LocalObject(path: path, interface: Self.interface, owner: owner, bus: bus)
        descriptors = definition.descriptors.map {
            LocalObject(path: $0.path, interface: LocalDescriptor.interface, owner: owner, bus: bus)
        }
        self.warn = warn
    }

    /// The object of a descriptor, by its number; `nil` if there is none.
    func descriptor(_ number: Int) -> LocalObject? {
        descriptors.indices.contains(number) ? descriptors[number] : nil
    }

    // MARK: - Requests

    /// Reads the value for a central.
    func read(_ offset: Int, of central: LocalPeripheral.Central?) async -> AttributeResponse {
        await object.read(offset, of: central)
    }

    /// Writes the value for a central: through the socket, if the program offers one.
    func write(
        _ value: [UInt8], _ offset: Int, of central: LocalPeripheral.Central?
    ) async -> AttributeResponse {
        guard definition.offersWriteSocket, offset == 0 else { return await object.write(value, offset, of: central) }
        do throws(DBusError) {
            let socket = try await acquireWrite(central)
            return socket.send(value) ? .success([]) : .failure(.insufficientResources)
        } catch {
            return .failure(ATTError(error, refusing: .writeNotPermitted))
        }
    }

    private func acquireWrite(_ central: LocalPeripheral.Central?) async throws(DBusError) -> ValueSocket {
        if let writeSocket { return writeSocket }
        let reply = try await object.call("AcquireWrite", [object.options(central)])
        if let writeSocket { return writeSocket }
        guard let descriptor = reply.first?.fileDescriptorValue else { throw BlueZError.failed("no socket") }
        let socket = ValueSocket(adopting: descriptor) { [weak self] in self?.writeSocket = nil }
        writeSocket = socket
        return socket
    }

    // MARK: - Subscriptions

    /// Takes a subscription of a central, or its end.
    func setSubscribed(_ isSubscribed: Bool, _ name: String, of central: LocalPeripheral.Central?) {
        let wasEmpty = subscribers.isEmpty
        if isSubscribed { subscribers.insert(name) } else { subscribers.remove(name) }
        guard wasEmpty != subscribers.isEmpty else { return }
        if !isSubscribed {
            if let notifySocket {
                notifySocket.close()
                self.notifySocket = nil
            } else {
                object.bus.notify(object.owner, path, Self.interface, "StopNotify")
            }
        } else if definition.offersNotifySocket {
            Task { await acquireNotify(central) }
        } else {
            object.bus.notify(object.owner, path, Self.interface, "StartNotify")
        }
    }

    private func acquireNotify(_ central: LocalPeripheral.Central?) async {
        do throws(DBusError) {
            let reply = try await object.call("AcquireNotify", [object.options(central)])
            guard let descriptor = reply.first?.fileDescriptorValue, !subscribers.isEmpty, notifySocket == nil else {
                return
            }
            notifySocket = ValueSocket(
                adopting: descriptor, take: { [weak self] value in self?.notify?(value) },
                ended: { [weak self] in self?.notifySocket = nil })
        } catch {
            warn("\(path) does not notify: \(error.message)")
        }
    }

    /// Closes the sockets.
    func close() {
        notifySocket?.close()
        writeSocket?.close()
        notifySocket = nil
        writeSocket = nil
    }
}

extension ATTError {
    /// The error for a central (bluez 5.82 src/gatt-database.c, `dbus_error_to_att_ecode`). For `Failed` with an
    /// application's code in its text, such as 0x80, it is that code.
    init(_ error: DBusError, refusing: ATTError) {
        self =
            switch error.name {
            case "org.bluez.Error.Failed": Self.applicationError(error.message) ?? ATTError(rawValue: 0x80)
            case "org.bluez.Error.NotSupported": .requestNotSupported
            case "org.bluez.Error.NotAuthorized": .insufficientAuthorization
            case "org.bluez.Error.InvalidValueLength": .invalidAttributeValueLength
            case "org.bluez.Error.InvalidOffset": .invalidOffset
            case "org.bluez.Error.InProgress": .procedureAlreadyInProgress
            case "org.bluez.Error.ImproperlyConfigured": .clientConfigurationImproperlyConfigured
            case "org.bluez.Error.NotPermitted": refusing
            default: .unlikely
            }
    }

    private static func applicationError(_ text: String) -> ATTError? {
        guard text.hasPrefix("0x"), let code = UInt8(text.dropFirst(2), radix: 16), applicationCodes.contains(code)
        else {
            return nil
        }
        return ATTError(rawValue: code)
    }
}
