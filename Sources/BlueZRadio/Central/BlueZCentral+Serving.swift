// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
public import Radio

// Attributes of our own for the devices that are connected to. bluetoothd serves them to every peer of the adapter; those
// that are connected to from here are answered.

extension BlueZCentral {
    /// The attributes that are served, and who wants to be told of them.
    struct Serving {
        var attributes: ServedAttributes?
        var application: AttributeApplication?
        var subscribed: Set<CharacteristicIdentifier> = []
        /// Takes pairings that devices ask for, while something is served that needs encryption.
        var agent: BlueZAgent?
        /// Answers what is asked while this side pairs.
        var answer: (@Sendable (AgentRequest) async -> PairingAnswer)?
    }

    /// Has bluetoothd serve attributes. The name in generic access stays the adapter's.
    public func serve(_ attributes: ServedAttributes?) async throws(RadioError) {
        let attachment = try usable()
        await withdraw(from: attachment)
        serving.attributes = attributes
        try await offer(on: attachment)
    }

    /// Registers the attributes that are to be served.
    /// - Throws: `RadioError` `.refused`.
    func offer(on attachment: Attachment) async throws(RadioError) {
        guard let services = serving.attributes?.services, !services.isEmpty else { return }
        do throws(DBusError) {
            let application = try AttributeApplication(
                services: services,
                respond: { [weak self] characteristic, device, operation in
                    await self?.respond(to: device, characteristic, operation) ?? .failure(.unlikely)
                },
                subscribe: { [weak self] in await self?.noteSubscription(to: $0, isWanted: $1) })
            serving.application = application
            try await application.register(with: attachment.daemon, on: attachment.adapter)
            if services.needEncryption { try await takePairings(with: attachment.daemon) }
        } catch {
            // It kept them while the adapter was away.
            if error.isDaemons("AlreadyExists") { return }
            serving.application = nil
            throw RadioError(
                .refused, "bluetoothd does not serve these attributes (\(error))",
                hint: "check the bus policy for org.bluez, and see what bluetoothd says (journalctl -u bluetooth)")
        }
    }

    /// Takes back what is served.
    func withdraw(from attachment: Attachment) async {
        guard let application = serving.application else { return }
        forgetServing()
        await application.unregister(from: attachment.daemon, on: attachment.adapter)
    }

    /// Takes everything back, and leaves the adapter as it was found.
    func stopServing() async {
        guard let attachment else { return }
        await withdraw(from: attachment)
        await serving.agent?.unregister()
        serving.agent = nil
    }

    /// Puts an agent on the bus. Without one the kernel refuses devices that ask for encryption by themselves, as
    /// accessories do as soon as they are connected.
    private func takePairings(with daemon: BlueZDaemon) async throws(DBusError) {
        guard serving.agent?.daemon.owner != daemon.owner else { return }
        let agent = BlueZAgent(
            daemon: daemon, path: "/org/beaconry/agent/serving",
            settings: PairingSettings(inputOutput: .displayYesNo),
            responder: AgentResponder(
                owner: daemon.owner, ask: { [weak self] request, device in await self?.answer(request, of: device) },
                cancel: {}))
        try await agent.register(isDefault: true)
        serving.agent = agent
    }

    /// Who is connected to from here may pair.
    private func answer(_ request: AgentRequest, of device: ObjectPath) async -> PairingAnswer? {
        if let answer = serving.answer { return await answer(request) }
        guard links[device] != nil || connecting.contains(device) else { return nil }
        return await BlueZRemoteLink.answer(request, PairingSettings(comparison: .accept)) { _ in .cancel }
    }

    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) -> Bool {
        guard serving.agent != nil else { return false }
        serving.answer = answer
        return true
    }

    /// Has bluetoothd forget who wanted to be told. It keeps the wishes of devices that it is bonded with over their
    /// connections, and does not tell when they are repeated.
    func renewServing(on attachment: Attachment) async {
        guard links.isEmpty, !serving.subscribed.isEmpty else { return }
        await withdraw(from: attachment)
        try? await offer(on: attachment)
    }

    /// Notes that nothing is served any more.
    func forgetServing() {
        for characteristic in serving.subscribed { noteSubscription(to: characteristic, isWanted: false) }
        serving.application = nil
    }

    private func respond(
        to device: ObjectPath?, _ characteristic: CharacteristicIdentifier, _ operation: AttributeRequest.Operation
    ) async -> AttributeResponse {
        guard let device, let link = await link(to: device) else { return .failure(.unlikely) }
        return await link.serving.ask(characteristic, operation)
    }

    /// The link to a device, which may ask before it is known here that it is connected.
    private func link(to device: ObjectPath) async -> BlueZRemoteLink? {
        for _ in 0..<200 where !isClosed {
            if let link = links[device] { return link }
            guard connecting.contains(device) else { return nil }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    /// Whose wish it is the daemon does not say: it is put down to all that are connected.
    private func noteSubscription(to characteristic: CharacteristicIdentifier, isWanted: Bool) {
        if isWanted {
            serving.subscribed.insert(characteristic)
        } else {
            serving.subscribed.remove(characteristic)
        }
        for link in links.values { link.serving.note(characteristic, isWanted: isWanted) }
    }

    /// Tells a new link what its device, or another one, asked for before the link was there.
    func noteSubscriptions(of link: BlueZRemoteLink) {
        for characteristic in serving.subscribed { link.serving.note(characteristic, isWanted: true) }
    }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async -> Bool {
        guard let attachment, let application = serving.application, serving.subscribed.contains(characteristic) else {
            return false
        }
        do throws(DBusError) {
            try await application.notify(value, of: characteristic, on: attachment.daemon.connection)
            return true
        } catch {
            return false
        }
    }
}

extension [GATTService] {
    /// Whether anything can be done only over an encrypted link.
    fileprivate var needEncryption: Bool {
        flatMap(\.characteristics).contains { characteristic in
            let permissions = characteristic.permissions
            return !permissions.read.union(permissions.write).union(permissions.subscribe)
                .isDisjoint(with: [.encryption, .authentication])
        }
    }
}
