// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How two devices come to trust each other (Core 5.4, Vol 3, Part H, 2.3.5.1).
enum PairingMethod: Hashable, Sendable {
    /// They do not: nobody in the middle is noticed.
    case justWorks
    /// Both users say whether two numbers are equal; LE Secure Connections only.
    case numericComparison
    /// One shows six digits, which are entered at the other.
    case passkey(shownBy: PairingRole)
    /// The same six digits are entered at both.
    case passkeyEnteredByBoth

    /// The method for two devices of which at least one wants protection (table 2.8).
    init(initiator: InputOutputCapability, responder: InputOutputCapability, isSecureConnections: Bool) {
        if isSecureConnections, initiator.comparesNumbers, responder.comparesNumbers {
            self = .numericComparison
        } else if initiator == .noInputNoOutput || responder == .noInputNoOutput {
            self = .justWorks
        } else {
            switch (initiator.hasKeyboard, responder.hasKeyboard) {
            case (false, false): self = .justWorks
            case (true, false): self = .passkey(shownBy: .responder)
            case (false, true): self = .passkey(shownBy: .initiator)
            case (true, true):
                if initiator == .keyboardDisplay {
                    self = .passkey(shownBy: .initiator)
                } else {
                    self = responder == .keyboardDisplay ? .passkey(shownBy: .responder) : .passkeyEnteredByBoth
                }
            }
        }
    }

    /// Whether a person in the middle would be noticed.
    var isAuthenticated: Bool { self != .justWorks }

    /// Whether six digits are entered at one side at least.
    var usesPasskey: Bool {
        switch self {
        case .passkey, .passkeyEnteredByBoth: true
        case .justWorks, .numericComparison: false
        }
    }
}

/// Who began a pairing: the central of the link is always the initiator.
enum PairingRole: Hashable, Sendable {
    case initiator
    case responder
}
