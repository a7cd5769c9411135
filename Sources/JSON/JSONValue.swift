// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Any JSON value.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses a document (RFC 8259).
    /// - Throws: `JSONFault`.
    package init(parsing bytes: [UInt8], _ limits: JSONLimits = .request) throws(JSONFault) {
        var reader = JSONReader<JSONValue>(bytes, limits)
        self = try reader.document()
    }

    /// The members of an object.
    package var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    /// The text of a string.
    package var string: String? { if case .text(let text) = self { text } else { nil } }
    /// The elements of an array.
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The value of a number.
    package var double: Double? { if case .number(let number) = self { number } else { nil } }

    /// The largest whole number that all readers of JSON have exactly (RFC 8259, 6).
    package static let largestInteger = (1 << 53) - 1

    /// A whole number, or the text of one; `nil` for anything else, also for a number near a whole one.
    package var wholeNumber: Int? {
        switch self {
        case .number(let number): Int(exactly: number)
        case .text(let text): Int(text)
        case .boolean, .null, .array, .object: nil
        }
    }

    /// The value as `ctl set` and profiles have it; `nil` for what is not one text.
    package var setting: String? {
        switch self {
        case .text(let text): text
        case .boolean(let value): value ? "true" : "false"
        case .number(let number): Self.decimal(number)
        case .null, .array, .object: nil
        }
    }

    /// A number without an exponent, to a millionth; unchanged where it is too large for that.
    private static func decimal(_ number: Double) -> String {
        if let integer = Int(exactly: number) { return String(integer) }
        guard let millionths = Int(exactly: (number * 1_000_000).rounded()) else { return "\(number)" }
        let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(rest)
        var fraction = String(repeating: "0", count: 6 - digits.count) + digits
        while fraction.last == "0" { fraction.removeLast() }
        return (millionths < 0 ? "-" : "") + "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)")
    }

    /// Whether it has at least what a pattern has: the members of objects, and equal other values. A number equals its text.
    /// In texts of the pattern, a `*` at the end stands for any text.
    package func matches(_ pattern: JSONValue) -> Bool {
        switch (self, pattern) {
        case (.object(let members), .object(let wanted)):
            wanted.allSatisfy { key, value in members[key].map { $0.matches(value) } ?? false }
        case (.text(let text), .text(let wanted)) where wanted.hasSuffix("*"): text.hasPrefix(wanted.dropLast())
        default: self == pattern || (setting != nil && setting == pattern.setting)
        }
    }
}

extension JSONValue: Codable {
    // Of the answers of a run. What clients send is parsed without a decoder, which has to try one type after the other.
    package init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            self = .object(
                Dictionary(
                    uniqueKeysWithValues: try members.allKeys.map { key in
                        (key.stringValue, try members.decode(JSONValue.self, forKey: key))
                    }))
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
            self = .array(values)
        } else {
            self = try Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let text = try? container.decode(String.self) { return .text(text) }
        if let number = try? container.decode(Double.self) { return .number(number) }
        return .boolean(try container.decode(Bool.self))
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .number(let value):
            if let integer = Int(exactly: value) { try container.encode(integer) } else { try container.encode(value) }
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
