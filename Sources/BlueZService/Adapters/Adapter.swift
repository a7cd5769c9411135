// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// An adapter: an object with `org.bluez.Adapter1`, its managers, and the devices below it.
///
/// It scans actively while a program discovers, passively while one monitors only, else not at all. A report makes a device
/// or changes it (`RemoteDevices`). While it is switched off, programs get `NotReady`.
@ServiceActor
final class Adapter {
    /// What the objects of the adapter share.
    let context: AdapterContext
    /// The devices.
    private(set) lazy var devices = RemoteDevices(of: self)
    /// The monitors of programs.
    private(set) lazy var monitors = AdvertisementMonitors(of: self)
    /// The attributes of programs.
    private lazy var applications = LocalApplications(of: self, on: peripheral)
    private lazy var advertisements = LocalAdvertisements(of: self, on: peripheral)
    private lazy var peripheral = LocalPeripheral(of: self)
    private lazy var managers: [any AdapterManager] = makeManagers()
    private var settings: AdapterProperties
    private var sessions = DiscoverySessions()
    private var isDiscoverableBySession = false
    private lazy var scanner = AdapterScanner(context.radio.central, warn: context.options.warn) { [weak self] in
        self?.receive($0)
    }
    private var discoverableTimer: Task<Void, Never>?
    private var pairableTimer: Task<Void, Never>?

    init(_ index: Int, _ radio: AdapterRadio, address: BluetoothAddress, of service: BlueZService) {
        context = AdapterContext(
            path: Self.path(index), address: address, radio: radio, bus: service.bus, agents: service.agents,
            options: service.options)
        let name = service.options.name
        settings = AdapterProperties(name: index == 0 ? name : "\(name) #\(index + 1)")
    }

    private static func path(_ index: Int) -> ObjectPath {
        guard let path = try? ObjectPath("/org/bluez/hci\(index)") else {
            preconditionFailure("a number is a valid name")
        }
        return path
    }

    private func makeManagers() -> [any AdapterManager] {
        guard context.radio.peripheral != nil else { return [monitors] }
        return [monitors, advertisements, applications]
    }

    /// Whether it is switched on.
    var isPowered: Bool { settings.isPowered }
    /// Its name for people.
    var alias: String { settings.alias }
    /// Whether it makes bonds.
    var isPairable: Bool { settings.isPairable }
    /// Whether it is discoverable.
    var isDiscoverable: Bool { settings.isPowered && settings.isDiscoverable }
    /// Whether a program discovers.
    var isDiscovering: Bool { sessions.isActive }

    /// The object.
    var path: ObjectPath { context.path }
    private var bus: ServiceBus { context.bus }

    // MARK: - The object

    /// Exports the object.
    func export() {
        let interface = ExportedInterface(
            AdapterDeclaration.interface,
            properties: { ServiceActor.assumeIsolated { self.properties } },
            set: { write, reply in ServiceActor.assumeIsolated { self.set(write, reply) } },
            call: { call, reply in ServiceActor.assumeIsolated { self.handle(call, reply) } })
        bus.export(path, [interface] + managers.map(\.interface))
    }

    private var properties: [String: DBusValue] {
        settings.properties.merging([
            "Address": .string(context.address.description), "AddressType": "public", "Class": .uint32(0),
            "Discovering": .boolean(isDiscovering), "Modalias": .string(ProductIdentifier.adapter.modalias),
            "UUIDs": .strings(services.map(\.busText)),
            "Roles": .strings(context.radio.peripheral == nil ? ["central"] : ["central", "peripheral"]),
            "ExperimentalFeatures": .strings([]),
            // 0xFFFF: no company; 0x0D: Bluetooth 5.4.
            "Manufacturer": .uint16(0xFFFF), "Version": .byte(0x0D),
        ]) { $1 }
    }

    /// The types of the services of the adapter.
    private var services: [BluetoothUUID] {
        let own: [BluetoothUUID] = [.genericAttribute, .genericAccess]
        guard context.radio.peripheral != nil else { return own }
        return own + [LocalPeripheral.deviceInformation.uuid] + applications.services
    }

    /// Called when the services of programs changed.
    func servicesChanged() { changed(["UUIDs"]) }

