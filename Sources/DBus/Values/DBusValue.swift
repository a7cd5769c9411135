// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A value in the body of a message.
///
/// D-Bus Specification, "Type System". A value may be put together wrongly (an element that does not have the
/// signature of its array, a string with a NUL, too deep a nesting); making a message of it then throws.
package enum DBusValue: Sendable, Hashable {
    /// `y`.
    case byte(UInt8)
    /// `b`.
    case boolean(Bool)
    /// `n`.
    case int16(Int16)
    /// `q`.
    case uint16(UInt16)
    /// `i`.
    case int32(Int32)
    /// `u`.
    case uint32(UInt32)
    /// `x`.
    case int64(Int64)
    /// `t`.
    case uint64(UInt64)
    /// `d`.
    case double(Double)
    /// `s`: no embedded NUL.
    case string(String)
    /// `o`.
    case objectPath(ObjectPath)
    /// `g`.
    case signature(DBusSignature)
    /// `h`.
    case unixFileDescriptor(DBusFileDescriptor)
    /// `ay`. Arrays of bytes are always read as this case, never as `array`.
    case bytes([UInt8])
    /// `a` and the signature of one complete type: at most 64 MiB on the wire.
    case array(DBusSignature, [DBusValue])
    /// `(...)`: at least one field.
    case structure([DBusValue])
    /// `a{...}`: the signatures of the key (a basic type) and of the value, and the entries in the order on the wire.
    case dictionary(DBusSignature, DBusSignature, [DBusDictionaryEntry])
    /// `v`: a value that carries its own signature.
    indirect case variant(DBusValue)
}

extension DBusValue {
    /// The signature of this value, such as `a{sv}`; `()` for the forbidden empty structure.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .unixFileDescriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a\(element)"
        case .structure(let fields): "(\(fields.map(\.signature).joined()))"
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .variant: "v"
        }
    }
}

extension DBusValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    /// A `string`.
    package init(stringLiteral value: StringLiteralType) {
        self = .string(value)
    }

    /// A `boolean`.
    package init(booleanLiteral value: BooleanLiteralType) {
        self = .boolean(value)
    }
}

extension DBusValue {
    /// An array of strings, `as`.
    package static func strings(_ strings: [String]) -> DBusValue {
        .array("s", strings.map(DBusValue.string))
    }

    /// An array of object paths, `ao`.
    package static func objectPaths(_ paths: [ObjectPath]) -> DBusValue {
        .array("o", paths.map(DBusValue.objectPath))
    }

    /// A dictionary `a{sv}` in the order of its keys. Each value is put into a variant (a variant into another one).
    package static func variants(_ values: [String: DBusValue]) -> DBusValue {
        let entries = values.sorted { $0.key < $1.key }
        return .dictionary("s", "v", entries.map { DBusDictionaryEntry(.string($0.key), .variant($0.value)) })
    }
}
