// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// A bond as somebody else keeps it for a radio, who does not look into it.
public struct StoredBond: Hashable, Sendable {
    /// The peer, and how well it is known.
    public let peer: PairedPeer
    /// Keys and all else that the radio must have again, by name.
    public let fields: [String: String]

    /// A bond with a peer.
    public init(peer: PairedPeer, fields: [String: String]) {
        self.peer = peer
        self.fields = fields
    }
}

/// What a beacon or a central has of secrets: its own, and those that it shares with peers.
public struct StoredSecrets: Hashable, Sendable {
    /// Its own, by name: they are as old as it is.
    public var own: [String: String]
    /// Its bonds.
    public var bonds: [StoredBond]

    /// These secrets.
    public init(own: [String: String] = [:], bonds: [StoredBond] = []) {
        self.own = own
        self.bonds = bonds
    }
}

/// Keeps the bonds of a radio's beacons, or of a central.
///
/// Its functions are called on the radio's own thread, and return when it is done: so a peer is told nothing before what
/// it will rely on is durable.
public protocol BondStore: Sendable {
    /// What is kept of a beacon or a central.
    func secrets(of beacon: BeaconIdentifier) -> StoredSecrets
    /// Keeps this in the place of all that was.
    /// - Returns: whether it is durable; when not, what was kept before is still.
    func keep(_ secrets: StoredSecrets, of beacon: BeaconIdentifier) -> Bool
    /// Is told of a bond that was kept and cannot be used.
    func warn(_ warning: Warning, of beacon: BeaconIdentifier)
}

extension BondStore {
    /// Leaves it at that.
    public func warn(_ warning: Warning, of beacon: BeaconIdentifier) {}
}
