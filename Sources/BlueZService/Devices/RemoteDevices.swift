// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The devices of an adapter: who was received, and for how long they stay.
///
/// An advertisement makes a device, a scan response alone does not. A temporary device is removed when it was not received
/// for a time, and the oldest one when there are too many.
@ServiceActor
final class RemoteDevices {
    private weak var adapter: Adapter?
    private let context: AdapterContext
    private var devices: [RemoteAddress: RemoteDevice] = [:]
    private var paths: [ObjectPath: RemoteDevice] = [:]
    /// New devices whose scan responses are awaited.
    private var incomplete: [RemoteAddress: RemoteDevice] = [:]
    private static let incompleteCapacity = 4096
    /// The devices that were received in the current discovery.
    private var found: Set<ObjectPath> = []
    private var sweeper: Task<Void, Never>?
    private var isFull = false

    init(of adapter: Adapter) {
        self.adapter = adapter
        context = adapter.context
    }

    private var bus: ServiceBus { context.bus }
    private var capacity: Int { context.options.deviceCapacity }

    /// The device at a path.
    func device(at path: ObjectPath) -> RemoteDevice? { paths[path] }

    /// The path of a device with an address.
    private func path(of address: BluetoothAddress) -> ObjectPath? {
        try? context.path.appending("dev_" + address.description.replacing(":", with: "_"))
    }

    /// The device of a link, by its identity or by its address on the air.
    private func device(of link: any RemoteLink) -> RemoteDevice? {
        (link as? any IdentifiedLink)?.identity.flatMap { devices[$0] } ?? devices[link.device]
    }

    /// A device is bonded, and has this identity: its object keeps its path. Another object of the device, which was received with
    /// the identity address before, is removed.
    func identify(_ device: RemoteDevice, as identity: RemoteAddress) {
        guard device.address != identity, devices[device.address] === device else { return }
        if let other = devices[identity] { remove(other) }
        devices[device.address] = nil
        devices[identity] = device
        device.setAddress(identity)
    }

    /// The device of an address; one that is made for it, if there is none.
    /// - Returns: `nil` if there is a device with the same bytes and another type of address.
    func device(of address: RemoteAddress) -> RemoteDevice? {
        if let device = devices[address] { return device }
        guard let adapter, let path = path(of: address.address), paths[path] == nil else { return nil }
        return RemoteDevice(address, at: path, of: adapter)
    }

    /// Takes the connection that a central made to the adapter; makes a device of it, if there is none.
    /// - Returns: `nil` if there is a device with the same bytes and another type of address.
    func accept(_ link: any RemoteLink) -> RemoteDevice? {
        let known = device(of: link)
        let address = (link as? any IdentifiedLink)?.identity ?? link.device
        guard let device = known ?? self.device(of: address) else { return nil }
        if device.isBlocked {
            Task { await link.disconnect() }
        } else {
            device.connection.accept(link, isNew: known == nil)
        }
        if known == nil { add(device) }
        return device
    }

    // MARK: - Reports

    /// Takes a sighting: makes a device or changes one, if a discovery or a monitor is interested.
    ///
    /// Linux reports an advertisement together with its scan response. So a new device that sends scan responses is added
    /// with the first of them, or with its second advertisement.
    func receive(_ sighting: Sighting) {
        let isScanResponse = sighting.pdu == .scanResponse || sighting.pdu == .extendedScanResponse
        let address = sighting.identity ?? sighting.device
        let known = devices[address]
        let waiting = incomplete[address]
        // As bluetoothd: a scan response alone makes no device.
        guard known != nil || waiting != nil || !isScanResponse, let adapter,
            let device = known ?? waiting ?? self.device(of: address)
        else { return }
        let report = device.report(of: sighting, isScanResponse: isScanResponse)
        device.noteSeen(report)
        if known == nil, waiting == nil, adapter.isDiscovering, report.isScannable {
            if incomplete.count >= Self.incompleteCapacity { incomplete = [:] }
            incomplete[device.address] = device
            return
        }
        let related = device.related(isScanResponse: isScanResponse)
        let rssi = sighting.rssi.map { Int16($0.decibelMilliwatts) }
        let name = report.name ?? related?.name ?? device.name
        let isDiscovered = adapter.isDiscovering && adapter.accepts(report, related, rssi: rssi, name: name)
        let matches = adapter.monitors.matches(report)
        guard isDiscovered || !matches.isEmpty else { return }
        if known == nil, let related { _ = device.merge(related, rssi: nil, adapter.rules) }
        let changed = device.merge(report, rssi: rssi, adapter.rules)
        if known == nil {
            incomplete[device.address] = nil
            add(device)
        } else {
            device.changed(changed)
        }
        if isDiscovered {
            found.insert(device.path)
            if known == nil, adapter.connectsAutomatically(to: device.address.address) {
                device.makePermanent()
                device.connection.connect(nil)
            }
        }
        adapter.monitors.notify(matches, of: device, rssi: rssi)
    }

