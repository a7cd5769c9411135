// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio

/// Somebody whom a beacon knows, as its JSON has it.
package struct BondRecord: Codable, Hashable, Sendable {
    /// The format's version.
    package var v = 1
    /// The beacon.
    package let device: String
    /// The peer's identity address.
    package let peer: String
    /// `random` or `public`: the kind of that address.
    package let peerType: String
    /// Whether the key was made with protection against a person in the middle.
    package let authenticated: Bool?
    /// Whether the key was made by LE Secure Connections.
    package let secureConnections: Bool?
    /// The length of the key, in octets.
    package let keySize: UInt8?

    init(_ beacon: String, _ peer: PairedPeer) {
        device = beacon
        self.peer = peer.address.address.description
        peerType = peer.address.isRandom ? "random" : "public"
        authenticated = peer.isAuthenticated
        secureConnections = peer.usesSecureConnections
        keySize = peer.keySize
    }
}
