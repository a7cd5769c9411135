// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HostStack
import Radio

/// The pairings in progress between a central and devices.
///
/// A pairing begins with `begin`: the user or the device of a link requests it. A pairing that the user requests during
/// a pairing that the device requested begins after it. The host then reports questions, which `reply` answers from the
/// settings if they contain the answer, and finally a result. If the host uses the keys of a bond, the connection's
/// encryption is the result; if it makes new keys, the result follows when the bond is saved. The end of the connection
/// is a result, too.
struct CentralPairings {
    /// Asks the user.
    typealias Asker = @Sendable (PairingQuestion) async -> PairingAnswer
    typealias Continuation = CheckedContinuation<Result<LinkProtection, PairingError>, Never>

    /// How a question is answered.
    enum Reply {
        /// By this answer, from the settings.
        case answer(PairingAnswer)
        /// By the user.
        case ask(Asker)
    }

    private struct Pairing {
        let settings: PairingSettings
        let ask: Asker
        /// `nil` for a pairing that the device requested.
        let continuation: Continuation?
        var makesKeys = false
    }

    private var pairings: [ConnectionIdentifier: Pairing] = [:]
    /// Those that begin when the pairing of their connection has ended.
    private var waiting: [ConnectionIdentifier: Pairing] = [:]

    /// Whether a pairing is in progress on a connection.
    func isActive(on connection: ConnectionIdentifier) -> Bool { pairings[connection] != nil }

    /// Whether the user of a connection's link has requested a pairing that has not ended.
    func isRequested(on connection: ConnectionIdentifier) -> Bool {
        pairings[connection]?.continuation != nil || waiting[connection] != nil
    }

    /// Whether the pairing on a connection makes new keys.
    func makesKeys(on connection: ConnectionIdentifier) -> Bool { pairings[connection]?.makesKeys ?? false }

    /// The settings of the pairing on a connection; `nil` if there is none.
    func settings(of connection: ConnectionIdentifier) -> PairingSettings? { pairings[connection]?.settings }

    /// Begins a pairing.
    /// - Parameter continuation: gets the result; `nil` for a pairing that the device requested.
    /// - Returns: `false` if it begins after the one in progress.
    mutating func begin(
        _ connection: ConnectionIdentifier, _ settings: PairingSettings, ask: @escaping Asker,
        _ continuation: Continuation?
    ) -> Bool {
        let pairing = Pairing(settings: settings, ask: ask, continuation: continuation)
        guard pairings[connection] == nil else {
            waiting[connection] = pairing
            return false
        }
        pairings[connection] = pairing
        return true
    }

    /// Sets whether new keys are made.
    mutating func setMakesKeys(_ makesKeys: Bool, on connection: ConnectionIdentifier) {
        pairings[connection]?.makesKeys = makesKeys
    }

    /// The reply to a question; a pairing without a user is cancelled.
    func reply(to question: PairingQuestion, on connection: ConnectionIdentifier) -> Reply {
        guard let pairing = pairings[connection] else { return .answer(.cancel) }
        switch question {
        case .passkey:
            if let passkey = pairing.settings.passkey { return .answer(.passkey(passkey)) }
        case .comparison:
            switch pairing.settings.comparison {
            case .accept: return .answer(.comparison(true))
            case .reject: return .answer(.comparison(false))
            case .ask: break
            }
        case .showPasskey, .confirmation: break
        }
        return .ask(pairing.ask)
    }

    /// Ends a pairing; does nothing if there is none.
    /// - Returns: the settings of the one that begins now; `nil` if none waited.
    mutating func finish(
        _ connection: ConnectionIdentifier, _ result: Result<LinkProtection, PairingError>
    ) -> PairingSettings? {
        pairings.removeValue(forKey: connection)?.continuation?.resume(returning: result)
        guard let next = waiting.removeValue(forKey: connection) else { return nil }
        pairings[connection] = next
        return next.settings
    }

    /// Cancels the pairing that waits for the end of another one.
    /// - Returns: whether there was one.
    mutating func cancelWaiting(on connection: ConnectionIdentifier) -> Bool {
        guard let pairing = waiting.removeValue(forKey: connection) else { return false }
        pairing.continuation?.resume(returning: .failure(PairingError(.cancelled)))
        return true
    }

    /// Ends the pairings on a connection that has ended.
    mutating func end(_ connection: ConnectionIdentifier, _ error: PairingError) {
        for pairing in [pairings.removeValue(forKey: connection), waiting.removeValue(forKey: connection)] {
            pairing?.continuation?.resume(returning: .failure(error))
        }
    }

    /// Ends all pairings, because the connections have ended.
    mutating func endAll() {
        for connection in pairings.keys { end(connection, PairingError(.disconnected)) }
    }
}
