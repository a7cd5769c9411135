// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// A request that bluetoothd sends to a pairing agent, which acts for the user (org.bluez.Agent1).
enum AgentRequest: Hashable, Sendable {
    /// Enter the passkey that the peer shows.
    case passkey
    /// Show this passkey, which is entered on the peer.
    case show(UInt32)
    /// Confirm that the peer shows this number.
    case comparison(UInt32)
    /// Authorize a pairing that has nothing to compare.
    case pairing
    /// Authorize the use of a service by a peer, which is paired already.
    case service
}

/// Implements the methods of org.bluez.Agent1 and rejects callers other than bluetoothd.
struct AgentResponder: Sendable {
    /// The unique bus name of bluetoothd.
    let owner: String
    /// Answers a request of the device with this object; `nil` declines.
    let ask: @Sendable (AgentRequest, ObjectPath) async -> PairingAnswer?
    /// bluetoothd has cancelled its requests.
    let cancel: @Sendable () async -> Void

    /// The methods by name.
    var methods: [String: MethodHandler] {
        [
            "Release": { _ in .success([]) },
            "RequestPinCode": { call in await answer(call, .passkey) { [.string(Self.digits(of: $0))] } },
            "DisplayPinCode": { _ in .success([]) },
            "RequestPasskey": { call in await answer(call, .passkey) { [.uint32($0)] } },
            "DisplayPasskey": { call in
                // bluetoothd repeats the call for each digit that is entered on the peer.
                guard call.arguments.dropFirst(2).first?.uint16Value ?? 0 == 0 else { return .success([]) }
                return await show(call)
            },
            "RequestConfirmation": { call in
                await answer(call, .comparison(call.arguments.dropFirst().first?.uint32Value ?? 0)) { _ in nil }
            },
            "RequestAuthorization": { call in await answer(call, .pairing) { _ in nil } },
            "AuthorizeService": { call in await answer(call, .service) { _ in nil } },
            "Cancel": { call in
                guard isDaemon(call) else { return Self.rejected }
                await cancel()
                return .success([])
            },
        ]
    }

    private func show(_ call: MethodCall) async -> Result<[DBusValue], DBusError> {
        guard isDaemon(call), let device = call.arguments.first?.objectPathValue,
            let passkey = call.arguments.dropFirst().first?.uint32Value
        else { return Self.rejected }
        // The reply means that the passkey is shown, so it must not wait for the user.
        let ask = ask
        Task { _ = await ask(.show(passkey), device) }
        return .success([])
    }

    /// Has a request answered.
    /// - Parameter reply: the reply for a passkey; `nil` if a passkey does not answer the request.
    private func answer(
        _ call: MethodCall, _ request: AgentRequest, reply: (UInt32) -> [DBusValue]?
    ) async -> Result<[DBusValue], DBusError> {
        guard isDaemon(call), let device = call.arguments.first?.objectPathValue else { return Self.rejected }
        switch await ask(request, device) {
        case .passkey(let number): return reply(number).map { .success($0) } ?? Self.rejected
        case .comparison(true): return .success([])
        case .comparison(false), nil: return Self.rejected
        case .cancel: return .failure(.blueZ("Canceled", "cancelled by the user"))
        }
    }

    private func isDaemon(_ call: MethodCall) -> Bool { call.sender == owner }

    private static var rejected: Result<[DBusValue], DBusError> { .failure(.blueZ("Rejected", "declined")) }

    private static func digits(of passkey: UInt32) -> String {
        let digits = "\(passkey)"
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}

/// A pairing agent: an object on the bus that is registered with bluetoothd.
struct BlueZAgent: Sendable {
    static let interface = "org.bluez.Agent1"
    private static let manager = "org.bluez.AgentManager1"
    private static let managerPath: ObjectPath = "/org/bluez"

    let daemon: BlueZDaemon
    let path: ObjectPath
    let settings: PairingSettings
    let responder: AgentResponder

    /// Exports the agent and registers it.
    /// - Parameter isDefault: whether bluetoothd also asks it about pairings that peers or other programs start.
    /// - Throws: `DBusError` of the daemon or of the bus.
    func register(isDefault: Bool) async throws(DBusError) {
        try await daemon.connection.export(
            ExportedObject(
                path: path, interfaces: [ExportedInterface(Self.interface, methods: responder.methods)],
                isConcurrent: true))
        _ = try await daemon.call(
            Self.managerPath, Self.manager, "RegisterAgent",
            [.objectPath(path), .string(settings.inputOutput.agentCapability)], timeout: .seconds(5))
        guard isDefault else { return }
        _ = try await daemon.call(
            Self.managerPath, Self.manager, "RequestDefaultAgent", [.objectPath(path)], timeout: .seconds(5))
    }

