// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// Appends values that `BodyValidator` has passed to a message of libdbus.
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
