// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How a device pairs (Core 5.4, Vol 3, Part H, 2.3): what it can show and be told, and what it insists on.
public struct PairingSettings: Hashable, Sendable {
    /// What the device has for its user (Core 5.4, Vol 3, Part H, 2.3.2).
    public enum InputOutput: String, Hashable, Sendable, CaseIterable {
        /// Nothing: pairing "just works", without protection against a person in the middle.
        case none
        /// It shows six digits.
        case display
        /// It shows six digits, and takes yes or no.
        case displayYesNo = "display-yes-no"
        /// It takes six digits.
        case keyboard
        /// It shows six digits and takes them.
        case keyboardDisplay = "keyboard-display"
    }

    /// How strongly a feature is required of a pairing.
    public enum Requirement: String, Hashable, Sendable, CaseIterable {
        /// A pairing without it fails.
        case required
        /// It is used if the peer supports it.
        case preferred
        /// It is not used.
        case off
    }

    /// What answers a question whether two numbers are the same.
    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        /// The user.
        case ask
        /// Yes, always.
        case accept
        /// No, always.
        case reject
    }

    /// The numbers that six digits write.
    public static let passkeyRange: ClosedRange<UInt32> = 0...999_999
    /// The lengths of keys, in octets (Core 5.4, Vol 3, Part H, 2.3.4).
    public static let keySizeRange: ClosedRange<UInt8> = 7...16

    /// What it has for its user.
    public var inputOutput: InputOutput
    /// The number that it shows, or that its user enters; `nil` is another one each time, or asks.
    public var passkey: UInt32?
    /// What answers whether numbers are the same.
    public var comparison: Comparison
    /// Whether it remembers whom it paired with.
    public var isBonding: Bool
    /// Whether it insists on protection against a person in the middle.
    public var requiresAuthentication: Bool
    /// LE Secure Connections (since Bluetooth 4.2); without them, legacy pairing.
    public var secureConnections: Requirement
    /// The shortest key that it accepts, in bytes: 7 to 16.
    public var minimumKeySize: UInt8
    /// The longest key that it offers, in bytes: the minimum to 16. BlueZ offers 16 in any case.
    public var maximumKeySize: UInt8
    /// Whether it asks a central for encryption as soon as that is connected.
    public var asksOnConnection: Bool
    /// Whether it hides behind private addresses, which only those that it has paired with can resolve.
    public var hidesAddress: Bool

    /// Pairing that just works, with everybody, and is remembered, unless said otherwise.
    public init(
        inputOutput: InputOutput = .none, passkey: UInt32? = nil, comparison: Comparison = .ask,
        isBonding: Bool = true, requiresAuthentication: Bool = false,
        secureConnections: Requirement = .preferred, minimumKeySize: UInt8 = 7, maximumKeySize: UInt8 = 16,
        asksOnConnection: Bool = false, hidesAddress: Bool = false
    ) {
        self.inputOutput = inputOutput
        self.passkey = passkey
        self.comparison = comparison
        self.isBonding = isBonding
        self.requiresAuthentication = requiresAuthentication
        self.secureConnections = secureConnections
        self.minimumKeySize = min(max(minimumKeySize, 7), 16)
        self.maximumKeySize = min(max(maximumKeySize, self.minimumKeySize), 16)
        self.asksOnConnection = asksOnConnection
        self.hidesAddress = hidesAddress
    }
}
