// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import DBus
import KernelBluetooth
package import Radio

// The centrals of a `BlueZRadio`: connections, attribute requests, pairing, and the links through which a beacon uses a
// central's own attributes. In a file of its own because the radio's passes do not depend on any of it.

extension BlueZRadio {
    func noteConnection(of central: String, peer: ConnectedCentrals.Peer?) {
        guard let beacon = beacons.served else { return noteUnexpectedConnection(of: central, peer: peer) }
        guard centrals.add(central, to: beacon.identifier, peer: peer) else { return }
        events.yield(.connected(beacon.identifier, central: central))
        if beacon.pairing?.asksOnConnection == true { requestPairing(of: central) }
    }

    /// Reports a connection to an adapter whose beacons have no services: to the one that is connectable, or, on an adapter
    /// that makes all of them connectable, to the first.
    private func noteUnexpectedConnection(of central: String, peer: ConnectedCentrals.Peer?) {
        guard let (beacon, isRequested) = connectableBeacon, centrals.add(central, to: beacon, peer: peer) else {
            return
        }
        events.yield(.connected(beacon, central: central))
        guard !isRequested, let adapter = claim?.adapter.name else { return }
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
        guard let (central, beacon) = centrals.remove(address) else { return }
        events.yield(.disconnected(beacon, central: central))
    }

    func respond(to request: AttributeRequest) async -> AttributeResponse {
        guard let attributes else { return .failure(.unlikely) }
        // Without the management interface, a central is known only once it uses an attribute.
        if channels.management == nil { noteConnection(of: request.central, peer: nil) }
        return await attributes(request).response
    }

    /// bluetoothd does not identify the subscriber; the subscription is attributed to a connected central.
    func noteSubscription(
        to characteristic: CharacteristicIdentifier, of beacon: BeaconIdentifier, isSubscribed: Bool
    ) {
        events.yield(
            .subscribed(
                beacon, central: centrals.anyName ?? "unknown", characteristic, isSubscribed ? .notification : []))
    }
}

// MARK: - Pairing

extension BlueZRadio {
    func answer(_ request: AgentRequest, of device: ObjectPath) async -> PairingAnswer? {
        guard let beacon = beacons.pairing, let central = BlueZDevice.address(of: device)?.description else {
            return nil
        }
        if channels.management == nil { noteConnection(of: central, peer: nil) }
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

    func cancelQuestions() {
        pairing.cancelQuestions()
    }

    package func answerPairing(_ answer: PairingAnswer, of central: String) async {
        if pairing.answer(answer, of: central) { return }
        guard answer == .cancel, let claim, let path = BlueZDevice.path(of: central, on: claim.adapter) else { return }
        _ = try? await claim.daemon.call(path, DeviceProperties.interface, "CancelPairing", timeout: .seconds(5))
    }

    package func requestSecurity(of central: String) async { requestPairing(of: central) }

    /// Requests pairing, and with that encryption. The result is reported by the device's properties, a failure by the
    /// kernel.
    private func requestPairing(of central: String) {
        guard let claim, let path = BlueZDevice.path(of: central, on: claim.adapter) else { return }
        // Ends with its reply, or with the connection to the bus.
        Task {
            _ = try? await claim.daemon.call(path, DeviceProperties.interface, "Pair", timeout: .seconds(120))
        }
    }

    func notePairing(_ changed: [String: DBusValue], of path: ObjectPath) async {
        guard let beacon = beacons.pairing, let isPaired = changed["Paired"]?.boolValue, let claim,
            let central = BlueZDevice.address(of: path)?.description
        else { return }
        let properties = try? await claim.daemon.properties(DeviceProperties.interface, of: path)
        guard let event = pairing.note(isPaired: isPaired, properties) else { return }
        events.yield(.pairing(beacon.identifier, central: central, event))
    }

    func noteAuthenticationFailure(of address: BluetoothAddress, status: UInt8) {
        guard let beacon = beacons.pairing else { return }
        events.yield(
            .pairing(
                beacon.identifier, central: address.description, .failed(PairingError(managementStatus: status))))
    }

    package func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) async -> Int {
        guard beacon == beacons.pairing?.identifier, let claim else { return 0 }
        var count = 0
        for device in pairing.bonds(of: peer) {
            guard let path = BlueZDevice.path(of: device.address.description, on: claim.adapter) else { continue }
            let reply = try? await claim.attachment.call("RemoveDevice", [.objectPath(path)], timeout: .seconds(10))
            guard reply != nil else { continue }
            if pairing.noteRemoved(device) {
                events.yield(.pairing(beacon, central: device.address.description, .forgotten(device)))
            }
            count += 1
        }
        return count
    }
}

// MARK: - Links to centrals

extension BlueZRadio: LinkOwner {
    /// The link to a central whose own attributes a beacon uses. bluetoothd discovers them when the central has connected.
    package func link(to central: String) async throws(RadioError) -> any RemoteLink {
        if let link = centrals.link(to: central) { return link }
        guard let claim, let (path, device) = await object(of: central, claim), centrals.contains(central),
            self.claim?.daemon.owner == claim.daemon.owner
        else {
            throw RadioError(.refused, "\(central) is not connected", hint: "wait until it is")
        }
        await access.subscribe(to: Self.valueRule, on: claim.daemon.connection, handler: busHandler)
        if let link = centrals.link(to: central) { return link }
        let link = BlueZRemoteLink(
            device, path, on: claim.attachment, database: RemoteDatabase(of: path, in: []), owner: self)
        centrals.add(link, to: central)
        return link
    }

    /// The object of a central. The kernel may report the central up to 5 s before bluetoothd has the object.
    private func object(of central: String, _ claim: AdapterClaim) async -> (ObjectPath, RemoteAddress)? {
        let found = await changes.first(of: claim.adapter.path, within: .seconds(5)) {
            () async -> (ObjectPath, RemoteAddress)?? in
            guard centrals.contains(central) else { return .some(nil) }
            for object in (try? await claim.daemon.objects()) ?? [] {
                guard let path = object.key.objectPathValue, path.parent == claim.adapter.path,
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
        return found ?? nil
    }

    func check(_ path: ObjectPath) async {
        guard let claim, let link = centrals.link(at: path), let loss = await claim.daemon.loss(of: path) else {
            return
        }
        link.end(loss.reason)
        if !loss.isKnown { verify() }
    }

    func drop(_ link: BlueZRemoteLink) {
        centrals.remove(link)
        link.end("this side ended it")
    }

    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError> {
        guard beacons.pairing != nil else {
            return .failure(.impossible("the profile has no pairing settings"))
        }
        return await link.pairAsPeripheral()
    }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) -> Bool { false }

    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) -> Bool { false }
}
