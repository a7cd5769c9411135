// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import KernelBluetooth
import Radio

/// The scan of a central, and what makes bluetoothd and the controller scan: a discovery session, which scans actively, or
/// advertisement monitors, which scan passively.
///
/// A loop in the owner calls `reconcile` for each element of `wakeUps`, to start or stop them. Discovery runs
/// while the scanner is attached and not closed, no connection attempt pauses it, and an active scan or a connection attempt
/// needs it. During a discovery, the controller reports each advertiser only once. `tick` therefore restarts discovery
/// each second, for connection attempts and for scans without a filter for duplicates. The monitors are registered
/// while the scanner is attached and not closed, and a passive scan needs them; the controller reports every advertisement.
///
/// Sightings come from the monitor channel where this process may use it, else from the properties that bluetoothd signals
/// and, in a passive scan, from the reports of the monitors, which repeat.
///
/// Confined to the actor of the central that owns it.
final class CentralScanner {
    /// Wakes the owner's loop.
    let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    private let openMonitor: @Sendable () -> BluetoothSocket?
    private var attachment: AdapterAttachment?
    private var isClosed = false
    /// Whether the owner's loop runs.
    private var isLooping = false
    private var scan: RunningScan?
    /// What makes bluetoothd scan passively; `nil` while it is not needed.
    private var monitors: PassiveScanMonitors?
    /// The number of applications of monitors so far.
    private var applications = 0
    /// What the monitors report, for `note(_:)`.
    let monitorEvents: AsyncStream<PassiveScanMonitors.Event>
    private let monitorEvent: AsyncStream<PassiveScanMonitors.Event>.Continuation
    /// The number of connection attempts that need discovery to find their device.
    private var searches = 0
    /// The number of connection attempts that discovery would delay.
    private var pauses = 0
    /// Whether bluetoothd was asked to discover.
    private var isDiscovering = false
    /// Whether the next `reconcile` restarts discovery.
    private var restarts = false
    private var waiting: [CheckedContinuation<RadioError?, Never>] = []
    /// Warnings about a scan.
    let warnings: AsyncStream<Warning>
    private let warning: AsyncStream<Warning>.Continuation

    /// - Parameter openMonitor: opens the monitor channel; `nil` where this process may not use it.
    init(openMonitor: @escaping @Sendable () -> BluetoothSocket?) {
        self.openMonitor = openMonitor
        (monitorEvents, monitorEvent) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (warnings, warning) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    // MARK: - Attachment and loop

    /// Sets the daemon and the adapter to scan with.
    func attach(to attachment: AdapterAttachment) {
        self.attachment = attachment
    }

    /// Ends the scan after the loss of the daemon or the adapter, which ends discovery, too.
    func detach() {
        attachment = nil
        endScan()
        isDiscovering = false
        wakeUp.yield()
    }

    /// Records that the owner's loop runs: from now on, `settle` waits for it.
    func startLoop() {
        isLooping = true
    }

    /// Ends the scan; discovery does not start again.
    func close() {
        isClosed = true
        endScan()
    }

    /// Ends `wakeUps`, `monitorEvents` and `warnings`.
    func endLoop() {
        wakeUp.finish()
        monitorEvent.finish()
        warning.finish()
    }

    /// Restarts discovery if advertisers must be reported again. The owner calls this every second.
    func tick() {
        if searches > 0 || scan?.filtersDuplicates == false { restarts = true }
        wakeUp.yield()
    }

    // MARK: - Scans

    /// Starts a scan, which replaces the previous one. bluetoothd chooses interval and window.
    /// - Throws: `RadioError` `.unsupported` for a passive scan if bluetoothd has no monitors, `.refused` when it does not
    ///   scan.
    func start(
        _ settings: ScanParameters, on attachment: AdapterAttachment
    ) async throws(RadioError) -> AsyncStream<Sighting> {
        let support = settings.isActive ? .missing : await attachment.passiveScanSupport()
        guard settings.isActive || support != .missing else {
            let limit = ReceivingCapabilities.Limit.passiveUnderBlueZ
            throw RadioError(.unsupported, limit.reason, hint: limit.hint)
        }
        endScan()
        let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self, bufferingPolicy: .bufferingNewest(4096))
        var scan = RunningScan(settings, support, continuation)
        if let monitor = openMonitor() {
            scan.monitor = monitor
            Self.observe(monitor, index: attachment.adapter.index, continuation)
        }
        self.scan = scan
        restarts = true
        if let trouble = await settle() {
            endScan()
            throw trouble
        }
        return stream
    }

