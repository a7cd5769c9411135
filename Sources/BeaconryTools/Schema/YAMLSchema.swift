// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import JSON

/// The schemas of values in YAML, where what looks like a number may be a text, and a text may have a variable or the number of a
/// copy in its place.
extension Schema {
    /// A single value of any kind.
    static let single = Schema(["type": types(["string", "number", "boolean"])])

    /// A single value of a shape.
    static func value(_ shape: ValueShape) -> Schema {
        switch shape {
        case .any: return single
        case .text(let length):
            return single.with([
                "minLength": .number(Double(length.lowerBound)), "maxLength": .number(Double(length.upperBound)),
            ])
        case .pattern(let pattern, let look):
            let others: [String] =
                switch look {
                case .text: []
                case .digits, .integer: ["integer"]
                case .scalar: ["number", "boolean"]
                }
            let schema = Schema(["type": types(["string"] + others), "pattern": textPattern(pattern)])
            return look == .digits ? schema.with(["minimum": .number(0)]) : schema
        case .choice(let names):
            // YAML takes some of them for numbers or truth values.
            var values = names.map { JSONValue.text($0) }
            values += names.compactMap { name in Double(name).map { .number($0) } }
            values += names.compactMap { name in Bool(name).map { .boolean($0) } }
            return .anyOf([
                Schema(["enum": .array(values)]), Schema(["type": .text("string"), "pattern": textPattern(nil)]),
            ])
        case .boolean: return Schema(["type": types(["boolean", "string"]), "pattern": textPattern("true|false")])
        case .integer(let range, let unit, let isHexadecimal):
            let digits = "[-+]?[0-9]+\(unitPattern(unit))\(isHexadecimal ? "|0x[0-9A-Fa-f]+" : "")"
            var limits: [String: JSONValue] = [:]
            if range.lowerBound > .min { limits["minimum"] = .number(Double(range.lowerBound)) }
            if range.upperBound < .max { limits["maximum"] = .number(Double(range.upperBound)) }
            return Schema(["type": types(["integer", "string"]), "pattern": textPattern(digits)]).with(limits)
        case .number(let range, let unit): return number(range, unit, ("minimum", "maximum"))
        case .open(let range, let unit, let excluded):
            let names =
                excluded == .lowest ? ("exclusiveMinimum", "maximum") : ("minimum", "exclusiveMaximum")
            return number(range, unit, names)
        case .either(let shapes): return .anyOf(shapes.map { value($0) })
        }
    }

    private static func number(
        _ range: ClosedRange<Double>, _ unit: String, _ names: (lowest: String, highest: String)
    ) -> Schema {
        let digits = "[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?"
        var limits: [String: JSONValue] = [:]
        if range.lowerBound > -.infinity { limits[names.lowest] = .number(range.lowerBound) }
        if range.upperBound < .infinity { limits[names.highest] = .number(range.upperBound) }
        return Schema(["type": types(["number", "string"]), "pattern": textPattern(digits + unitPattern(unit))])
            .with(limits)
    }

    private static func unitPattern(_ unit: String) -> String { unit.isEmpty ? "" : "( *\(unit))?" }

    private static func types(_ names: [String]) -> JSONValue {
        names.count == 1 ? .text(names[0]) : .array(names.map { .text($0) })
    }

    /// The pattern of a text: all of a regular expression, or what is replaced before it is read: an environment variable, the
    /// number of a copy, or numbers for several copies.
    private static func textPattern(_ pattern: String?) -> JSONValue {
        let replaced = "[$]\\{|\\{n|[.][.]"
        return .text(pattern.map { "^(\($0))$|\(replaced)" } ?? replaced)
    }

    /// A mapping with keys of a shape.
    static func dictionary(keys: ValueShape, _ element: Schema) -> Schema {
        // A key of JSON is a text, also where YAML reads a number.
        dictionary(element).with(["propertyNames": value(keys).json])
    }

    /// One value, or a list of values.
    static func oneOrMore(_ element: Schema, _ count: ClosedRange<Int> = 0...Int.max) -> Schema {
        .anyOf([element, .array(element, count)])
    }

    /// A part that is defined under this name.
    static func definition(_ name: String) -> Schema { Schema(["$ref": .text("#/definitions/\(name)")]) }

    /// A document (draft 7).
    /// - Parameter definitions: the parts that are referred to by their names.
    func document(title: String, definitions: [Member]) -> JSONValue {
        with([
            "$schema": .text("http://json-schema.org/draft-07/schema#"), "title": .text(title),
            "definitions": Self.properties(definitions),
        ]).json
    }
}
