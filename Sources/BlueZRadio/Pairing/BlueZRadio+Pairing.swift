// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import DBus
public import Radio

// Pairing with centrals. bluetoothd has the keys and keeps them; what is told here is what it asks and what it tells.

extension BlueZRadio {
    private static let agentPath: ObjectPath = "/org/beaconry/agent"
    private static let adapterInterface = "org.bluez.Adapter1"
    private static let propertiesInterface = "org.freedesktop.DBus.Properties"

    /// The beacon that centrals pair with: the adapter has one address, so there is one at most.
    private var pairingBeacon: HostedBeacon? {
        beacons.first { !$0.services.isEmpty && $0.pairing != nil } ?? beacons.first { $0.pairing != nil }
    }

    /// Puts an agent on the bus, if a beacon pairs, and has the adapter take pairings.
    /// - Throws: `RadioError` `.refused`.
    func registerAgent(with daemon: BlueZDaemon, on adapter: BlueZAdapter) async throws(RadioError) -> AgentClaim? {
        guard let beacon = pairingBeacon, let settings = beacon.pairing else { return nil }
        let agent = BlueZAgent(
            daemon: daemon, path: Self.agentPath, settings: settings,
            responder: AgentResponder(
                owner: daemon.owner, ask: { [weak self] request, device in await self?.ask(request, device) },
                cancel: { [weak self] in await self?.cancelQuestions() }))
        do throws(DBusError) {
            try await agent.register(isDefault: true)
            let isPairable = try await daemon.properties(Self.adapterInterface, of: adapter.path)["Pairable"]
            guard isPairable?.boolValue == false else { return AgentClaim(agent: agent, madePairable: false) }
            try await setPairable(true, adapter, daemon)
        } catch {
            await agent.unregister()
            throw RadioError(
                .refused, "bluetoothd takes no agent for pairing with \(beacon.identifier) (\(error))",
                hint: "check the bus policy for org.bluez, or leave pairing out of the profile")
        }
        if settings.inputOutput != .keyboard, settings.passkey != nil {
            continuation.yield(.warning(beacon.identifier, Self.passkeyWarning))
        }
        return AgentClaim(agent: agent, madePairable: true)
    }

    /// Takes the agent back, and leaves the adapter as it was found.
    func unregister(_ claim: AgentClaim, on adapter: BlueZAdapter) async {
        cancelQuestions()
        await claim.agent.unregister()
        if claim.madePairable { try? await setPairable(false, adapter, claim.agent.daemon) }
    }

