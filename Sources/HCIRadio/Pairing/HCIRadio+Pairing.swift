// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import HCI
import HostStack
public import Radio

// Pairing of centrals with beacons: what is told of it, what is answered, and what is kept.

extension HCIRadio {
    public func storeBonds(in store: any BondStore) { keeper = store }

    /// Tells a beacon's host how it pairs and whom it knows.
    func setPairing(of beacon: SeatedBeacon) {
        let seat = beacon.seat
        guard let host = hosts[seat.host] else { return }
        let settings = beacon.plan.pairing
        let bonds = settings == nil ? [] : keptBonds(of: beacon.identifier, by: keeper)
        host.change { host in
            // Peers are accepted by the answer to `.pairingRequested`, which is also reported as the start of a pairing.
            host.setPairing(settings, acceptance: .ask, for: seat.set)
            host.setBonds(bonds, for: seat.set)
        }
    }

    /// The bonds that were kept of a beacon or of the central; who keeps them is told of those that cannot be used.
    func keptBonds(of identifier: BeaconIdentifier, by keeper: (any BondStore)?) -> [Bond] {
        (keeper?.secrets(of: identifier).bonds ?? []).compactMap { kept in
            do throws(BondRecordFault) {
                return try Bond(record: kept.fields)
            } catch {
                keeper?.warn(kept.warning(error, of: identifier), of: identifier)
                return nil
            }
        }
    }

    /// Who a beacon is behind private addresses; the key that makes them is as old as the beacon's file.
    func identity(of beacon: HostedBeacon, address: BluetoothAddress) -> LocalIdentity {
        var secrets = keeper?.secrets(of: beacon.identifier) ?? StoredSecrets()
        if let text = secrets.own[Self.resolvingKeyName], let octets = try? Hexadecimal.bytes(text),
            let key = Octets<16>(octets)
        {
            return LocalIdentity(address: PeerAddress(address, type: .random), resolvingKey: key)
        }
        var random = RandomSource()
        let key = Octets<16>(padding: random.octets(16))
        secrets.own[Self.resolvingKeyName] = Hexadecimal.string(key.bytes)
        _ = keeper?.keep(secrets, of: beacon.identifier)
        return LocalIdentity(address: PeerAddress(address, type: .random), resolvingKey: key)
    }

    private static let resolvingKeyName = "resolving-key"

    // MARK: - What a host tells

    /// Takes what a host tells of a pairing with one of its beacons; all else is ignored.
    func takePairing(_ event: LEHostEvent, of host: HostIdentifier) {
        switch event {
        case .pairingRequested(let connection):
            tell(.began, of: connection, on: host)
            hosts[host]?.change { $0.replyPairing(true, of: connection) }
        case .displayPasskey(let connection, let passkey): tell(.passkeyShown(passkey), of: connection, on: host)
        case .passkeyWanted(let connection): tell(.passkeyWanted, of: connection, on: host)
        case .comparisonWanted(let connection, let number):
            tell(.comparisonWanted(number), of: connection, on: host)
        case .paired(let connection, let bond, let isBonded): paired(connection, bond, isBonded: isBonded, on: host)
        case .pairingFailed(let connection, let error): failed(error, connection, on: host)
        case .encryptionFailed(let connection, let failure):
            failed(failure.error, connection, on: host)
        case .securityChanged(let connection, let security):
            guard security.isEncrypted else { return }
            connected(connection, on: host)?.central.link.finishSecuring(.success(()))
            tell(.encrypted(LinkProtection(security)), of: connection, on: host)
        // Where a bond of a pairing under way cannot be kept, that is tried again when the pairing has come about.
        case .bondChanged(let set?, _), .bondWithdrawn(let set?, _): _ = keepBonds(of: set, on: host)
        case .bondForgotten(let set?, let peer):
            guard keepBonds(of: set, on: host), let beacon = occupants[Seat(host: host, set: set)] else { return }
            tellForgotten(RemoteAddress(peer), of: beacon.identifier)
        default: break
        }
    }

    private func failed(_ error: PairingError, _ connection: ConnectionIdentifier, on host: HostIdentifier) {
        connected(connection, on: host)?.central.link.finishSecuring(.failure(.notPaired(error)))
        tell(.failed(error), of: connection, on: host)
    }