    /// Ends the scan, if there is one. Discovery ends with the next `reconcile`.
    func endScan() {
        scan?.continuation.finish()
        scan?.monitor?.close()
        scan = nil
    }

    private static func observe(
        _ monitor: BluetoothSocket, index: UInt16, _ continuation: AsyncStream<Sighting>.Continuation
    ) {
        Task { [packets = monitor.packets] in
            var observer = ScanObserver(index: index)
            for await bytes in packets {
                guard let packet = try? MonitorPacket(parsing: bytes) else { continue }
                for sighting in observer.sightings(in: packet) { continuation.yield(sighting) }
            }
        }
    }

    // MARK: - Signals of bluetoothd

    /// Stores a device that bluetoothd added, and reports it if it is in range.
    func noteAdded(_ path: ObjectPath, _ properties: [String: DBusValue]) {
        guard let attachment, path.isDescendant(of: attachment.adapter.path) else { return }
        scan?.noteAdded(path, DeviceProperties(properties))
    }

    /// Stores changed properties of a device, and reports the device if they result from an advertisement.
    func noteChanged(_ path: ObjectPath, _ changed: [String: DBusValue], invalidated: [String]) {
        scan?.noteChanged(path, changed, invalidated: invalidated)
    }

    /// Drops a device that bluetoothd removed.
    func noteRemoved(_ path: ObjectPath) {
        scan?.noteRemoved(path)
    }

    /// Takes a report of a monitor.
    func note(_ event: PassiveScanMonitors.Event) async {
        switch event {
        case .found(let path, let monitor): scan?.noteFound(path, by: monitor)
        case .released:
            guard let monitors, scan?.isActive == false else { return }
            let left = await monitors.active
            if left.isEmpty { endScan() } else { warn(left) }
        }
    }

    /// Reports what is not received because there is no monitor for it.
    private func warn(_ active: [Int]) {
        let missing = PassiveScanPatterns.monitors.indices.filter { !active.contains($0) }
        guard !missing.isEmpty else { return }
        var meanings: [String] = []
        for meaning in missing.map({ PassiveScanPatterns.monitors[$0].meaning }) where !meanings.contains(meaning) {
            meanings.append(meaning)
        }
        let parts = meanings.joined(separator: "; or ")
        warning.yield(
            Warning(
                code: "monitors-refused",
                message:
                    "the kernel or the controller accepts \(active.count) of \(PassiveScanPatterns.monitors.count) "
                    + "advertisement monitors, so a device may be missing that has no more than \(parts)",
                hint: "end other programs that scan passively, or drive the controller without bluetoothd "
                    + "(--radio hci-socket:N)"))
    }

    // MARK: - Connection attempts

    /// Keeps discovery running, so that bluetoothd finds a device.
    func beginSearch() {
        searches += 1
        wakeUp.yield()
    }

    /// Ends the effect of `beginSearch`.
    func endSearch() {
        searches -= 1
    }

    /// Pauses discovery for a connection attempt. The kernel connects when it receives an advertisement of the device,
    /// and during a discovery the controller reports each advertiser only once.
    func beginPause() async {
        pauses += 1
        await settle()
    }

    /// Ends the effect of `beginPause`.
    func endPause() {
        pauses -= 1
        wakeUp.yield()
    }

    // MARK: - Discovery

    /// Waits for a `reconcile` of the owner's loop, which starts or stops discovery and monitors.
    /// - Returns: why the scan could not be started.
    @discardableResult
    func settle() async -> RadioError? {
        guard isLooping else { return nil }
        return await withCheckedContinuation { continuation in
            waiting.append(continuation)
            if case .terminated = wakeUp.yield() { resumeAll(takeWaiting(), nil) }
        }
    }

