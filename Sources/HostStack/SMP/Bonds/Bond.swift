// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import HCI

/// What one device keeps of another that it has paired with (Core 5.4, Vol 3, Part C, 9.4.4 and Part H, 2.4).
package struct Bond: Hashable, Sendable {
    /// A key that encrypts links.
    package struct Key: Hashable, Sendable {
        /// The key, least significant octet first.
        package var value: Octets<16>
        /// What names it.
        package var name: KeyName

        /// A key of this name; without one, that of LE Secure Connections.
        package init(_ value: Octets<16>, name: KeyName = .none) {
            self.value = value
            self.name = name
        }
    }

    /// The peer: its identity address where it told one, else the address that it was met with.
    package var peer: PeerAddress
    /// What resolves the peer's private addresses; `nil` when it told nothing.
    package var resolvingKey: Octets<16>?
    /// The key of links on which this device is the peripheral.
    package var peripheralKey: Key?
    /// The key of links on which this device is the central.
    package var centralKey: Key?
    /// The length of the keys, in octets: 7 to 16.
    package var keySize: UInt8
    /// Whether a person in the middle would have been noticed.
    package var isAuthenticated: Bool
    /// Whether it was made with LE Secure Connections.
    package var isSecureConnections: Bool
    /// What this device signs with.
    package var ownSigningKey: Octets<16>?
    /// What the peer signs with.
    package var peerSigningKey: Octets<16>?
    /// What this device's attribute server knows of the peer.
    package var client: ATTClientState

    /// A bond of these values.
    package init(
        peer: PeerAddress, resolvingKey: Octets<16>? = nil, peripheralKey: Key? = nil, centralKey: Key? = nil,
        keySize: UInt8 = 16, isAuthenticated: Bool = false, isSecureConnections: Bool = false,
        ownSigningKey: Octets<16>? = nil, peerSigningKey: Octets<16>? = nil, client: ATTClientState = ATTClientState()
    ) {
        self.peer = peer
        self.resolvingKey = resolvingKey
        self.peripheralKey = peripheralKey
        self.centralKey = centralKey
        self.keySize = keySize
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.ownSigningKey = ownSigningKey
        self.peerSigningKey = peerSigningKey
        self.client = client
    }

    /// Whether an address is this peer's: the one that it is known by, or a private one that its key resolves.
    package func isPeer(_ address: PeerAddress) -> Bool {
        if address.address == peer.address, address.type.isRandomKind == peer.type.isRandomKind { return true }
        guard address.type.isRandomKind, let resolvingKey else { return false }
        return address.address.isResolved(by: resolvingKey)
    }

    /// What a link offers that is encrypted with one of the keys.
    var security: LinkSecurity {
        LinkSecurity(isEncrypted: true, isAuthenticated: isAuthenticated, hasKey: true, keySize: keySize)
    }
}
