// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import DBus
public import Radio

extension BlueZRemoteLink {
    /// Pairs through bluetoothd, which keeps the keys: a device that is paired already is encrypted with them.
    func pair(
        _ settings: PairingSettings, answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer
    ) async throws(PairingError) -> LinkProtection {
        let daemon = attachment.daemon
        // bluetoothd encrypts links to devices that it is paired with by itself, and 5.66 does not answer Pair for one.
        if await isPaired { return LinkProtection(isAuthenticated: nil, keySize: nil) }
        let ask: @Sendable (AgentRequest) async -> PairingAnswer = { await Self.answer($0, settings, answer) }
        let result: Result<Void, PairingError>
        // One at a time is registered.
        if await owner.answerPairings(by: ask) {
            result = await pairAgain(with: daemon)
            _ = await owner.answerPairings(by: nil)
        } else {
            await BlueZAgent.whileConnecting(daemon).unregister()
            let agent = BlueZAgent(
                daemon: daemon, path: "/org/beaconry/agent/central", settings: settings,
                responder: AgentResponder(owner: daemon.owner, ask: { request, _ in await ask(request) }, cancel: {}))
            do throws(DBusError) {
                try await agent.register(isDefault: false)
            } catch {
                throw PairingError(.unsupported, "bluetoothd takes no agent (\(error))")
            }
            result = await pair(with: daemon)
            await agent.unregister()
        }
        if case .failure(let error) = result { throw error }
        return LinkProtection(isAuthenticated: nil, keySize: nil)
    }

    /// Pairs with a device that may be asking for it at the same time.
    private func pairAgain(with daemon: BlueZDaemon) async -> Result<Void, PairingError> {
        var patience = 150
        while true {
            let result = await pair(with: daemon)
            guard case .failure(let error) = result, calls.end == nil, !Task.isCancelled else { return result }
            if await isPaired { return .success(()) }
            guard error.code == .busy, patience > 0 else { return result }
            patience -= 1
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Whether bluetoothd is paired with the peer.
    var isPaired: Bool {
        get async {
            let properties = try? await attachment.daemon.properties(DeviceProperties.interface, of: path)
            return properties?["Paired"]?.boolValue == true
        }
    }

    /// What settings answer, or else the user.
    static func answer(
        _ request: AgentRequest, _ settings: PairingSettings,
        _ answer: @Sendable (PairingQuestion) async -> PairingAnswer
    ) async -> PairingAnswer {
        switch request {
        case .passkey:
            if let passkey = settings.passkey { return .passkey(passkey) }
            return await answer(.passkey)
        case .show(let passkey): return await answer(.showPasskey(passkey))
        case .comparison(let number):
            switch settings.comparison {
            case .accept: return .comparison(true)
            case .reject: return .comparison(false)
            case .ask: return await answer(.comparison(number))
            }
        case .pairing, .service: return .comparison(true)
        }
    }

    private func pair(with daemon: BlueZDaemon) async -> Result<Void, PairingError> {
        await withTaskCancellationHandler {
            do throws(DBusError) {
                // bluetoothd gives up by itself, 30 s after the last word of the device.
                _ = try await daemon.call(path, DeviceProperties.interface, "Pair", timeout: .seconds(120))
                return .success(())
            } catch {
                if error.isDaemons("AlreadyExists") { return .success(()) }
                return .failure(PairingError(error))
            }
        } onCancel: {
            Task { [path] in
                _ = try? await daemon.call(path, DeviceProperties.interface, "CancelPairing", timeout: .seconds(5))
            }
        }
    }
}

extension BlueZCentral {
    /// Makes a connection while bluetoothd knows that a user can be asked and shown anything.
    ///
    /// The kernel notes that of its default agent when a connection is made, and bluetoothd 5.82 pairs with what is noted,
    /// whatever the agent has that it pairs for. Where another agent is the default, what that one has is noted.
    func withInputAndOutput(
        of daemon: BlueZDaemon, _ connect: @Sendable () async throws(DBusError) -> Void
    ) async throws(DBusError) {
        let agent = BlueZAgent.whileConnecting(daemon)
        agentUsers += 1
        // Without it there are connections, too.
        if agentUsers == 1 { try? await agent.register(isDefault: false) }
        let result: Result<Void, DBusError>
        do throws(DBusError) {
            result = .success(try await connect())
        } catch {
            result = .failure(error)
        }
        agentUsers -= 1
        if agentUsers == 0 { await agent.unregister() }
        try result.get()
    }

    /// Has bluetoothd forget a device that it is paired with, with all that it knows of it.
    public func forgetBond(with device: RemoteAddress) async {
        guard let attachment, let path = BlueZDevice.path(of: device.address.description, on: attachment.adapter),
            let known = try? await attachment.daemon.properties(DeviceProperties.interface, of: path),
            known["Paired"]?.boolValue == true
        else { return }
        _ = try? await attachment.daemon.call(
            attachment.adapter.path, "org.bluez.Adapter1", "RemoveDevice", [.objectPath(path)], timeout: .seconds(10))
    }
}

extension BlueZAgent {
    /// An agent that has everything, and declines everything: nothing is paired while a connection is made.
    static func whileConnecting(_ daemon: BlueZDaemon) -> BlueZAgent {
        BlueZAgent(
            daemon: daemon, path: "/org/beaconry/agent/connecting",
            settings: PairingSettings(inputOutput: .keyboardDisplay),
            responder: AgentResponder(owner: daemon.owner, ask: { _, _ in nil }, cancel: {}))
    }
}

extension PairingError {
    /// What an error means that bluetoothd replied to Pair.
    init(_ error: DBusError) {
        let names: [(String, Code)] = [
            ("AuthenticationCanceled", .cancelled), ("AuthenticationRejected", .unspecified),
            ("AuthenticationTimeout", .timedOut), ("AuthenticationFailed", .unspecified),
            ("ConnectionAttemptFailed", .disconnected), ("InProgress", .busy), ("NotConnected", .disconnected),
        ]
        let code = names.first { error.isDaemons($0.0) }?.1
        switch code {
        case .unspecified:
            self.init(.unspecified, "the pairing failed: bluetoothd tells no reason but \(error.message)")
        case .some(let code): self.init(code)
        case nil where error.kind == .timeout: self.init(.timedOut)
        case nil where error.kind == .cancelled: self.init(.cancelled)
        case nil where error.isDaemonGone: self.init(.disconnected, "bluetoothd is gone")
        case nil: self.init(.unspecified, "bluetoothd said: \(error)")
        }
    }

    /// What the status of the kernel's Authentication Failed event means (mgmt-api, "Status codes").
    init(managementStatus status: UInt8) {
        switch status {
        case 0x05: self.init(.unspecified, "the pairing failed, and the kernel tells no reason")
        case 0x08: self.init(.timedOut)
        case 0x0A: self.init(.busy)
        case 0x0B: self.init(.unspecified, "the peer or the user declined")
        case 0x0C: self.init(.notSupported)
        case 0x0E: self.init(.disconnected)
        case 0x10: self.init(.cancelled)
        default: self.init(.unspecified, "the pairing failed with the kernel's status \(status)")
        }
    }
}
