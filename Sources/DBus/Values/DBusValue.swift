// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value in the body of a message.
///
/// D-Bus Specification, "Type System". A value may be invalid (an element without the signature of its array, a string
/// with a NUL, nesting that is too deep); making a message of it then throws.
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

    /// A dictionary `a{sv}` in the order of its keys. Each value is wrapped in a variant, a variant too.
    package static func variants(_ values: [String: DBusValue]) -> DBusValue {
        let entries = values.sorted { $0.key < $1.key }
        return .dictionary("s", "v", entries.map { DBusDictionaryEntry(.string($0.key), .variant($0.value)) })
    }
}

/// One entry of a dictionary.
///
/// D-Bus Specification, "Type System", type `{}` (DICT_ENTRY).
package struct DBusDictionaryEntry: Sendable, Hashable {
    /// A basic value.
    package var key: DBusValue

    /// Any value.
    package var value: DBusValue

    /// Makes an entry. The key is checked when a message is made of it.
    package init(_ key: DBusValue, _ value: DBusValue) {
        self.key = key
        self.value = value
    }
}

// MARK: - Accessors

// Each accessor is nil if the value has another type. Only `dictionaryValue` unwraps variants, since the property
// interfaces use a{sv}; for other values use `unwrapped` first.
extension DBusValue {
    /// The content, if this is a variant (or a variant in a variant); otherwise the value itself.
    package var unwrapped: DBusValue {
        var value = self
        while case .variant(let content) = value { value = content }
        return value
    }

    /// The byte, if this is one.
    package var byteValue: UInt8? {
        if case .byte(let value) = self { value } else { nil }
    }

    /// The boolean, if this is one.
    package var boolValue: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The 16-bit signed integer, if this is one.
    package var int16Value: Int16? {
        if case .int16(let value) = self { value } else { nil }
    }

    /// The 16-bit unsigned integer, if this is one.
    package var uint16Value: UInt16? {
        if case .uint16(let value) = self { value } else { nil }
    }

    /// The 32-bit unsigned integer, if this is one.
    package var uint32Value: UInt32? {
        if case .uint32(let value) = self { value } else { nil }
    }

    /// The text of a string (not of a path or a signature).
    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The path, if this is one.
    package var objectPathValue: ObjectPath? {
        if case .objectPath(let value) = self { value } else { nil }
    }

    /// The descriptor, if this is one.
    package var fileDescriptorValue: DBusFileDescriptor? {
        if case .unixFileDescriptor(let value) = self { value } else { nil }
    }

    /// The bytes of an array of bytes.
    package var bytesValue: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The elements of an array, also of an array of bytes, but not of a dictionary.
    package var arrayValue: [DBusValue]? {
        switch self {
        case .array(_, let elements): elements
        case .bytes(let bytes): bytes.map(DBusValue.byte)
        default: nil
        }
    }

    /// The elements of an array of strings.
    package var stringsValue: [String]? {
        guard case .array("s", let elements) = self else { return nil }
        return elements.compactMap(\.stringValue)
    }

    /// The fields of a structure.
    package var structureValue: [DBusValue]? {
        if case .structure(let fields) = self { fields } else { nil }
    }

    /// The content of a variant, one level.
    package var variantValue: DBusValue? {
        if case .variant(let content) = self { content } else { nil }
    }

    /// The entries of a dictionary, in the order on the wire.
    package var entriesValue: [DBusDictionaryEntry]? {
        if case .dictionary(_, _, let entries) = self { entries } else { nil }
    }

    /// A dictionary with strings or object paths as keys, with its values `unwrapped`. The last of equal keys counts.
    package var dictionaryValue: [String: DBusValue]? {
        guard let entries = entriesValue else { return nil }
        var values: [String: DBusValue] = [:]
        for entry in entries {
            guard let key = entry.key.stringValue ?? entry.key.objectPathValue?.rawValue else { return nil }
            values[key] = entry.value.unwrapped
        }
        return values
    }
}

/// A file descriptor that is closed when the last reference to it is released.
///
/// D-Bus Specification, "Type System", type `h` (UNIX_FD).
package final class DBusFileDescriptor: Sendable {
    /// The number of the descriptor, valid while this object exists.
    package let rawValue: Int32

    /// Takes ownership of a descriptor: only this object may close it.
    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Duplicates a descriptor.
    ///
    /// - Throws: `DBusError` of kind `limitExceeded` if the system has no further descriptor.
    package init(duplicating rawValue: Int32) throws(DBusError) {
        let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw .limitExceeded("cannot duplicate file descriptor \(rawValue): \(String(cString: strerror(errno)))")
        }
        self.rawValue = copy
    }

    deinit {
        if rawValue >= 0 { _ = Glibc.close(rawValue) }
    }
}

extension DBusFileDescriptor: Hashable {
    /// Compares the identity of the objects.
    package static func == (left: DBusFileDescriptor, right: DBusFileDescriptor) -> Bool {
        left === right
    }

    /// Hashes the identity of the object.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
