// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Radio
import Synchronization
import TestSupport

@testable import BlueZRadio

/// A bluetoothd with one adapter, `hci0`, and the objects that a test adds. It records the calls of its methods.
actor FakeBluetoothd {
    static let adapter: ObjectPath = "/org/bluez/hci0"

    let connection: DBusConnection
    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }
    /// The called methods, in order.
    private(set) var calls: [String] = []
    /// The properties of the registered advertisements, by their path.
    private(set) var advertisements: [String: [String: DBusValue]] = [:]
    /// The number of times that the adapter was read.
    private(set) var readCount = 0
    /// The client that registered an agent or an application, and the object.
    private(set) var agent: (client: String, path: ObjectPath)?
    private(set) var application: (client: String, path: ObjectPath)?
    /// The features of the manager of advertisement monitors; `nil` without one.
    private let monitorFeatures: [String]?
    /// The monitors of a client by their paths, in their order, and how many of them are accepted.
    private(set) var monitors: [(client: String, path: ObjectPath, patterns: [[DBusValue]])] = []
    private var acceptedMonitors = Int.max
    private var isPowered = true
    private var isDiscoverable = false
    private var isDiscovering = false
    private var isExtended = false
    private var refusesAdvertisements = false

    private init(_ connection: DBusConnection, monitorFeatures: [String]?) {
        self.connection = connection
        self.monitorFeatures = monitorFeatures
    }

    /// Starts on a bus.
    /// - Parameter monitorFeatures: the features of the manager of advertisement monitors, which `-E` adds; `nil` without it.
    static func start(on bus: TestBus, monitorFeatures: [String]? = nil) async throws -> FakeBluetoothd {
        let connection = try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
        let daemon = FakeBluetoothd(connection, monitorFeatures: monitorFeatures)
        try await connection.export(ExportedObject(path: .root, isObjectManager: true))
        try await daemon.exportAgentManager()
        try await daemon.exportAdapter()
        try await connection.requestName("org.bluez")
        return daemon
    }

    /// Ends the daemon with all its state.
    func stop() async {
        await connection.close()
    }

    /// Powers the adapter on or off.
    func setPowered(_ value: Bool, isSignalled: Bool = true) async throws {
        isPowered = value
        guard isSignalled else { return }
        try await connection.emitPropertiesChanged(
            Self.adapter, "org.bluez.Adapter1", ["Powered": .boolean(value)])
    }

    /// Makes the adapter discoverable, or hides it.
    func setDiscoverable(_ value: Bool) async throws {
        isDiscoverable = value
        try await connection.emitPropertiesChanged(
            Self.adapter, "org.bluez.Adapter1", ["Discoverable": .boolean(value)])
    }

    /// Begins or ends a scan of another program.
    func setDiscovering(_ value: Bool) async throws {
        isDiscovering = value
        try await connection.emitPropertiesChanged(
            Self.adapter, "org.bluez.Adapter1", ["Discovering": .boolean(value)])
    }

    /// Gives the controller extended advertising, or takes it away.
    func setExtended(_ value: Bool) {
        isExtended = value
    }

    /// Refuses the registration of advertisements, or accepts it again.
    func setRefusing(_ value: Bool) {
        refusesAdvertisements = value
    }

    /// Accepts at most this number of monitors.
    func setAcceptedMonitors(_ count: Int) {
        acceptedMonitors = count
    }

    /// Reports an advertisement with one structure to the monitors that it matches.
    func find(_ device: ObjectPath, type: UInt8, _ data: [UInt8]) async throws {
        for monitor in monitors
        where monitor.patterns.contains(where: { fields in
            fields[1].byteValue == type
                && data.dropFirst(Int(fields[0].byteValue ?? 0)).starts(with: fields[2].bytesValue ?? [0])
        }) {
            _ = try await connection.call(
                monitor.client, monitor.path, "org.bluez.AdvertisementMonitor1", "DeviceFound", [.objectPath(device)])
        }
    }

    /// Releases the monitors, as bluetoothd does if the kernel has removed them.
    func releaseMonitors() async throws {
        for monitor in monitors {
            _ = try await connection.call(monitor.client, monitor.path, "org.bluez.AdvertisementMonitor1", "Release")
        }
        monitors = []
    }

    /// Waits until a condition holds.
    func wait(until condition: @Sendable (isolated FakeBluetoothd) -> Bool) async {
        while !condition(self) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// The number of calls of a method.
    func count(of method: String) -> Int { calls.count { $0 == method } }

    /// Adds an object with one interface.
    func add(
        _ path: ObjectPath, _ interface: String, _ properties: [String: DBusValue],
        methods: [String: MethodHandler] = [:]
    ) async throws {
        try await connection.export(
            ExportedObject(
                path: path, interfaces: [ExportedInterface(interface, properties: { properties }, methods: methods)]))
    }

    /// Records a call.
    func record(_ method: String) {
        calls.append(method)
    }

    // MARK: - Objects

    private func exportAgentManager() async throws {
        let methods: [String: MethodHandler] = [
            "RegisterAgent": { [weak self] call in await self?.register(agent: call) ?? .success([]) },
            "RequestDefaultAgent": { [weak self] _ in await self?.accept("RequestDefaultAgent") ?? .success([]) },
            "UnregisterAgent": { [weak self] _ in await self?.accept("UnregisterAgent") ?? .success([]) },
        ]
        try await connection.export(
            ExportedObject(
                path: "/org/bluez", interfaces: [ExportedInterface("org.bluez.AgentManager1", methods: methods)]))
    }

    private func exportAdapter() async throws {
        let adapter = ExportedInterface(
            "org.bluez.Adapter1", properties: { [weak self] in self?.assumeIsolated { $0.adapterProperties() } ?? [:] },
            methods: [
                "SetDiscoveryFilter": { [weak self] _ in await self?.accept("SetDiscoveryFilter") ?? .success([]) },
                "StartDiscovery": { [weak self] _ in await self?.accept("StartDiscovery") ?? .success([]) },
                "StopDiscovery": { [weak self] _ in await self?.accept("StopDiscovery") ?? .success([]) },
            ])
        let advertising = ExportedInterface(
            "org.bluez.LEAdvertisingManager1",
            properties: { [weak self] in self?.assumeIsolated { $0.advertisingProperties() } ?? [:] },
            methods: [
                "RegisterAdvertisement": { [weak self] call in
                    await self?.register(advertisement: call) ?? .success([])
                },
                "UnregisterAdvertisement": { [weak self] call in
                    await self?.unregister(advertisement: call) ?? .success([])
                },
            ])
        let attributes = ExportedInterface(
            "org.bluez.GattManager1",
            methods: [
                "RegisterApplication": { [weak self] call in
                    await self?.register(application: call) ?? .success([])
                },
                "UnregisterApplication": { [weak self] _ in
                    await self?.accept("UnregisterApplication") ?? .success([])
                },
            ])
        try await connection.export(
            ExportedObject(
                path: Self.adapter, interfaces: [adapter, advertising, attributes] + monitorManager, isConcurrent: true)
        )
    }

    private var monitorManager: [ExportedInterface] {
        guard let monitorFeatures else { return [] }
        let properties: [String: DBusValue] = [
            "SupportedMonitorTypes": .strings(["or_patterns"]), "SupportedFeatures": .strings(monitorFeatures),
        ]
        return [
            ExportedInterface(
                "org.bluez.AdvertisementMonitorManager1", properties: { properties },
                methods: [
                    "RegisterMonitor": { [weak self] call in await self?.register(monitors: call) ?? .success([]) },
                    "UnregisterMonitor": { [weak self] _ in await self?.unregisterMonitors() ?? .success([]) },
                ])
        ]
    }

    /// Replies before it activates monitors, as bluetoothd does.
    private func register(monitors call: MethodCall) async -> Result<[DBusValue], DBusError> {
        calls.append("RegisterMonitor")
        guard let root = call.arguments.first?.objectPathValue,
            let reply = try? await connection.call(
                call.sender, root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        else { return .failure(DBusError(name: "org.bluez.Error.Failed", message: "no objects")) }
        var found: [(client: String, path: ObjectPath, patterns: [[DBusValue]])] = []
        for entry in reply.first?.entriesValue ?? [] {
            guard let path = entry.key.objectPathValue,
                let properties = entry.value.dictionaryValue?["org.bluez.AdvertisementMonitor1"]?.dictionaryValue,
                properties["Type"] == "or_patterns", let patterns = properties["Patterns"]?.arrayValue
            else { continue }
            found.append((call.sender, path, patterns.compactMap(\.structureValue)))
        }
        found.sort { $0.path.rawValue < $1.path.rawValue }
        monitors = Array(found.prefix(acceptedMonitors))
        Task { [found, acceptedMonitors] in
            for (number, monitor) in found.enumerated() {
                _ = try? await connection.call(
                    monitor.client, monitor.path, "org.bluez.AdvertisementMonitor1",
                    number < acceptedMonitors ? "Activate" : "Release")
            }
        }
        return .success([])
    }

    private func unregisterMonitors() -> Result<[DBusValue], DBusError> {
        monitors = []
        return accept("UnregisterMonitor")
    }

    private func adapterProperties() -> [String: DBusValue] {
        readCount += 1
        return [
            "Address": "00:AA:01:00:00:00", "Powered": .boolean(isPowered), "Pairable": true,
            "Modalias": "usb:v1D6Bp0246d0552", "Discoverable": .boolean(isDiscoverable),
            "Discovering": .boolean(isDiscovering),
        ]
    }

    private func advertisingProperties() -> [String: DBusValue] {
        [
            "ActiveInstances": .byte(0), "SupportedInstances": .byte(5),
            "SupportedSecondaryChannels": .strings(isExtended ? ["1M"] : []),
        ]
    }

    private func accept(_ method: String) -> Result<[DBusValue], DBusError> {
        calls.append(method)
        return .success([])
    }

    private func register(agent call: MethodCall) -> Result<[DBusValue], DBusError> {
        agent = call.arguments.first?.objectPathValue.map { (call.sender, $0) }
        return accept("RegisterAgent")
    }

    private func register(application call: MethodCall) -> Result<[DBusValue], DBusError> {
        application = call.arguments.first?.objectPathValue.map { (call.sender, $0) }
        return accept("RegisterApplication")
    }

    private func register(advertisement call: MethodCall) async -> Result<[DBusValue], DBusError> {
        calls.append("RegisterAdvertisement")
        guard !refusesAdvertisements, let path = call.arguments.first?.objectPathValue else {
            return .failure(DBusError(name: "org.bluez.Error.NotPermitted", message: "Maximum advertisements reached"))
        }
        let reply = try? await connection.call(
            call.sender, path, "org.freedesktop.DBus.Properties", "GetAll", ["org.bluez.LEAdvertisement1"])
        advertisements[path.rawValue] = reply?.first?.dictionaryValue
        return .success([])
    }

    private func unregister(advertisement call: MethodCall) -> Result<[DBusValue], DBusError> {
        calls.append("UnregisterAdvertisement")
        if let path = call.arguments.first?.objectPathValue { advertisements[path.rawValue] = nil }
        return .success([])
    }
}

/// A ledger that remembers what was left.
final class LeftoverLedger: RadioLedger {
    private let left = Mutex<[String: [String]]>([:])

    func record(_ entries: [String], under key: String) {}
    func leave(_ entries: [String], under key: String) { left.withLock { $0[key, default: []] += entries } }
    func leftovers(under key: String) -> [String] { left.withLock { $0[key] ?? [] } }
    func takeLeftovers(under key: String) -> [String] { left.withLock { $0.removeValue(forKey: key) } ?? [] }
    func heldByOthers(under key: String) -> [String] { [] }
}

/// A ledger that stores nothing.
struct EmptyLedger: RadioLedger {
    func record(_ entries: [String], under key: String) {}
    func leave(_ entries: [String], under key: String) {}
    func leftovers(under key: String) -> [String] { [] }
    func takeLeftovers(under key: String) -> [String] { [] }
    func heldByOthers(under key: String) -> [String] { [] }
}
