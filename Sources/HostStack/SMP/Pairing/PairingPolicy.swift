// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Whether and how a device pairs.
package struct PairingPolicy: Hashable, Sendable {
    /// What becomes of a peer's wish to pair.
    package enum Acceptance: Hashable, Sendable {
        /// It is answered with `pairingNotSupported`.
        case never
        /// The owner is asked each time: `LEHostEvent.pairingRequested`.
        case ask
        /// It goes on.
        case always
    }

    /// How much something is wanted.
    package enum Demand: Hashable, Sendable {
        /// Not at all.
        case off
        /// Where the peer can.
        case preferred
        /// A pairing without it fails.
        case required
    }

    /// The six digits that are shown, or that both users enter.
    package enum Passkey: Hashable, Sendable {
        /// Others each time.
        case random
        /// Always these: 0 to 999,999. It is good for tests only: who pairs twice may know it.
        case fixed(UInt32)
    }

    /// Whether peers' wishes are granted. What the owner wants itself is begun in any case.
    package var acceptance: Acceptance
    /// What the device can show and be told.
    package var inputOutput: InputOutputCapability
    /// Whether keys are kept.
    package var isBonding: Bool
    /// Protection against a person in the middle, by a passkey or by comparison.
    package var protection: Demand
    /// LE Secure Connections, else legacy pairing.
    package var secureConnections: Demand
    /// The shortest key that is taken, in octets: 7 to 16.
    package var minimumKeySize: UInt8
    /// The longest key that is offered, in octets: 7 to 16.
    package var maximumKeySize: UInt8
    /// The passkey, where the device shows one.
    package var passkey: Passkey

    /// Just Works with either generation, and bonds, unless said otherwise.
    package init(
        acceptance: Acceptance = .always, inputOutput: InputOutputCapability = .noInputNoOutput,
        isBonding: Bool = true, protection: Demand = .off, secureConnections: Demand = .preferred,
        minimumKeySize: UInt8 = 7, maximumKeySize: UInt8 = 16, passkey: Passkey = .random
    ) {
        self.acceptance = acceptance
        self.inputOutput = inputOutput
        self.isBonding = isBonding
        self.protection = protection
        self.secureConnections = secureConnections
        self.minimumKeySize = min(max(minimumKeySize, 7), 16)
        self.maximumKeySize = min(max(maximumKeySize, self.minimumKeySize), 16)
        self.passkey = passkey
    }

    /// What it asks of the peer.
    var requirements: AuthenticationRequirements {
        var requirements: AuthenticationRequirements = []
        if isBonding { requirements.insert(.bonding) }
        if protection != .off { requirements.insert(.protection) }
        if secureConnections != .off { requirements.insert(.secureConnections) }
        return requirements
    }

    /// Whether a link is as good as a pairing by this policy must be, as far as that can be seen of it.
    func isSatisfied(by security: LinkSecurity) -> Bool {
        security.isEncrypted && (protection != .required || security.isAuthenticated)
            && security.keySize >= minimumKeySize
    }

    /// Whether a bond is as good as a pairing by this policy must be.
    func isSatisfied(by bond: Bond) -> Bool {
        (protection != .required || bond.isAuthenticated)
            && (secureConnections != .required || bond.isSecureConnections) && bond.keySize >= minimumKeySize
    }
}