    private func paired(_ connection: ConnectionIdentifier, _ bond: Bond, isBonded: Bool, on host: HostIdentifier) {
        guard let central = connected(connection, on: host)?.central, let seat = beacons[central.beacon]?.seat else {
            return
        }
        // What cannot be kept is not relied on: the central hears so by the end of the link.
        if isBonded, !keepBonds(of: seat.set, on: host) {
            tell(.failed(PairingError(.notKept)), of: connection, on: host)
            hosts[host]?.change { host in
                host.removeBond(of: bond.peer, for: seat.set)
                host.disconnect(connection)
            }
            return
        }
        tell(.paired(PairedPeer(bond, isBonded: isBonded)), of: connection, on: host)
    }

    /// Keeps the bonds of a beacon, or of the central, as its host has them.
    /// - Returns: whether they are durable, as far as anybody keeps them.
    func keepBonds(of set: AdvertisingSetIdentifier?, on host: HostIdentifier) -> Bool {
        guard let (keeper, identifier) = keeping(of: set, on: host), let host = hosts[host] else { return true }
        var secrets = keeper.secrets(of: identifier)
        secrets.bonds = host.read { $0.bonds(of: set) }.map(StoredBond.init)
        return keeper.keep(secrets, of: identifier)
    }

    /// Who keeps the bonds of a beacon or of the central, and under which name; `nil` when nobody does.
    private func keeping(
        of set: AdvertisingSetIdentifier?, on host: HostIdentifier
    ) -> (keeper: any BondStore, identifier: BeaconIdentifier)? {
        guard let set else { return central.bonds.map { ($0.keeper, $0.identifier) } }
        guard let keeper, let beacon = occupants[Seat(host: host, set: set)]?.identifier else { return nil }
        return (keeper, beacon)
    }

    private func connected(
        _ connection: ConnectionIdentifier, on host: HostIdentifier
    ) -> (name: String, central: ConnectedCentral)? {
        centrals.first { $1.host == host && $1.connection == connection }.map { ($0, $1) }
    }

    /// Tells something of a pairing on a connection, while that is there.
    func tell(_ event: PairingEvent, of connection: ConnectionIdentifier, on host: HostIdentifier) {
        guard let (name, central) = connected(connection, on: host) else { return }
        continuation.yield(.pairing(central.beacon, central: name, event))
    }

    private func tellForgotten(_ peer: RemoteAddress, of beacon: BeaconIdentifier) {
        continuation.yield(.pairing(beacon, central: peer.address.description, .forgotten(peer)))
    }

    // MARK: - What the user says

    public func answerPairing(_ answer: PairingAnswer, of central: String) {
        guard let central = centrals[central] else { return }
        hosts[central.host]?.change { $0.answer(answer, of: central.connection) }
    }

    public func requestSecurity(of central: String) { askForSecurity(of: central) }

    /// Asks a central for encryption.
    func askForSecurity(of central: String) {
        guard let central = centrals[central] else { return }
        hosts[central.host]?.change { $0.pair(central.connection) }
    }

    public func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) -> Int {
        guard let seat = beacons[beacon]?.seat, let host = hosts[seat.host] else { return 0 }
        let forgotten = host.read { $0.bonds(of: seat.set) }.map(\.peer).filter {
            peer == nil || RemoteAddress($0) == peer
        }
        guard !forgotten.isEmpty else { return 0 }
        host.change { host in
            for peer in forgotten { host.removeBond(of: peer, for: seat.set) }
        }
        _ = keepBonds(of: seat.set, on: seat.host)
        for peer in forgotten { tellForgotten(RemoteAddress(peer), of: beacon) }
        return forgotten.count
    }
}

extension LEHost {
    /// Takes a user's answer to what a pairing asks.
    mutating func answer(_ answer: PairingAnswer, of connection: ConnectionIdentifier) {
        switch answer {
        case .passkey(let passkey): replyPasskey(passkey, of: connection)
        case .comparison(let areEqual): replyComparison(areEqual, of: connection)
        case .cancel: cancelPairing(of: connection)
        }
    }
}
