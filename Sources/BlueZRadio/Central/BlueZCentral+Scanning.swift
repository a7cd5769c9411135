// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import BluetoothCore
import DBus
public import Radio

// Listening: who is told what was heard, and the discovery that has the controller scan.

extension BlueZCentral {
    /// A scan that somebody asked for.
    struct Scan {
        let continuation: AsyncStream<Sighting>.Continuation
        let filtersDuplicates: Bool
        /// The kernel's monitor, where this process may use it.
        var monitor: BluetoothSocket?
        /// What bluetoothd told of devices so far; unused where the monitor tells.
        var devices: [ObjectPath: DeviceProperties] = [:]
    }

    /// More devices than bluetoothd keeps in any place.
    private static let maximumDevices = 16_384

    /// Listens. bluetoothd decides on interval and window.
    ///
    /// - Throws: `RadioError`: `.unsupported` for a passive scan, which bluetoothd does not do.
    public func scan(_ settings: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
        let attachment = try usable()
        guard settings.isActive else {
            let limit = Self.passiveLimit
            throw RadioError(.unsupported, limit.reason, hint: limit.hint)
        }
        endScan()
        let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self, bufferingPolicy: .bufferingNewest(4096))
        var scan = Scan(continuation: continuation, filtersDuplicates: settings.filtersDuplicates)
        if ProcessRights.current.rawNetwork, let monitor = try? BluetoothSocket(.monitor) {
            scan.monitor = monitor
            listen(to: monitor, index: attachment.adapter.index, continuation)
        }
        self.scan = scan
        discovery.isDue = true
        if let trouble = await settleDiscovery() {
            endScan()
            throw RadioError(
                .refused, "bluetoothd does not scan on \(attachment.adapter.name) (\(trouble))",
                hint: "see what it says (journalctl -u bluetooth)")
        }
        return stream
    }

    public func stopScanning() async {
        endScan()
        await settleDiscovery()
    }

    /// Ends the scan, if there is one; the discovery loop does the rest.
    func endScan() {
        scan?.continuation.finish()
        scan?.monitor?.close()
        scan = nil
    }

    private func listen(to monitor: BluetoothSocket, index: UInt16, _ continuation: AsyncStream<Sighting>.Continuation)
    {
        Task { [packets = monitor.packets] in
            var listener = MonitorListener(index: index)
            for await bytes in packets {
                guard let packet = try? MonitorPacket(parsing: bytes) else { continue }
                for sighting in listener.sightings(in: packet) { continuation.yield(sighting) }
            }
        }
    }

    // MARK: - What bluetoothd tells of devices

    /// Takes a device that bluetoothd has found.
    func noteDevice(_ path: ObjectPath, _ properties: [String: DBusValue]) {
        guard let attachment, path.isDescendant(of: attachment.adapter.path) else { return }
        guard scan != nil, scan?.monitor == nil else { return }
        let device = DeviceProperties(properties)
        remember(device, at: path)
        if device.isHeard { tell(device) }
    }

    /// Takes what changed of a device.
    func noteHeard(_ path: ObjectPath, _ changed: [String: DBusValue], invalidated: [String]) {
        guard scan != nil, scan?.monitor == nil, var device = scan?.devices[path] else { return }
        device.change(changed, invalidated: invalidated)
        remember(device, at: path)
        if DeviceProperties.tellsOfHearing(changed) { tell(device) }
    }

    private func remember(_ device: DeviceProperties, at path: ObjectPath) {
        guard let count = scan?.devices.count, count < Self.maximumDevices || scan?.devices[path] != nil else { return }
        scan?.devices[path] = device
    }

    private func tell(_ device: DeviceProperties) {
        if let sighting = device.sighting { scan?.continuation.yield(sighting) }
    }

    // MARK: - Discovery

    /// What is known of discovery, and who needs it.
    struct Discovery {
        /// How many connections need it to find their device.
        var searches = 0
        /// How many connections are being made, which discovery would hold up.
        var pauses = 0
        /// Whether bluetoothd was asked for it.
        var isOn = false
        /// Whether it is to be begun anew.
        var isDue = false
        /// Counts seconds.
        var ticks = 0
        var waiting: [CheckedContinuation<DBusError?, Never>] = []
    }

    /// Has the loop bring discovery in line with what is wanted, and waits for that.
    /// - Returns: why it could not be started.
    @discardableResult
    func settleDiscovery() async -> DBusError? {
        guard !loops.isEmpty else { return nil }
        return await withCheckedContinuation { continuation in
            discovery.waiting.append(continuation)
            if case .terminated = discoveryWakeUp.yield() { answerAll(nil) }
        }
    }

    /// One round of the discovery loop.
    func reconcileDiscovery() async {
        let waiting = discovery.waiting
        discovery.waiting = []
        let trouble = await bringDiscoveryInLine()
        for continuation in waiting { continuation.resume(returning: trouble) }
    }

    private func answerAll(_ trouble: DBusError?) {
        let waiting = discovery.waiting
        discovery.waiting = []
        for continuation in waiting { continuation.resume(returning: trouble) }
    }

    private func bringDiscoveryInLine() async -> DBusError? {
        guard let attachment else { return nil }
        if discovery.isOn, !isDiscoveryWanted || discovery.isDue { await stopDiscovery(of: attachment) }
        guard isDiscoveryWanted, !discovery.isOn else { return nil }
        return await startDiscovery(of: attachment)
    }

    private var isDiscoveryWanted: Bool {
        !isClosed && attachment != nil && discovery.pauses == 0 && (scan != nil || discovery.searches > 0)
    }

    private func startDiscovery(of attachment: Attachment) async -> DBusError? {
        let filter: [String: DBusValue] = ["Transport": "le", "DuplicateData": true]
        do throws(DBusError) {
            if scan?.monitor == nil { try await learnDevices(of: attachment) }
            try await attachment.call("SetDiscoveryFilter", [.variants(filter)])
            try await attachment.call("StartDiscovery")
            discovery.isOn = self.attachment?.daemon.owner == attachment.daemon.owner
            discovery.isDue = false
            return nil
        } catch {
            return error
        }
    }

    /// bluetoothd tells only what changes of devices that it has met before.
    private func learnDevices(of attachment: Attachment) async throws(DBusError) {
        guard scan?.devices.isEmpty == true else { return }
        for object in try await attachment.daemon.objects() {
            guard let path = object.key.objectPathValue, path.isDescendant(of: attachment.adapter.path),
                let properties = object.value.dictionaryValue?[DeviceProperties.interface]?.dictionaryValue
            else { continue }
            remember(DeviceProperties(properties), at: path)
        }
    }

    private func stopDiscovery(of attachment: Attachment) async {
        discovery.isOn = false
        // One that is not under way any more is what is wanted.
        _ = try? await attachment.call("StopDiscovery")
    }
}

extension BlueZCentral.Attachment {
    /// Calls the adapter.
    @discardableResult
    fileprivate func call(_ member: String, _ arguments: [DBusValue] = []) async throws(DBusError) -> [DBusValue] {
        try await daemon.call(adapter.path, "org.bluez.Adapter1", member, arguments, timeout: .seconds(5))
    }
}
