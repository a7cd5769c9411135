// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// The monitors of an adapter: `org.bluez.AdvertisementMonitorManager1` (bluez 5.82 src/adv_monitor.c).
///
/// A program registers a path, and exports monitors below it, before or after; its object manager reports them. While there is
/// an active monitor, the adapter scans passively.
@ServiceActor
final class AdvertisementMonitors: AdapterManager {
    private static let declaration = InterfaceDeclaration(
        "org.bluez.AdvertisementMonitorManager1",
        methods: [
            MethodDeclaration("RegisterMonitor", in: ["application": "o"]),
            MethodDeclaration("UnregisterMonitor", in: ["application": "o"]),
        ],
        properties: [
            PropertyDeclaration("SupportedMonitorTypes", "as"),
            PropertyDeclaration("SupportedFeatures", "as"),
        ])
    /// The number of registrations that an adapter accepts.
    private static let capacity = 256

    private struct Key: Hashable {
        let owner: String
        let path: ObjectPath
    }

    private weak var adapter: Adapter?
    private let bus: ServiceBus
    private var applications: [Key: MonitorApplication] = [:]

    init(of adapter: Adapter) {
        self.adapter = adapter
        bus = adapter.context.bus
    }

    /// Whether any monitor is active.
    var isActive: Bool { applications.values.contains { !$0.monitors.isEmpty } }

    var interface: ExportedInterface {
        ExportedInterface(
            Self.declaration,
            properties: {
                ["SupportedMonitorTypes": .strings(["or_patterns"]), "SupportedFeatures": .strings([])]
            }, call: { call, reply in ServiceActor.assumeIsolated { self.handle(call, reply) } })
    }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        guard let path = call.arguments.first?.objectPathValue else { return reply.fail(BlueZError.invalidArguments()) }
        let key = Key(owner: call.sender, path: path)
        if call.member == "RegisterMonitor" { return register(key, reply) }
        guard let application = applications.removeValue(forKey: key) else {
            return reply.fail(BlueZError.doesNotExist)
        }
        application.release()
        adapter?.monitorsChanged()
        reply.succeed()
    }

    private func register(_ key: Key, _ reply: PendingReply) {
        guard applications[key] == nil else { return reply.fail(BlueZError.alreadyExists) }
        guard applications.count < Self.capacity else {
            return reply.fail(BlueZError.failed("Failed to create Adv Monitor app"))
        }
        let application = MonitorApplication(key.owner, key.path, bus: bus) { [weak self] in
            self?.adapter?.monitorsChanged()
        }
        applications[key] = application
        Task {
            do throws(DBusError) {
                try await application.start()
                reply.succeed()
            } catch {
                applications[key] = nil
                application.close()
                reply.fail(BlueZError.failed("no objects at \(key.path): \(error.message)"))
            }
        }
    }

    // MARK: - Reports

    /// The monitors that an advertisement matches.
    func matches(_ report: AdvertisingReport) -> [AdvertisementMonitor] {
        guard !applications.isEmpty else { return [] }
        return applications.values.flatMap { application in
            application.monitors.values.filter { $0.rules.matches(report.structures) }
        }
    }

    /// Reports a device to monitors that it matched.
    func notify(_ monitors: [AdvertisementMonitor], of device: RemoteDevice, rssi: Int16?) {
        for monitor in monitors { monitor.receive(device.path, rssi: rssi) }
    }

    /// Reports the loss of a device that is removed.
    func forget(_ device: RemoteDevice) {
        for application in applications.values {
            for monitor in application.monitors.values { monitor.forget(device.path) }
        }
    }

    // MARK: - Ends

    func ownerVanished(_ owner: String) {
        for (key, application) in applications where key.owner == owner {
            application.close()
            applications[key] = nil
        }
    }

    func powerChanged(_ isPowered: Bool) {}

    func stop() async {
        for application in applications.values { application.close() }
        applications = [:]
    }
}

/// What a program registered: a path, and the monitors below it.
@ServiceActor
final class MonitorApplication {
    private static let interface = "org.bluez.AdvertisementMonitor1"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    /// The number of monitors that a program may have.
    private static let capacity = 64

    private let owner: String
    private let root: ObjectPath
    private let bus: ServiceBus
    private let changed: @ServiceActor () -> Void
    /// The monitors by their paths.
    private(set) var monitors: [ObjectPath: AdvertisementMonitor] = [:]
    private var signals: Task<Void, Never>?
    private var isClosed = false

