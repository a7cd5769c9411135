// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The limits of a JSON document.
package struct JSONLimits: Sendable {
    /// The greatest depth of arrays and objects.
    let depth: Int
    /// The greatest number of values, with arrays and objects.
    let values: Int

    /// The limits of what clients send: what a document costs depends on its length only.
    package static let request = JSONLimits(depth: 32, values: 20_000)
    /// The limits of what this program has written.
    package static let own = JSONLimits(depth: 32, values: .max)
    /// The limits of files that people have from other programs.
    package static let file = JSONLimits(depth: 32, values: 1_000_000)
}

/// Why a text is not accepted as JSON.
package struct JSONFault: Error, Hashable, Sendable {
    /// A clause, such as `a value is expected at byte 7`.
    package let message: String
    /// Whether the text is JSON, as far as it was read, but exceeds a limit.
    package let isLimit: Bool
}

/// What a reader makes of a document: values alone, or with their places.
protocol JSONForm {
    /// The members of an object that is being read.
    associatedtype Members

    static var noMembers: Members { get }
    /// A value that is no array and no object.
    static func scalar(_ value: JSONValue, at offset: Int) -> Self
    static func array(_ elements: [Self], at offset: Int) -> Self
    static func object(_ members: Members, at offset: Int) -> Self
    /// Adds a member.
    /// - Returns: `false` if there is one of this name already.
    static func add(_ value: Self, named name: String, to members: inout Members) -> Bool
}

extension JSONValue: JSONForm {
    static var noMembers: [String: JSONValue] { [:] }
    static func scalar(_ value: JSONValue, at offset: Int) -> JSONValue { value }
    static func array(_ elements: [JSONValue], at offset: Int) -> JSONValue { .array(elements) }
    static func object(_ members: [String: JSONValue], at offset: Int) -> JSONValue { .object(members) }
    static func add(_ value: JSONValue, named name: String, to members: inout [String: JSONValue]) -> Bool {
        members.updateValue(value, forKey: name) == nil
    }
}

/// Reads a JSON document (RFC 8259) in one pass.
///
/// It is strict: one value in UTF-8 without a byte order mark, no key twice in an object, no half of a surrogate pair, no
/// number that a `Double` cannot represent. Limits are checked while it reads.
struct JSONReader<Form: JSONForm> {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    /// The number of bytes that were read.
    private(set) var place = 0
    private var count = 0

    init(_ bytes: [UInt8], _ limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Reads the document.
    /// - Throws: `JSONFault`; then `place` is where it is, or just behind.
    mutating func document() throws(JSONFault) -> Form {
        skipSpace()
        let value = try value(depth: 0)
        skipSpace()
        guard place == bytes.count else { throw expected("the end") }
        return value
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private func fault(_ message: String) -> JSONFault { JSONFault(message: message, isLimit: false) }

    private func expected(_ what: String) -> JSONFault { fault("\(what) is expected at byte \(place)") }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONFault) -> Form {
        let start = place
        count += 1
        guard count <= limits.values else {
            throw JSONFault(message: "it has more than \(limits.values) values", isLimit: true)
        }
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: try deeper(depth)), at: start)
        case UInt8(ascii: "["): return .array(try array(depth: try deeper(depth)), at: start)
        case UInt8(ascii: "\""): return .scalar(.text(try string()), at: start)
        case UInt8(ascii: "t"): return .scalar(try word("true", .boolean(true)), at: start)
        case UInt8(ascii: "f"): return .scalar(try word("false", .boolean(false)), at: start)
        case UInt8(ascii: "n"): return .scalar(try word("null", .null), at: start)
        default: return .scalar(.number(try number()), at: start)
        }
    }

    private func deeper(_ depth: Int) throws(JSONFault) -> Int {
        guard depth < limits.depth else {
            throw JSONFault(message: "it is deeper than \(limits.depth) levels", isLimit: true)
        }
        return depth + 1
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        let length = word.utf8CodeUnitCount
        guard place + length <= bytes.count,
            (0..<length).allSatisfy({ bytes[place + $0] == word.utf8Start[$0] })
        else { throw expected("a value") }
        place += length
        return value
    }

    private mutating func array(depth: Int) throws(JSONFault) -> [Form] {
        place += 1
        skipSpace()
        var elements: [Form] = []
        if take("]") { return elements }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw expected("\",\" or \"]\"") }
            skipSpace()
        }
    }

    private mutating func object(depth: Int) throws(JSONFault) -> Form.Members {
        place += 1
        skipSpace()
        var members = Form.noMembers
        if take("}") { return members }
        while true {
            guard next == UInt8(ascii: "\"") else { throw expected("a key") }
            let key = try string()
            skipSpace()
            guard take(":") else { throw expected("\":\"") }
            skipSpace()
            guard Form.add(try value(depth: depth), named: key, to: &members) else {
                throw fault("a key is twice in an object, before byte \(place)")
            }
            skipSpace()
            if take("}") { return members }
            guard take(",") else { throw expected("\",\" or \"}\"") }
            skipSpace()
        }
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONFault) -> Double {
        let start = place
        _ = take("-")
        // No zeros in front of other digits.
        if !take("0") { try digits(orElse: place == start ? "a value" : "a digit") }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        guard let number = Double(String(decoding: bytes[start..<place], as: UTF8.self)), number.isFinite else {
            throw fault("the number at byte \(start) is too large")
        }
        return number
    }

    private mutating func digits(orElse missing: String = "a digit") throws(JSONFault) {
        let start = place
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { place += 1 }
        guard place > start else { throw expected(missing) }
    }

    // MARK: - Strings

    private mutating func string() throws(JSONFault) -> String {
        place += 1
        let start = place
        // Most strings have no escapes.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { place += 1 }
        var content = Array(bytes[start..<place])
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw fault("the string at byte \(start) is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): content += Array(String(try escaped()).utf8)
            case 0x20...: content.append(byte)
            default: throw fault("byte \(place - 1) is a control character, which must be escaped")
            }
        }
        throw fault("the string at byte \(start) has no end")
    }

    private mutating func escaped() throws(JSONFault) -> Unicode.Scalar {
        guard let byte = next else { throw expected("an escaped character") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar()
        default: throw fault("byte \(place - 1) is not a character that can be escaped")
        }
    }

    /// Four hexadecimal digits, or two of these for a surrogate pair.
    private mutating func escapedScalar() throws(JSONFault) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), take("\\"), take("u") else {
            throw fault("half of a surrogate pair is before byte \(place)")
        }
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw fault("half of a surrogate pair is before byte \(place)") }
        let value = 0x10000 + UInt32(first - 0xD800) << 10 + UInt32(second - 0xDC00)
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw expected("a hexadecimal digit")
            }
            unit = unit << 4 | UInt16(digit)
            place += 1
        }
        return unit
    }
}
