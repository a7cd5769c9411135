// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// An event of a pairing with a peer, or of its keys.
package enum PairingEvent: Hashable, Sendable {
    /// A pairing began.
    case began
    /// Show this passkey, 0 to 999,999, which the peer's user must enter.
    case passkeyShown(UInt32)
    /// The passkey that the peer shows must be entered: answer with `.passkey`.
    case passkeyWanted
    /// Both show a number, which should be this one: answer with `.comparison`.
    case comparisonWanted(UInt32)
    /// The pairing just works, and its settings require a confirmation: answer with `.comparison`.
    case confirmationWanted
    /// The pairing succeeded.
    case paired(PairedPeer)
    /// The pairing failed.
    case failed(PairingError)
    /// The link is encrypted, or its key has changed.
    case encrypted(LinkProtection)
    /// The bond with a peer was forgotten.
    case forgotten(RemoteAddress)
}

/// A question for a central's user while it pairs with a device.
public enum PairingQuestion: Hashable, Sendable {
    /// Show this passkey, 0 to 999,999, which must be entered on the device; only the answer `.cancel` has an effect.
    case showPasskey(UInt32)
    /// Enter the passkey that the device shows: answer with `.passkey`.
    case passkey
    /// Compare this number with the device's: answer with `.comparison`.
    case comparison(UInt32)
    /// The pairing just works. Whether to pair at all: answer with `.comparison`. No pairing by `PairingSettings` of a user asks it.
    case confirmation
}

/// A user's answer to a question of a pairing.
public enum PairingAnswer: Hashable, Sendable {
    /// The passkey that the peer shows: 0 to 999,999.
    case passkey(UInt32)
    /// Whether both numbers are equal, or whether to pair.
    case comparison(Bool)
    /// Cancels the pairing.
    case cancel
}

/// The protection of a link.
public struct LinkProtection: Hashable, Sendable {
    /// Whether its key is authenticated (protected against a man in the middle); `nil` if the radio does not report it.
    public let isAuthenticated: Bool?
    /// The size of its key, in bytes; `nil` if the radio does not report it.
    public let keySize: UInt8?
    /// Whether the key belongs to a bond, for later connections; `nil` if the radio does not report it.
    public let isBonded: Bool?

    /// A protection by a key.
    public init(isAuthenticated: Bool?, keySize: UInt8?, isBonded: Bool? = nil) {
        self.isAuthenticated = isAuthenticated
        self.keySize = keySize
        self.isBonded = isBonded
    }
}

/// A peer after a pairing.
public struct PairedPeer: Hashable, Sendable {
    /// Its address: the identity address, if it has distributed one.
    public let address: RemoteAddress
    /// Whether the keys are stored.
    public let isBonded: Bool
    /// Whether the key is authenticated (protected against a man in the middle); `nil` if the radio does not report it.
    public let isAuthenticated: Bool?
    /// Whether the key was made by LE Secure Connections; `nil` if the radio does not report it.
    public let usesSecureConnections: Bool?
    /// The size of the key, in bytes; `nil` if the radio does not report it.
    public let keySize: UInt8?

    /// A peer with these keys.
    public init(
        address: RemoteAddress, isBonded: Bool, isAuthenticated: Bool? = nil, usesSecureConnections: Bool? = nil,
        keySize: UInt8? = nil
    ) {
        self.address = address
        self.isBonded = isBonded
        self.isAuthenticated = isAuthenticated
        self.usesSecureConnections = usesSecureConnections
        self.keySize = keySize
    }
}
