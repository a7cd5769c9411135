// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import DBus
import Radio

// Finding the daemon and the adapter, losing them, and finding them again.

extension BlueZCentral {
    /// Makes the radio usable, or finds that it still is.
    /// - Throws: `RadioError` that says what is missing.
    func attach() async throws(RadioError) {
        if isClosed { throw Self.closed }
        if let attachment, await attachment.isUsable() { return }
        let connection = try await bus()
        let daemon = try await BlueZDaemon.find(on: connection)
        let adapter = try await selector.usableAdapter(of: daemon)
        if isClosed { throw Self.closed }
        if let attachment, attachment.daemon.owner != daemon.owner || attachment.adapter.path != adapter.path {
            loseAll(Self.replaced)
        }
        selector = .address(adapter.address)
        let attachment = Attachment(daemon: daemon, adapter: adapter)
        if serving.application == nil { try await offer(on: attachment) }
        self.attachment = attachment
        setState(.ready)
    }

    private static let replaced = RadioError(
        .noDaemon, "bluetoothd was started anew", hint: "scan and connect again")

    /// Looks at daemon and adapter again.
    func reconcile() async {
        guard !isClosed else { return }
        do throws(RadioError) {
            try await attach()
        } catch {
            guard !isClosed else { return }
            loseAll(error)
        }
    }

    /// Ends all that was on the daemon and the adapter.
    func loseAll(_ error: RadioError) {
        attachment = nil
        forgetServing()
        setState(.unavailable(error))
        endScan()
        discovery.isOn = false
        discoveryWakeUp.yield()
        for link in links.values { link.end(error.message) }
        links = [:]
    }

    /// Every second: in case that a signal was missed.
    func tick() async {
        // Controllers that tell of each advertiser once a scan tell of it again in a new one.
        if discovery.searches > 0 || scan?.filtersDuplicates == false { discovery.isDue = true }
        discoveryWakeUp.yield()
        discovery.ticks += 1
        guard discovery.ticks.isMultiple(of: 2) else { return }
        wakeUp.yield()
        for path in links.keys { await check(path) }
    }

    private func bus() async throws(RadioError) -> DBusConnection {
        if let connection { return connection }
        let connection = try await BlueZDaemon.systemBus()
        self.connection = connection
        keep(
            Task { [weak self] in
                await connection.waitUntilClosed()
                await self?.forget(connection)
            })
        await watch(connection)
        return connection
    }

    private func forget(_ closed: DBusConnection) {
        guard connection === closed else { return }
        connection = nil
        wakeUp.yield()
    }

    private func watch(_ connection: DBusConnection) async {
        let rules = [
            MatchRule(
                sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                argument0: BlueZDaemon.busName),
            // In one subscription, so that they come in the order in which they were sent.
            MatchRule(sender: BlueZDaemon.busName),
        ]
        for rule in rules {
            // A bus that takes no rule is closing; the loop finds that out by itself.
            guard let signals = try? await connection.subscribe(rule) else { continue }
            keep(
                Task { [weak self] in
                    for await signal in signals { await self?.handle(signal) }
                })
        }
    }

    private func handle(_ signal: DBusMessage) {
        switch signal.member {
        case "NameOwnerChanged": wakeUp.yield()
        case "InterfacesAdded": noteAdded(signal.body)
        case "InterfacesRemoved": noteRemoved(signal.body)
        case "PropertiesChanged": noteChanged(signal)
        // Since BlueZ 5.83: why a device is not connected any more.
        case "Disconnected":
            guard let path = signal.path, signal.body.count > 1 else { return }
            links[path]?.note(reason: signal.body[1].stringValue ?? "")
        default: break
        }
    }

    private func noteAdded(_ body: [DBusValue]) {
        guard body.count == 2, let path = body[0].objectPathValue, let interfaces = body[1].dictionaryValue else {
            return
        }
        if interfaces["org.bluez.Adapter1"] != nil { wakeUp.yield() }
        if let device = interfaces[DeviceProperties.interface]?.dictionaryValue { noteDevice(path, device) }
        if let service = interfaces[RemoteDatabase.serviceInterface]?.dictionaryValue, let device = path.parent,
            service["Primary"]?.boolValue == true
        {
            links[device]?.noteService(at: path, isThere: true)
        }
    }

    private func noteRemoved(_ body: [DBusValue]) {
        guard body.count == 2, let path = body[0].objectPathValue, let interfaces = body[1].stringsValue else { return }
        if interfaces.contains("org.bluez.Adapter1") { wakeUp.yield() }
        if interfaces.contains(RemoteDatabase.serviceInterface), let device = path.parent {
            links[device]?.noteService(at: path, isThere: false)
        }
        guard interfaces.contains(DeviceProperties.interface) else { return }
        scan?.devices[path] = nil
        endLink(path, "bluetoothd has removed the device")
    }

    private func noteChanged(_ signal: DBusMessage) {
        guard let path = signal.path, signal.body.count == 3, let interface = signal.body[0].stringValue,
            let changed = signal.body[1].dictionaryValue
        else { return }
        switch interface {
        case "org.bluez.Adapter1":
            if changed["Powered"] != nil { wakeUp.yield() }
        case DeviceProperties.interface:
            noteHeard(path, changed, invalidated: signal.body[2].stringsValue ?? [])
            if changed["Connected"]?.boolValue == false { endLink(path, "the connection was lost") }
        case RemoteDatabase.characteristicInterface:
            guard let value = changed["Value"]?.bytesValue, let device = path.parent?.parent else { return }
            links[device]?.take(value, from: path)
        default: break
        }
    }

    /// Ends a link that bluetoothd says is gone.
    func endLink(_ path: ObjectPath, _ reason: String) {
        links.removeValue(forKey: path)?.end(reason)
    }
}

extension BlueZCentral.Attachment {
    /// Whether the daemon is still there and the adapter powered.
    func isUsable() async -> Bool {
        let properties = try? await daemon.properties("org.bluez.Adapter1", of: adapter.path)
        return properties?["Powered"]?.boolValue == true
    }
}
