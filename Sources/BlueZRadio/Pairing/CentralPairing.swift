// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The pairings of centrals with a beacon: the questions that wait for an answer, and the centrals that paired.
///
/// bluetoothd has the keys and stores them. A question is open from `ask` until its answer, another question about the same
/// central, or `cancelQuestions`; the last two answer it with `nil`, which declines.
struct CentralPairing {
    typealias Question = CheckedContinuation<PairingAnswer?, Never>

    private var questions: [String: Question] = [:]
    /// The peers that have paired since the radio was opened.
    private var peers: Set<RemoteAddress> = []

    /// The events of a request, in their order. The last event of a request that needs an answer is the question.
    static func events(of request: AgentRequest) -> [PairingEvent] {
        switch request {
        case .service: []
        case .pairing: [.began]
        case .show(let passkey): [.began, .passkeyShown(passkey)]
        case .passkey: [.began, .passkeyWanted]
        case .comparison(let number): [.began, .comparisonWanted(number)]
        }
    }

    /// Opens a question about a central.
    mutating func ask(_ question: Question, about central: String) {
        questions.removeValue(forKey: central)?.resume(returning: nil)
        questions[central] = question
    }

    /// Answers the question about a central.
    /// - Returns: whether there was one.
    mutating func answer(_ answer: PairingAnswer, of central: String) -> Bool {
        guard let question = questions.removeValue(forKey: central) else { return false }
        question.resume(returning: answer)
        return true
    }

    /// Declines all open questions.
    mutating func cancelQuestions() {
        for question in questions.values { question.resume(returning: nil) }
        questions = [:]
    }

    /// Takes a new value of a device's Paired property.
    /// - Parameter properties: all properties of the device; `nil` if they could not be read.
    /// - Returns: the event; `nil` if the device is unknown.
    mutating func note(isPaired: Bool, _ properties: [String: DBusValue]?) -> PairingEvent? {
        guard let device = properties.flatMap({ DeviceProperties($0).device }) else { return nil }
        guard isPaired else {
            peers.remove(device)
            return .forgotten(device)
        }
        peers.insert(device)
        // Before BlueZ 5.66 there is no such property, and each pairing is a bond.
        let isBonded = properties?["Bonded"]?.boolValue ?? true
        return .paired(PairedPeer(address: device, isBonded: isBonded))
    }

    /// The peers whose bonds are to be removed: the given one, or all that have paired with the beacon. Other bonds of the
    /// adapter are not the beacon's.
    func bonds(of peer: RemoteAddress?) -> [RemoteAddress] { peer.map { [$0] } ?? Array(peers) }

    /// Takes note that bluetoothd has removed a peer.
    /// - Returns: whether the peer had paired with the beacon.
    mutating func noteRemoved(_ peer: RemoteAddress) -> Bool { peers.remove(peer) != nil }
}
