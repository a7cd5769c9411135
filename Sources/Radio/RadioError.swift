// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Why a radio is not available, refuses, or cannot carry a request: a message and a hint.
public struct RadioError: Error, Hashable, Sendable {
    /// The kinds of errors, whose names scripts may rely on.
    public enum Code: String, Hashable, Sendable {
        /// No message bus, or no Bluetooth daemon on it.
        case noDaemon = "no-daemon"
        /// A server's address is in use.
        case cannotServe = "cannot-serve"
        /// No such adapter.
        case noAdapter = "no-adapter"
        /// The adapter is powered off.
        case poweredOff = "powered-off"
        /// The adapter is blocked by rfkill.
        case blocked
        /// The process may not use it.
        case notPermitted = "not-permitted"
        /// The radio cannot carry these beacons or attributes.
        case cannotCarry = "cannot-carry"
        /// The radio refused.
        case refused
        /// The radio does not support it.
        case unsupported
    }

    /// The kind of error.
    public let code: Code
    /// The error, as a sentence without its full stop.
    public let message: String
    /// A hint, as a clause.
    public let hint: String
    /// Whether the condition may pass without a change of what is requested, such as another program's scan, a connection
    /// or an adapter without a free advertising instance. A run waits for its end.
    package let isTemporary: Bool

    /// The hint for what only our own host stack supports.
    package static let useOwnHost =
        "use a radio of our own host stack: virtual, hci-socket:N, tcp-client:HOST:PORT, unix:PATH or serial:DEVICE"

    /// An error of this code.
    public init(_ code: Code, _ message: String, hint: String) {
        self.init(code, message, hint: hint, isTemporary: false)
    }

    /// An error of this code that may be temporary.
    package init(_ code: Code, _ message: String, hint: String, isTemporary: Bool) {
        self.code = code
        self.message = message
        self.hint = hint
        self.isTemporary = isTemporary
    }
}

extension RadioError: CustomStringConvertible {
    /// The message and the hint in one sentence.
    public var description: String { "\(message); \(hint)" }
}
