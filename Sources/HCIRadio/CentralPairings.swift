// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HostStack
import Radio

/// The pairings in progress between a central and devices.
///
/// A pairing begins with `begin`. The host then reports questions, which `reply` answers from the settings if they contain
/// the answer, and finally a result. If the host uses the keys of a bond, the connection's encryption is the result; if it
/// makes new keys, the result follows when the bond is saved. The end of the connection is a result, too.
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
        let continuation: Continuation
        var makesKeys = false
    }

    private var pairings: [ConnectionIdentifier: Pairing] = [:]

    /// Whether a pairing is in progress on a connection.
    func isPairing(_ connection: ConnectionIdentifier) -> Bool { pairings[connection] != nil }

    /// Whether the pairing on a connection ends when the connection is encrypted.
    func endsWithEncryption(_ connection: ConnectionIdentifier) -> Bool { pairings[connection]?.makesKeys == false }

    /// Begins a pairing.
    mutating func begin(
        _ connection: ConnectionIdentifier, _ settings: PairingSettings, ask: @escaping Asker,
        _ continuation: Continuation
    ) {
        pairings[connection] = Pairing(settings: settings, ask: ask, continuation: continuation)
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
        case .showPasskey: break
        }
        return .ask(pairing.ask)
    }

    /// Ends a pairing; does nothing if there is none.
    mutating func finish(_ connection: ConnectionIdentifier, _ result: Result<LinkProtection, PairingError>) {
        pairings.removeValue(forKey: connection)?.continuation.resume(returning: result)
    }

    /// Ends all pairings, because the connections have ended.
    mutating func finishAll() {
        for connection in pairings.keys { finish(connection, .failure(PairingError(.disconnected))) }
    }
}
