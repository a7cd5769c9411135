// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import DBus
import KernelBluetooth
import Radio

/// The scan of a central, and the discovery session of bluetoothd that makes the controller scan.
///
/// A loop in the owner calls `reconcile` for each element of `wakeUps`, to start or stop discovery. Discovery runs
/// while the scanner is attached and not closed, no connection attempt pauses it, and a scan or a connection attempt
/// needs it. During a discovery, the controller reports each advertiser only once. `tick` therefore restarts discovery
/// each second, for connection attempts and for scans without a filter for duplicates.
///
/// Sightings come from the monitor channel where this process may use it, else from the properties that bluetoothd signals.
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
    private var scan: Scan?
    /// The number of connection attempts that need discovery to find their device.
    private var searches = 0
    /// The number of connection attempts that discovery would delay.
    private var pauses = 0
    /// Whether bluetoothd was asked to discover.
    private var isDiscovering = false
    /// Whether the next `reconcile` restarts discovery.
    private var restarts = false
    private var waiting: [CheckedContinuation<DBusError?, Never>] = []

    private struct Scan {
        let continuation: AsyncStream<Sighting>.Continuation
        let filtersDuplicates: Bool
        /// The monitor channel; `nil` without CAP_NET_RAW.
        var monitor: BluetoothSocket?
        /// The properties of the devices found so far; unused with the monitor channel.
        var devices: [ObjectPath: DeviceProperties] = [:]

        /// The maximum number of devices, to limit memory; bluetoothd finds fewer in practice.
        private static let maximumDevices = 16_384

        mutating func store(_ device: DeviceProperties, at path: ObjectPath) {
            guard devices.count < Self.maximumDevices || devices[path] != nil else { return }
            devices[path] = device
        }

        func report(_ device: DeviceProperties) {
            if let sighting = device.sighting { continuation.yield(sighting) }
        }
    }

    /// - Parameter openMonitor: opens the monitor channel; `nil` where this process may not use it.
    init(openMonitor: @escaping @Sendable () -> BluetoothSocket?) {
        self.openMonitor = openMonitor
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
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

    /// Ends `wakeUps`.
    func endLoop() {
        wakeUp.finish()
    }

    /// Restarts discovery if advertisers must be reported again. The owner calls this every second.
    func tick() {
        if searches > 0 || scan?.filtersDuplicates == false { restarts = true }
        wakeUp.yield()
    }

    // MARK: - Scans

    /// Starts a scan, which replaces the previous one. bluetoothd chooses interval and window.
    /// - Throws: `RadioError` `.unsupported` for a passive scan, `.refused` when bluetoothd does not discover.
    func start(
        _ settings: ScanParameters, on attachment: AdapterAttachment
    ) async throws(RadioError) -> AsyncStream<Sighting> {
        guard settings.isActive else {
            let limit = ReceivingCapabilities.Limit.passiveUnderBlueZ
            throw RadioError(.unsupported, limit.reason, hint: limit.hint)
        }
        endScan()
        let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self, bufferingPolicy: .bufferingNewest(4096))
        var scan = Scan(continuation: continuation, filtersDuplicates: settings.filtersDuplicates)
        if let monitor = openMonitor() {
            scan.monitor = monitor
            Self.observe(monitor, index: attachment.adapter.index, continuation)
        }
        self.scan = scan
        restarts = true
        if let trouble = await settle() {
            endScan()
            throw RadioError(
                .refused, "bluetoothd does not scan on \(attachment.adapter.name) (\(trouble))",
                hint: "check its log (journalctl -u bluetooth)")
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
        guard scan != nil, scan?.monitor == nil else { return }
        let device = DeviceProperties(properties)
        scan?.store(device, at: path)
        if device.isInRange { scan?.report(device) }
    }

    /// Stores changed properties of a device, and reports the device if they result from an advertisement.
    func noteChanged(_ path: ObjectPath, _ changed: [String: DBusValue], invalidated: [String]) {
        guard scan != nil, scan?.monitor == nil, var device = scan?.devices[path] else { return }
        device.change(changed, invalidated: invalidated)
        scan?.store(device, at: path)
        if DeviceProperties.isSighting(changed) { scan?.report(device) }
    }

    /// Drops a device that bluetoothd removed.
    func noteRemoved(_ path: ObjectPath) {
        scan?.devices[path] = nil
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

    /// Waits for a `reconcile` of the owner's loop, which starts or stops discovery.
    /// - Returns: the error of a discovery that could not be started.
    @discardableResult
    func settle() async -> DBusError? {
        guard isLooping else { return nil }
        return await withCheckedContinuation { continuation in
            waiting.append(continuation)
            if case .terminated = wakeUp.yield() { resumeAll(takeWaiting(), nil) }
        }
    }

    /// Starts, stops or restarts discovery as required, and resumes the callers of `settle`.
    func reconcile() async {
        let waiting = takeWaiting()
        let trouble = await reconcileDiscovery()
        resumeAll(waiting, trouble)
    }

    private func takeWaiting() -> [CheckedContinuation<DBusError?, Never>] {
        defer { waiting = [] }
        return waiting
    }

    private func resumeAll(_ waiting: [CheckedContinuation<DBusError?, Never>], _ trouble: DBusError?) {
        for continuation in waiting { continuation.resume(returning: trouble) }
    }

    private func reconcileDiscovery() async -> DBusError? {
        guard let attachment else { return nil }
        if isDiscovering, !isDiscoveryWanted || restarts { await stopDiscovery(of: attachment) }
        guard isDiscoveryWanted, !isDiscovering else { return nil }
        return await startDiscovery(of: attachment)
    }

    private var isDiscoveryWanted: Bool {
        !isClosed && attachment != nil && pauses == 0 && (scan != nil || searches > 0)
    }

    private func startDiscovery(of attachment: AdapterAttachment) async -> DBusError? {
        let filter: [String: DBusValue] = ["Transport": "le", "DuplicateData": true]
        do throws(DBusError) {
            if scan?.monitor == nil { try await readDevices(of: attachment) }
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
        guard scan?.devices.isEmpty == true else { return }
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
}

// MARK: - Limits

extension ReceivingCapabilities {
    /// The limits of a central that uses bluetoothd.
    /// - Parameter mayMonitor: whether this process may use the monitor channel.
    static func limitsUnderBlueZ(mayMonitor: Bool) -> [Limit] {
        let oncePerScan =
            "the controller reports each advertiser only once per scan, which is restarted every second"
        guard !mayMonitor else {
            return [Limit(.duplicates, reason: oncePerScan, hint: Limit.withoutBlueZ), .passiveUnderBlueZ]
        }
        let privilege = "give beaconry CAP_NET_RAW (see docs/adapters.md, \"Rights\")"
        return [
            Limit(.pdu, reason: "bluetoothd does not report the PDU of an advertisement", hint: privilege),
            Limit(
                .exactData,
                reason: "bluetoothd reports the recognised fields of advertising data and scan response together, not "
                    + "the bytes", hint: privilege),
            Limit(
                .duplicates, reason: "\(oncePerScan), and bluetoothd reports only changed properties",
                hint: Limit.withoutBlueZ),
            .passiveUnderBlueZ,
        ]
    }
}

extension ReceivingCapabilities.Limit {
    /// Why there are no passive scans.
    fileprivate static let passiveUnderBlueZ = ReceivingCapabilities.Limit(
        .passiveScanning, reason: "bluetoothd always scans actively", hint: withoutBlueZ)

    fileprivate static let withoutBlueZ = "drive the controller without bluetoothd (--radio hci-socket:N)"
}
