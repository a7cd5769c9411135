// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A failed pairing, or a bond that can no longer be used.
public struct PairingError: Error, Hashable, Sendable {
    /// The stable codes of pairing errors. Most correspond to a reason of the Pairing Failed PDU (Core 5.4, Vol 3, Part H,
    /// 3.5.5).
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The passkey was not entered.
        case passkeyEntryFailed = "passkey-entry-failed"
        /// Out-of-band data is not available.
        case outOfBandNotAvailable = "out-of-band-not-available"
        /// One device requires protection that the input and output of the other cannot provide.
        case authenticationRequirements = "authentication-requirements"
        /// The confirm values differ: the passkeys were not the same, or there is a machine in the middle.
        case wrongPasskey = "wrong-passkey"
        /// The peer does not pair.
        case notSupported = "not-supported"
        /// The key would be shorter than one device accepts.
        case keyTooShort = "key-too-short"
        /// A command is not supported.
        case commandNotSupported = "command-not-supported"
        /// No reason was given; devices send this when their users decline.
        case unspecified
        /// Too little time has passed since a failed attempt.
        case repeatedAttempts = "repeated-attempts"
        /// A command was malformed.
        case invalidParameters = "invalid-parameters"
        /// The devices do not share the same secret.
        case wrongSecret = "wrong-secret"
        /// The compared numbers differ, or a user answered that they do.
        case comparisonFailed = "comparison-failed"
        /// The peer rejects a key.
        case keyRejected = "key-rejected"
        /// The peer is busy with another pairing.
        case busy
        /// The user cancelled the pairing.
        case cancelled
        /// The peer did not answer for 30 s.
        case timedOut = "timed-out"
        /// One device has lost its key.
        case keyMissing = "key-missing"
        /// The devices have different keys.
        case keyMismatch = "key-mismatch"
        /// The connection ended before the pairing did.
        case disconnected
        /// The bond could not be saved.
        case notKept = "not-kept"
        /// This radio does not support pairing in this role.
        case unsupported
    }

    /// The stable code.
    public let code: Code
    /// The cause, as a sentence without its full stop.
    public let message: String
    /// The time until the next attempt is allowed, for `repeatedAttempts`; `nil` where it is not known.
    public let retryAfter: Duration?

    /// An error of this code; without a message, with the message of the code.
    public init(_ code: Code, _ message: String? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message ?? code.message
        self.retryAfter = retryAfter
    }

    /// The hint: what to do.
    public var hint: String { code.hint }
}

extension PairingError: CustomStringConvertible {
    /// One sentence: the cause and the hint.
    public var description: String { "\(message); \(hint)" }
}

extension PairingError.Code {
    fileprivate var message: String {
        switch self {
        case .passkeyEntryFailed: "the passkey was not entered"
        case .outOfBandNotAvailable: "out-of-band data is not available"
        case .authenticationRequirements:
            "one side requires protection that the input and output of the other cannot provide"
        case .wrongPasskey: "the confirm values differ: the passkeys were not the same"
        case .notSupported: "the peer does not support pairing"
        case .keyTooShort: "the key would be too short"
        case .commandNotSupported: "a command is not supported"
        case .unspecified: "the peer declined without a reason"
        case .repeatedAttempts: "too little time has passed since a failed attempt"
        case .invalidParameters: "a command was malformed"
        case .wrongSecret: "the two sides do not share the same secret"
        case .comparisonFailed: "the compared numbers were not confirmed"
        case .keyRejected: "a key was rejected"
        case .busy: "the peer is busy with another pairing"
        case .cancelled: "the pairing was cancelled"
        case .timedOut: "the peer did not answer within 30 s"
        case .keyMissing: "the peer has lost the key of this bond"
        case .keyMismatch: "the two sides have different keys"
        case .disconnected: "the connection ended during the pairing"
        case .notKept: "the bond could not be saved"
        case .unsupported: "this radio does not support pairing in this role"
        }
    }

    fileprivate var hint: String {
        switch self {
        case .passkeyEntryFailed, .cancelled, .comparisonFailed, .unspecified: "pair again"
        case .outOfBandNotAvailable: "pair without out-of-band data"
        case .authenticationRequirements:
            "give one side a display and the other a keyboard, or do not require the protection"
        case .wrongPasskey: "pair again with the right passkey"
        case .notSupported: "enable pairing on the peer"
        case .keyTooShort: "allow shorter keys, or use another peer"
        case .commandNotSupported, .invalidParameters, .wrongSecret, .keyRejected:
            "pair again; if the error remains, check the peer"
        case .repeatedAttempts: "wait a few seconds, then pair again"
        case .busy: "wait for the other pairing to end, then pair again"
        case .timedOut, .disconnected: "connect and pair again"
        case .keyMissing, .keyMismatch: "forget the bond on both sides, then pair again"
        case .notKept: "free space in the state folder or check its storage, then pair again"
        case .unsupported: "use another radio"
        }
    }
}
