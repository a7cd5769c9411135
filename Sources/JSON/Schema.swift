// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A JSON schema of a value, and the named schemas that it refers to. The keywords are the same in draft 7, which editors of YAML
/// know, and in 2020-12, which OpenAPI has.
package struct Schema: Hashable, Sendable {
    /// The members of the schema.
    package private(set) var members: [String: JSONValue]
    /// The schemas that are referred to, by name.
    package private(set) var named: [String: Schema] = [:]

    package init(_ members: [String: JSONValue], named: [String: Schema] = [:]) {
        self.members = members
        self.named = named
    }

    /// The schema as JSON.
    package var json: JSONValue { .object(members) }

    // MARK: - Values

    /// A text; the pattern is a regular expression for all of it.
    package static func text(pattern: String? = nil, example: String? = nil) -> Schema {
        var members: [String: JSONValue] = ["type": .text("string")]
        members["pattern"] = pattern.map { .text("^(\($0))$") }
        members["examples"] = example.map { .array([.text($0)]) }
        return Schema(members)
    }

    package static let text = text()
    /// A text with at least one character.
    package static let name = Schema(["type": .text("string"), "minLength": .number(1)])
    package static let number = Schema(["type": .text("number")])
    package static let boolean = Schema(["type": .text("boolean")])
    package static let integer = Schema(["type": .text("integer")])
    /// Any value.
    package static let any = Schema([:])
    /// An object with any members.
    package static let anyObject = Schema(["type": .text("object")])

    package static func integer(_ range: ClosedRange<Int>) -> Schema {
        Schema([
            "type": .text("integer"), "minimum": .number(Double(range.lowerBound)),
            "maximum": .number(Double(range.upperBound)),
        ])
    }

    package static func integer(from least: Int) -> Schema { .integer(least...JSONValue.largestInteger) }

    package static func number(_ range: ClosedRange<Double>) -> Schema {
        Schema([
            "type": .text("number"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
        ])
    }

    /// One of these texts.
    package static func choice(_ names: [String]) -> Schema {
        Schema(["type": .text("string"), "enum": .array(names.map { .text($0) })])
    }

    /// One of the names of an enumeration.
    package static func choice<Value: CaseIterable & RawRepresentable<String>>(_: Value.Type) -> Schema {
        choice(Value.allCases.map(\.rawValue))
    }

    // MARK: - Values of several parts

    /// - Parameter count: the number of elements.
    package static func array(_ element: Schema, _ count: ClosedRange<Int> = 0...Int.max) -> Schema {
        var schema = Schema(["type": .text("array"), "items": element.json], named: element.named)
        if count.lowerBound > 0 { schema.members["minItems"] = .number(Double(count.lowerBound)) }
        if count.upperBound < .max { schema.members["maxItems"] = .number(Double(count.upperBound)) }
        return schema
    }

    package static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema(["anyOf": .array(schemas.map(\.json))], named: merged(schemas))
    }

    /// An object with any names of members, whose values have one schema.
    package static func dictionary(_ value: Schema) -> Schema {
        Schema(["type": .text("object"), "additionalProperties": value.json], named: value.named)
    }

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package let name: String
        package let schema: Schema
        package let meaning: String
        let isRequired: Bool

        /// A member that is always there.
        package static func required(_ name: String, _ schema: Schema, _ meaning: String) -> Member {
            Member(name: name, schema: schema, meaning: meaning, isRequired: true)
        }

        /// A member that may be absent.
        package static func optional(_ name: String, _ schema: Schema, _ meaning: String) -> Member {
            Member(name: name, schema: schema, meaning: meaning, isRequired: false)
        }
    }

    /// An object of these members.
    /// - Precondition: no two members have the same name.
    /// - Parameters:
    ///   - isOpen: Whether it may have others.
    ///   - others: The values of others; `nil` for any, if it may have others.
    package static func object(_ members: [Member], isOpen: Bool = false, others: Schema? = nil) -> Schema {
        let required = members.filter(\.isRequired).map { JSONValue.text($0.name) }
        let properties = members.map { ($0.name, $0.schema.described($0.meaning).json) }
        var schema = Schema(
            ["type": .text("object"), "properties": .object(Dictionary(uniqueKeysWithValues: properties))],
            named: merged(members.map(\.schema)))
        if !required.isEmpty { schema.members["required"] = .array(required) }
        if let others {
            schema.members["additionalProperties"] = others.json
        } else if !isOpen {
            schema.members["additionalProperties"] = .boolean(false)
        }
        return schema
    }

    /// A reference to a named schema of an object, which it brings along.
    package static func record(_ name: String, _ members: [Member], isOpen: Bool = false) -> Schema {
        let object = object(members, isOpen: isOpen)
        var named = object.named
        named[name] = Schema(object.members)
        return Schema(["$ref": .text("#/components/schemas/\(name)")], named: named)
    }

    /// The schema of each member; of members with the same name the first one counts.
    package static func properties(_ members: [Member]) -> JSONValue {
        .object(
            Dictionary(
                members.map { ($0.name, $0.schema.described($0.meaning).json) }, uniquingKeysWith: { first, _ in first }
            ))
    }

    /// The same schema with a description; without a change if that is empty.
    package func described(_ meaning: String) -> Schema {
        meaning.isEmpty ? self : with(["description": .text(meaning)])
    }

    /// The same schema with further members.
    package func with(_ others: [String: JSONValue]) -> Schema {
        Schema(members.merging(others) { $1 }, named: named)
    }

    private static func merged(_ schemas: [Schema]) -> [String: Schema] {
        schemas.reduce(into: [:]) { $0.merge($1.named) { first, _ in first } }
    }
}
