// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Each accessor is nil if the value has another type. None looks into a variant: say `unwrapped` first. The elements of
// a dictionary come unwrapped because a{sv} is what the property interfaces speak.
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

    /// The truth value, if this is one.
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

    /// The 32-bit signed integer, if this is one.
    package var int32Value: Int32? {
        if case .int32(let value) = self { value } else { nil }
    }

    /// The 32-bit unsigned integer, if this is one.
    package var uint32Value: UInt32? {
        if case .uint32(let value) = self { value } else { nil }
    }

    /// The 64-bit signed integer, if this is one.
    package var int64Value: Int64? {
        if case .int64(let value) = self { value } else { nil }
    }

    /// The 64-bit unsigned integer, if this is one.
    package var uint64Value: UInt64? {
        if case .uint64(let value) = self { value } else { nil }
    }

    /// The floating-point number, if this is one.
    package var doubleValue: Double? {
        if case .double(let value) = self { value } else { nil }
    }

    /// The text of a string (not of a path or a signature).
    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The path, if this is one.
    package var objectPathValue: ObjectPath? {
        if case .objectPath(let value) = self { value } else { nil }
    }

    /// The signature, if this value is one (not the signature *of* this value).
    package var signatureValue: DBusSignature? {
        if case .signature(let value) = self { value } else { nil }
    }

    /// The descriptor, if this is one.
    package var fileDescriptorValue: DBusFileDescriptor? {
        if case .unixFileDescriptor(let value) = self { value } else { nil }
    }

    /// The bytes of an array of bytes.
    package var bytesValue: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The elements of an array (not of a dictionary), those of an array of bytes included.
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

    /// A dictionary whose keys are strings or object paths, as one of Swift, its values `unwrapped`. Of equal keys the
    /// last wins.
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
