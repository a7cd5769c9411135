// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import DBus
import Radio

/// What bluetoothd asks of an agent, who stands for the user (org.bluez.Agent).
enum AgentRequest: Hashable, Sendable {
    /// To enter the number that the peer shows.
    case passkey
    /// To show a number, which is to be entered on the peer.
    case show(UInt32)
    /// Whether the peer shows this number.
    case comparison(UInt32)
    /// Whether a peer may pair that nobody can check.
    case pairing
    /// Whether a peer may use a service; it is paired already.
    case service
}

/// Serves the methods that bluetoothd calls of an agent.
struct AgentResponder: Sendable {
    /// bluetoothd's unique name on the bus.
    let owner: String
    /// Asks the user, or whoever stands for them; `nil` is no.
    let ask: @Sendable (AgentRequest, ObjectPath) async -> PairingAnswer?
    /// bluetoothd waits no more.
    let cancel: @Sendable () async -> Void

    /// The methods of the agent's interface.
    var methods: [String: MethodHandler] {
        [
            "Release": { _ in .success([]) },
            "RequestPinCode": { call in await answer(call, .passkey) { [.string(Self.digits(of: $0))] } },
            "DisplayPinCode": { _ in .success([]) },
            "RequestPasskey": { call in await answer(call, .passkey) { [.uint32($0)] } },
            "DisplayPasskey": { call in
                // It comes again for each digit that is entered on the peer.
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
        // The reply means that it is shown, so whoever shows it is not waited for.
        let ask = ask
        Task { _ = await ask(.show(passkey), device) }
        return .success([])
    }

    /// Has a question answered.
    /// - Parameter reply: what a number is told as.
    private func answer(
        _ call: MethodCall, _ request: AgentRequest, reply: (UInt32) -> [DBusValue]?
    ) async -> Result<[DBusValue], DBusError> {
        guard isDaemon(call), let device = call.arguments.first?.objectPathValue else { return Self.rejected }
        switch await ask(request, device) {
        case .passkey(let number): return reply(number).map { .success($0) } ?? Self.rejected
        case .comparison(true): return .success([])
        case .comparison(false), nil: return Self.rejected
        case .cancel: return .failure(DBusError(name: "org.bluez.Error.Canceled", message: "cancelled by the user"))
        }
    }

    /// Others on the bus have no business here.
    private func isDaemon(_ call: MethodCall) -> Bool { call.sender == owner }

    private static var rejected: Result<[DBusValue], DBusError> {
        .failure(DBusError(name: "org.bluez.Error.Rejected", message: "declined"))
    }

    private static func digits(of passkey: UInt32) -> String {
        let digits = "\(passkey)"
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
