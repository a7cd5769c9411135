// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// The types of zero or more values, such as `a{sv}`: valid by construction, at most 255 bytes.
///
/// D-Bus Specification, "Type System", "Summary of types" and "Valid Signatures".
package struct DBusSignature: Sendable, Hashable {
    /// The signature as it goes over the wire.
    package let rawValue: String

    /// Checks and takes a signature.
    ///
    /// - Throws: `DBusError` of kind `invalidArgument` if `string` is not a signature.
    package init(_ string: String) throws(DBusError) {
        try NameKind.signature.check(string)
        rawValue = string
    }

    /// For text that libdbus itself wrote.
    init(unchecked string: String) {
        rawValue = string
    }

    /// Whether this is exactly one complete type, as an element of an array and the content of a variant must be.
    package var isSingleCompleteType: Bool {
        rawValue.withCString { dbus_signature_validate_single($0, nil) != 0 }
    }
}

extension DBusSignature: ExpressibleByStringLiteral {
    /// Takes a signature from the source code; stops the process if it is not one.
    package init(stringLiteral value: StringLiteralType) {
        precondition(NameKind.signature.accepts(value), "not a D-Bus signature: \(value)")
        rawValue = value
    }
}

extension DBusSignature: CustomStringConvertible {
    /// The signature as it goes over the wire.
    package var description: String { rawValue }
}
