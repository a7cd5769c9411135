// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import Radio

/// The advertisements of programs on an adapter: `org.bluez.LEAdvertisingManager1` (bluez 5.82 src/advertising.c).
///
/// A registration reads the program's object, and reads it again when the program signals changes. It ends with
/// `UnregisterAdvertisement`, with its `Timeout` (then with `Release`), and when the program leaves the bus. While the
/// adapter is switched off, nothing is advertised.
@ServiceActor
final class LocalAdvertisements: AdapterManager {
    private static let name = "org.bluez.LEAdvertisingManager1"
    private static let declaration = InterfaceDeclaration(
        name,
        methods: [
            MethodDeclaration("RegisterAdvertisement", in: ["advertisement": "o", "options": "a{sv}"]),
            MethodDeclaration("UnregisterAdvertisement", in: ["service": "o"]),
        ],
        properties: [
            PropertyDeclaration("ActiveInstances", "y"), PropertyDeclaration("SupportedInstances", "y"),
            PropertyDeclaration("SupportedIncludes", "as"), PropertyDeclaration("SupportedSecondaryChannels", "as"),
            PropertyDeclaration("SupportedCapabilities", "a{sv}"), PropertyDeclaration("SupportedFeatures", "as"),
        ])
    private static let clientInterface = "org.bluez.LEAdvertisement1"
    /// The number of advertisements of an adapter.
    private static let capacity = 16

    private struct Key: Hashable {
        let owner: String
        let path: ObjectPath
    }

    /// An advertisement of a program.
    private final class Registration {
        let number: Int
        /// `nil` while the object is read for the first time.
        var properties: AdvertisementProperties?
        var isDiscoverableOver = false
        var timers: [Task<Void, Never>] = []

        init(number: Int) { self.number = number }

        func cancel() {
            for timer in timers { timer.cancel() }
            timers = []
        }
    }

    private weak var adapter: Adapter?
    private let context: AdapterContext
    private let peripheral: LocalPeripheral
    private var registrations: [Key: Registration] = [:]
    private var lastNumber = 0

    init(of adapter: Adapter, on peripheral: LocalPeripheral) {
        self.adapter = adapter
        context = adapter.context
        self.peripheral = peripheral
    }

    private var bus: ServiceBus { context.bus }

    var interface: ExportedInterface {
        ExportedInterface(
            Self.declaration, properties: { ServiceActor.assumeIsolated { self.properties } },
            call: { call, reply in ServiceActor.assumeIsolated { self.handle(call, reply) } })
    }

    private var activeCount: Int { registrations.values.count { $0.properties != nil } }

