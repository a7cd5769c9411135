// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The names of value formats in profiles.
package enum FormatText {
    private static let integers: [String: (size: Int, isSigned: Bool)] = [
        "uint8": (1, false), "uint16": (2, false), "uint24": (3, false), "uint32": (4, false), "uint40": (5, false),
        "uint48": (6, false), "uint64": (8, false), "int8": (1, true), "int16": (2, true), "int24": (3, true),
        "int32": (4, true), "int64": (8, true),
    ]

    /// The texts of formats.
    package static let shape: ValueShape = {
        let ordered = (integers.keys + ["float32", "float64"]).sorted().joined(separator: "|")
        let orders = ByteOrder.allCases.map(\.rawValue).joined(separator: "|")
        return .pattern("(\(ordered))( +(\(orders)))?|hex|text|boolean|sfloat|float")
    }()

    /// The format of a text such as `uint16`, `uint16 be`, `sfloat` or `text`.
    static func format(_ text: String) throws(ValueFault) -> ValueFormat {
        let words = text.split(separator: " ").map(String.init)
        if let format = named(words) { return format }
        throw ValueFault(
            "there is no type \"\(text)\"; types are hex, text, boolean, uint8 to uint64, int8 to int64, float32, float64, "
                + "sfloat and float, and a byte order follows after a space: uint16 be")
    }

    private static func named(_ words: [String]) -> ValueFormat? {
        guard let name = words.first, words.count <= 2 else { return nil }
        let order = words.count == 2 ? ByteOrder(rawValue: words[1]) : .littleEndian
        guard let order else { return nil }
        if let integer = integers[name] {
            return .integer(IntegerFormat(size: integer.size, isSigned: integer.isSigned, order: order))
        }
        switch name {
        case "float32": return .float32(order)
        case "float64": return .float64(order)
        case "hex" where words.count == 1: return .octets
        case "text" where words.count == 1: return .text
        case "boolean" where words.count == 1: return .boolean
        case "sfloat" where words.count == 1: return .medical(.short, decimals: nil)
        case "float" where words.count == 1: return .medical(.long, decimals: nil)
        default: return nil
        }
    }

    /// The text of a format, without scale and decimals.
    static func text(_ format: ValueFormat) -> String {
        switch format {
        case .octets: "hex"
        case .text: "text"
        case .boolean: "boolean"
        case .integer(let format):
            (integers.first { $0.value == (format.size, format.isSigned) }?.key ?? "uint8")
                + " \(format.order.rawValue)"
        case .float32(let order): "float32 \(order.rawValue)"
        case .float64(let order): "float64 \(order.rawValue)"
        case .medical(let format, _): format == .short ? "sfloat" : "float"
        }
    }

    /// A property by its name.
    static func property(_ text: String) throws(ValueFault) -> CharacteristicProperties {
        guard let property = properties.first(where: { $0.name == text })?.property else {
            throw ValueFault(
                Spelling.unknown("there is no property \"\(text)\"", text, "properties", properties.map(\.name)))
        }
        return property
    }

    /// The properties that profiles know.
    static let properties: [(name: String, property: CharacteristicProperties)] = [
        ("read", .read), ("write", .write), ("write-without-response", .writeWithoutResponse), ("notify", .notify),
        ("indicate", .indicate),
    ]

    /// The names of the properties.
    package static var propertyNames: [String] { properties.map(\.name) }

    /// The names of the demands on links.
    package static var securityNames: [String] { securities.map(\.name) }

    /// A demand on the link by its name.
    static func security(_ text: String) throws(ValueFault) -> AttributeSecurity {
        guard let security = securities.first(where: { $0.name == text })?.security else {
            throw ValueFault(Spelling.notOne(text, of: securities.map(\.name)))
        }
        return security
    }

    /// The demands on links that profiles know.
    static let securities: [(name: String, security: AttributeSecurity)] = [
        ("open", []), ("encrypted", .encryption), ("authenticated", [.encryption, .authentication]),
    ]
}
