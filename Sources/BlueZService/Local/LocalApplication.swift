// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The attributes of one program: what is declared to centrals, and the objects that answer.
@ServiceActor
final class LocalApplication {
    static let descriptorInterface = "org.bluez.GattDescriptor1"

    /// The declarations.
    let services: [GATTService]
    /// The objects of all characteristics, in the order of `services`.
    let characteristics: [LocalCharacteristic]
    private let owner: String
    private let bus: ServiceBus
    private let changes: AsyncStream<DBusMessage>
    private var following: Task<Void, Never>?

    private init(
        _ services: [GATTService], _ characteristics: [LocalCharacteristic], of owner: String, bus: ServiceBus,
        changes: AsyncStream<DBusMessage>
    ) {
        self.services = services
        self.characteristics = characteristics
        self.owner = owner
        self.bus = bus
        self.changes = changes
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
        var services: [GATTService] = []
        var characteristics: [LocalCharacteristic] = []
        for service in objects.services {
            var declared: [GATTCharacteristic] = []
            for characteristic in service.characteristics {
                var descriptors: [GATTDescriptor] = []
                for descriptor in characteristic.descriptors {
                    descriptors.append(await read(descriptor, of: owner, bus: bus, warn: warn))
                }
                if !characteristic.flags.extended.isEmpty {
                    descriptors.insert(.extendedProperties(characteristic.flags.extended), at: 0)
                }
                declared.append(
                    GATTCharacteristic(
                        uuid: characteristic.uuid, properties: characteristic.flags.properties,
                        permissions: characteristic.flags.permissions, descriptors: descriptors))
                characteristics.append(LocalCharacteristic(characteristic, of: owner, bus: bus, warn: warn))
            }
            services.append(
                GATTService(
                    uuid: service.uuid, isPrimary: service.isPrimary, includedServices: service.includedServices,
                    characteristics: declared))
        }
        return LocalApplication(services, characteristics, of: owner, bus: bus, changes: changes)
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

    /// The value of a descriptor, which is read once: the radio's descriptors are constant.
    private static func read(
        _ descriptor: ApplicationObjects.Descriptor, of owner: String, bus: ServiceBus,
        warn: @Sendable (String) -> Void
    ) async -> GATTDescriptor {
        var value: [UInt8] = []
        do throws(DBusError) {
            let reply = try await bus.connection.call(
                owner, descriptor.path, descriptorInterface, "ReadValue", [.variants(["offset": .uint16(0)])],
                timeout: .seconds(5))
            value = Array((reply.first?.bytesValue ?? []).prefix(512))
        } catch {
            warn("\(descriptor.path) is served without a value: \(error.message)")
        }
        let isEncrypted = descriptor.flags.contains { $0.hasPrefix("encrypt-") || $0.hasPrefix("secure-") }
        return GATTDescriptor(uuid: descriptor.uuid, value: value, read: isEncrypted ? .encryption : [])
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

/// A characteristic of a program: the requests of centrals are calls of its object.
@ServiceActor
final class LocalCharacteristic {
    static let interface = "org.bluez.GattCharacteristic1"
    /// The time limit of an ATT transaction (Core 5.4, Vol 3, Part F, 3.3.3).
    private static let timeout = Duration.seconds(30)

    /// The object.
    let path: ObjectPath
    /// The identifier among all characteristics of the adapter; `nil` before it is served.
    var identifier: CharacteristicIdentifier?
    /// Sends a value to the centrals that subscribed.
    var notify: (@ServiceActor ([UInt8]) -> Void)?
    private let definition: ApplicationObjects.Characteristic
    private let owner: String
    private let bus: ServiceBus
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
        self.owner = owner
        self.bus = bus
        self.warn = warn
    }

    private func options(
        _ central: LocalPeripheral.Central?, offset: Int? = nil, type: String? = nil
    ) -> DBusValue {
        var options: [String: DBusValue] = ["link": "LE", "mtu": .uint16(central?.mtu ?? 23)]
        if let device = central?.device { options["device"] = .objectPath(device) }
        if let offset { options["offset"] = .uint16(UInt16(clamping: offset)) }
        if let type { options["type"] = .string(type) }
        return .variants(options)
    }

    private func call(_ method: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
        try await bus.connection.call(owner, path, Self.interface, method, arguments, timeout: Self.timeout)
    }

    // MARK: - Requests

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

    /// Writes the value for a central: through the socket, if the program offers one.
    func write(
        _ value: [UInt8], _ offset: Int, isCommand: Bool, of central: LocalPeripheral.Central?
    ) async -> AttributeResponse {
        do throws(DBusError) {
            if definition.offersWriteSocket, offset == 0 {
                let socket = try await acquireWrite(central)
                return socket.send(value) ? .success([]) : .failure(.insufficientResources)
            }
            let type = isCommand ? "command" : "request"
            _ = try await call("WriteValue", [.bytes(value), options(central, offset: offset, type: type)])
            return .success([])
        } catch {
            return .failure(ATTError(error, refusing: .writeNotPermitted))
        }
    }

    private func acquireWrite(_ central: LocalPeripheral.Central?) async throws(DBusError) -> ValueSocket {
        if let writeSocket { return writeSocket }
        let reply = try await call("AcquireWrite", [options(central)])
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
                bus.notify(owner, path, Self.interface, "StopNotify")
            }
        } else if definition.offersNotifySocket {
            Task { await acquireNotify(central) }
        } else {
            bus.notify(owner, path, Self.interface, "StartNotify")
        }
    }

    private func acquireNotify(_ central: LocalPeripheral.Central?) async {
        do throws(DBusError) {
            let reply = try await call("AcquireNotify", [options(central)])
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