    private var properties: [String: DBusValue] {
        [
            "ActiveInstances": .byte(UInt8(activeCount)),
            "SupportedInstances": .byte(UInt8(Self.capacity - activeCount)),
            "SupportedIncludes": .strings(AdvertisementProperties.includes),
            "SupportedCapabilities": .variants([
                "MaxAdvLen": .byte(31), "MaxScnRspLen": .byte(31), "MinTxPower": .int16(-127), "MaxTxPower": .int16(20),
            ]),
            "SupportedFeatures": .strings(["CanSetTxPower"]),
        ]
    }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        guard let path = call.arguments.first?.objectPathValue else { return reply.fail(BlueZError.invalidArguments()) }
        let key = Key(owner: call.sender, path: path)
        if call.member == "RegisterAdvertisement" { return register(key, reply) }
        guard registrations[key]?.properties != nil else { return reply.fail(BlueZError.doesNotExist) }
        remove(key)
        reply.succeed()
    }

    // MARK: - Registering

    private func register(_ key: Key, _ reply: PendingReply) {
        guard registrations[key] == nil else { return reply.fail(BlueZError.alreadyExists) }
        guard registrations.count < Self.capacity else {
            return reply.fail(BlueZError.notPermitted("Maximum advertisements reached"))
        }
        lastNumber += 1
        let registration = Registration(number: lastNumber)
        registrations[key] = registration
        Task {
            do throws(DBusError) {
                // Before the object is read, so that no change is missed.
                let changes = try await bus.connection.subscribe(
                    MatchRule(
                        sender: key.owner, path: key.path, interface: "org.freedesktop.DBus.Properties",
                        member: "PropertiesChanged"))
                let properties = try await read(key)
                try await begin(registration, properties, key)
                follow(changes, key, registration)
                changed()
                reply.succeed()
            } catch {
                if registrations[key] === registration { remove(key) }
                reply.fail(error)
            }
        }
    }

    private func read(_ key: Key) async throws(DBusError) -> AdvertisementProperties {
        let values: [DBusValue]
        do throws(DBusError) {
            values = try await bus.connection.call(
                key.owner, key.path, "org.freedesktop.DBus.Properties", "GetAll", [.string(Self.clientInterface)],
                timeout: .seconds(10))
        } catch {
            throw BlueZError.failed("Failed to parse advertisement.")
        }
        guard let adapter else { throw BlueZError.notReady }
        let surroundings = AdvertisementProperties.Context(
            name: adapter.alias, isDiscoverable: adapter.isDiscoverable, address: context.address)
        do throws(AdvertisementProperties.Fault) {
            let properties = try AdvertisementProperties(values.first?.dictionaryValue ?? [:], surroundings)
            for name in properties.ignoredIncludes {
                context.options.warn(
                    "an advertisement of a program requests to include \(name), which is ignored")
            }
            return properties
        } catch {
            context.options.warn(
                "an advertisement of a program is refused: \(error.property) has a wrong type or value, or does not fit"
            )
            throw BlueZError.failed("Failed to parse advertisement.")
        }
    }

    private func begin(
        _ registration: Registration, _ properties: AdvertisementProperties, _ key: Key
    ) async throws(DBusError) {
        guard registrations[key] === registration else { throw BlueZError.failed("Failed to register advertisement") }
        guard adapter?.isPowered ?? false else { throw BlueZError.notReady }
        do throws(RadioError) {
            try await peripheral.advertise(properties.advertisement, as: registration.number)
        } catch {
            context.options.warn("an advertisement of a program is refused: \(error)")
            throw BlueZError.failed("Failed to register advertisement")
        }
        guard registrations[key] === registration else {
            peripheral.stop(registration.number)
            throw BlueZError.failed("Failed to register advertisement")
        }
        registration.properties = properties
        if let timeout = properties.timeout {
            registration.timers.append(
                Task { [weak self] in
                    guard (try? await Task.sleep(for: timeout)) != nil else { return }
                    self?.expire(key)
                })
        }
        if let timeout = properties.discoverableTimeout {
            registration.timers.append(
                Task { [weak self] in
                    guard (try? await Task.sleep(for: timeout)) != nil else { return }
                    registration.isDiscoverableOver = true
                    await self?.update(key, registration)
                })
        }
    }

    /// Reads the object again after each change.
    private func follow(_ changes: AsyncStream<DBusMessage>, _ key: Key, _ registration: Registration) {
        registration.timers.append(
            Task { [weak self] in
                for await change in changes where change.body.first?.stringValue == Self.clientInterface {
                    guard let self, let properties = try? await read(key) else { continue }
                    registration.properties = properties
                    await update(key, registration)
                }
            })
    }

    /// Called when the adapter became discoverable, or ceased to be: flags and PDU types depend on it.
    func discoverabilityChanged() {
        for (key, registration) in registrations where registration.properties != nil {
            Task {
                guard let properties = try? await read(key), registrations[key] === registration else { return }
                registration.properties = properties
                await update(key, registration)
            }
        }
    }

    private func update(_ key: Key, _ registration: Registration) async {
        guard registrations[key] === registration, var advertisement = registration.properties?.advertisement else {
            return
        }
        if registration.isDiscoverableOver {
            advertisement.advertisingData = advertisement.advertisingData.withoutDiscoverability
        }
        guard adapter?.isPowered ?? false else { return }
        do throws(RadioError) {
            try await peripheral.advertise(advertisement, as: registration.number)
        } catch {
            context.options.warn("an advertisement of a program is not changed: \(error)")
        }
    }

    // MARK: - Ends

    private func expire(_ key: Key) {
        remove(key)
        bus.notify(key.owner, key.path, Self.clientInterface, "Release")
    }

    private func remove(_ key: Key) {
        guard let registration = registrations.removeValue(forKey: key) else { return }
        registration.cancel()
        peripheral.stop(registration.number)
        if registration.properties != nil { changed() }
    }

    private func changed() {
        bus.propertiesChanged(["ActiveInstances", "SupportedInstances"], of: Self.name, at: context.path)
    }

    func ownerVanished(_ owner: String) {
        for key in registrations.keys where key.owner == owner { remove(key) }
    }

    func powerChanged(_ isPowered: Bool) {
        for (key, registration) in registrations {
            if isPowered {
                Task { await update(key, registration) }
            } else {
                peripheral.stop(registration.number)
            }
        }
    }

    func stop() async {
        for (key, registration) in registrations {
            registration.cancel()
            if registration.properties != nil { bus.notify(key.owner, key.path, Self.clientInterface, "Release") }
        }
        registrations = [:]
        await peripheral.close()
    }
}
