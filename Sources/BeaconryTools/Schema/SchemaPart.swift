// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// The parts of a JSON Schema (draft 7, which editors of YAML know).
enum SchemaPart {
    /// A key of a mapping with the schema of its value.
    typealias Key = (name: String, value: JSONValue)

    /// A single value. What it may be is for the parser: YAML has `1`, `1..5`, `{n}` and `${NAME}` in the same place.
    static let single: JSONValue = .object(["type": .array([.text("string"), .text("number"), .text("boolean")])])

    /// A single value with a description.
    static func single(_ description: String) -> JSONValue { described(single, description) }

    /// `true` or `false`.
    static func boolean(_ description: String) -> JSONValue {
        described(any([.object(["type": .text("boolean")]), variable]), description)
    }

    /// One of these texts. YAML 1.1 reads `off` as false.
    static func choice(_ names: [String], _ description: String) -> JSONValue {
        let values = names.map { JSONValue.text($0) } + (names.contains("off") ? [.boolean(false)] : [])
        return described(any([.object(["enum": .array(values)]), variable]), description)
    }

    /// A list.
    static func list(of part: JSONValue, _ description: String = "") -> JSONValue {
        described(.object(["type": .text("array"), "items": part]), description)
    }

    /// One value, or a list of them.
    static func oneOrMore(of part: JSONValue, _ description: String) -> JSONValue {
        described(any([part, list(of: part)]), description)
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

    /// A text with an environment variable, or with the number of a copy.
    private static let variable: JSONValue = .object(["type": .text("string"), "pattern": .text("[$]\\{|\\{n")])

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
