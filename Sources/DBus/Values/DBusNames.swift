// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// The path of an object, such as `/org/bluez/hci0`: valid by construction.
///
/// D-Bus Specification, "Message Protocol", "Valid Object Paths".
package struct ObjectPath: Sendable, Hashable {
    /// The path as text.
    package let rawValue: String

    /// Parses a path.
    ///
    /// - Throws: `DBusError` of kind `invalidArgument` if `string` is not an object path.
    package init(_ string: String) throws(DBusError) {
        try NameKind.objectPath.check(string)
        rawValue = string
    }

    private init(unchecked string: String) {
        rawValue = string
    }

    /// The path of a child. Its name has to be one component of a path.
    func child(_ name: String) -> ObjectPath { ObjectPath(unchecked: childPrefix + name) }

    /// The root, `/`.
    package static let root = ObjectPath(unchecked: "/")

    /// The path of a child: this path, a slash, and one component of letters, digits and underscores.
    ///
    /// - Throws: `DBusError` of kind `invalidArgument` if `component` is empty or has another character.
    package func appending(_ component: String) throws(DBusError) -> ObjectPath {
        guard !component.isEmpty, !component.contains("/") else {
            throw .invalidArgument("\"\(component)\" is not one component of an object path")
        }
        return try ObjectPath(childPrefix + component)
    }

    /// The last component; empty for the root.
    package var lastComponent: String {
        guard let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(rawValue[rawValue.utf8.index(after: slash)...])
    }

    /// The path one level up; `nil` for the root.
    package var parent: ObjectPath? {
        guard self != .root, let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == rawValue.startIndex ? .root : ObjectPath(unchecked: String(rawValue[..<slash]))
    }

    /// Whether this path is strictly below `ancestor`.
    package func isDescendant(of ancestor: ObjectPath) -> Bool {
        self != ancestor && rawValue.utf8.starts(with: ancestor.childPrefix.utf8)
    }

    /// The prefix of all paths below this one.
    var childPrefix: String { self == .root ? "/" : rawValue + "/" }
}

extension ObjectPath: ExpressibleByStringLiteral {
    /// Makes a path of a literal; stops the process if it is not an object path.
    package init(stringLiteral value: StringLiteralType) {
        precondition(NameKind.objectPath.accepts(value), "not an object path: \(value)")
        rawValue = value
    }
}

extension ObjectPath: CustomStringConvertible {
    /// The path as text.
    package var description: String { rawValue }
}

/// The types of zero or more values, such as `a{sv}`: valid by construction, at most 255 bytes.
///
/// D-Bus Specification, "Type System", "Summary of types" and "Valid Signatures".
package struct DBusSignature: Sendable, Hashable {
    /// The signature as text.
    package let rawValue: String

    /// Parses a signature.
    ///
    /// - Throws: `DBusError` of kind `invalidArgument` if `string` is not a signature.
    package init(_ string: String) throws(DBusError) {
        try NameKind.signature.check(string)
        rawValue = string
    }

    /// Takes text from libdbus, which is valid.
    init(unchecked string: String) {
        rawValue = string
    }

    /// Whether this is exactly one complete type, which an array element and the content of a variant require.
    package var isSingleCompleteType: Bool {
        rawValue.withCString { dbus_signature_validate_single($0, nil) != 0 }
    }
}

extension DBusSignature: ExpressibleByStringLiteral {
    /// Makes a signature of a literal; stops the process if it is not a signature.
    package init(stringLiteral value: StringLiteralType) {
        precondition(NameKind.signature.accepts(value), "not a D-Bus signature: \(value)")
        rawValue = value
    }
}

extension DBusSignature: CustomStringConvertible {
    /// The signature as text.
    package var description: String { rawValue }
}

/// The grammars of names, as libdbus validates them.
///
/// libdbus ends the process when a setter or an append gets text that breaks its grammar, so its own functions validate
/// each text before it is passed on.
enum NameKind: String {
    case objectPath = "an object path"
    case signature = "a signature"
    case busName = "a bus name"
    case interface = "an interface name"
    case member = "a member name"
    case errorName = "an error name"

    /// Whether a text follows the grammar.
    func accepts(_ text: String) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        return text.withCString { text in
            switch self {
            case .objectPath: dbus_validate_path(text, nil) != 0
            case .signature: dbus_signature_validate(text, nil) != 0
            case .busName: dbus_validate_bus_name(text, nil) != 0
            case .interface: dbus_validate_interface(text, nil) != 0
            case .member: dbus_validate_member(text, nil) != 0
            case .errorName: dbus_validate_error_name(text, nil) != 0
            }
        }
    }

    /// - Throws: `DBusError` of kind `invalidArgument` if the text breaks the grammar.
    func check(_ text: String) throws(DBusError) {
        guard accepts(text) else { throw .invalidArgument("\(text.debugDescription) is not \(rawValue)") }
    }
}
