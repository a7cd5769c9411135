// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The answer of an advertising set, or of this host as central, to a peer that requests pairing. Pairing that the owner
/// of the host starts needs no acceptance.
package enum PairingAcceptance: Hashable, Sendable {
    /// The request is rejected with `pairingNotSupported`.
    case never
    /// The owner decides each time: `LEHostEvent.pairingRequested`.
    case ask
    /// The pairing starts at once.
    case always
}

// What pairing settings mean for the security manager.
extension PairingSettings {
    /// Whether a pairing must, should or need not be protected against a machine in the middle: a device with input or
    /// output uses it where the peer can.
    var authentication: Requirement {
        if requiresAuthentication { .required } else { inputOutput == .none ? .off : .preferred }
    }

    /// The authentication requirements of a Pairing Request, a Pairing Response or a Security Request.
    var requirements: AuthenticationRequirements {
        var requirements: AuthenticationRequirements = []
        if isBonding { requirements.insert(.bonding) }
        if authentication != .off { requirements.insert(.protection) }
        if secureConnections != .off { requirements.insert(.secureConnections) }
        return requirements
    }

    /// Whether a link offers all that these settings require, as far as the link shows it.
    func isSatisfied(by security: LinkSecurity) -> Bool {
        security.isEncrypted && (!requiresAuthentication || security.isAuthenticated)
            && security.keySize >= minimumKeySize
    }

    /// Whether a bond offers all that these settings require.
    func isSatisfied(by bond: Bond) -> Bool {
        (!requiresAuthentication || bond.isAuthenticated)
            && (secureConnections != .required || bond.isSecureConnections) && bond.keySize >= minimumKeySize
    }
}
