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

    /// Whether keys are agreed on with elliptic curves, as LE Secure Connections do since Bluetooth 4.2.
    public enum SecureConnections: String, Hashable, Sendable, CaseIterable {
        /// With a peer that cannot, there is no pairing.
        case required
        /// With peers that can.
        case preferred
        /// Never, as devices older than that.
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
    /// Whether keys are agreed on with elliptic curves.
    public var secureConnections: SecureConnections
    /// The shortest key that it takes, in octets: 7 to 16.
    public var minimumKeySize: UInt8
    /// Whether it asks a central for encryption as soon as that is connected.
    public var asksOnConnection: Bool
    /// Whether it hides behind private addresses, which only those that it has paired with can resolve.
    public var hidesAddress: Bool

    /// Pairing that just works, with everybody, and is remembered, unless said otherwise.
    public init(
        inputOutput: InputOutput = .none, passkey: UInt32? = nil, comparison: Comparison = .ask,
        isBonding: Bool = true, requiresAuthentication: Bool = false,
        secureConnections: SecureConnections = .preferred, minimumKeySize: UInt8 = 7, asksOnConnection: Bool = false,
        hidesAddress: Bool = false
    ) {
        self.inputOutput = inputOutput
        self.passkey = passkey
        self.comparison = comparison
        self.isBonding = isBonding
        self.requiresAuthentication = requiresAuthentication
        self.secureConnections = secureConnections
        self.minimumKeySize = minimumKeySize
        self.asksOnConnection = asksOnConnection
        self.hidesAddress = hidesAddress
    }
}
