// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The pairing settings and bonds of a host, for each advertising set and for the host as central (the set is `nil`).
///
/// A host with one identity has the bonds of all sets in one place, that of the central: a peer is the same whatever the
/// roles are.
struct SecurityRegistry: Sendable {
    /// The number of bonds of one set; a further one replaces the oldest.
    private static let capacity = 64
    /// The number of private addresses whose identities are remembered.
    private static let addressCapacity = 1024

    /// The settings and the bonds of one set, or of the central.
    private struct Scope: Sendable {
        let set: AdvertisingSetIdentifier?
        /// `nil` when the set does not pair.
        var settings: PairingSettings?
        var acceptance = PairingAcceptance.always
        var bonds: [Bond] = []
        /// The bonds of pairings under way that the peers may rely on already.
        var promised: [(connection: ConnectionIdentifier, bond: Bond)] = []
        /// The failed pairings, which determine how long a peer has to wait.
        var attempts = AttemptLog()

        /// The identities of the private addresses that were received; `nil` for an address that no key resolves.
        var identities: [BluetoothAddress: PeerAddress?] = [:]

        /// The bond with a peer of this address, which may be private.
        func bond(of peer: PeerAddress) -> Bond? { bonds.first { $0.isPeer(peer) } }

        /// Ends the promise of a connection.
        /// - Returns: the promised bond.
        mutating func endPromise(on connection: ConnectionIdentifier) -> Bond? {
            promised.firstIndex { $0.connection == connection }.map { promised.remove(at: $0).bond }
        }

        /// Adds a bond, and removes an earlier one with the same peer.
        /// - Returns: the peer of the bond that was removed to make room.
        mutating func add(_ bond: Bond) -> PeerAddress? {
            bonds.removeAll { $0.peer == bond.peer }
            bonds.append(bond)
            identities = [:]
            return bonds.count > SecurityRegistry.capacity ? bonds.removeFirst().peer : nil
        }
    }

    /// Whether the sets share the bonds of the central.
    private let sharesBonds: Bool
    /// Empty on most hosts.
    private var scopes: [Scope] = []

    init(sharesBonds: Bool = false) { self.sharesBonds = sharesBonds }

    // MARK: - From the owner

    mutating func setPairing(
        _ settings: PairingSettings?, acceptance: PairingAcceptance, for set: AdvertisingSetIdentifier?
    ) {
        update(set) { scope in
            scope.settings = settings
            scope.acceptance = acceptance
        }
        removeUnusedScopes()
    }

    /// Replaces the bonds of a set; without effect on a set that shares the bonds of the central.
    mutating func restore(_ bonds: [Bond], for set: AdvertisingSetIdentifier?) {
        guard set == nil || !sharesBonds else { return }
        update(set) { scope in
            scope.bonds = []
            scope.identities = [:]
            for bond in bonds { _ = scope.add(bond) }
        }
        removeUnusedScopes()
    }

    /// The bonds to save, in this order. Of two with the same peer, the later one counts when they are restored.
    func bonds(of set: AdvertisingSetIdentifier?) -> [Bond] {
        guard let scope = scope(of: owner(of: set)) else { return [] }
        return scope.bonds + scope.promised.map(\.bond)
    }

    mutating func removeBond(of peer: PeerAddress, for set: AdvertisingSetIdentifier?) {
        guard let index = index(of: owner(of: set)) else { return }
        scopes[index].identities = [:]
        scopes[index].bonds.removeAll { $0.peer == peer }
        scopes[index].promised.removeAll { $0.bond.peer == peer }
    }

    // MARK: - Queries

    /// The bond with a peer of this address, which may be private.
    func bond(of peer: PeerAddress, for set: AdvertisingSetIdentifier?) -> Bond? {
        scope(of: owner(of: set))?.bond(of: peer)
    }

    /// The bond whose key, as peripheral, has this name.
    func bond(named name: KeyName, for set: AdvertisingSetIdentifier?) -> Bond? {
        scope(of: owner(of: set))?.bonds.first { $0.peripheralKey?.name == name }
    }

    /// The bonded peer of an address, if it may use private addresses.
    func privatePeer(_ peer: PeerAddress) -> PeerAddress? {
        bond(of: peer, for: nil).flatMap { $0.resolvingKey == nil ? nil : $0.peer }
    }

