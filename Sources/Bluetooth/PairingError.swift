// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Why two devices did not pair, or do not know each other any more.
public struct PairingError: Error, Hashable, Sendable {
    /// The kinds of trouble, whose names scripts may rely on. Those of the peer's word have its number
    /// (Core 5.4, Vol 3, Part H, 3.5.5).
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The passkey was not entered.
        case passkeyEntryFailed = "passkey-entry-failed"
        /// Data that should have come on another way is not there.
        case outOfBandNotAvailable = "out-of-band-not-available"
        /// One insists on protection that the other's input and output cannot give.
        case authenticationRequirements = "authentication-requirements"
        /// Confirm values differ: the passkeys were not the same, or somebody is in the middle.
        case wrongPasskey = "wrong-passkey"
        /// The peer does not pair.
        case notSupported = "not-supported"
        /// The key would be too short.
        case keyTooShort = "key-too-short"
        /// The peer did not know a command.
        case commandNotSupported = "command-not-supported"
        /// No reason was given; it is what devices say when their users decline.
        case unspecified
        /// Too soon after an attempt that failed.
        case repeatedAttempts = "repeated-attempts"
        /// A command was malformed.
        case invalidParameters = "invalid-parameters"
        /// The two did not agree on a secret.
        case wrongSecret = "wrong-secret"
        /// The numbers compared were not the same, or the user said so.
        case comparisonFailed = "comparison-failed"
        /// The peer refuses a key.
        case keyRejected = "key-rejected"
        /// The peer is busy with something else.
        case busy
        /// The user here took it back.
        case cancelled
        /// Nothing came for 30 s.
        case timedOut = "timed-out"
        /// One of the two has lost its key.
        case keyMissing = "key-missing"
        /// The two have different keys.
        case keyMismatch = "key-mismatch"
        /// The connection went before the end.
        case disconnected
        /// What was made could not be kept.
        case notKept = "not-kept"
        /// This radio does not pair in this role.
        case unsupported
    }

    /// What kind of trouble.
    public let code: Code
    /// What is wrong, as a sentence without its full stop.
    public let message: String
    /// The time until the next attempt is allowed, for `repeatedAttempts`; `nil` where it is not known.
    public let retryAfter: Duration?

    /// An error of this code; without a message, that of the code.
    public init(_ code: Code, _ message: String? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message ?? code.message
        self.retryAfter = retryAfter
    }

    /// What to do.
    public var hint: String { code.hint }
}

extension PairingError: CustomStringConvertible {
    /// One sentence: what is wrong, and what to do.
    public var description: String { "\(message); \(hint)" }
}

extension PairingError.Code {
    fileprivate var message: String {
        switch self {
        case .passkeyEntryFailed: "the passkey was not entered"
        case .outOfBandNotAvailable: "data that should have come on another way is not there"
        case .authenticationRequirements:
            "one side insists on protection that the other's input and output cannot give"
        case .wrongPasskey: "the confirm values differ: the passkeys were not the same"
        case .notSupported: "the peer does not pair"
        case .keyTooShort: "the key would be too short"
        case .commandNotSupported: "a command was not known"
        case .unspecified: "the peer declined, and gave no reason"
        case .repeatedAttempts: "it is too soon after an attempt that failed"
        case .invalidParameters: "a command was malformed"
        case .wrongSecret: "the two sides did not agree on a secret"
        case .comparisonFailed: "the numbers were not confirmed to be the same"
        case .keyRejected: "a key was refused"
        case .busy: "the peer is busy with another pairing"
        case .cancelled: "it was cancelled"
        case .timedOut: "nothing was heard for 30 s"
        case .keyMissing: "the peer has lost the key of this bond"
        case .keyMismatch: "the two sides have different keys"
        case .disconnected: "the connection went before the end"
        case .notKept: "the keys could not be kept"
        case .unsupported: "this radio does not pair in this role"
        }
    }

    fileprivate var hint: String {
        switch self {
        case .passkeyEntryFailed, .cancelled, .comparisonFailed, .unspecified: "pair again when it is wanted after all"
        case .outOfBandNotAvailable: "pair without data of another way"
        case .authenticationRequirements:
            "give one side a display and the other a keyboard, or do not require the protection"
        case .wrongPasskey: "pair again with the right passkey"
        case .notSupported: "let the peer pair"
        case .keyTooShort: "allow shorter keys, or use another peer"
        case .commandNotSupported, .invalidParameters, .wrongSecret, .keyRejected:
            "pair again; if it goes on, check the peer"
        case .repeatedAttempts: "wait a little, then pair again"
        case .busy: "pair again when that has ended"
        case .timedOut, .disconnected: "connect again and pair anew"
        case .keyMissing, .keyMismatch: "forget the bond on both sides, then pair again"
        case .notKept: "make room in the state folder, or check its medium, then pair again"
        case .unsupported: "use another radio"
        }
    }
}
