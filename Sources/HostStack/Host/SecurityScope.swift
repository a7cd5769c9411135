// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import HCI

/// Who pairs: a beacon, or the host as central; and whom it has paired with.
struct SecurityScope: Sendable {
    /// How many bonds are kept; the oldest gives way.
    static let capacity = 64

    /// The beacon; `nil` for the host as central.
    let set: AdvertisingSetIdentifier?
    /// How it pairs; `nil` when it does not.
    var pairing: PairingSettings?
    var acceptance = PairingAcceptance.always
    var bonds: [Bond] = []
    /// Bonds of pairings that are under way, which the peers can rely on already.
    var promised: [(connection: ConnectionIdentifier, bond: Bond)] = []
    var attempts = AttemptLog()

    /// The bond with a peer of this address, which may be private.
    func bond(of peer: PeerAddress) -> Bond? { bonds.first { $0.isPeer(peer) } }

    /// Those that are to be kept. Of two with the same peer, the later one counts when they are read again.
    var keptBonds: [Bond] { bonds + promised.map(\.bond) }

    /// Takes bonds as they were kept.
    mutating func restore(_ kept: [Bond]) {
        bonds = []
        for bond in kept { _ = keep(bond) }
    }

    /// Ends what was promised on a connection.
    /// - Returns: the bond that was.
    mutating func endPromise(on connection: ConnectionIdentifier) -> Bond? {
        promised.firstIndex { $0.connection == connection }.map { promised.remove(at: $0).bond }
    }

    /// Takes a bond in the place of those with the same peer.
    /// - Returns: the peer of one that had to give way to it.
    mutating func keep(_ bond: Bond) -> PeerAddress? {
        bonds.removeAll { $0.peer == bond.peer }
        bonds.append(bond)
        return bonds.count > Self.capacity ? bonds.removeFirst().peer : nil
    }
}

extension LEHost {
    func scope(of set: AdvertisingSetIdentifier?) -> SecurityScope? { securityScopes.first { $0.set == set } }

    /// The bond of a beacon, or of this host as central, with a peer of this address.
    func bond(of peer: PeerAddress, for set: AdvertisingSetIdentifier?) -> Bond? { scope(of: set)?.bond(of: peer) }

    mutating func withScope(of set: AdvertisingSetIdentifier?, _ body: (inout SecurityScope) -> Void) {
        if let index = securityScopes.firstIndex(where: { $0.set == set }) { return body(&securityScopes[index]) }
        var scope = SecurityScope(set: set)
        body(&scope)
        securityScopes.append(scope)
    }

    /// Forgets who neither pairs nor has paired.
    mutating func dropEmptyScopes() { securityScopes.removeAll { $0.pairing == nil && $0.bonds.isEmpty } }

    /// The address that a connection is made with at this end.
    func ownAddress(as role: LEConnection.Role, of set: AdvertisingSetIdentifier?) -> PeerAddress {
        var random: BluetoothAddress?
        switch role {
        case .central:
            // A legacy controller has one random address, which was a beacon's last.
            if centralAddressType == .random { random = legacy?.advertiser.randomAddress ?? centralRandomAddress }
        case .peripheral:
            let advertiser = legacy?.advertiser ?? set.flatMap { index(of: $0) }.map { sets[$0].advertiser }
            if advertiser?.parameters?.addressType.isRandom == true { random = advertiser?.randomAddress }
        }
        if let random { return PeerAddress(random, type: .random) }
        return PeerAddress(knownCapabilities.address ?? .zero, type: .public)
    }
}
