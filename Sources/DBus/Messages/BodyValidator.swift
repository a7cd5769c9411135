// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// Checks a body before it is passed to libdbus, which ends the process over an invalid value.
///
/// Computes the length of the values on the wire, since the limits apply to that.
struct BodyValidator {
    /// The length of the values so far, in bytes.
    private(set) var length = 0

    /// Checks all values and returns their signature.
    mutating func check(_ body: [DBusValue]) throws(DBusError) -> DBusSignature {
        for value in body { try check(value, Nesting()) }
        return try DBusSignature(body.map(\.signature).joined())
    }

    private mutating func check(_ value: DBusValue, _ nesting: Nesting) throws(DBusError) {
        switch value {
        case .byte: try take(1, .byte)
        case .boolean: try take(4, .boolean)
        case .int16, .uint16: try take(2, .uint16)
        case .int32, .uint32, .unixFileDescriptor: try take(4, .uint32)
        case .int64, .uint64, .double: try take(8, .uint64)
        case .string(let text):
            guard !text.utf8.contains(0) else { throw .invalidArgument("a string contains a NUL character") }
            try take(4 + text.utf8.count + 1, .string)
        case .objectPath(let path): try take(4 + path.rawValue.utf8.count + 1, .objectPath)
        case .signature(let signature): try takeSignature(signature.rawValue)
        case .bytes(let bytes):
            _ = try nesting.inArray()
            try checkArray(of: .byte) { checker throws(DBusError) in try checker.take(bytes.count, .byte) }
        case .array(let element, let elements): try checkArray(elements, element, nesting.inArray())
        case .structure(let fields): try checkStructure(fields, nesting.inStructure())
        case .dictionary(let key, let value, let entries):
            try checkDictionary(entries, key, value, nesting.inArray().inEntry())
        case .variant(let content): try checkVariant(content, nesting.inVariant())
        }
    }

    private mutating func checkArray(
        _ elements: [DBusValue], _ signature: DBusSignature, _ nesting: Nesting
    ) throws(DBusError) {
        guard signature.isSingleCompleteType, let type = TypeCode(signature) else {
            throw .invalidArgument("\"\(signature)\" is not the signature of one element")
        }
        try checkArray(of: type) { checker throws(DBusError) in
            for element in elements { try checker.check(element, expecting: signature, nesting) }
        }
    }

    private mutating func checkDictionary(
        _ entries: [DBusDictionaryEntry], _ key: DBusSignature, _ value: DBusSignature, _ nesting: Nesting
    ) throws(DBusError) {
        let whole = "a{\(key)\(value)}"
        guard key.rawValue.utf8.count == 1, value.isSingleCompleteType, NameKind.signature.accepts(whole) else {
            throw .invalidArgument("\"\(whole)\" is not the signature of a dictionary")
        }
        try checkArray(of: .dictionaryEntry) { checker throws(DBusError) in
            for entry in entries {
                try checker.take(0, .dictionaryEntry)
                try checker.check(entry.key, expecting: key, nesting)
                try checker.check(entry.value, expecting: value, nesting)
            }
        }
    }

    private mutating func checkStructure(_ fields: [DBusValue], _ nesting: Nesting) throws(DBusError) {
        guard !fields.isEmpty else { throw .invalidArgument("a structure needs a field") }
        try take(0, .structure)
        for field in fields { try check(field, nesting) }
    }

    private mutating func checkVariant(_ content: DBusValue, _ nesting: Nesting) throws(DBusError) {
        try takeSignature(signature(of: content, levels: Nesting.maximumStructures))
        try check(content, nesting)
    }

    /// The signature of a value whose nesting is unchecked: only structures make a signature longer without limit.
    private func signature(of value: DBusValue, levels: Int) throws(DBusError) -> String {
        guard case .structure(let fields) = value else { return value.signature }
        guard levels > 0 else {
            throw .invalidArgument("structures nested deeper than \(Nesting.maximumStructures) levels")
        }
        var text = "("
        for field in fields { text += try signature(of: field, levels: levels - 1) }
        text += ")"
        try NameKind.signature.check(text)
        return text
    }

    private mutating func check(
        _ value: DBusValue, expecting signature: DBusSignature, _ nesting: Nesting
    ) throws(DBusError) {
        try check(value, nesting)
        guard value.signature == signature.rawValue else {
            throw .invalidArgument("a value of type \"\(value.signature)\" in a container of \"\(signature)\"")
        }
    }

    private mutating func checkArray(
        of element: TypeCode, _ contents: (inout BodyValidator) throws(DBusError) -> Void
    ) throws(DBusError) {
        try take(4, .array)
        // The padding before the first element is not part of the length of the array.
        try take(0, element)
        let start = length
        try contents(&self)
        guard length - start <= Int(DBUS_MAXIMUM_ARRAY_LENGTH) else {
            throw .limitExceeded("an array is longer than \(DBUS_MAXIMUM_ARRAY_LENGTH) bytes")
        }
    }

    private mutating func takeSignature(_ signature: String) throws(DBusError) {
        try take(1 + signature.utf8.count + 1, .signature)
    }

    private mutating func take(_ count: Int, _ type: TypeCode) throws(DBusError) {
        let aligned = (length + type.alignment - 1) / type.alignment * type.alignment
        length = aligned + count
        guard length <= Self.maximumLength else {
            throw .limitExceeded("a message is longer than \(DBUS_MAXIMUM_MESSAGE_LENGTH) bytes")
        }
    }

    /// The maximum length of a body: the header may have the longest names.
    static var maximumLength: Int { Int(DBUS_MAXIMUM_MESSAGE_LENGTH) - 4096 }
}

extension TypeCode {
    /// The first type of a signature.
    fileprivate init?(_ signature: DBusSignature) {
        guard let first = signature.rawValue.utf8.first else { return nil }
        self.init(signatureCharacter: first)
    }
}

/// The nesting depth of a value, within one signature and in total.
///
/// D-Bus Specification, "Message Protocol", "Valid Signatures": 32 arrays and 32 structures in one signature, and 64 levels
/// in total, to which variants count too.
struct Nesting {
    static let maximumArrays = 32
    static let maximumStructures = 32
    static let maximumTotal = 64

    private var arrays = 0
    private var structures = 0
    private var total = 0

    func inArray() throws(DBusError) -> Nesting {
        var inner = self
        inner.arrays += 1
        guard inner.arrays <= Self.maximumArrays else {
            throw .invalidArgument("arrays nested deeper than \(Self.maximumArrays) levels")
        }
        return try inner.oneDeeper()
    }

    func inStructure() throws(DBusError) -> Nesting {
        var inner = self
        inner.structures += 1
        guard inner.structures <= Self.maximumStructures else {
            throw .invalidArgument("structures nested deeper than \(Self.maximumStructures) levels")
        }
        return try inner.oneDeeper()
    }

    /// The nesting of a dictionary entry; its array is counted by `inArray`.
    func inEntry() throws(DBusError) -> Nesting {
        try oneDeeper()
    }

    /// The nesting of the content of a variant, which starts a new signature.
    func inVariant() throws(DBusError) -> Nesting {
        var inner = Nesting()
        inner.total = total
        return try inner.oneDeeper()
    }

    private func oneDeeper() throws(DBusError) -> Nesting {
        var inner = self
        inner.total += 1
        guard inner.total <= Self.maximumTotal else {
            throw .invalidArgument("values nested deeper than \(Self.maximumTotal) levels")
        }
        return inner
    }
}
