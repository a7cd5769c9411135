// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// A device: an object with `org.bluez.Device1` and the objects of its attributes.
///
/// It is *temporary* until a program connects to it, pairs with it or trusts it; a temporary device is removed when it is
/// not received any more (`RemoteDevices`). A device that was received with a private address gets its identity address when
/// it is bonded, and keeps its object.
@ServiceActor
final class RemoteDevice {
    /// The object.
    let path: ObjectPath
    /// The identity address of a bonded device; else the address, as it is on the air.
    private(set) var address: RemoteAddress
    /// Connection, pairing and services.
    private(set) lazy var connection = DeviceConnection(of: self, context)
    private weak var adapter: Adapter?
    private let context: AdapterContext
    private var advertised = AdvertisedState()
    private var alias: String?
    private var modalias: String?
    private var isTrusted = false
    /// Whether connections of it and to it are refused.
    private(set) var isBlocked = false
    /// Whether it is paired, with a bond or without.
    private(set) var isPaired = false
    /// Whether the keys of its pairing are kept for later connections.
    private var isBonded = false
    private(set) var isTemporary = true
    /// Whether its last advertisement was connectable.
    private(set) var isConnectable = false
    /// When a report of it was received last, or an attempt to connect or a connection ended.
    private(set) var lastSeen = ContinuousClock.now
    /// The last advertisement and the last scan response, which most often are repeated.
    private var lastReports: [Bool: (data: [UInt8], report: AdvertisingReport)] = [:]

    init(_ address: RemoteAddress, at path: ObjectPath, of adapter: Adapter) {
        self.address = address
        self.path = path
        self.adapter = adapter
        context = adapter.context
    }

    private var bus: ServiceBus { context.bus }

    // MARK: - Reports

    /// The report of a sighting, which is parsed only if it differs from the last one.
    func report(of sighting: Sighting, isScanResponse: Bool) -> AdvertisingReport {
        if let last = lastReports[isScanResponse], last.data == sighting.data, last.report.pdu == sighting.pdu {
            return last.report
        }
        let report = AdvertisingReport(sighting)
        lastReports[isScanResponse] = (sighting.data, report)
        return report
    }

    /// The last scan response; for a scan response the last advertisement.
    func related(isScanResponse: Bool) -> AdvertisingReport? { lastReports[!isScanResponse]?.report }

    /// Notes that it was received.
    func noteSeen(_ report: AdvertisingReport? = nil) {
        lastSeen = ContinuousClock.now
        if let report, !report.isScanResponse { isConnectable = report.isConnectable }
    }

    /// Takes a report.
    /// - Returns: the names of the properties to signal.
    func merge(_ report: AdvertisingReport, rssi: Int16?, _ rules: AdvertisedState.Rules) -> [String] {
        advertised.merge(report, rssi: rssi, rules).filter { name in
            // While the services are known, they replace the advertised ones; the alias may be one of a program.
            !(name == "UUIDs" && connection.services != nil) && !(name == "Alias" && alias != nil)
        }
    }

    /// Its name, if it has one.
    var name: String? { advertised.name }

    /// Forgets RSSI and transmit power, because nothing is received any more.
    func forgetPower() { changed(advertised.forgetPower()) }

    // MARK: - The object

    /// The interface of the object.
    var interface: ExportedInterface {
        ExportedInterface(
            DeviceDeclaration.interface,
            properties: { ServiceActor.assumeIsolated { self.properties } },
            set: { write, reply in ServiceActor.assumeIsolated { self.set(write, reply) } },
            call: { call, reply in ServiceActor.assumeIsolated { self.handle(call, reply) } })
    }

    private var properties: [String: DBusValue] {
        let dashed = address.address.description.replacing(":", with: "-")
        var properties = advertised.properties
        properties["Modalias"] = modalias.map(DBusValue.string)
        return properties.merging([
            "Address": .string(address.address.description),
            "AddressType": .string(address.isRandom ? "random" : "public"),
            "Alias": .string(alias ?? advertised.name ?? dashed),
            "Adapter": .objectPath(context.path), "Paired": .boolean(isPaired), "Bonded": .boolean(isBonded),
            "Trusted": .boolean(isTrusted), "Blocked": .boolean(isBlocked), "LegacyPairing": false,
            "Connected": .boolean(connection.isConnected), "ServicesResolved": .boolean(connection.isResolved),
            "UUIDs": .strings(serviceTypes),
        ]) { $1 }
    }

