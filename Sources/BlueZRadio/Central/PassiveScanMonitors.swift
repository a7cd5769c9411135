// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Radio

/// Whether bluetoothd can scan passively on an adapter, with what it calls advertisement monitors.
enum PassiveScanSupport: Hashable, Sendable {
    /// It has no monitors, and scans actively only.
    case missing
    /// bluetoothd compares the advertisements with the patterns: the controller reports all.
    case inDaemon
    /// The controller compares them, and reports those that have a pattern.
    case inController

    fileprivate static let interface = "org.bluez.AdvertisementMonitorManager1"
    fileprivate static let patternType = "or_patterns"

    /// Parses the properties of org.bluez.AdvertisementMonitorManager1; `nil` if there is no such interface.
    init(_ properties: [String: DBusValue]?) {
        guard let types = properties?["SupportedMonitorTypes"]?.stringsValue, types.contains(Self.patternType) else {
            self = .missing
            return
        }
        let features = properties?["SupportedFeatures"]?.stringsValue ?? []
        self = features.contains("controller-patterns") ? .inController : .inDaemon
    }
}

extension AdapterAttachment {
    /// Whether bluetoothd can scan passively; `.missing` also if it does not answer.
    func passiveScanSupport() async -> PassiveScanSupport {
        PassiveScanSupport(try? await daemon.properties(PassiveScanSupport.interface, of: adapter.path))
    }
}

/// An application of org.bluez.AdvertisementMonitor1 objects, while whose monitors are active bluetoothd scans passively.
///
/// The states of a monitor are: *pending*, until bluetoothd activates or releases it; *active*; *released*, because bluetoothd, the
/// kernel or the controller did not accept it, or has dropped it. `register` returns when no monitor is pending.
actor PassiveScanMonitors {
    /// What bluetoothd reports.
    enum Event: Sendable {
        /// A monitor received an advertisement of a device. A monitor in bluetoothd reports each of them, a monitor in a
        /// controller the first.
        case found(ObjectPath, monitor: Int)
        /// A monitor that was active is dropped.
        case released(monitor: Int)
    }

    private enum State {
        case pending, active, released
    }

    private static let interface = "org.bluez.AdvertisementMonitor1"
    /// Controllers with patterns of their own get a command for each monitor, which may take some time.
    private static let activationTime = Duration.seconds(10)

    /// Where bluetoothd finds the monitors.
    let attachment: AdapterAttachment
    private let root: ObjectPath
    private let report: @Sendable (Event) -> Void
    private var states: [State]
    private var decision: CheckedContinuation<Void, Never>?

    /// - Parameters:
    ///   - number: different for each application of a connection: bluetoothd may still have the previous one.
    ///   - report: takes the events in their order.
    init(
        on attachment: AdapterAttachment, number: Int, report: @escaping @Sendable (Event) -> Void
    ) throws(DBusError) {
        self.attachment = attachment
        root = try ObjectPath("/org/beaconry/monitors").appending("scan\(number)")
        self.report = report
        states = PassiveScanPatterns.monitors.map { _ in .pending }
    }

    /// The monitors that are active, by their places in `PassiveScanPatterns.monitors`.
    var active: [Int] { states.indices.filter { states[$0] == .active } }

    /// Registers the monitors, and waits until bluetoothd has activated or released each of them.
    /// - Throws: `DBusError` of the daemon or of the bus.
    func register() async throws(DBusError) {
        let connection = attachment.daemon.connection
        try await connection.export(ExportedObject(path: root, isObjectManager: true))
        for (number, monitor) in PassiveScanPatterns.monitors.enumerated() {
            let path = try path(of: number)
            try await connection.export(
                ExportedObject(path: path, interfaces: [interface(of: monitor, number: number)]))
        }
        _ = try await attachment.daemon.call(
            attachment.adapter.path, PassiveScanSupport.interface, "RegisterMonitor", [.objectPath(root)],
            timeout: .seconds(10))
        await waitForDecisions()
    }

    /// Unregisters the monitors and removes their objects. The scan ends, unless another program has monitors.
    func unregister() async {
        // An error means that the daemon has ended, or has dropped the application.
        _ = try? await attachment.daemon.call(
            attachment.adapter.path, PassiveScanSupport.interface, "UnregisterMonitor", [.objectPath(root)],
            timeout: .seconds(5))
        await attachment.daemon.connection.unexportTree(root)
    }

    private func path(of number: Int) throws(DBusError) -> ObjectPath { try root.appending("monitor\(number)") }

    private func interface(of monitor: PassiveScanPatterns.Monitor, number: Int) -> ExportedInterface {
        let patterns = monitor.patterns.map { pattern in
            DBusValue.structure([.byte(pattern.start), .byte(pattern.type), .bytes(pattern.content)])
        }
        let properties: [String: DBusValue] = [
            "Type": .string(PassiveScanSupport.patternType), "Patterns": .array("(yyay)", patterns),
        ]
        return ExportedInterface(
            Self.interface, properties: { properties },
            methods: [
                "Activate": { [weak self] _ in await self?.decide(number, .active) ?? .success([]) },
                "Release": { [weak self] _ in await self?.decide(number, .released) ?? .success([]) },
                "DeviceFound": { [report] call in
                    guard let device = call.arguments.first?.objectPathValue else {
                        return .failure(.blueZ("InvalidArguments", "DeviceFound has the path of a device"))
                    }
                    report(.found(device, monitor: number))
                    return .success([])
                },
                "DeviceLost": { _ in .success([]) },
            ])
    }

    // MARK: - Activation

    private func decide(_ number: Int, _ state: State) -> Result<[DBusValue], DBusError> {
        let previous = states[number]
        states[number] = state
        if !states.contains(.pending) { resume() }
        if previous == .active, state == .released { report(.released(monitor: number)) }
        return .success([])
    }

    private func waitForDecisions() async {
        let timer = Task { [weak self] in
            guard (try? await Task.sleep(for: Self.activationTime)) != nil else { return }
            await self?.resume()
        }
        await withCheckedContinuation { continuation in
            decision = continuation
            if !states.contains(.pending) { resume() }
        }
        timer.cancel()
    }

    private func resume() {
        decision?.resume()
        decision = nil
    }
}