    /// Signals changed properties.
    private func changed(_ names: [String]) {
        bus.propertiesChanged(names, of: AdapterDeclaration.name, at: path)
        if names.contains("Discoverable"), context.radio.peripheral != nil { advertisements.discoverabilityChanged() }
    }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        do throws(DBusError) {
            switch call.member {
            case "StartDiscovery": try startDiscovery(call.sender, reply)
            case "StopDiscovery": try stopDiscovery(call.sender, reply)
            case "SetDiscoveryFilter":
                try setFilter(call.arguments.first?.dictionaryValue ?? [:], of: call.sender)
                reply.succeed()
            case "GetDiscoveryFilters": reply.succeed([.strings(DiscoveryFilter.keys)])
            case "RemoveDevice":
                guard let path = call.arguments.first?.objectPathValue else { throw BlueZError.invalidArguments() }
                try removeDevice(path, reply)
            // Classic Bluetooth, and devices that do not advertise.
            default: throw BlueZError.notSupported
            }
        } catch {
            reply.fail(error)
        }
    }

    private func requirePower() throws(DBusError) {
        guard isPowered else { throw BlueZError.notReady }
    }

    // MARK: - Settings

    private func set(_ write: PropertyWrite, _ reply: PendingReply) {
        if write.name == "Powered" {
            setPowered(write.value.boolValue ?? false)
            return reply.succeed()
        }
        guard isPowered || write.name != "Discoverable" else {
            return reply.fail(BlueZError.failed("Not Powered"))
        }
        changed(settings.set(write.name, write.value))
        if write.name.hasPrefix("Discoverable") { scheduleDiscoverableEnd() }
        if write.name.hasPrefix("Pairable") { schedulePairableEnd() }
        if write.name == "Alias" { nameChanged() }
        reply.succeed()
    }

    private func schedulePairableEnd() {
        pairingChanged()
        pairableTimer?.cancel()
        pairableTimer = nil
        guard settings.isPairable, let time = settings.pairableTime else { return }
        pairableTimer = Task { [weak self] in
            guard (try? await Task.sleep(for: time)) != nil, let self else { return }
            changed(settings.set("Pairable", false))
            pairingChanged()
        }
    }

    /// How centrals pair with the adapter: as the default agent can; `nil` if it is not pairable.
    var pairing: PairingSettings? {
        guard settings.isPairable else { return nil }
        var pairing = PairingSettings(inputOutput: context.agents.defaultAgent?.capability ?? .none)
        pairing.confirmsJustWorks = true
        return pairing
    }

    /// Answers devices that request encryption, and serves them the name of the adapter.
    func prepareCentral() async {
        await (context.radio.central as? any SecurityRequestRadio)?.setSecurityRequestHandler(
            SecurityRequestHandler(
                settings: { [weak self] address in await self?.answerSecurityRequest(of: address) },
                answer: { [weak self] address, question in
                    await self?.devices.device(of: address)?.connection.answer(question) ?? .cancel
                }))
        await serveName()
    }

    private func answerSecurityRequest(of address: RemoteAddress) -> PairingSettings? {
        guard let device = devices.device(of: address), device.connection.isPairing || settings.isPairable else {
            return nil
        }
        return device.connection.answerSecurityRequest()
    }

    /// Serves Generic Access and Generic Attribute to the devices that the adapter connects to.
    private func serveName() async {
        do throws(RadioError) {
            try await (context.radio.central as? any ServingRadio)?.serve(
                ServedAttributes(name: alias, services: []))
        } catch {
            context.options.warn("\(context.path) serves no attributes as a central: \(error)")
        }
    }

    private func nameChanged() {
        Task { await serveName() }
        if context.radio.peripheral != nil { peripheral.settingsChanged() }
    }

    private func pairingChanged() {
        if context.radio.peripheral != nil { peripheral.settingsChanged() }
    }

    /// Called when the default agent may have changed: the adapter is pairable while there is one (bluez 5.82 src/adapter.c,
    /// `adapter_set_io_capability`).
    func agentChanged() {
        changed(settings.set("Pairable", .boolean(context.agents.defaultAgent != nil)))
        schedulePairableEnd()
    }

    private func scheduleDiscoverableEnd() {
        discoverableTimer?.cancel()
        discoverableTimer = nil
        guard settings.isDiscoverable, let time = settings.discoverableTime else { return }
        discoverableTimer = Task { [weak self] in
            guard (try? await Task.sleep(for: time)) != nil, let self else { return }
            changed(settings.set("Discoverable", false))
        }
    }

    private func setPowered(_ isOn: Bool) {
        guard isOn != settings.isPowered else { return }
        if !isOn {
            devices.disconnectAll()
            let wasDiscovering = isDiscovering
            sessions.stopAll()
            if wasDiscovering { endDiscovery() }
        }
        let wasDiscoverable = settings.properties["Discoverable"]
        settings.isPowered = isOn
        changed(
            ["Powered", "PowerState"] + (settings.properties["Discoverable"] == wasDiscoverable ? [] : ["Discoverable"])
        )
        for manager in managers { manager.powerChanged(isOn) }
        updateScan()
    }

    // MARK: - Discovery

    private func startDiscovery(_ caller: String, _ reply: PendingReply) throws(DBusError) {
        try requirePower()
        let wasDiscovering = isDiscovering
        try sessions.start(caller)
        updateScan()
        // The reply comes first (bluez 5.82 src/adapter.c, `start_discovery_complete`).
        reply.succeed()
        if !wasDiscovering { changed(["Discovering"]) }
        noteDiscoverable()
    }

    private func stopDiscovery(_ caller: String, _ reply: PendingReply) throws(DBusError) {
        try requirePower()
        try sessions.stop(caller)
        updateScan()
        reply.succeed()
        if !isDiscovering { endDiscovery() }
    }

    private func setFilter(_ values: [String: DBusValue], of caller: String) throws(DBusError) {
        try requirePower()
        try sessions.setFilter(try DiscoveryFilter(values), of: caller)
        noteDiscoverable()
    }

    /// What follows the end of the last session.
    private func endDiscovery() {
        devices.forgetPower()
        devices.removeUnconnectable()
        changed(["Discovering"])
        noteDiscoverable()
    }

    /// Makes the adapter discoverable while a discovery requests it.
    private func noteDiscoverable() {
        if sessions.isDiscoverable, !settings.isDiscoverable {
            isDiscoverableBySession = true
            changed(settings.set("Discoverable", true))
        } else if !sessions.isDiscoverable, isDiscoverableBySession {
            isDiscoverableBySession = false
            changed(settings.set("Discoverable", false))
        }
    }

    private func updateScan() {
        guard isPowered else { return scanner.set(nil) }
        scanner.set(isDiscovering ? .active : monitors.isActive ? .passive : nil)
    }

    /// Called when the monitors changed.
    func monitorsChanged() { updateScan() }

    private func receive(_ sighting: Sighting) {
        guard isPowered else { return }
        devices.receive(sighting)
    }

    /// Whether a report is for a discovery (see `DiscoveryFilter.matches`).
    func accepts(_ report: AdvertisingReport, _ related: AdvertisingReport?, rssi: Int16?, name: String?) -> Bool {
        sessions.accept(report, related, rssi: rssi, name: name)
    }

    /// Whether a discovery connects to this device.
    func connectsAutomatically(to address: BluetoothAddress) -> Bool {
        sessions.connectsAutomatically(to: address.description)
    }

    /// How reports are merged.
    var rules: AdvertisedState.Rules {
        AdvertisedState.Rules(
            hasDuplicates: sessions.hasDuplicates,
            rssiThreshold: context.options.rssiThreshold ?? sessions.rssiThreshold)
    }

    private func removeDevice(_ path: ObjectPath, _ reply: PendingReply) throws(DBusError) {
        guard let device = devices.device(at: path) else { throw BlueZError.doesNotExist }
        try requirePower()
        Task {
            await device.connection.disconnect()
            devices.remove(device, forgettingBond: true)
            reply.succeed()
        }
    }

    // MARK: - The end

    /// Forgets a caller that has left the bus.
    func ownerVanished(_ name: String) {
        let wasDiscovering = isDiscovering
        sessions.remove(name)
        if wasDiscovering, !isDiscovering { endDiscovery() }
        for manager in managers { manager.ownerVanished(name) }
        devices.ownerVanished(name)
        updateScan()
    }

    /// Ends the scan and all connections.
    func stop() async {
        scanner.set(nil)
        discoverableTimer?.cancel()
        pairableTimer?.cancel()
        for manager in managers { await manager.stop() }
        await devices.stop()
    }
}