    /// The services that were found, or else those that are advertised, as `UUIDs` has them.
    var serviceTypes: [String] { (connection.services ?? advertised.services).map(\.busText).sorted() }

    /// Signals changed properties.
    func changed(_ names: [String]) { bus.propertiesChanged(names, of: DeviceDeclaration.name, at: path) }

    private func set(_ write: PropertyWrite, _ reply: PendingReply) {
        let former = properties[write.name]
        switch (write.name, write.value) {
        case ("Alias", .string(let text)): alias = text.isEmpty ? nil : text
        case ("Trusted", .boolean(let flag)):
            isTrusted = flag
            if flag { makePermanent() }
        case ("Blocked", .boolean(let flag)):
            isBlocked = flag
            if flag {
                makePermanent()
                Task { await connection.disconnect() }
            }
        default: return reply.fail(BlueZError.notSupported)
        }
        // bluetoothd signals changes only (bluez 5.82 src/device.c, `btd_device_set_trusted`).
        if properties[write.name] != former { changed([write.name]) }
        reply.succeed()
    }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        switch call.member {
        case "Connect", "ConnectProfile":
            guard adapter?.isPowered ?? false else { return reply.fail(BlueZError.notReady) }
            guard !isBlocked else { return reply.fail(BlueZError.notPermitted("Blocked")) }
            makePermanent()
            connection.connect(reply)
        case "Disconnect", "DisconnectProfile":
            Task { await connection.disconnect(reply) }
        case "Pair":
            guard !isPaired else { return reply.fail(BlueZError.alreadyExists) }
            makePermanent()
            connection.pair(for: call.sender, reply)
        default: connection.cancelPairing(reply)
        }
    }

    /// Sets the identity address, with the signals of bluetoothd (bluez 5.82 src/device.c, `device_update_addr`).
    func setAddress(_ address: RemoteAddress) {
        self.address = address
        lastReports = [:]
        changed(["Address", "AddressType"])
    }

    // MARK: - Changes by the connection

    /// Ends its being temporary.
    func makePermanent() { isTemporary = false }

    /// Whether a pairing with it makes a bond.
    var makesBonds: Bool { adapter?.isPairable ?? false }

    /// Whether there are keys of a former connection.
    var hasBond: Bool { isBonded }

    /// It is paired.
    /// - Parameters:
    ///   - isBonded: whether the keys are kept for later connections.
    ///   - identity: its identity address, if that is known.
    func setPaired(isBonded: Bool, identity: RemoteAddress?) {
        if let identity { adapter?.devices.identify(self, as: identity) }
        setPaired(true, isBonded: isBonded)
    }

    /// Its connection has ended, and with it a pairing without a bond (bluez 5.82 src/device.c,
    /// `device_remove_connection`).
    func disconnected() {
        if !isBonded { setPaired(false, isBonded: false) }
    }

    private func setPaired(_ isPaired: Bool, isBonded: Bool) {
        let names = (isPaired == self.isPaired ? [] : ["Paired"]) + (isBonded == self.isBonded ? [] : ["Bonded"])
        guard !names.isEmpty else { return }
        (self.isPaired, self.isBonded) = (isPaired, isBonded)
        changed(names)
    }

    /// Sets the name that it has in its Generic Access service.
    func setName(_ name: String) {
        guard advertised.setName(name) else { return }
        changed(alias == nil ? ["Name", "Alias"] : ["Name"])
    }

    /// Sets the appearance that it has in its Generic Access service.
    func setAppearance(_ appearance: UInt16) {
        if advertised.setAppearance(appearance) { changed(["Appearance", "Icon"]) }
    }

    /// Sets what its Device Information service has as its vendor and product.
    func setModalias(_ modalias: String) {
        guard modalias != self.modalias else { return }
        self.modalias = modalias
        changed(["Modalias"])
    }

    /// Whether it can be removed when it is not received any more.
    var mayExpire: Bool { isTemporary && !connection.isActive }
}
