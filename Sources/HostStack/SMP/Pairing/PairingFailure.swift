// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import HCI

/// Why a pairing did not come about.
package enum PairingFailure: Error, Hashable, Sendable {
    /// This host ended it, and told the peer so.
    case failed(PairingFailedReason)
    /// The peer ended it.
    case rejected(PairingFailedReason)
    /// The peer did not answer for 30 s; there is no pairing on this connection any more.
    case timedOut
    /// The owner took it back.
    case cancelled
    /// A pairing with this peer failed not long ago: the next may begin after this time.
    case tooEarly(retryAfter: Duration)
    /// This host has no policy for it.
    case notPossible
    /// The link could not be encrypted.
    case encryption(HCIStatus)
    /// The connection ended.
    case disconnected
}

extension PairingFailure: CustomStringConvertible {
    /// One clause for people.
    package var description: String {
        switch self {
        case .failed(let reason): "this side gave up: \(reason)"
        case .rejected(let reason): "the peer gave up: \(reason)"
        case .timedOut: "the peer did not answer within 30 s; connect again to pair"
        case .cancelled: "it was cancelled"
        case .tooEarly(let time): "a pairing with this peer failed not long ago; try again after \(time)"
        case .notPossible: "no pairing is set up here"
        case .encryption(let status): "the link could not be encrypted: \(status)"
        case .disconnected: "the connection ended"
        }
    }

    /// Whether the peer may have guessed at a secret, so that its next guess must wait.
    var isAttempt: Bool {
        switch self {
        case .failed(let reason), .rejected(let reason):
            switch reason {
            case .pairingNotSupported, .authenticationRequirements, .encryptionKeySize, .repeatedAttempts,
                .outOfBandNotAvailable, .classicPairingInProgress, .crossTransportNotAllowed:
                false
            default: true
            }
        case .timedOut: true
        case .cancelled, .tooEarly, .notPossible, .encryption, .disconnected: false
        }
    }
}

/// Why a link could not be encrypted with a key that was made before.
package enum EncryptionFailure: Hashable, Sendable {
    /// The peer does not have the key of this bond any more. The bond is kept until its owner removes it; then the two
    /// can pair anew.
    case bondRejected(Bond)
    /// The peer wants to use a key that this host does not have.
    case keyMissing
    /// The controller could not, for this reason.
    case controller(HCIStatus)
}
