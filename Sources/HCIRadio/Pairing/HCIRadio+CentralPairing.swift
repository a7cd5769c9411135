// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import HostStack
public import Radio

// Pairing with devices that this radio has connected to.

extension HCIRadio {
    public func storeBonds(in store: any BondStore, as central: BeaconIdentifier) {
        self.central.bonds = CentralState.Bonds(keeper: store, identifier: central)
    }

    /// What the central's host is told. One whose bonds are kept has an address of its own, whatever its controller's is:
    /// that is how devices know it again.
    var centralConfiguration: LEHostConfiguration {
        guard let bonds = central.bonds else { return configuration }
        var configuration = configuration
        configuration.centralAddress = .random(BeaconAddress.derived(from: "central/\(bonds.identifier)"))
        return configuration
    }

    /// Tells the central's host how it pairs and whom it knows.
    func setPairingAsCentral(of host: ControllerHost) {
        let bonds = central.bonds.map { keptBonds(of: $0.identifier, by: $0.keeper) } ?? []
        host.change { host in
            // Until `pair` is called, a pairing that a device requests is not answered.
            host.setPairing(PairingSettings(), acceptance: .ask, for: nil)
            host.setBonds(bonds, for: nil)
        }
    }

    /// Encrypts a connection of ours: with the keys of a bond that is good enough, else by pairing.
    func pair(
        _ settings: PairingSettings, on connection: ConnectionIdentifier,
        answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer
    ) async -> Result<LinkProtection, PairingError> {
        guard let host = hosts[central.host], central.links[connection] != nil else {
            return .failure(PairingError(.disconnected))
        }
        guard central.pairings[connection] == nil else { return .failure(PairingError(.busy)) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                central.pairings[connection] = CentralState.Pairing(
                    settings: settings, answer: answer, continuation: continuation)
                host.change(
                    { host in
                        host.setPairing(settings, acceptance: .ask, for: nil)
                        host.pair(connection)
                        return host.isPairing(connection)
                    }, then: { central.pairings[connection]?.makesKeys = $0 })
                if Task.isCancelled { host.change { $0.cancelPairing(of: connection) } }
            }
        } onCancel: {
            Task { await self.cancelPairing(of: connection) }
        }
    }

    private func cancelPairing(of connection: ConnectionIdentifier) {
        guard central.pairings[connection] != nil else { return }
        hosts[central.host]?.change { $0.cancelPairing(of: connection) }
    }

    public func forgetBond(with device: RemoteAddress) {
        let peer = PeerAddress(device)
        hosts[central.host]?.change { host in
            host.removeBond(of: host.identity(of: peer) ?? peer, for: nil)
        }
        _ = keepBonds(of: nil, on: central.host)
    }

    /// Takes what a host tells of a pairing with a device.
    /// - Returns: whether it was of one.
    func takePairingAsCentral(_ event: LEHostEvent) -> Bool {
        switch event {
        case .pairingRequested(let connection) where central.links[connection] != nil:
            // The device wishes for it; whoever uses the link decides, by calling `pair`.
            break
        case .displayPasskey(let connection, let passkey) where central.links[connection] != nil:
            ask(.showPasskey(passkey), on: connection)
        case .passkeyWanted(let connection) where central.links[connection] != nil: askForPasskey(on: connection)
        case .comparisonWanted(let connection, let number) where central.links[connection] != nil:
            askToCompare(number, on: connection)
        case .paired(let connection, let bond, let isBonded) where central.links[connection] != nil:
            paired(connection, bond, isBonded: isBonded)
        case .securityChanged(let connection, let security) where central.links[connection] != nil:
            // A pairing goes on with its keys, and is told by `.paired`.
            guard security.isEncrypted, central.pairings[connection]?.makesKeys == false else { break }
            finishPairing(on: connection, .success(LinkProtection(security)))
        case .pairingFailed(let connection, let error) where central.links[connection] != nil:
            finishPairing(on: connection, .failure(error))
        case .encryptionFailed(let connection, let failure) where central.links[connection] != nil:
            finishPairing(on: connection, .failure(failure.error))
        case .bondChanged(nil, _), .bondWithdrawn(nil, _), .bondForgotten(nil, _):
            _ = keepBonds(of: nil, on: central.host)
        default: return false
        }
        return true
    }

    private func paired(_ connection: ConnectionIdentifier, _ bond: Bond, isBonded: Bool) {
        // What cannot be kept is not relied on: the device hears so by the end of the link.
        guard !isBonded || keepBonds(of: nil, on: central.host) else {
            finishPairing(on: connection, .failure(PairingError(.notKept)))
            hosts[central.host]?.change { host in
                host.removeBond(of: bond.peer, for: nil)
                host.disconnect(connection)
            }
            return
        }
        finishPairing(
            on: connection, .success(LinkProtection(isAuthenticated: bond.isAuthenticated, keySize: bond.keySize)))
    }

    /// Ends what waits for a pairing.
    func finishPairing(on connection: ConnectionIdentifier, _ result: Result<LinkProtection, PairingError>) {
        central.pairings.removeValue(forKey: connection)?.continuation.resume(returning: result)
    }

    private func askForPasskey(on connection: ConnectionIdentifier) {
        guard let passkey = central.pairings[connection]?.settings.passkey else { return ask(.passkey, on: connection) }
        hosts[central.host]?.change { $0.replyPasskey(passkey, of: connection) }
    }

    private func askToCompare(_ number: UInt32, on connection: ConnectionIdentifier) {
        switch central.pairings[connection]?.settings.comparison {
        case .accept: hosts[central.host]?.change { $0.replyComparison(true, of: connection) }
        case .reject: hosts[central.host]?.change { $0.replyComparison(false, of: connection) }
        case .ask, nil: ask(.comparison(number), on: connection)
        }
    }

    /// Has the user answer; a pairing that nobody waits for is taken back.
    private func ask(_ question: PairingQuestion, on connection: ConnectionIdentifier) {
        guard let answer = central.pairings[connection]?.answer else {
            hosts[central.host]?.change { $0.cancelPairing(of: connection) }
            return
        }
        Task {
            let given = await answer(question)
            if case .showPasskey = question, given != .cancel { return }
            hosts[central.host]?.change { $0.answer(given, of: connection) }
        }
    }
}

extension HCIRemoteLink {
    func pair(
        _ settings: PairingSettings, answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer
    ) async throws(PairingError) -> LinkProtection {
        try await radio.pair(settings, on: connection, answer: answer).get()
    }
}
