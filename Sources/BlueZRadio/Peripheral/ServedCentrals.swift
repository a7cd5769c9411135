// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import KernelBluetooth
import Radio

/// The centrals of a `BlueZRadio`: their connections, their pairings, and the links through which a beacon uses the
/// central's own attributes.
///
/// A central is connected from `noteConnection` to `noteDisconnection`. Without the management interface the first
/// attribute request, or the first pairing, is what reports a connection. bluetoothd stores the bonds.
///
/// Confined to the actor of the radio that owns it, which passes with each call what it is attached to.
final class ServedCentrals {
    /// What the radio has at the time of a call.
    struct Context {
        let beacons: [HostedBeacon]
        /// What is registered on the adapter; `nil` while the radio is not attached.
        let claim: AdapterClaim?
        /// Whether the kernel reports connections.
        let reportsConnections: Bool
        /// Without a beacon that has services, the beacon that centrals can connect to, and whether its profile requests that.
        let connectable: (BeaconIdentifier, isRequested: Bool)?

        /// The object of a central.
        func path(of central: String) -> ObjectPath? { claim.flatMap { BlueZDevice.path(of: central, on: $0.adapter) } }
    }

    private let events: RadioEvents
    private let changes: DeviceChanges
    private var connected = ConnectedCentrals()
    private var pairing = CentralPairing()

    init(events: RadioEvents, changes: DeviceChanges) {
        self.events = events
        self.changes = changes
    }

    // MARK: - Connections

    /// The kernel's address of a central; `nil` if it is not connected.
    func peer(_ central: String) -> ConnectedCentrals.Peer? { connected.peer(central) }

    /// A central is connected.
    /// - Parameter peer: the kernel's address of the central; `nil` without the management interface.
    func noteConnection(of central: String, peer: ConnectedCentrals.Peer?, _ context: Context) {
        guard let beacon = context.beacons.served else {
            return noteUnexpectedConnection(of: central, peer: peer, context)
        }
        guard connected.add(central, to: beacon.identifier, peer: peer) else { return }
        events.yield(.connected(beacon.identifier, central: central))
        if beacon.pairing?.asksOnConnection == true { requestPairing(of: central, context) }
    }

    /// Reports a connection to an adapter whose beacons have no services: to the connectable beacon, or, on an adapter that
    /// makes all of them connectable, to the first.
    private func noteUnexpectedConnection(of central: String, peer: ConnectedCentrals.Peer?, _ context: Context) {
        guard let (beacon, isRequested) = context.connectable, connected.add(central, to: beacon, peer: peer) else {
            return
        }
        events.yield(.connected(beacon, central: central))
        guard !isRequested, let adapter = context.claim?.adapter.name else { return }
        events.yield(
            .warning(
                beacon,
                Warning(
                    code: "unexpected-connection",
                    message:
                        "\(central) is connected to \(adapter), whose beacons are not to be connectable: the adapter "
                        + "is discoverable or connectable, which makes them so; which of them it chose is not known",
                    hint: Fault.discoverable.hint(at: Fault.Place(ofThisMachine: adapter)))))
    }

    /// - Parameter address: the name or the identity address of a central, or of a peer that is not a central.
    func noteDisconnection(of address: String) {
        guard let (central, beacon) = connected.remove(address) else { return }
        events.yield(.disconnected(beacon, central: central))
    }

    /// The radio is not attached any more.
    func noteDetachment() {
        for central in connected.all { noteDisconnection(of: central) }
    }

    /// Takes the identity address of a central, which differs from the address in its name.
    func noteIdentity(_ identity: String, of central: String) { connected.noteIdentity(identity, of: central) }

    /// bluetoothd does not identify the subscriber; the subscription is attributed to a connected central.
    func noteSubscription(
        to characteristic: CharacteristicIdentifier, of beacon: BeaconIdentifier, isSubscribed: Bool
    ) {
        events.yield(
            .subscribed(
                beacon, central: connected.anyName ?? "unknown", characteristic, isSubscribed ? .notification : []))
    }

    // MARK: - Pairing

    /// Answers a request of bluetoothd's agent manager.
    /// - Returns: the answer; `nil` declines, or for a request without one.
    func answer(_ request: AgentRequest, of device: ObjectPath, _ context: Context) async -> PairingAnswer? {
        guard let beacon = context.beacons.pairing, let central = BlueZDevice.address(of: device)?.description else {
            return nil
        }
        if !context.reportsConnections { noteConnection(of: central, peer: nil, context) }
        let events = CentralPairing.events(of: request)
            .map { RadioEvent.pairing(beacon.identifier, central: central, $0) }
        switch request {
        case .service, .pairing:
            for event in events { self.events.yield(event) }
            return .comparison(true)
        case .show:
            for event in events { self.events.yield(event) }
            return nil
        case .passkey, .comparison:
            for event in events.dropLast() { self.events.yield(event) }
            return await withCheckedContinuation { question in
                // First, since the answer may follow the event at once.
                pairing.ask(question, about: central)
                if let event = events.last { self.events.yield(event) }
            }
        }
    }

