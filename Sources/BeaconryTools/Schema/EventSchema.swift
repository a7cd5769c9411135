// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON

/// The JSON Schema of the events that a run prints with `--json`.
enum EventSchema {
    static var document: JSONValue {
        let kinds = EventKind.all
        let fields = (EventField.common + [EventField.sequence] + kinds.flatMap(\.fields)).map { field in
            Schema.Member.optional(field.name, schema(of: field.type), field.meaning)
        }
        return Schema([
            "type": .text("object"), "required": .array(EventField.common.map { .text($0.name) }),
            "properties": Schema.properties(fields),
            "anyOf": .array(kinds.map { schema(of: $0, .text($0.name), "const") } + [reserved]),
            "x-hints": .object(EventKind.hints.mapValues { .text($0) }),
        ]).document(title: "An event of beaconry", definitions: [])
    }

    /// The events that have a number in their names.
    private static var reserved: JSONValue {
        let kind = EventKind.reservedNotification
        return schema(of: kind, .text("^\(kind.name)$"), "pattern")
    }

    private static func schema(of kind: EventKind, _ name: JSONValue, _ comparison: String) -> JSONValue {
        let names = (EventField.common + [EventField.sequence] + kind.fields).map { JSONValue.text($0.name) }
        return .object([
            "title": .text(kind.name), "description": .text(kind.meaning),
            "properties": .object(["event": .object([comparison: name])]),
            "propertyNames": .object(["enum": .array(names)]),
        ])
    }

    private static func schema(of type: EventField.ValueType) -> Schema {
        switch type {
        case .text: .text
        case .integer: .integer
        case .number: .number
        case .boolean: .boolean
        case .texts: .array(.text)
        case .numbers: .array(.number)
        case .objects: .array(.anyObject)
        case .object(let members):
            .anyObject.with(["propertyNames": .object(["enum": .array(members.map { .text($0) })])])
        case .named: .anyObject
        }
    }
}
