// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import DBus
package import Radio

/// Errors as bluetoothd replies with them (bluez 5.82 src/error.c, src/gatt-client.c, src/device.c): programs compare the
/// names and the texts.
package enum BlueZError {
    private static func error(_ name: String, _ message: String) -> DBusError {
        DBusError(name: "org.bluez.Error.\(name)", message: message)
    }

    /// Any other failure.
    package static func failed(_ message: String) -> DBusError { error("Failed", message) }
    /// An argument has a wrong value.
    package static func invalidArguments(_ message: String = "Invalid arguments in method call") -> DBusError {
        error("InvalidArguments", message)
    }
    /// The object, or the registration, exists already.
    package static var alreadyExists: DBusError { error("AlreadyExists", "Already Exists") }
    /// There is no such object or registration.
    package static var doesNotExist: DBusError { error("DoesNotExist", "Does Not Exist") }
    /// The adapter is switched off.
    package static var notReady: DBusError { error("NotReady", "Resource Not Ready") }
    /// The caller has begun this already (`btd_error_busy`).
    package static var busy: DBusError { error("InProgress", "Operation already in progress") }
    /// Another operation must end first (`btd_error_in_progress`).
    package static func inProgress(_ message: String = "In Progress") -> DBusError { error("InProgress", message) }
    /// The attribute, or the adapter, does not support it.
    package static var notSupported: DBusError { error("NotSupported", "Operation is not supported") }
    /// It is not permitted.
    package static func notPermitted(_ message: String) -> DBusError { error("NotPermitted", message) }
    /// The caller lacks authorization.
    package static var notAuthorized: DBusError { error("NotAuthorized", "Operation Not Authorized") }
    /// There is no connection.
    package static var notConnected: DBusError { error("NotConnected", "Not Connected") }
    /// An attribute is used while there is no connection.
    package static var noLink: DBusError { failed("Not connected") }

    /// The error of a device's attribute.
    package static func attribute(_ code: ATTError) -> DBusError {
        switch code {
        case .readNotPermitted: notPermitted("Read not permitted")
        case .writeNotPermitted: notPermitted("Write not permitted")
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort:
            notPermitted("Not paired")
        case .invalidOffset: invalidArguments("Invalid offset")
        case .invalidAttributeValueLength: invalidArguments("Invalid Length")
        case .insufficientAuthorization: notAuthorized
        case .requestNotSupported: notSupported
        default:
            failed("Operation failed with ATT error: 0x" + Hexadecimal.string([code.rawValue]))
        }
    }

    /// The failure of an operation on a device's attributes.
    package static func remote(_ remote: RemoteError) -> DBusError {
        switch remote {
        case .refused(let code): attribute(code)
        case .disconnected: noLink
        case .notPaired: notPermitted("Not paired")
        case .impossible(let reason): failed(reason)
        }
    }

    /// The failure of an attempt to connect.
    package enum ConnectionFailure: String {
        /// The link was not made, or fell at once. Programs wait for `Connected` to become false after it.
        case abortedLocally = "le-connection-abort-by-local"
        /// `Disconnect` ended the attempt.
        case cancelled = "br-connection-canceled"
        /// The adapter was switched off.
        case notPowered = "le-connection-adapter-not-powered"
        /// The radio refused the attempt.
        case refused = "le-connection-refused"
    }

    /// The failure of `Connect`.
    package static func connection(_ failure: ConnectionFailure) -> DBusError { failed(failure.rawValue) }

    /// The failure of `Pair` with a device that was not connected to.
    package static var notReached: DBusError { error("ConnectionAttemptFailed", "Page Timeout") }

    /// The failure of `Pair` (bluez 5.82 src/device.c, `new_authentication_return`).
    package static func pairing(_ code: PairingError.Code) -> DBusError {
        switch code {
        case .cancelled, .disconnected: error("AuthenticationCanceled", "Authentication Canceled")
        case .timedOut: error("AuthenticationTimeout", "Authentication Timeout")
        case .busy: inProgress()
        // The kernel reports every reason of the Pairing Failed PDU as an authentication failure.
        case .comparisonFailed, .passkeyEntryFailed, .notSupported, .outOfBandNotAvailable, .authenticationRequirements,
            .wrongPasskey, .keyTooShort, .commandNotSupported,
            .unspecified, .repeatedAttempts, .invalidParameters, .wrongSecret, .keyRejected, .keyMissing, .keyMismatch,
            .notKept, .unsupported:
            error("AuthenticationFailed", "Authentication Failed")
        }
    }
}
