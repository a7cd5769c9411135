// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// What happens between a radio and one peer while they pair, and after.
public enum PairingEvent: Hashable, Sendable {
    /// Pairing has begun.
    case began
    /// The peer's user is to enter this number, 0 to 999,999, which is to be shown here.
    case passkeyShown(UInt32)
    /// The number that the peer shows is to be entered here: answer `.passkey`.
    case passkeyWanted
    /// Both show a number, which should be this one: answer `.comparison`.
    case comparisonWanted(UInt32)
    /// There are keys.
    case paired(PairedPeer)
    /// There are none.
    case failed(PairingError)
    /// The link is encrypted, newly or with another key.
    case encrypted(LinkProtection)
    /// A peer that was known has been forgotten.
    case forgotten(RemoteAddress)
}

/// What a central's user is asked while it pairs with a device.
public enum PairingQuestion: Hashable, Sendable {
    /// To show this number, 0 to 999,999, which is to be entered on the device; the answer counts only if it is `.cancel`.
    case showPasskey(UInt32)
    /// To enter the number that the device shows: `.passkey`.
    case passkey
    /// Whether the device shows this number: `.comparison`.
    case comparison(UInt32)
}

/// What a user answers while devices pair.
public enum PairingAnswer: Hashable, Sendable {
    /// The number that the peer shows: 0 to 999,999.
    case passkey(UInt32)
    /// Whether both numbers are the same.
    case comparison(Bool)
    /// To pair no more.
    case cancel
}

/// How well a link is protected.
public struct LinkProtection: Hashable, Sendable {
    /// Whether its key was made with protection against a person in the middle; `nil` where the radio does not tell it.
    public let isAuthenticated: Bool?
    /// The length of its key, in octets; `nil` where the radio does not tell it.
    public let keySize: UInt8?

    /// A protection of this strength.
    public init(isAuthenticated: Bool?, keySize: UInt8?) {
        self.isAuthenticated = isAuthenticated
        self.keySize = keySize
    }
}

/// Somebody with whom keys were made.
public struct PairedPeer: Hashable, Sendable {
    /// Its address: the one that stays, where it told that.
    public let address: RemoteAddress
    /// Whether it is remembered.
    public let isBonded: Bool
    /// Whether the key was made with protection against a person in the middle; `nil` where the radio does not tell it.
    public let isAuthenticated: Bool?
    /// Whether the key was agreed on with elliptic curves; `nil` where the radio does not tell it.
    public let usesSecureConnections: Bool?
    /// The length of the key, in octets; `nil` where the radio does not tell it.
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
