// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// Reads the values of a message, within limits on what one message may cost.
struct BodyReader {
    /// The most values in one message: a few bytes of an array on the wire grow to many in memory.
    static let maximumValues = 1 << 20
    /// The most descriptors in one message: each value of type `h` duplicates one, and many may name the same.
    static let maximumFileDescriptors = 64

    /// What libdbus calls the type after the last value (its macro for it is not importable).
    private static let end: Int32 = 0

    private var values = 0
    private var fileDescriptors = 0

    mutating func read(_ message: borrowing MessageHandle) throws(DBusError) -> [DBusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message.pointer, &iterator) != 0 else { return [] }
        return try readAll(&iterator, depth: 0)
    }

    private mutating func readAll(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> [DBusValue] {
        var values: [DBusValue] = []
        while dbus_message_iter_get_arg_type(&iterator) != Self.end {
            values.append(try readValue(&iterator, depth: depth))
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    private mutating func readValue(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusValue {
        values += 1
        guard values <= Self.maximumValues else {
            throw .limitExceeded("a message with more than \(Self.maximumValues) values")
        }
        guard depth <= Nesting.maximumTotal else {
            throw .malformed("a message nested deeper than \(Nesting.maximumTotal) levels")
        }
        switch TypeCode(code: dbus_message_iter_get_arg_type(&iterator)) {
        case .byte: return .byte(basic(&iterator, 0))
        // The wire has 32 bits for it, all checked to be 0 or 1 by libdbus.
        case .boolean: return .boolean(basic(&iterator, UInt32(0)) != 0)
        case .int16: return .int16(basic(&iterator, 0))
        case .uint16: return .uint16(basic(&iterator, 0))
        case .int32: return .int32(basic(&iterator, 0))
        case .uint32: return .uint32(basic(&iterator, 0))
        case .int64: return .int64(basic(&iterator, 0))
        case .uint64: return .uint64(basic(&iterator, 0))
        case .double: return .double(basic(&iterator, 0))
        case .string: return .string(try text(&iterator))
        case .objectPath: return .objectPath(try ObjectPath(text(&iterator)))
        case .signature: return .signature(try DBusSignature(text(&iterator)))
        case .unixFileDescriptor: return .unixFileDescriptor(try fileDescriptor(&iterator))
        case .array: return try readArray(&iterator, depth: depth + 1)
        case .structure: return .structure(try readContents(&iterator, depth: depth + 1))
        case .variant:
            guard let content = try readContents(&iterator, depth: depth + 1).first else {
                throw .malformed("an empty variant")
            }
            return .variant(content)
        case .dictionaryEntry, nil:
            throw .malformed("a value of an unknown type")
        }
    }

    private mutating func readContents(
        _ iterator: inout DBusMessageIter, depth: Int
    ) throws(DBusError) -> [DBusValue] {
        var contents = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &contents)
        return try readAll(&contents, depth: depth)
    }

    private mutating func readArray(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusValue {
        switch TypeCode(code: dbus_message_iter_get_element_type(&iterator)) {
        case .byte:
            return .bytes(bytes(&iterator))
        case .dictionaryEntry:
            return try readDictionary(&iterator, depth: depth)
        default:
            let element = try arraySignature(&iterator).dropFirst()
            let elements = try readContents(&iterator, depth: depth)
            return .array(DBusSignature(unchecked: String(element)), elements)
        }
    }

    private mutating func readDictionary(
        _ iterator: inout DBusMessageIter, depth: Int
    ) throws(DBusError) -> DBusValue {
        // "a{" key "}" where the key is one character.
        let types = try arraySignature(&iterator).dropFirst(2).dropLast()
        var contents = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &contents)
        var entries: [DBusDictionaryEntry] = []
        while dbus_message_iter_get_arg_type(&contents) != Self.end {
            let pair = try readContents(&contents, depth: depth + 1)
            guard pair.count == 2 else { throw .malformed("a dictionary entry of \(pair.count) values") }
            entries.append(DBusDictionaryEntry(pair[0], pair[1]))
            dbus_message_iter_next(&contents)
        }
        return .dictionary(
            DBusSignature(unchecked: String(types.prefix(1))),
            DBusSignature(unchecked: String(types.dropFirst())),
            entries)
    }

    private func arraySignature(_ iterator: inout DBusMessageIter) throws(DBusError) -> String {
        guard let text = dbus_message_iter_get_signature(&iterator) else { throw .outOfMemory() }
        defer { dbus_free(text) }
        return String(cString: text)
    }

    private func basic<Value: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: Value) -> Value {
        var value = initial
        dbus_message_iter_get_basic(&iterator, &value)
        return value
    }

    private func text(_ iterator: inout DBusMessageIter) throws(DBusError) -> String {
        guard let text = basic(&iterator, UnsafePointer<CChar>?.none) else { throw .malformed("a text is missing") }
        return String(cString: text)
    }

    private func bytes(_ iterator: inout DBusMessageIter) -> [UInt8] {
        var contents = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &contents)
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        dbus_message_iter_get_fixed_array(&contents, &start, &count)
        return Array(UnsafeBufferPointer(start: start, count: count > 0 ? Int(count) : 0))
    }

    private mutating func fileDescriptor(
        _ iterator: inout DBusMessageIter
    ) throws(DBusError) -> DBusFileDescriptor {
        fileDescriptors += 1
        guard fileDescriptors <= Self.maximumFileDescriptors else {
            throw .limitExceeded("a message with more than \(Self.maximumFileDescriptors) file descriptors")
        }
        let descriptor = basic(&iterator, Int32(-1))
        guard descriptor >= 0 else { throw .malformed("a file descriptor is missing from the message") }
        return DBusFileDescriptor(owning: descriptor)
    }
}
