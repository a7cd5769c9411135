// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Why a radio is not there, refuses, or cannot carry what is asked: a sentence and what to do about it.
public struct RadioError: Error, Hashable, Sendable {
    /// The kinds of trouble, whose names scripts may rely on.
    public enum Code: String, Hashable, Sendable {
        /// No message bus, or no Bluetooth daemon on it.
        case noDaemon = "no-daemon"
        /// A place where the radio is to be served is taken.
        case cannotServe = "cannot-serve"
        /// No such adapter.
        case noAdapter = "no-adapter"
        /// The adapter is powered off.
        case poweredOff = "powered-off"
        /// The adapter is blocked by rfkill.
        case blocked
        /// The process may not use it.
        case notPermitted = "not-permitted"
        /// The radio cannot carry so much, or not so.
        case cannotCarry = "cannot-carry"
        /// The radio said no.
        case refused
        /// This program has no such radio.
        case unsupported
    }

    /// What kind of trouble.
    public let code: Code
    /// What is wrong, as a sentence without its full stop.
    public let message: String
    /// What to do.
    public let hint: String

    /// The hint for what only our own host stack supports.
    package static let useOwnHost =
        "use a radio of our own host stack: virtual, hci-socket:N, tcp-client:HOST:PORT, unix:PATH or serial:DEVICE"

    /// An error of this code.
    public init(_ code: Code, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

extension RadioError: CustomStringConvertible {
    /// One sentence: what is wrong, and what to do.
    public var description: String { "\(message); \(hint)" }
}
