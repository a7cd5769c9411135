// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A bond in a store, in the form of its radio.
public struct StoredBond: Hashable, Sendable {
    /// The peer and its keys' properties.
    public let peer: PairedPeer
    /// The keys and all other data of the radio, by name.
    public let fields: [String: String]

    /// A bond with a peer.
    public init(peer: PairedPeer, fields: [String: String]) {
        self.peer = peer
        self.fields = fields
    }
}

/// The secrets of a beacon or a central: its own, and those that it shares with peers.
public struct StoredSecrets: Hashable, Sendable {
    /// Its own, by name; they stay as long as it exists.
    public var own: [String: String]
    /// Its bonds.
    public var bonds: [StoredBond]

    /// These secrets.
    public init(own: [String: String] = [:], bonds: [StoredBond] = []) {
        self.own = own
        self.bonds = bonds
    }
}

/// A store of the bonds of a radio's beacons, or of a central.
///
/// Its functions are called on the radio's own thread and return when they are done: a peer gets its response only when
/// the keys that it relies on are saved.
public protocol BondStore: Sendable {
    /// The saved secrets of a beacon or a central.
    func secrets(of beacon: BeaconIdentifier) -> StoredSecrets
    /// Replaces the saved secrets.
    /// - Returns: whether they are saved; if not, the former ones remain.
    func save(_ secrets: StoredSecrets, of beacon: BeaconIdentifier) -> Bool
    /// Called for a saved bond that cannot be used.
    func warn(_ warning: Warning, of beacon: BeaconIdentifier)
}

extension BondStore {
    /// Ignores the warning.
    public func warn(_ warning: Warning, of beacon: BeaconIdentifier) {}
}