    /// Exports a device.
    func add(_ device: RemoteDevice) {
        makeRoom()
        devices[device.address] = device
        paths[device.path] = device
        bus.export(device.path, [device.interface])
        scheduleSweep()
    }

    /// Removes a device with all objects below it.
    func remove(_ device: RemoteDevice, forgettingBond: Bool = false) {
        guard devices.removeValue(forKey: device.address) != nil else { return }
        paths[device.path] = nil
        found.remove(device.path)
        adapter?.monitors.forget(device)
        device.connection.close()
        bus.unexportTree(device.path)
        if forgettingBond, let radio = context.radio.central as? any BondingCentralRadio {
            let address = device.address
            Task { await radio.forgetBond(with: address) }
        }
    }

    private func makeRoom() {
        guard devices.count >= capacity else {
            isFull = false
            return
        }
        if !isFull {
            context.options.warn("\(context.path) has \(capacity) devices: new ones replace the oldest")
            isFull = true
        }
        let oldest = devices.values.filter(\.mayExpire).min { $0.lastSeen < $1.lastSeen }
        if let oldest { remove(oldest) }
    }

    // MARK: - Time

    private func scheduleSweep() {
        guard sweeper == nil, let timeout = context.options.temporaryTimeout else { return }
        sweeper = Task { [weak self] in
            while !Task.isCancelled {
                // Times of devices only move on, and a new device is the last to expire.
                guard let next = self?.nextExpiry(timeout) else { break }
                guard (try? await Task.sleep(until: next, clock: .continuous)) != nil else { return }
                self?.removeExpired(timeout)
            }
            self?.sweeper = nil
        }
    }

    /// The time when a device may expire; `nil` without devices.
    private func nextExpiry(_ timeout: Duration) -> ContinuousClock.Instant? {
        guard !devices.isEmpty else { return nil }
        let soonest = ContinuousClock.now + .milliseconds(100)
        let earliest = devices.values.lazy.filter(\.mayExpire).map(\.lastSeen).min()
        return max(soonest, (earliest ?? ContinuousClock.now) + timeout)
    }

    private func removeExpired(_ timeout: Duration) {
        let limit = ContinuousClock.now - timeout
        for device in devices.values where device.mayExpire && device.lastSeen <= limit { remove(device) }
    }

    // MARK: - All devices

    /// Forgets RSSI and transmit power of the devices that were received in the discovery.
    func forgetPower() {
        for path in found.sorted(by: { $0.rawValue < $1.rawValue }) { paths[path]?.forgetPower() }
        found = []
        incomplete = [:]
    }

    /// Removes temporary devices that no program can connect to.
    func removeUnconnectable() {
        for device in devices.values where device.mayExpire && !device.isConnectable { remove(device) }
    }

    /// Ends all connections without waiting.
    func disconnectAll() {
        for device in devices.values { Task { await device.connection.disconnect() } }
    }

    /// Forgets a caller that has left the bus.
    func ownerVanished(_ name: String) {
        for device in devices.values { device.connection.ownerVanished(name) }
    }

    /// Ends all connections and removes all devices.
    func stop() async {
        sweeper?.cancel()
        for device in devices.values {
            await device.connection.disconnect()
            device.connection.close()
        }
        devices = [:]
        paths = [:]
    }
}
