// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import FoundationEssentials
import JSON
import Receiving

extension PostedEvent: Encodable {
    package func encode(to encoder: any Encoder) throws {
        let form = event.form
        var fields = EventFields(encoder, of: form.kind)
        try fields.set(.v, 1)
        try fields.set(.time, Timestamp.text(time))
        try fields.set(.event, form.kind.name)
        try fields.set(.device, event.device)
        try fields.set(.label, label)
        if case .phone(_, let accessory, _) = event { try fields.set(.central, accessory?.address.description) }
        try form.write(&fields)
    }
}

/// The fields of an event's JSON object; a field that does not concern the event is absent.
struct EventFields {
    /// A field, or an argument of a device's report.
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    private var container: KeyedEncodingContainer<Key>
    private let kind: EventKind

    init(_ encoder: any Encoder, of kind: EventKind) {
        container = encoder.container(keyedBy: Key.self)
        self.kind = kind
    }

    /// Sets a field; `nil` leaves it out.
    mutating func set(_ field: EventField, _ value: (some Encodable)?) throws { try set(named: field.name, value) }

    /// Sets a field to bytes in lower-case hexadecimal digits.
    mutating func set(_ field: EventField, hexadecimal bytes: [UInt8]) throws {
        try set(field, Hexadecimal.string(bytes))
    }

    /// Sets the field with a name; `nil` leaves it out.
    mutating func set(named field: String, _ value: (some Encodable)?) throws {
        assert(value == nil || kind.has(field), "\(kind.name) has no \(field) in EventKind")
        try container.encodeIfPresent(value, forKey: Key(field))
    }
}

/// Checks of the members that a pattern requires of events.
enum EventPattern {
    /// Checks the name of the event, and the keys, which the event must have.
    /// - Throws: `EmulatorError` `.badProfile`.
    static func check(_ pattern: [String: JSONValue]) throws(EmulatorError) {
        let kinds = try kinds(of: pattern[EventField.event.name])
        let everywhere = Set((EventField.common + [EventField.sequence]).map(\.name))
        for (key, value) in pattern.sorted(by: { $0.key < $1.key }) where !everywhere.contains(key) {
            guard EventKind.allFieldNames.contains(key) else {
                throw EmulatorError(
                    .badProfile, "events have no \"\(key)\"",
                    hint: Spelling.hint(key, "keys", EventKind.allFieldNames.sorted()))
            }
            let fields = kinds.flatMap(\.fields)
            guard let field = fields.first(where: { $0.name == key }) else {
                throw EmulatorError(
                    .badProfile, "the event \"\(pattern[EventField.event.name]?.string ?? "")\" has no \"\(key)\"",
                    hint: Spelling.hint(key, "its keys", Set((fields + EventField.common).map(\.name)).sorted()))
            }
            if let members = value.members { try check(members, of: field) }
        }
    }

    private static func kinds(of name: JSONValue?) throws(EmulatorError) -> [EventKind] {
        guard let name else { return EventKind.all }
        guard let text = name.string else {
            throw EmulatorError(.badProfile, "\"event\" must be the name of an event, such as \"connected\"")
        }
        return try EventKind.matching(text)
    }

    private static func check(_ members: [String: JSONValue], of field: EventField) throws(EmulatorError) {
        switch field.type {
        case .named: break
        case .object(let known):
            guard let unknown = members.keys.sorted().first(where: { !known.contains($0) }) else { return }
            throw EmulatorError(
                .badProfile, "\"\(field.name)\" of events has no \"\(unknown)\"",
                hint: Spelling.hint(unknown, "keys", known))
        case .text, .integer, .number, .boolean, .texts, .numbers, .objects:
            throw EmulatorError(.badProfile, "\"\(field.name)\" of events is not an object")
        }
    }
}
