// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
public import Radio

/// The error of a failed call: the operation, the reason, and a hint.
public struct CentralError: Error, Hashable, Sendable {
    /// The reasons.
    public enum Reason: Hashable, Sendable {
        /// The device refused with this code (Core 5.4, Vol 3, Part F, 3.4.1.1).
        case refused(ATTError)
        /// The timeout passed. It is unknown whether a write has arrived at the device.
        case timedOut(after: Duration)
        /// The connection has ended.
        case disconnected(ConnectionEnd)
        /// There is no connection.
        case notConnected
        /// The characteristic does not have this property; nothing was sent to the device.
        case notPermitted(missing: String)
        /// The device does not have this service or characteristic: a noun phrase, such as `service 180F`.
        case notFound(String)
        /// A value does not match its description, or several devices match a name: a clause for the message.
        case invalidValue(String)
        /// The value read back is not the one written: a clause for the message.
        case notAsWritten(String)
        /// The radio could not carry out the request, or the response was malformed: a clause for the message.
        case impossible(String)
        /// The task was cancelled. It is unknown whether a write has arrived at the device.
        case cancelled
        /// The devices did not pair.
        case notPaired(PairingError)
        /// The radio is not available, refuses, or was closed.
        case radio(RadioError)
    }

    /// The reason.
    public let reason: Reason
    /// The operation, as a clause that begins with a verb: `read 2A19 of C0:FF:EE:00:00:01 (random)`.
    public let operation: String

    /// An error for this reason.
    public init(_ reason: Reason, operation: String) {
        self.reason = reason
        self.operation = operation
    }
}

extension CentralError {
    /// The reason's name, which scripts may rely on.
    public var code: String {
        switch reason {
        case .refused: "refused"
        case .timedOut: "timed-out"
        case .disconnected: "disconnected"
        case .notConnected: "not-connected"
        case .notPermitted: "not-permitted"
        case .notFound: "not-found"
        case .invalidValue: "invalid-value"
        case .notAsWritten: "not-as-written"
        case .impossible: "impossible"
        case .cancelled: "cancelled"
        case .notPaired: "not-paired"
        case .radio: "radio"
        }
    }

    /// What is wrong, as a sentence without its full stop.
    public var message: String {
        let clause =
            switch reason {
            case .refused(let error): "the device refused it with error \(error)"
            case .timedOut(let time): "the operation timed out after \(time)"
            case .disconnected(let end): "the connection has ended: \(end)"
            case .notConnected: "the device is not connected"
            case .notPermitted(let missing): "the characteristic does not have the property \(missing)"
            case .notFound(let what): "the device has no \(what)"
            case .invalidValue(let clause), .notAsWritten(let clause), .impossible(let clause): clause
            case .cancelled: "the task was cancelled"
            case .notPaired(let error): error.message
            case .radio(let error): error.message
            }
        return "cannot \(operation): \(clause)"
    }

    /// A hint, as a clause.
    public var hint: String {
        switch reason {
        case .refused(let error): Self.hint(of: error)
        case .timedOut: "check that the device is on and in range, then connect again, or allow more time"
        case .disconnected(.requested), .notConnected: "connect, and discover again"
        case .disconnected: "check that the device is on and in range, then connect and discover again"
        case .notPermitted: "use an operation that the characteristic's properties allow"
        case .notFound: "check that it is the right device, and that its firmware has it"
        case .invalidValue: "check that it is the right device, and that the description matches its values"
        case .notAsWritten: "check that no other program configures the device, then write again"
        case .impossible: "check the value and the device's firmware, or connect again"
        case .cancelled: "repeat the call"
        case .notPaired(let error): error.hint
        case .radio(let error): error.hint
        }
    }

    /// The hint for an error that a device refused a request with.
    package static func hint(of error: ATTError) -> String {
        switch error {
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort:
            "pair with the device first"
        case .insufficientAuthorization: "authorize this central on the device"
        case .invalidAttributeValueLength, .valueNotAllowed, .outOfRange: "write a value that the device accepts"
        case .invalidHandle, .databaseOutOfSync: "connect and discover again"
        case .insufficientResources, .prepareQueueFull, .procedureAlreadyInProgress: "wait a little and try again"
        default: "check what the device allows"
        }
    }
}

extension CentralError: CustomStringConvertible {
    /// The message and the hint in one sentence.
    public var description: String { "\(message); \(hint)" }
}
