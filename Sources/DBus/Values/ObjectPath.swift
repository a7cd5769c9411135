// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The path of an object, such as `/org/bluez/hci0`: valid by construction.
///
/// D-Bus Specification, "Message Protocol", "Valid Object Paths".
package struct ObjectPath: Sendable, Hashable {
    /// The path as it goes over the wire.
    package let rawValue: String

    /// Checks and takes a path.
    ///
    /// - Throws: `DBusError` of kind `invalidArgument` if `string` is not an object path.
    package init(_ string: String) throws(DBusError) {
        try NameKind.objectPath.check(string)
        rawValue = string
    }

    private init(unchecked string: String) {
        rawValue = string
    }

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
        rawValue.split(separator: "/").last.map(String.init) ?? ""
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

    /// What the paths below this one begin with.
    var childPrefix: String { self == .root ? "/" : rawValue + "/" }
}

extension ObjectPath: ExpressibleByStringLiteral {
    /// Takes a path from the source code; stops the process if it is not an object path.
    package init(stringLiteral value: StringLiteralType) {
        precondition(NameKind.objectPath.accepts(value), "not an object path: \(value)")
        rawValue = value
    }
}

extension ObjectPath: CustomStringConvertible {
    /// The path as it goes over the wire.
    package var description: String { rawValue }
}