    private func setPairable(_ value: Bool, _ adapter: BlueZAdapter, _ daemon: BlueZDaemon) async throws(DBusError) {
        var attempts = 0
        while true {
            do throws(DBusError) {
                _ = try await daemon.call(
                    adapter.path, Self.propertiesInterface, "Set",
                    [.string(Self.adapterInterface), "Pairable", .variant(.boolean(value))], timeout: .seconds(5))
                return
            } catch {
                // It sets one thing at a time, and has much to set when an adapter has just come.
                attempts += 1
                guard error.isDaemons("Busy"), attempts < Self.patience, !Task.isCancelled else { throw error }
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// How often a daemon that is busy is asked, ten times a second.
    private static let patience = 50

    private static let passkeyWarning = Warning(
        code: "passkey-not-settable",
        message: "under BlueZ the passkey that is shown is the kernel's, another one each time",
        hint: "read it from the event passkey-shown, or use our own host stack (--radio hci-socket:N)")

    // MARK: - Questions

    /// Tells of a question of bluetoothd's, and waits for the answer.
    private func ask(_ request: AgentRequest, _ device: ObjectPath) async -> PairingAnswer? {
        guard let beacon = pairingBeacon, let central = BlueZDevice.address(of: device)?.description else { return nil }
        if management == nil { noteConnection(of: central, peer: nil) }
        func tell(_ event: PairingEvent) {
            continuation.yield(.pairing(beacon.identifier, central: central, event))
        }
        switch request {
        case .service: return .comparison(true)
        case .pairing:
            tell(.began)
            return .comparison(true)
        case .show(let passkey):
            tell(.began)
            tell(.passkeyShown(passkey))
            return nil
        case .passkey:
            tell(.began)
            return await answer(of: central) { tell(.passkeyWanted) }
        case .comparison(let number):
            tell(.began)
            return await answer(of: central) { tell(.comparisonWanted(number)) }
        }
    }

    private func answer(of central: String, whenAsked tell: () -> Void) async -> PairingAnswer? {
        await withCheckedContinuation { continuation in
            questions.removeValue(forKey: central)?.resume(returning: nil)
            questions[central] = continuation
            tell()
        }
    }

    /// bluetoothd waits no more for any answer.
    private func cancelQuestions() {
        for question in questions.values { question.resume(returning: nil) }
        questions = [:]
    }

    public func answerPairing(_ answer: PairingAnswer, of central: String) async {
        if let question = questions.removeValue(forKey: central) { return question.resume(returning: answer) }
        guard answer == .cancel, let attachment, let path = BlueZDevice.path(of: central, on: attachment.adapter) else {
            return
        }
        _ = try? await attachment.daemon.call(path, DeviceProperties.interface, "CancelPairing", timeout: .seconds(5))
    }

    public func requestSecurity(of central: String) async { askForSecurity(of: central) }

    /// Asks a central for encryption.
    func askForSecurity(of central: String) {
        guard let attachment, let path = BlueZDevice.path(of: central, on: attachment.adapter) else { return }
        // Its end is told by the device's properties, and a failure by the kernel.
        keep(
            Task {
                _ = try? await attachment.daemon.call(path, DeviceProperties.interface, "Pair", timeout: .seconds(120))
            })
    }

    /// Has a central pair, if it has not: bluetoothd encrypts the connections of those that have by itself.
    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError> {
        guard pairingBeacon != nil else {
            return .failure(.impossible("the profile does not say that and how it pairs"))
        }
        let deadline = ContinuousClock.now + Self.securityPatience
        while !Task.isCancelled {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { break }
            if await link.isPaired { return .success(()) }
            switch await askToPair(link, within: left) {
            case .success: return .success(())
            case .failure(let error):
                guard case .notPaired(let reason) = error else { return .failure(error) }
                // The central may pair by itself at the same time.
                if await link.isPaired { return .success(()) }
                guard reason.code == .busy else { return .failure(error) }
            }
            try? await Task.sleep(for: .milliseconds(200))
        }
        return .failure(.impossible("the central did not answer within \(Self.securityPatience)"))
    }

    /// How long a central may leave a wish for encryption unanswered: its user may have to say yes.
    private static let securityPatience = Duration.seconds(30)

    private func askToPair(_ link: BlueZRemoteLink, within time: Duration) async -> Result<Void, RemoteError> {
        do throws(RemoteError) {
            let answer = try await link.send(link.path, DeviceProperties.interface, "Pair", timeout: time)
            switch answer {
            case .success: return .success(())
            case .failure(let error) where error.isDaemons("AlreadyExists"): return .success(())
            case .failure(let error) where error.kind == .timeout:
                return .failure(.impossible("the central did not answer within \(Self.securityPatience)"))
            case .failure(let error): return .failure(.notPaired(PairingError(error)))
            }
        } catch {
            return .failure(error)
        }
    }

    // MARK: - What became of it

    /// Takes what changed about a device.
    func notePairing(_ changed: [String: DBusValue], of path: ObjectPath) async {
        guard let beacon = pairingBeacon, let isPaired = changed["Paired"]?.boolValue,
            let attachment, let central = BlueZDevice.address(of: path)?.description
        else { return }
        let properties = try? await attachment.daemon.properties(DeviceProperties.interface, of: path)
        guard let device = properties.flatMap({ DeviceProperties($0).device }) else { return }
        guard isPaired else {
            pairedPeers.remove(device)
            continuation.yield(.pairing(beacon.identifier, central: central, .forgotten(device)))
            return
        }
        pairedPeers.insert(device)
        // Before BlueZ 5.66 there is no such property, and whoever is paired is remembered.
        let isBonded = properties?["Bonded"]?.boolValue ?? true
        continuation.yield(
            .pairing(
                beacon.identifier, central: central, .paired(PairedPeer(address: device, isBonded: isBonded))))
    }

    /// Takes the kernel's word that a peer did not pair.
    func noteAuthenticationFailure(of address: BluetoothAddress, status: UInt8) {
        guard let beacon = pairingBeacon else { return }
        continuation.yield(
            .pairing(
                beacon.identifier, central: address.description, .failed(PairingError(managementStatus: status))))
    }

    public func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) async -> Int {
        guard beacon == pairingBeacon?.identifier, let attachment else { return 0 }
        // Others that the adapter is paired with are none of ours, unless they are named.
        var forgotten = 0
        for device in peer.map({ [$0] }) ?? Array(pairedPeers) {
            guard let path = BlueZDevice.path(of: device.address.description, on: attachment.adapter) else { continue }
            let reply = try? await attachment.daemon.call(
                attachment.adapter.path, Self.adapterInterface, "RemoveDevice", [.objectPath(path)],
                timeout: .seconds(10))
            guard reply != nil else { continue }
            if pairedPeers.remove(device) != nil {
                continuation.yield(.pairing(beacon, central: device.address.description, .forgotten(device)))
            }
            forgotten += 1
        }
        return forgotten
    }
}

/// An agent of ours on the bus, and what it changed about the adapter.
struct AgentClaim: Sendable {
    let agent: BlueZAgent
    let madePairable: Bool
}
