// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import DBus
import HCI
import Radio

// What the bus and the kernel say of daemon, adapter and centrals.

extension BlueZRadio {
    /// Listens on a bus to what changes about the daemon, its adapters and its devices.
    func watch(_ connection: DBusConnection) async {
        let properties = "org.freedesktop.DBus.Properties"
        let manager = "org.freedesktop.DBus.ObjectManager"
        let rules = [
            MatchRule(
                sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                argument0: BlueZDaemon.busName),
            MatchRule(sender: BlueZDaemon.busName, interface: manager),
            MatchRule(
                sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: properties,
                member: "PropertiesChanged", argument0: "org.bluez.Adapter1"),
            MatchRule(
                sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: properties,
                member: "PropertiesChanged", argument0: "org.bluez.Device1"),
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

    private func handle(_ signal: DBusMessage) async {
        guard signal.member == "PropertiesChanged", signal.body.first?.stringValue == "org.bluez.Device1" else {
            noteServices(signal)
            return wake()
        }
        guard let path = signal.path, let address = BlueZDevice.address(of: path)?.description,
            let changed = signal.body.dropFirst().first?.dictionaryValue
        else { return }
        // The kernel uses the address that a peer tells when it pairs, bluetoothd's path has the one before.
        if let told = changed["Address"]?.stringValue, told != address { aliases[told] = address }
        await notePairing(changed, of: path)
        // bluetoothd does not always tell of Connected.
        guard let isConnected = (changed["Connected"] ?? changed["ServicesResolved"])?.boolValue, management == nil
        else {
            return
        }
        if !isConnected {
            noteDisconnection(of: address)
        } else if path.parent == attachment?.adapter.path, wantsCentrals {
            noteConnection(of: address, peer: nil)
        }
    }

    /// Whether a beacon asks for centrals with services of their own: any connection may be one, used or not.
    private var wantsCentrals: Bool { wanted.values.contains { !$0.advertisingData.solicitedServices.isEmpty } }

    /// Takes an event of the kernel's management interface.
    func handle(_ event: ManagementChannel.IndexedEvent) async {
        switch event.event {
        case .deviceConnected(let address, let type, let flags):
            // Flag bit 3: this host initiated the connection, so the peer is not a central.
            guard event.index == attachment?.adapter.index, flags & 0x08 == 0 else { return }
            noteConnection(of: address.description, peer: Peer(address: address, type: type))
        case .deviceDisconnected(let address, _):
            guard event.index == attachment?.adapter.index else { return }
            noteDisconnection(of: address.description)
        case .authenticationFailed(let address, _, let status):
            guard event.index == attachment?.adapter.index else { return }
            noteAuthenticationFailure(of: address, status: status)
        case .advertisingRemoved(let instance):
            guard event.index == attachment?.adapter.index else { return }
            await (attachment?.advertiser as? ManagementAdvertiser)?.noteRemoval(of: instance)
            wake()
        case .advertisingAdded, .indexAdded, .indexRemoved, .newSettings: wake()
        case .completed, .other: break
        }
    }

    /// Begins the capture file, if one is wanted.
    func beginCapture() throws(RadioError) {
        guard let capture else { return }
        guard monitor != nil else {
            throw RadioError(
                .notPermitted, "capturing what passes an adapter needs CAP_NET_RAW",
                hint: "give beaconry the capability (see README, \"A real adapter\"), or leave --capture out")
        }
        capture.append(captureWriter.header)
    }

    /// Takes a packet of the kernel's monitor.
    func handleMonitorPacket(_ bytes: [UInt8]) {
        guard let packet = try? MonitorPacket(parsing: bytes) else { return }
        capture?.append(
            captureWriter.record(
                monitorCode: packet.kind, controllerIndex: packet.index, data: packet.data, time: .sinceUnixEpoch))
        guard packet.index == attachment?.adapter.index else { return }
        if witness.observe(packet) { confirm() }
    }

    /// Answers a central's request through the owner of the beacon.
    func respond(to request: AttributeRequest) async -> AttributeResponse {
        guard let attributes else { return .failure(.unlikely) }
        // Over D-Bus alone, a peer that touches our characteristics is known to be a central; before that it is not.
        if management == nil { noteConnection(of: request.central, peer: nil) }
        return await attributes(request).response
    }

    /// Notes that a central is there.
    func noteConnection(of central: String, peer: Peer?) {
        guard let beacon = beacons.served, centrals[central] == nil else { return }
        centrals[central] = peer ?? Peer(address: BluetoothAddress(central) ?? .zero, type: 0)
        continuation.yield(.connected(beacon.identifier, central: central))
        if beacon.pairing?.asksOnConnection == true { askForSecurity(of: central) }
    }

    /// Notes that a central is gone; one that was never counted is no news.
    func noteDisconnection(of address: String) {
        let central = centrals[address] == nil ? aliases[address] ?? address : address
        guard let beacon = beacons.served,
            centrals.removeValue(forKey: central) != nil
        else { return }
        links.removeValue(forKey: central)?.end("the connection was lost")
        continuation.yield(.disconnected(beacon.identifier, central: central))
    }
}
