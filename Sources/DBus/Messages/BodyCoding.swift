// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// The type codes on the wire. D-Bus Specification, "Type System", "Summary of types".
enum TypeCode: UInt8 {
    case byte = 0x79
    case boolean = 0x62
    case int16 = 0x6E
    case uint16 = 0x71
    case int32 = 0x69
    case uint32 = 0x75
    case int64 = 0x78
    case uint64 = 0x74
    case double = 0x64
    case string = 0x73
    case objectPath = 0x6F
    case signature = 0x67
    case unixFileDescriptor = 0x68
    case array = 0x61
    case variant = 0x76
    // The codes of libdbus for these two are letters that no signature contains.
    case structure = 0x72
    case dictionaryEntry = 0x65

    /// The code for the functions of libdbus.
    var code: Int32 { Int32(rawValue) }

    init?(code: Int32) {
        guard let byte = UInt8(exactly: code) else { return nil }
        self.init(rawValue: byte)
    }

    /// The type that starts with this character of a signature.
    init?(signatureCharacter: UInt8) {
        switch signatureCharacter {
        case UInt8(ascii: "("): self = .structure
        case UInt8(ascii: "{"): self = .dictionaryEntry
        default: self.init(rawValue: signatureCharacter)
        }
    }

    /// The alignment of a value in the body, in bytes.
    var alignment: Int {
        switch self {
        case .byte, .signature, .variant: 1
        case .int16, .uint16: 2
        case .boolean, .int32, .uint32, .string, .objectPath, .unixFileDescriptor, .array: 4
        case .int64, .uint64, .double, .structure, .dictionaryEntry: 8
        }
    }
}

/// Reads the values of a message, within limits on the memory and the descriptors of one message.
struct BodyReader {
    /// The maximum number of values in one message: a value needs far more bytes in memory than on the wire.
    static let maximumValues = 1 << 20
    /// The maximum number of values of type `h` in one message: each one duplicates a descriptor.
    static let maximumFileDescriptors = 64

    /// DBUS_TYPE_INVALID, the type after the last value. The macro is not importable.
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
        // 32 bits on the wire, which libdbus has checked to be 0 or 1.
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

/// Appends values to a message of libdbus. `BodyValidator` must have accepted them.
enum BodyWriter {
    static func write(_ body: [DBusValue], to message: borrowing MessageHandle) throws(DBusError) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message.pointer, &iterator)
        for value in body { try append(value, to: &iterator) }
    }

    private static func append(_ value: DBusValue, to iterator: inout DBusMessageIter) throws(DBusError) {
        switch value {
        case .byte(let value): try append(value, .byte, to: &iterator)
        case .boolean(let value): try append(UInt32(value ? 1 : 0), .boolean, to: &iterator)
        case .int16(let value): try append(value, .int16, to: &iterator)
        case .uint16(let value): try append(value, .uint16, to: &iterator)
        case .int32(let value): try append(value, .int32, to: &iterator)
        case .uint32(let value): try append(value, .uint32, to: &iterator)
        case .int64(let value): try append(value, .int64, to: &iterator)
        case .uint64(let value): try append(value, .uint64, to: &iterator)
        case .double(let value): try append(value, .double, to: &iterator)
        case .string(let text): try append(text: text, .string, to: &iterator)
        case .objectPath(let path): try append(text: path.rawValue, .objectPath, to: &iterator)
        case .signature(let signature): try append(text: signature.rawValue, .signature, to: &iterator)
        case .unixFileDescriptor(let descriptor): try append(descriptor, to: &iterator)
        case .bytes(let bytes): try append(bytes, to: &iterator)
        case .array(let element, let elements):
            try appendContainer(.array, element.rawValue, to: &iterator) { contents throws(DBusError) in
                for element in elements { try append(element, to: &contents) }
            }
        case .structure(let fields):
            try appendContainer(.structure, nil, to: &iterator) { contents throws(DBusError) in
                for field in fields { try append(field, to: &contents) }
            }
        case .dictionary(let key, let value, let entries):
            try appendContainer(.array, "{\(key)\(value)}", to: &iterator) { contents throws(DBusError) in
                for entry in entries { try append(entry, to: &contents) }
            }
        case .variant(let content):
            try appendContainer(.variant, content.signature, to: &iterator) { contents throws(DBusError) in
                try append(content, to: &contents)
            }
        }
    }

    private static func append(
        _ entry: DBusDictionaryEntry, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        try appendContainer(.dictionaryEntry, nil, to: &iterator) { contents throws(DBusError) in
            try append(entry.key, to: &contents)
            try append(entry.value, to: &contents)
        }
    }

    private static func append(_ bytes: [UInt8], to iterator: inout DBusMessageIter) throws(DBusError) {
        try appendContainer(.array, "y", to: &iterator) { contents throws(DBusError) in
            guard !bytes.isEmpty else { return }
            let isAppended = bytes.withUnsafeBufferPointer { bytes in
                var start = bytes.baseAddress
                return dbus_message_iter_append_fixed_array(
                    &contents, TypeCode.byte.code, &start, Int32(bytes.count)) != 0
            }
            guard isAppended else { throw .outOfMemory() }
        }
    }

    private static func append(
        _ descriptor: DBusFileDescriptor, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        // libdbus duplicates the descriptor, which fails if it is closed or the process has too many.
        guard descriptor.rawValue >= 0 else { throw .invalidArgument("a file descriptor is not open") }
        var number = descriptor.rawValue
        guard dbus_message_iter_append_basic(&iterator, TypeCode.unixFileDescriptor.code, &number) != 0 else {
            throw .limitExceeded("file descriptor \(descriptor.rawValue) cannot be put into a message")
        }
    }

    private static func append<Value: BitwiseCopyable>(
        _ value: Value, _ type: TypeCode, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        var value = value
        guard dbus_message_iter_append_basic(&iterator, type.code, &value) != 0 else { throw .outOfMemory() }
    }

    private static func append(
        text: String, _ type: TypeCode, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        let isAppended = text.withCString { text in
            var text = text
            return dbus_message_iter_append_basic(&iterator, type.code, &text) != 0
        }
        guard isAppended else { throw .outOfMemory() }
    }

    private static func appendContainer(
        _ type: TypeCode, _ signature: String?, to iterator: inout DBusMessageIter,
        _ contents: (inout DBusMessageIter) throws(DBusError) -> Void
    ) throws(DBusError) {
        var container = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, type.code, signature, &container) != 0 else {
            throw .outOfMemory()
        }
        do throws(DBusError) {
            try contents(&container)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &container)
            throw error
        }
        guard dbus_message_iter_close_container(&iterator, &container) != 0 else { throw .outOfMemory() }
    }
}
