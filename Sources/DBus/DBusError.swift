// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An error of a D-Bus operation: the reply of a peer or the bus, or an error of this side.
///
/// `name` follows the D-Bus Specification, "Message Protocol", "Error names"; errors of this side use the well-known names
/// where one exists. ``kind`` distinguishes them from errors of peers.
package struct DBusError: Error, Hashable {
    /// The origin of an error.
    package enum Kind: Sendable, Hashable {
        /// A peer or the bus itself replied with an error.
        case remote
        /// The bus could not be reached or did not accept this process.
        case connectionFailed
        /// The connection was closed, by this side or by the bus.
        case notConnected
        /// There was no reply in time.
        case timeout
        /// The calling task was cancelled.
        case cancelled
        /// A name, a path, a signature or a value given by the caller breaks the specification. Nothing was sent.
        case invalidArgument
        /// A message, a queue or the memory would have grown beyond its limit.
        case limitExceeded
        /// Bytes or a reply from a peer are malformed.
        case malformed
    }

    /// The origin.
    package var kind: Kind

    /// The error name, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
    package var name: String

    /// A message for people. Empty when the peer gave none.
    package var message: String

    /// Makes an error of a reply, to send or as received.
    ///
    /// An invalid `name` is replaced by `org.freedesktop.DBus.Error.Failed` when the error is sent.
    package init(name: String, message: String) {
        self.init(kind: .remote, name: name, message: message)
    }

    init(kind: Kind, name: String, message: String) {
        self.kind = kind
        self.name = name
        self.message = message
    }
}

extension DBusError: CustomStringConvertible {
    /// The message and the name in one line.
    package var description: String {
        message.isEmpty ? name : "\(message) [\(name)]"
    }
}

extension DBusError {
    /// The prefix of the error names that the specification defines.
    static let standardPrefix = "org.freedesktop.DBus.Error."

    /// Whether this is the error `org.freedesktop.DBus.Error.<suffix>`.
    package func isStandard(_ suffix: String) -> Bool {
        name == Self.standardPrefix + suffix
    }

    static func standard(_ suffix: String, _ message: String) -> DBusError {
        DBusError(name: standardPrefix + suffix, message: message)
    }

    /// The connection is closed; nothing can be sent any more.
    package static func notConnected(_ message: String = "the connection to the bus is closed") -> DBusError {
        DBusError(kind: .notConnected, name: standardPrefix + "Disconnected", message: message)
    }

    /// There was no reply within the timeout of the caller.
    package static func timeout(_ message: String) -> DBusError {
        DBusError(kind: .timeout, name: standardPrefix + "NoReply", message: message)
    }

    /// An argument breaks the specification. Also the reply of a method handler to invalid arguments.
    package static func invalidArgument(_ message: String) -> DBusError {
        DBusError(kind: .invalidArgument, name: standardPrefix + "InvalidArgs", message: message)
    }

    /// The calling task was cancelled before the reply.
    package static func cancelled() -> DBusError {
        DBusError(kind: .cancelled, name: "Beaconry.Error.Cancelled", message: "the task was cancelled")
    }

    /// A limit of the specification or of this library would be exceeded.
    package static func limitExceeded(_ message: String) -> DBusError {
        DBusError(kind: .limitExceeded, name: standardPrefix + "LimitsExceeded", message: message)
    }

    /// A message or a reply is malformed.
    package static func malformed(_ message: String) -> DBusError {
        DBusError(kind: .malformed, name: standardPrefix + "InconsistentMessage", message: message)
    }

    /// A general failure, for a reply to a peer.
    package static func failed(_ message: String) -> DBusError {
        standard("Failed", message)
    }

    /// The reply to a call of an object that does not exist.
    package static func unknownObject(_ path: ObjectPath) -> DBusError {
        standard("UnknownObject", "no object at \(path)")
    }

    /// The reply to a call of an interface or a method that the object does not have, or with arguments of other types.
    package static func unknownMethod(_ call: MethodCall) -> DBusError {
        let signature = call.arguments.map(\.signature).joined()
        let interface = call.interface.map { " on interface \"\($0)\"" } ?? ""
        return standard(
            "UnknownMethod", "Method \"\(call.member)\" with signature \"\(signature)\"\(interface) doesn't exist")
    }

    // The errors about properties have the texts of bluetoothd (bluez 5.82 gdbus/object.c), which clients match.

    /// The reply to reading properties of an interface that the object does not have.
    static func noSuchInterface(_ interface: String) -> DBusError {
        standard("InvalidArgs", "No such interface '\(interface)'")
    }

    /// The reply to reading a property that the interface does not have, or not at present.
    static func noSuchProperty(_ property: String) -> DBusError {
        standard("InvalidArgs", "No such property '\(property)'")
    }

    /// The reply to setting a property that the interface does not have, or not at present.
    static func unknownProperty(_ property: String) -> DBusError {
        standard("UnknownProperty", "No such property '\(property)'")
    }

    /// The reply to setting a read-only property.
    static func propertyReadOnly(_ property: String) -> DBusError {
        standard("PropertyReadOnly", "Property '\(property)' is not writable")
    }

    /// The reply to setting a property to a value of another type.
    static func invalidSignature(of property: String) -> DBusError {
        standard("InvalidSignature", "Invalid signature for '\(property)'")
    }
}
