// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Emulator
import JSON

/// The parts of a JSON Schema (draft 7, which editors of YAML know).
enum SchemaPart {
    /// A key of a mapping with the schema of its value.
    typealias Key = (name: String, value: JSONValue)

    /// A single value of any kind.
    static let single: JSONValue = .object(["type": .array([.text("string"), .text("number"), .text("boolean")])])

    /// A single value with a description.
    static func single(_ description: String) -> JSONValue { described(single, description) }

    /// A single value of a shape, or a text with a variable or the number of a copy in its place.
    static func value(_ shape: ValueShape, _ description: String = "") -> JSONValue {
        described(schema(of: shape), description)
    }

    /// `true` or `false`.
    static func boolean(_ description: String) -> JSONValue { value(.boolean, description) }

    /// One of these texts.
    static func choice(_ names: [String], _ description: String) -> JSONValue { value(.choice(names), description) }

    private static func schema(of shape: ValueShape) -> JSONValue {
        switch shape {
        case .any: return single
        case .text(let length):
            var members = single.members ?? [:]
            members["minLength"] = .number(Double(length.lowerBound))
            members["maxLength"] = .number(Double(length.upperBound))
            return .object(members)
        case .pattern(let pattern, let look):
            let others: [String] =
                switch look {
                case .text: []
                case .digits, .integer: ["integer"]
                case .scalar: ["number", "boolean"]
                }
            var members: [String: JSONValue] = ["type": types(["string"] + others), "pattern": text(pattern)]
            if look == .digits { members["minimum"] = .number(0) }
            return .object(members)
        case .choice(let names):
            // YAML takes some of them for numbers or truth values.
            var values = names.map { JSONValue.text($0) }
            values += names.compactMap { name in Double(name).map { .number($0) } }
            values += names.compactMap { name in Bool(name).map { .boolean($0) } }
            return any([.object(["enum": .array(values)]), .object(["type": .text("string"), "pattern": text(nil)])])
        case .boolean: return .object(["type": types(["boolean", "string"]), "pattern": text("true|false")])
        case .integer(let range, let unit, let isHexadecimal):
            let hexadecimal = isHexadecimal ? "|0x[0-9A-Fa-f]+" : ""
            var members: [String: JSONValue] = [
                "type": types(["integer", "string"]), "pattern": text("[-+]?[0-9]+\(unitPattern(unit))\(hexadecimal)"),
            ]
            if range.lowerBound > .min { members["minimum"] = .number(Double(range.lowerBound)) }
            if range.upperBound < .max { members["maximum"] = .number(Double(range.upperBound)) }
            return .object(members)
        case .number(let range, let unit): return number(range, unit, ("minimum", "maximum"))
        case .open(let range, let unit, let excluded):
            let names =
                excluded == .lowest ? ("exclusiveMinimum", "maximum") : ("minimum", "exclusiveMaximum")
            return number(range, unit, names)
        case .either(let shapes): return any(shapes.map { schema(of: $0) })
        }
    }

    private static func number(
        _ range: ClosedRange<Double>, _ unit: String, _ names: (lowest: String, highest: String)
    ) -> JSONValue {
        let digits = "[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?"
        var members: [String: JSONValue] = [
            "type": types(["number", "string"]), "pattern": text(digits + unitPattern(unit)),
        ]
        if range.lowerBound > -.infinity { members[names.lowest] = .number(range.lowerBound) }
        if range.upperBound < .infinity { members[names.highest] = .number(range.upperBound) }
        return .object(members)
    }

    private static func unitPattern(_ unit: String) -> String { unit.isEmpty ? "" : "( *\(unit))?" }

    private static func types(_ names: [String]) -> JSONValue {
        names.count == 1 ? .text(names[0]) : .array(names.map { .text($0) })
    }

    /// The pattern of a text: all of a regular expression, or what is replaced before it is read: an environment variable, the
    /// number of a copy, or numbers for several copies.
    private static func text(_ pattern: String?) -> JSONValue {
        let replaced = "[$]\\{|\\{n|[.][.]"
        return .text(pattern.map { "^(\($0))$|\(replaced)" } ?? replaced)
    }

    /// A list.
    /// - Parameter count: the number of its values.
    static func list(
        of part: JSONValue, _ description: String = "", count: ClosedRange<Int> = 0...Int.max
    ) -> JSONValue {
        var members: [String: JSONValue] = ["type": .text("array"), "items": part]
        if count.lowerBound > 0 { members["minItems"] = .number(Double(count.lowerBound)) }
        if count.upperBound < .max { members["maxItems"] = .number(Double(count.upperBound)) }
        return described(.object(members), description)
    }

    /// A mapping with keys of a shape.
    static func pairs(keys: ValueShape, values: JSONValue, _ description: String) -> JSONValue {
        // A key of JSON is a text, also where YAML reads a number.
        described(
            .object([
                "type": .text("object"), "propertyNames": schema(of: keys), "additionalProperties": values,
            ]), description)
    }

    /// One value, or a list of them.
    /// - Parameter count: the number of values in the list.
    static func oneOrMore(
        of part: JSONValue, _ description: String, count: ClosedRange<Int> = 0...Int.max
    ) -> JSONValue {
        described(any([part, list(of: part, count: count)]), description)
    }

    /// One of these parts.
    static func any(_ parts: [JSONValue]) -> JSONValue { .object(["anyOf": .array(parts)]) }

    /// A mapping with these keys only, and merge keys.
    static func mapping(_ keys: [Key], required: [String] = [], _ description: String = "") -> JSONValue {
        var schema: [String: JSONValue] = [
            "type": .text("object"), "additionalProperties": .boolean(false), "properties": properties(keys),
        ]
        if !required.isEmpty { schema["required"] = .array(required.map { .text($0) }) }
        return described(.object(schema), description)
    }

    /// The schema of each key; of keys with the same name the first one counts.
    static func properties(_ keys: [Key]) -> JSONValue {
        .object(Dictionary(keys.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
    }

    /// A part that is defined under this name.
    static func definition(_ name: String) -> JSONValue { .object(["$ref": .text("#/definitions/\(name)")]) }

    /// A part with what editors show about it.
    static func described(_ part: JSONValue, _ description: String) -> JSONValue {
        guard !description.isEmpty, case .object(var members) = part else { return part }
        // In draft 7, what is beside a reference does not count.
        if members["$ref"] != nil { members = ["allOf": .array([part])] }
        members["description"] = .text(description)
        return .object(members)
    }

    /// A document.
    /// - Parameter definitions: the parts that are referred to by their names.
    static func document(_ root: JSONValue, title: String, definitions: [Key]) -> JSONValue {
        var members = root.members ?? [:]
        members["$schema"] = .text("http://json-schema.org/draft-07/schema#")
        members["title"] = .text(title)
        members["definitions"] = properties(definitions)
        return .object(members)
    }
}
