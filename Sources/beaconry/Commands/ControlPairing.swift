// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulator

/// `beaconry ctl bonds`
struct ControlBonds: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "bonds", abstract: "Show whom the beacons have paired with and remember.",
        discussion: "Example: beaconry ctl bonds entrance")
    @Argument(help: "The beacon's id; all of them without it.") var device: String?
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.send(.bonds(device)) }
}

/// `beaconry ctl forget`
struct ControlForget: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Make a beacon forget whom it paired with.",
        discussion: """
            Example: beaconry ctl forget entrance C0:FF:EE:00:00:02

            The peer still has its keys: it will not get through with them until it forgets the beacon too and pairs again.
            """)
    @Argument(help: "The beacon's id.") var device: String
    @Argument(help: "The peer's address as bonds shows it; all peers without it.") var peer: String?
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.send(.forget(device, peer: peer)) }
}

/// `beaconry ctl pair`
struct ControlPair: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Answer what a pairing asks, or ask the connected centrals to pair.",
        discussion: """
            Example: beaconry ctl pair entrance 123456

            Answers: accept or reject when numbers are compared (event comparison-wanted), six digits when a passkey is
            asked for (passkey-wanted), cancel at any time. Without an answer the beacon asks those connected to it to pair.
            """)
    @Argument(help: "The beacon's id.") var device: String
    @Argument(help: "accept, reject, cancel, or six digits.") var answer: String?
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.send(.pair(device, answer: answer)) }
}

/// Bonds in words.
enum BondText {
    static func line(_ bond: BondRecord) -> String {
        let protection = bond.authenticated.map { $0 ? "authenticated" : "just works" }
        let generation = bond.secureConnections.map { $0 ? "secure connections" : "legacy pairing" }
        let size = bond.keySize.map { "\(Int($0) * 8)-bit key" }
        let cells = [bond.device, "\(bond.peer) (\(bond.peerType))", protection, generation, size]
        return cells.compactMap(\.self).joined(separator: "  ")
    }
}
