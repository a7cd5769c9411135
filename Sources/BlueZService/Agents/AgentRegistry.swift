// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The agents that programs register to answer the questions of pairings: `org.bluez.AgentManager1` of `/org/bluez`
/// (bluez 5.82 src/agent.c).
@ServiceActor
final class AgentRegistry {
    private static let declaration = InterfaceDeclaration(
        "org.bluez.AgentManager1",
        methods: [
            MethodDeclaration("RegisterAgent", in: ["agent": "o", "capability": "s"]),
            MethodDeclaration("UnregisterAgent", in: ["agent": "o"]),
            MethodDeclaration("RequestDefaultAgent", in: ["agent": "o"]),
        ])

    private let bus: ServiceBus
    private var agents: [String: Agent] = [:]
    /// The owners of agents: the default one is the last. An agent is first in this order until its owner makes it the default.
    private var order: [String] = []
    /// Called after the default agent has changed, and after the reply to the call that changed it.
    var defaultChanged: @ServiceActor () -> Void = {}

    init(bus: ServiceBus) { self.bus = bus }

    /// The interface.
    var interface: ExportedInterface {
        ExportedInterface(
            Self.declaration, call: { call, reply in ServiceActor.assumeIsolated { self.handle(call, reply) } })
    }

    /// The agent for a pairing that a caller requests: its own, else the default one.
    func agent(for caller: String) -> Agent? { agents[caller] ?? defaultAgent }

    /// The agent for a pairing that no program requested.
    var defaultAgent: Agent? { order.last.flatMap { agents[$0] } }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        let former = defaultAgent
        do throws(DBusError) {
            guard let path = call.arguments.first?.objectPathValue else { throw BlueZError.invalidArguments() }
            switch call.member {
            case "RegisterAgent":
                try register(call.sender, path, capability: call.arguments.last?.stringValue ?? "")
            case "UnregisterAgent":
                try requireAgent(of: call.sender, at: path)
                remove(call.sender)
            default:
                try requireAgent(of: call.sender, at: path)
                order.removeAll { $0 == call.sender }
                order.append(call.sender)
            }
            reply.succeed()
            if defaultAgent !== former { defaultChanged() }
        } catch {
            reply.fail(error)
        }
    }

    private func register(_ caller: String, _ path: ObjectPath, capability: String) throws(DBusError) {
        guard agents[caller] == nil else { throw BlueZError.alreadyExists }
        guard let capability = Self.capability(capability) else { throw BlueZError.invalidArguments() }
        agents[caller] = Agent(of: caller, at: path, capability, bus: bus)
        order.insert(caller, at: 0)
    }

    private static func capability(_ name: String) -> PairingSettings.InputOutput? {
        switch name {
        case "", "KeyboardDisplay": .keyboardDisplay
        case "DisplayOnly": .display
        case "DisplayYesNo": .displayYesNo
        case "KeyboardOnly": .keyboard
        case "NoInputNoOutput": PairingSettings.InputOutput.none
        default: nil
        }
    }

    private func requireAgent(of caller: String, at path: ObjectPath) throws(DBusError) {
        guard agents[caller]?.path == path else { throw BlueZError.doesNotExist }
    }

    private func remove(_ caller: String) {
        guard agents.removeValue(forKey: caller) != nil else { return }
        order.removeAll { $0 == caller }
    }

    /// Forgets a caller that has left the bus.
    func ownerVanished(_ name: String) {
        let former = defaultAgent
        remove(name)
        if defaultAgent !== former { defaultChanged() }
    }
}

/// An agent of a program: `org.bluez.Agent1`.
@ServiceActor
final class Agent {
    private static let interface = "org.bluez.Agent1"
    /// How long a user may take (bluez 5.82 src/agent.c, `REQUEST_TIMEOUT`).
    private static let timeout = Duration.seconds(60)

    /// The object of the program.
    let path: ObjectPath
    /// What it can show and ask.
    let capability: PairingSettings.InputOutput
    private let owner: String
    private let bus: ServiceBus
    private var isAsking = false

    init(of owner: String, at path: ObjectPath, _ capability: PairingSettings.InputOutput, bus: ServiceBus) {
        self.owner = owner
        self.path = path
        self.capability = capability
        self.bus = bus
    }

    /// Asks the program a question about a device.
    func answer(_ question: PairingQuestion, for device: ObjectPath) async -> PairingAnswer {
        isAsking = true
        defer { isAsking = false }
        do throws(DBusError) {
            switch question {
            case .showPasskey(let passkey):
                // The display stays until the pairing ends, then `Cancel` removes it.
                _ = try await call("DisplayPasskey", [.objectPath(device), .uint32(passkey), .uint16(0)])
                return .comparison(true)
            case .passkey:
                let values = try await call("RequestPasskey", [.objectPath(device)])
                guard let passkey = values.first?.uint32Value, PairingSettings.passkeyRange.contains(passkey) else {
                    return .cancel
                }
                return .passkey(passkey)
            case .comparison(let number):
                _ = try await call("RequestConfirmation", [.objectPath(device), .uint32(number)])
                return .comparison(true)
            case .confirmation:
                _ = try await call("RequestAuthorization", [.objectPath(device)])
                return .comparison(true)
            }
        } catch {
            return Self.answer(to: question, refusedBy: error)
        }
    }

    /// A rejected confirmation is the answer "not equal"; any other error cancels the pairing.
    private static func answer(to question: PairingQuestion, refusedBy error: DBusError) -> PairingAnswer {
        switch question {
        case .comparison where error.name == "org.bluez.Error.Rejected", .confirmation: .comparison(false)
        case .comparison, .passkey, .showPasskey: .cancel
        }
    }

    private func call(_ member: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
        try await bus.connection.call(owner, path, Self.interface, member, arguments, timeout: Self.timeout)
    }

    /// Withdraws a question that was not answered.
    func cancel() {
        guard isAsking else { return }
        bus.notify(owner, path, Self.interface, "Cancel")
    }
}
