// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

// The pairing errors of this host.
extension PairingError {
    /// This host ended the pairing, and sent the peer this reason.
    package static func failed(_ reason: PairingFailedReason) -> PairingError {
        PairingError(Code(reason), "this side gave up: \(reason)")
    }

    /// The peer ended the pairing for this reason.
    package static func rejected(_ reason: PairingFailedReason) -> PairingError {
        PairingError(Code(reason), "the peer gave up: \(reason)")
    }

    /// The peer did not answer for 30 s; this connection can be used for no other pairing.
    package static let timedOut = PairingError(
        .timedOut, "the peer did not answer within 30 s; connect again to pair")

    /// The owner of this host cancelled the pairing.
    package static let cancelled = PairingError(.cancelled)

    /// A pairing with this peer failed a short time ago: the next one may start after this time.
    package static func tooEarly(retryAfter time: Duration) -> PairingError {
        PairingError(
            .repeatedAttempts, "a pairing with this peer failed not long ago; try again after \(time)",
            retryAfter: time)
    }

    /// Nothing is configured to pair in this role.
    static let notPossible = PairingError(.busy, "no pairing is set up here")

    /// The link could not be encrypted with the new key.
    package static func encryption(_ status: HCIStatus) -> PairingError {
        status == .pinOrKeyMissing
            ? PairingError(.keyMissing) : PairingError(.keyMismatch, "the link could not be encrypted: \(status)")
    }

    /// The connection ended.
    package static let disconnected = PairingError(.disconnected)

    /// The error that the end of a connection shows: a key that the two devices do not share. `nil` for other reasons.
    package init?(endOfLink reason: HCIStatus) {
        guard reason == .connectionTerminatedMICFailure else { return nil }
        self.init(.keyMismatch)
    }

    /// Whether the peer may have guessed at a secret, so that its next attempt must wait.
    var isAttempt: Bool {
        switch code {
        case .passkeyEntryFailed, .wrongPasskey, .commandNotSupported, .unspecified, .invalidParameters, .wrongSecret,
            .comparisonFailed, .keyRejected, .timedOut:
            true
        case .outOfBandNotAvailable, .authenticationRequirements, .notSupported, .keyTooShort, .repeatedAttempts, .busy,
            .cancelled, .keyMissing, .keyMismatch, .disconnected, .notKept, .unsupported:
            false
        }
    }
}

extension PairingError.Code {
    /// The code of a Pairing Failed PDU's reason.
    fileprivate init(_ reason: PairingFailedReason) {
        self =
            switch reason.rawValue {
            case 0x01: .passkeyEntryFailed
            case 0x02: .outOfBandNotAvailable
            case 0x03: .authenticationRequirements
            case 0x04: .wrongPasskey
            case 0x05: .notSupported
            case 0x06: .keyTooShort
            case 0x07: .commandNotSupported
            case 0x09: .repeatedAttempts
            case 0x0A: .invalidParameters
            case 0x0B: .wrongSecret
            case 0x0C: .comparisonFailed
            case 0x0D, 0x10: .busy
            case 0x0E, 0x0F: .keyRejected
            default: .unspecified
            }
    }
}

/// Why a link could not be encrypted with the key of a bond.
package enum EncryptionFailure: Hashable, Sendable {
    /// The peer has lost the key of this bond. The bond remains until its owner removes it; then the two devices can pair
    /// again.
    case bondRejected(Bond)
    /// The peer uses a key that this host does not have.
    case keyMissing
    /// The controller reported this status.
    case controller(HCIStatus)

    /// The failure as a pairing error.
    package var error: PairingError {
        switch self {
        case .bondRejected: PairingError(.keyMissing)
        case .keyMissing: PairingError(.keyMissing, "the peer uses a key of a bond that is not known here")
        case .controller(let status): PairingError(.keyMismatch, "the link could not be encrypted: \(status)")
        }
    }
}