    /// Declines all open questions.
    func cancelQuestions() { pairing.cancelQuestions() }

    /// Answers the question about a central, or cancels its pairing.
    func answerPairing(_ answer: PairingAnswer, of central: String, _ context: Context) async {
        if pairing.answer(answer, of: central) { return }
        guard answer == .cancel, let path = context.path(of: central) else { return }
        _ = try? await context.claim?.daemon.call(
            path, DeviceProperties.interface, "CancelPairing", timeout: .seconds(5))
    }

    /// Requests pairing, and with that encryption. The result is reported by the device's properties, a failure by the
    /// kernel.
    func requestPairing(of central: String, _ context: Context) {
        guard let daemon = context.claim?.daemon, let path = context.path(of: central) else { return }
        // Ends with its reply, or with the connection to the bus.
        Task { _ = try? await daemon.call(path, DeviceProperties.interface, "Pair", timeout: .seconds(120)) }
    }

    /// Reports a pairing, or a bond that was removed.
    /// - Parameter changed: the changed properties of the central's object.
    func notePairing(_ changed: [String: DBusValue], of path: ObjectPath, _ context: Context) async {
        guard let beacon = context.beacons.pairing, let isPaired = changed["Paired"]?.boolValue,
            let claim = context.claim, let central = BlueZDevice.address(of: path)?.description
        else { return }
        let properties = try? await claim.daemon.properties(DeviceProperties.interface, of: path)
        guard let event = pairing.note(isPaired: isPaired, properties) else { return }
        events.yield(.pairing(beacon.identifier, central: central, event))
    }

    func noteAuthenticationFailure(of address: BluetoothAddress, status: UInt8, _ context: Context) {
        guard let beacon = context.beacons.pairing else { return }
        events.yield(
            .pairing(
                beacon.identifier, central: address.description, .failed(PairingError(managementStatus: status))))
    }

    /// Removes the bond with a peer, or all bonds of the beacon.
    /// - Returns: the number of bonds that were removed.
    func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?, _ context: Context) async -> Int {
        guard beacon == context.beacons.pairing?.identifier, let claim = context.claim else { return 0 }
        var count = 0
        for device in pairing.bonds(of: peer) {
            guard let path = context.path(of: device.address.description) else { continue }
            let reply = try? await claim.attachment.call("RemoveDevice", [.objectPath(path)], timeout: .seconds(10))
            guard reply != nil else { continue }
            if pairing.noteRemoved(device) {
                events.yield(.pairing(beacon, central: device.address.description, .forgotten(device)))
            }
            count += 1
        }
        return count
    }

    // MARK: - Links

    /// The link to a central.
    func link(to central: String) -> BlueZRemoteLink? { connected.link(to: central) }

    /// The link to the central with this object.
    func link(at path: ObjectPath) -> BlueZRemoteLink? { connected.link(at: path) }

    /// Ends a link; the central stays.
    func drop(_ link: BlueZRemoteLink) {
        connected.remove(link)
        link.end("this side ended it")
    }

    /// Makes the link to a connected central. bluetoothd discovers the central's attributes by itself.
    /// - Returns: the link that there was already, if there is one.
    func makeLink(
        to central: String, at path: ObjectPath, _ device: RemoteAddress, on attachment: AdapterAttachment,
        owner: any LinkOwner
    ) -> BlueZRemoteLink {
        if let link = connected.link(to: central) { return link }
        let link = BlueZRemoteLink(
            device, path, on: attachment, database: RemoteDatabase(of: path, in: []), owner: owner)
        connected.add(link, to: central)
        return link
    }

    /// The object of a connected central; `nil` if the central is not connected when it is found. The kernel may report the
    /// central up to 5 s before bluetoothd has the object.
    func object(of central: String, on attachment: AdapterAttachment) async -> (ObjectPath, RemoteAddress)? {
        let found = await changes.first(of: attachment.adapter.path, within: .seconds(5)) {
            () async -> (ObjectPath, RemoteAddress)?? in
            guard connected.contains(central) else { return .some(nil) }
            for object in (try? await attachment.daemon.objects()) ?? [] {
                guard let path = object.key.objectPathValue, path.parent == attachment.adapter.path,
                    let values = object.value.dictionaryValue?[DeviceProperties.interface]?.dictionaryValue,
                    case let properties = DeviceProperties(values), properties.isConnected,
                    let device = properties.device
                else { continue }
                // A central that sent its identity when it paired keeps the path of its address before.
                if [device.address, BlueZDevice.address(of: path)].contains(BluetoothAddress(central)) {
                    return (path, device)
                }
            }
            return nil
        }
        return connected.contains(central) ? found ?? nil : nil
    }
}