    /// The bonded peer that advertises with an address; `nil` if no bond's key resolves it. The result is remembered: a
    /// device advertises many times with one address.
    mutating func identity(ofAdvertiser peer: PeerAddress) -> PeerAddress? {
        guard let index = index(of: nil), !scopes[index].bonds.isEmpty else { return nil }
        guard peer.type.isRandomKind, peer.address.isResolvablePrivate else {
            return scopes[index].bond(of: peer)?.peer
        }
        if let known = scopes[index].identities[peer.address] { return known }
        let identity = scopes[index].bond(of: peer)?.peer
        if scopes[index].identities.count >= Self.addressCapacity { scopes[index].identities = [:] }
        scopes[index].identities[peer.address] = .some(identity)
        return identity
    }

    /// The conditions of a pairing on a connection; `nil` if the set does not pair.
    /// - Parameters:
    ///   - own: the address of this end of the connection.
    ///   - identity: the identity behind the private addresses of this end.
    func setup(
        for link: LEConnection, own: PeerAddress, identity: LocalIdentity?, at now: Duration
    ) -> PairingSetup? {
        guard let scope = scope(of: link.advertisingSet), let settings = scope.settings else { return nil }
        let owner = self.scope(of: owner(of: link.advertisingSet))
        return PairingSetup(
            role: link.role == .central ? .initiator : .responder, settings: settings,
            acceptance: scope.acceptance, own: own, peer: link.peer, identity: identity,
            mustBeAuthenticated: link.identity.flatMap { owner?.bond(of: $0) }?.isAuthenticated ?? false,
            authenticatedPeers: owner?.bonds.filter(\.isAuthenticated).map(\.peer) ?? [],
            wait: scope.attempts.wait(of: link.identity ?? link.peer, at: now))
    }

    // MARK: - From connections

    /// Adds the bond of a pairing under way, which the peer may rely on from now on.
    mutating func promise(_ bond: Bond, on link: LEConnection) {
        update(owner(of: link.advertisingSet)) { scope in
            _ = scope.endPromise(on: link.id)
            scope.promised.append((link.id, bond))
        }
    }

    /// Withdraws the promised bond of a pairing that failed. An earlier bond with the peer stays.
    /// - Returns: the peer; `nil` if nothing was promised.
    mutating func withdrawPromise(on link: LEConnection) -> PeerAddress? {
        guard let index = index(of: owner(of: link.advertisingSet)) else { return nil }
        return scopes[index].endPromise(on: link.id)?.peer
    }

    /// Takes the result of a pairing.
    /// - Returns: the peer of the bond that was removed to make room.
    mutating func finishPairing(_ bond: Bond, isBonded: Bool, on link: LEConnection) -> PeerAddress? {
        var removed: PeerAddress?
        update(link.advertisingSet) { scope in
            scope.attempts.forget(link.peer)
            scope.attempts.forget(bond.peer)
        }
        update(owner(of: link.advertisingSet)) { scope in
            _ = scope.endPromise(on: link.id)
            if isBonded { removed = scope.add(bond) }
        }
        return removed
    }

    /// Records a failed pairing, after which the peer has to wait.
    mutating func recordFailure(on link: LEConnection, at now: Duration) {
        update(link.advertisingSet) { $0.attempts.note(link.identity ?? link.peer, at: now) }
    }

    /// Saves the attribute client's state in its bond.
    /// - Returns: the bond if that changed it.
    mutating func save(
        _ client: ATTClientState, of peer: PeerAddress, for set: AdvertisingSetIdentifier?
    ) -> Bond? {
        guard let index = index(of: owner(of: set)),
            let place = scopes[index].bonds.firstIndex(where: { $0.peer == peer }),
            scopes[index].bonds[place].client != client
        else { return nil }
        scopes[index].bonds[place].client = client
        return scopes[index].bonds[place]
    }

    // MARK: - Scopes

    /// The scope with the bonds of a set.
    private func owner(of set: AdvertisingSetIdentifier?) -> AdvertisingSetIdentifier? { sharesBonds ? nil : set }

    private func index(of set: AdvertisingSetIdentifier?) -> Int? { scopes.firstIndex { $0.set == set } }

    private func scope(of set: AdvertisingSetIdentifier?) -> Scope? { index(of: set).map { scopes[$0] } }

    private mutating func update(_ set: AdvertisingSetIdentifier?, _ body: (inout Scope) -> Void) {
        if let index = index(of: set) { return body(&scopes[index]) }
        var scope = Scope(set: set)
        body(&scope)
        scopes.append(scope)
    }

    private mutating func removeUnusedScopes() { scopes.removeAll { $0.settings == nil && $0.bonds.isEmpty } }
}