    init(_ owner: String, _ root: ObjectPath, bus: ServiceBus, changed: @escaping @ServiceActor () -> Void) {
        self.owner = owner
        self.root = root
        self.bus = bus
        self.changed = changed
    }

    /// Finds the monitors that there are, and follows the program's object manager from now on.
    /// - Throws: `DBusError` if the program has no object manager there.
    func start() async throws(DBusError) {
        let stream = try await bus.connection.subscribe(
            MatchRule(sender: owner, path: root, interface: Self.objectManager))
        let reply = try await bus.connection.call(owner, root, Self.objectManager, "GetManagedObjects")
        guard !isClosed else { throw .cancelled() }
        for entry in reply.first?.entriesValue ?? [] {
            if let path = entry.key.objectPathValue { add(path, entry.value) }
        }
        signals = Task { [weak self] in
            for await signal in stream { self?.receive(signal) }
        }
    }

    private func receive(_ signal: DBusMessage) {
        guard let path = signal.body.first?.objectPathValue, signal.body.count == 2 else { return }
        if signal.member == "InterfacesAdded" {
            add(path, signal.body[1])
        } else if signal.member == "InterfacesRemoved",
            signal.body[1].stringsValue?.contains(Self.interface) ?? false, monitors.removeValue(forKey: path) != nil
        {
            changed()
        }
    }

    /// Adds a monitor, if the object is one.
    private func add(_ path: ObjectPath, _ interfaces: DBusValue) {
        guard !isClosed, monitors[path] == nil, path == root || path.isDescendant(of: root),
            let properties = interfaces.dictionaryValue?[Self.interface]?.dictionaryValue
        else { return }
        guard monitors.count < Self.capacity, let rules = MonitorRules(properties) else {
            return bus.notify(owner, path, Self.interface, "Release")
        }
        monitors[path] = AdvertisementMonitor(owner, path, rules, bus: bus)
        changed()
        // After the reply to the registration, as bluetoothd does: its controllers activate a monitor later.
        Task { [bus, owner] in bus.notify(owner, path, Self.interface, "Activate") }
    }

    /// Ends all monitors, and reports it to the program.
    func release() {
        for path in monitors.keys { bus.notify(owner, path, Self.interface, "Release") }
        close()
    }

    /// Ends all monitors.
    func close() {
        isClosed = true
        signals?.cancel()
        for monitor in monitors.values { monitor.close() }
        monitors = [:]
    }
}

/// A monitor of a program: `org.bluez.AdvertisementMonitor1`.
@ServiceActor
final class AdvertisementMonitor {
    private static let interface = "org.bluez.AdvertisementMonitor1"

    /// What it reports.
    let rules: MonitorRules
    private let owner: String
    private let path: ObjectPath
    private let bus: ServiceBus
    private var devices: [ObjectPath: MonitoredDevice] = [:]
    private var timer: Task<Void, Never>?

    init(_ owner: String, _ path: ObjectPath, _ rules: MonitorRules, bus: ServiceBus) {
        self.owner = owner
        self.path = path
        self.rules = rules
        self.bus = bus
    }

    /// Takes an advertisement of a device that matches.
    func receive(_ device: ObjectPath, rssi: Int16?) {
        let change = devices[device, default: MonitoredDevice()].receive(rssi: rssi, rules.thresholds, at: .now)
        guard let change else { return }
        report(change, device)
        if let thresholds = rules.thresholds, timer == nil { watch(thresholds) }
    }

    /// Reports the loss of devices that are not received any more.
    private func watch(_ thresholds: MonitorRules.Thresholds) {
        timer = Task { [weak self] in
            while (try? await Task.sleep(for: .seconds(1))) != nil, let self, hasFound {
                for path in devices.keys where devices[path]?.expire(thresholds, at: .now) == true {
                    report(.lost, path)
                }
            }
            self?.timer = nil
        }
    }

    private var hasFound: Bool { devices.values.contains(where: \.isFound) }

    private func report(_ change: MonitoredDevice.Change, _ device: ObjectPath) {
        bus.notify(
            owner, path, Self.interface, change == .found ? "DeviceFound" : "DeviceLost", [.objectPath(device)])
    }

    /// Reports the loss of a device that is removed.
    func forget(_ device: ObjectPath) {
        if devices.removeValue(forKey: device)?.isFound == true { report(.lost, device) }
    }

    /// Ends the monitor.
    func close() { timer?.cancel() }
}