    /// Starts, stops or restarts discovery and monitors as required, and resumes the callers of `settle`.
    func reconcile() async {
        let waiting = takeWaiting()
        let refusal = await reconcileMonitors()
        let trouble = await reconcileDiscovery()
        resumeAll(waiting, refusal ?? trouble.map(Self.doesNotScan))
    }

    private static func doesNotScan(_ trouble: DBusError) -> RadioError {
        RadioError(
            .refused, "bluetoothd does not scan (\(trouble))", hint: "check its log (journalctl -u bluetooth)")
    }

    private func takeWaiting() -> [CheckedContinuation<RadioError?, Never>] {
        defer { waiting = [] }
        return waiting
    }

    private func resumeAll(_ waiting: [CheckedContinuation<RadioError?, Never>], _ trouble: RadioError?) {
        for continuation in waiting { continuation.resume(returning: trouble) }
    }

    private func reconcileDiscovery() async -> DBusError? {
        guard let attachment else { return nil }
        if isDiscovering, !isDiscoveryWanted || restarts { await stopDiscovery(of: attachment) }
        guard isDiscoveryWanted, !isDiscovering else { return nil }
        return await startDiscovery(of: attachment)
    }

    private var isDiscoveryWanted: Bool {
        !isClosed && attachment != nil && pauses == 0 && (scan?.isActive == true || searches > 0)
    }

    private func startDiscovery(of attachment: AdapterAttachment) async -> DBusError? {
        let filter: [String: DBusValue] = ["Transport": "le", "DuplicateData": true]
        do throws(DBusError) {
            try await readDevices(of: attachment)
            try await attachment.call("SetDiscoveryFilter", [.variants(filter)])
            try await attachment.call("StartDiscovery")
            isDiscovering = self.attachment?.daemon.owner == attachment.daemon.owner
            restarts = false
            return nil
        } catch {
            return error
        }
    }

    /// Reads the properties of the devices that bluetoothd has found before: its signals have changed properties only.
    private func readDevices(of attachment: AdapterAttachment) async throws(DBusError) {
        guard scan?.needsDevices == true else { return }
        for object in try await attachment.daemon.objects() {
            guard let path = object.key.objectPathValue, path.isDescendant(of: attachment.adapter.path),
                let properties = object.value.dictionaryValue?[DeviceProperties.interface]?.dictionaryValue
            else { continue }
            scan?.store(DeviceProperties(properties), at: path)
        }
    }

    private func stopDiscovery(of attachment: AdapterAttachment) async {
        isDiscovering = false
        // An error means that the discovery has ended already.
        _ = try? await attachment.call("StopDiscovery")
    }

    // MARK: - Monitors

    private func reconcileMonitors() async -> RadioError? {
        let isWanted = !isClosed && attachment != nil && scan?.isActive == false
        if let monitors {
            guard !isWanted || attachment?.isSame(as: monitors.attachment) == false else { return nil }
            self.monitors = nil
            await monitors.unregister()
        }
        guard isWanted, let attachment else { return nil }
        do throws(DBusError) {
            try await readDevices(of: attachment)
            applications += 1
            let monitors = try PassiveScanMonitors(
                on: attachment, number: applications, report: { [monitorEvent] in monitorEvent.yield($0) })
            self.monitors = monitors
            try await monitors.register()
            return await accept(monitors)
        } catch {
            await dropMonitors()
            return Self.doesNotScan(error)
        }
    }

    /// Verifies that monitors are active.
    private func accept(_ monitors: PassiveScanMonitors) async -> RadioError? {
        let active = await monitors.active
        guard !active.isEmpty else {
            await dropMonitors()
            return RadioError(
                .refused,
                "the kernel accepts no advertisement monitor, without which bluetoothd does not scan passively",
                hint:
                    "check the log of bluetoothd (journalctl -u bluetooth), or drive the controller without bluetoothd "
                    + "(--radio hci-socket:N)")
        }
        warn(active)
        return nil
    }

    private func dropMonitors() async {
        let dropped = monitors
        monitors = nil
        await dropped?.unregister()
    }
}