    /// Unregisters the agent and removes its object. Without effect on a daemon that has ended.
    func unregister() async {
        _ = try? await daemon.call(
            Self.managerPath, Self.manager, "UnregisterAgent", [.objectPath(path)], timeout: .seconds(5))
        await daemon.connection.unexport(path)
    }
}

extension PairingSettings.InputOutput {
    /// The name of the capability in org.bluez.AgentManager1.
    var agentCapability: String {
        switch self {
        case .none: "NoInputNoOutput"
        case .display: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboard: "KeyboardOnly"
        case .keyboardDisplay: "KeyboardDisplay"
        }
    }
}

// MARK: - Uses

/// The default agent of a beacon that pairs, on an adapter that is made pairable.
struct AdapterAgent: Sendable {
    /// What the pairing settings ask for and BlueZ cannot do.
    let warnings: [(beacon: BeaconIdentifier, warning: Warning)]
    private let agent: BlueZAgent
    private let adapter: BlueZAdapter
    /// Whether the adapter was not pairable before.
    private let madePairable: Bool

    /// Registers the agent and makes the adapter pairable.
    /// - Throws: `DBusError` of the daemon or of the bus; nothing is registered then.
    static func register(
        for beacon: BeaconIdentifier, _ settings: PairingSettings, on attachment: AdapterAttachment,
        responder: AgentResponder
    ) async throws(DBusError) -> AdapterAgent {
        let (daemon, adapter) = (attachment.daemon, attachment.adapter)
        let agent = BlueZAgent(daemon: daemon, path: "/org/beaconry/agent", settings: settings, responder: responder)
        do throws(DBusError) {
            try await agent.register(isDefault: true)
            let isPairable = try await daemon.properties(BlueZAdapter.interface, of: adapter.path)["Pairable"]
            guard isPairable?.boolValue == false else {
                return AdapterAgent(warnings: [], agent: agent, adapter: adapter, madePairable: false)
            }
            try await setPairable(true, adapter, daemon)
        } catch {
            await agent.unregister()
            throw error
        }
        let showsPasskey = settings.inputOutput != .keyboard && settings.passkey != nil
        return AdapterAgent(
            warnings: showsPasskey ? [(beacon, passkeyWarning)] : [], agent: agent, adapter: adapter,
            madePairable: true)
    }

    /// Removes the agent, and restores the Pairable property of the adapter.
    func unregister() async {
        await agent.unregister()
        if madePairable { try? await Self.setPairable(false, adapter, agent.daemon) }
    }

    private static func setPairable(
        _ value: Bool, _ adapter: BlueZAdapter, _ daemon: BlueZDaemon
    ) async throws(DBusError) {
        var attempts = 0
        while true {
            do throws(DBusError) {
                return try await daemon.setProperty(
                    "Pairable", of: BlueZAdapter.interface, at: adapter.path, to: .boolean(value))
            } catch {
                // bluetoothd sets one property at a time, and many when an adapter has just been added: 5 s of retries.
                attempts += 1
                guard error.isBlueZ("Busy"), attempts < 50, !Task.isCancelled else { throw error }
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private static let passkeyWarning = Warning(
        code: "passkey-not-settable",
        message: "under BlueZ the kernel chooses the passkey that is shown, a new one for each pairing",
        hint: "read it from the event passkey-shown, or use our own host stack (--radio hci-socket:N)")
}

/// An agent that is registered while connections are made, so that the kernel assumes a user with input and output.
///
/// The kernel notes the input and output of its default agent when a connection is made, and bluetoothd 5.82 pairs with the
/// noted value, whatever the agent of the pairing has. If another program's agent is the default, its value is noted.
///
/// Confined to the actor of the central that owns it.
final class ConnectingAgent {
    /// The number of connections that are being made.
    private var uses = 0

    /// Runs a connection attempt while the agent is registered. The attempt is made even if bluetoothd refuses the agent.
    func whileRegistered(
        with daemon: BlueZDaemon, _ connect: @Sendable () async throws(DBusError) -> Void
    ) async throws(DBusError) {
        let agent = Self.agent(daemon)
        uses += 1
        if uses == 1 { try? await agent.register(isDefault: false) }
        let result: Result<Void, DBusError>
        do throws(DBusError) {
            result = .success(try await connect())
        } catch {
            result = .failure(error)
        }
        uses -= 1
        if uses == 0 { await agent.unregister() }
        try result.get()
    }

    /// The agent, which declines every request: nothing pairs while a connection is made.
    static func agent(_ daemon: BlueZDaemon) -> BlueZAgent {
        BlueZAgent(
            daemon: daemon, path: "/org/beaconry/agent/connecting",
            settings: PairingSettings(inputOutput: .keyboardDisplay),
            responder: AgentResponder(owner: daemon.owner, ask: { _, _ in nil }, cancel: {}))
    }
}
