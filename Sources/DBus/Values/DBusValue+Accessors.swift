// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Each accessor is nil if the value has another type. None looks into a variant: say `unwrapped` first. The elements of
// a dictionary come unwrapped because a{sv} is what the property interfaces speak.
extension DBusValue {
    /// The content, if this is a variant (or a variant in a variant); otherwise the value itself.
    public var unwrapped: DBusValue {
        var value = self
        while case .variant(let content) = value { value = content }
        return value
    }

    /// The byte, if this is one.
    public var byteValue: UInt8? {
        if case .byte(let value) = self { value } else { nil }
    }

    /// The truth value, if this is one.
    public var boolValue: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The 16-bit signed integer, if this is one.
    public var int16Value: Int16? {
        if case .int16(let value) = self { value } else { nil }
    }

    /// The 16-bit unsigned integer, if this is one.
    public var uint16Value: UInt16? {
        if case .uint16(let value) = self { value } else { nil }
    }

    /// The 32-bit signed integer, if this is one.
    public var int32Value: Int32? {
        if case .int32(let value) = self { value } else { nil }
    }

    /// The 32-bit unsigned integer, if this is one.
    public var uint32Value: UInt32? {
        if case .uint32(let value) = self { value } else { nil }
    }

    /// The 64-bit signed integer, if this is one.
    public var int64Value: Int64? {
        if case .int64(let value) = self { value } else { nil }
    }

    /// The 64-bit unsigned integer, if this is one.
    public var uint64Value: UInt64? {
        if case .uint64(let value) = self { value } else { nil }
    }

    /// The floating-point number, if this is one.
    public var doubleValue: Double? {
        if case .double(let value) = self { value } else { nil }
    }

    /// The text of a string (not of a path or a signature).
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The path, if this is one.
    public var objectPathValue: ObjectPath? {
        if case .objectPath(let value) = self { value } else { nil }
    }

    /// The signature, if this value is one (not the signature *of* this value).
    public var signatureValue: DBusSignature? {
        if case .signature(let value) = self { value } else { nil }
    }

    /// The descriptor, if this is one.
    public var fileDescriptorValue: DBusFileDescriptor? {
        if case .unixFileDescriptor(let value) = self { value } else { nil }
    }

    /// The bytes of an array of bytes.
    public var bytesValue: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The elements of an array (not of a dictionary), those of an array of bytes included.
    public var arrayValue: [DBusValue]? {
        switch self {
        case .array(_, let elements): elements
        case .bytes(let bytes): bytes.map(DBusValue.byte)
        default: nil
        }
    }

    /// The elements of an array of strings.
    public var stringsValue: [String]? {
        guard case .array("s", let elements) = self else { return nil }
        return elements.compactMap(\.stringValue)
    }

    /// The fields of a structure.
    public var structureValue: [DBusValue]? {
        if case .structure(let fields) = self { fields } else { nil }
    }

    /// The content of a variant, one level.
    public var variantValue: DBusValue? {
        if case .variant(let content) = self { content } else { nil }
    }

    /// The entries of a dictionary, in the order on the wire.
    public var entriesValue: [DBusDictionaryEntry]? {
        if case .dictionary(_, _, let entries) = self { entries } else { nil }
    }

    /// A dictionary whose keys are strings or object paths, as one of Swift, its values `unwrapped`. Of equal keys the
    /// last wins.
    public var dictionaryValue: [String: DBusValue]? {
        guard let entries = entriesValue else { return nil }
        var values: [String: DBusValue] = [:]
        for entry in entries {
            guard let key = entry.key.stringValue ?? entry.key.objectPathValue?.rawValue else { return nil }
            values[key] = entry.value.unwrapped
        }
        return values
    }
}
