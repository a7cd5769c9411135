// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The attributes that a central serves to the devices that it connects to.
///
/// bluetoothd serves them to every peer of the adapter; the central answers only the devices that it has connected to.
/// The states are: nothing to serve; attributes set but not registered, while the adapter is lost; registered.
///
/// Confined to the actor of the central that owns it.
final class CentralServer {
    /// What the server calls in the central.
    struct Handlers: Sendable {
        /// Answers the request of a device.
        let respond: AttributeApplication.Responder
        /// Takes a subscription or its end.
        let noteSubscription: @Sendable (CharacteristicIdentifier, Bool) async -> Void
        /// Answers bluetoothd's pairing requests; `nil` declines.
        let answerPairing: @Sendable (AgentRequest, ObjectPath) async -> PairingAnswer?
    }

    private let links: CentralLinks
    private var attributes: ServedAttributes?
    private var application: AttributeApplication?
    /// Accepts the pairings that devices start, while attributes that require encryption are served.
    private var agent: BlueZAgent?
    /// Answers pairing requests while this side pairs.
    private var pairingAnswer: (@Sendable (AgentRequest) async -> PairingAnswer)?

    /// - Parameter links: ends their subscriptions with the attributes.
    init(links: CentralLinks) {
        self.links = links
    }

    var isRegistered: Bool { application != nil }

    /// Serves other attributes; `nil` for none. The name in generic access stays the adapter's name.
    /// - Throws: `RadioError` `.refused`.
    func serve(
        _ attributes: ServedAttributes?, on attachment: AdapterAttachment, handlers: Handlers
    ) async throws(RadioError) {
        await unregister(from: attachment)
        self.attributes = attributes
        try await register(on: attachment, handlers: handlers)
    }

    /// Registers the attributes, if there are any.
    /// - Throws: `RadioError` `.refused`.
    func register(on attachment: AdapterAttachment, handlers: Handlers) async throws(RadioError) {
        guard let services = attributes?.services, !services.isEmpty else { return }
        do throws(DBusError) {
            let application = try AttributeApplication(
                services: services, respond: handlers.respond, noteSubscription: handlers.noteSubscription)
            self.application = application
            try await application.register(with: attachment.daemon, on: attachment.adapter)
            if services.requireEncryption { try await registerAgent(with: attachment.daemon, handlers) }
        } catch {
            // bluetoothd has stored the registration while the adapter was away.
            if error.isBlueZ("AlreadyExists") { return }
            application = nil
            throw RadioError(
                .refused, "bluetoothd does not serve these attributes (\(error))",
                hint: "check the bus policy for org.bluez, and the log of bluetoothd (journalctl -u bluetooth)")
        }
    }

    /// Ends the service of the attributes, which stay set.
    func unregister(from attachment: AdapterAttachment) async {
        guard let application else { return }
        forget()
        await application.unregister(from: attachment.daemon, on: attachment.adapter)
    }

    /// Takes note that the daemon or the adapter is lost, and the registration with it.
    func forget() {
        links.endSubscriptions()
        application = nil
    }

    /// Ends the service, and removes the agent.
    func close(on attachment: AdapterAttachment) async {
        await unregister(from: attachment)
        await agent?.unregister()
        agent = nil
    }

    /// Ends all subscriptions before a first connection. bluetoothd stores the subscriptions of bonded devices, and does
    /// not report one that a device repeats.
    func renew(on attachment: AdapterAttachment, handlers: Handlers) async {
        guard links.isEmpty, links.hasSubscriptions else { return }
        await unregister(from: attachment)
        try? await register(on: attachment, handlers: handlers)
    }

    /// Has bluetoothd notify a value.
    /// - Returns: whether a device is subscribed to it, and the signal was sent.
    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on attachment: AdapterAttachment
    ) async -> Bool {
        guard let application, links.isSubscribed(to: characteristic) else { return false }
        do throws(DBusError) {
            try await application.notify(value, of: characteristic, on: attachment.daemon.connection)
            return true
        } catch {
            return false
        }
    }

    // MARK: - Pairing

    /// Registers the agent. Without one the kernel refuses devices that request encryption, as accessories do as soon as
    /// they are connected.
    private func registerAgent(with daemon: BlueZDaemon, _ handlers: Handlers) async throws(DBusError) {
        guard agent?.daemon.owner != daemon.owner else { return }
        let agent = BlueZAgent(
            daemon: daemon, path: "/org/beaconry/agent/serving",
            settings: PairingSettings(inputOutput: .displayYesNo),
            responder: AgentResponder(owner: daemon.owner, ask: handlers.answerPairing, cancel: {}))
        try await agent.register(isDefault: true)
        self.agent = agent
    }

    /// Answers pairing requests by a function while this side pairs; `nil` ends that.
    /// - Returns: whether there is an agent on the bus that does so.
    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) -> Bool {
        guard agent != nil else { return false }
        pairingAnswer = answer
        return true
    }

    /// The answer to a pairing request. Devices that this central connects to may pair.
    func answer(_ request: AgentRequest, of device: ObjectPath) async -> PairingAnswer? {
        if let pairingAnswer { return await pairingAnswer(request) }
        guard links[device] != nil || links.isConnecting(device) else { return nil }
        return await BlueZRemoteLink.answer(request, PairingSettings(comparison: .accept)) { _ in .cancel }
    }
}

extension [GATTService] {
    /// Whether any operation requires an encrypted link.
    fileprivate var requireEncryption: Bool {
        flatMap(\.characteristics).contains { characteristic in
            let permissions = characteristic.permissions
            return !permissions.read.union(permissions.write).union(permissions.subscribe)
                .isDisjoint(with: [.encryption, .authentication])
        }
    }
}
