// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The pairing settings of a device (Core 5.4, Vol 3, Part H, 2.3): its input and output, and its requirements.
public struct PairingSettings: Hashable, Sendable {
    /// The input and output of a device (Core 5.4, Vol 3, Part H, 2.3.2).
    public enum InputOutput: String, Hashable, Sendable, CaseIterable {
        /// None: pairing "just works", without protection against a machine in the middle.
        case none
        /// A display for six digits.
        case display
        /// A display for six digits, and yes and no.
        case displayYesNo = "display-yes-no"
        /// A keyboard for six digits.
        case keyboard
        /// A display and a keyboard for six digits.
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

    /// The answer to the question whether two numbers are the same.
    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        /// The user answers.
        case ask
        /// Always yes.
        case accept
        /// Always no.
        case reject
    }

    /// The numbers that six digits can express.
    public static let passkeyRange: ClosedRange<UInt32> = 0...999_999
    /// The lengths of keys, in bytes (Core 5.4, Vol 3, Part H, 2.3.4).
    public static let keySizeRange: ClosedRange<UInt8> = 7...16

    /// The input and output of the device.
    public var inputOutput: InputOutput
    /// The passkey that the device shows, or that its user enters; `nil` for a random one, or to ask the user.
    public var passkey: UInt32?
    /// The answer when numbers are compared.
    public var comparison: Comparison
    /// Whether bonds are saved.
    public var isBonding: Bool
    /// Whether protection against a machine in the middle is required. Without it, a device with input or output still
    /// uses the protection where the peer can.
    public var requiresAuthentication: Bool
    /// LE Secure Connections (since Bluetooth 4.2); without them, legacy pairing.
    public var secureConnections: Requirement
    /// The shortest key that it accepts, in bytes: 7 to 16.
    public var minimumKeySize: UInt8
    /// The longest key that it offers, in bytes: the minimum to 16. BlueZ offers 16 in any case.
    public var maximumKeySize: UInt8
    /// Whether the device requests encryption from each central that connects.
    public var asksOnConnection: Bool
    /// Whether the device advertises with private addresses, which only its bonded peers can resolve.
    public var hidesAddress: Bool
    /// Whether the user confirms a pairing that "just works", which Linux requires.
    package var confirmsJustWorks = false

    /// Pairing settings; by default "just works" with any peer, and bonds are saved. Key lengths are limited to 7 to 16.
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
