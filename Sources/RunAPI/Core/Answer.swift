// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
package import JSON

/// The content of a response.
package enum Content: Sendable {
    /// JSON.
    /// - Parameters:
    ///   - records: The number of records in it; many are encoded where other requests do not wait.
    ///   - isNew: Whether something was created: status 201.
    case json(any Encodable & Sendable, records: Int = 1, isNew: Bool = false)
    /// None: status 204.
    case nothing
    /// Another media type, the tag of the content for conditional requests (RFC 9110, 8.8.3), and the path with which the
    /// same content is read again (8.7).
    case bytes([UInt8], type: String, tag: String? = nil, location: String? = nil)
    /// JSON that is there later. The request is accepted, and the client sees that the connection is alive meanwhile.
    case later(@Sendable () async -> any Encodable & Sendable)
    /// Events until the client or the run ends.
    case events(EventFeed)
    /// Records, each as JSON on one line, until the client ends, or the source of the records.
    case lines(any AsyncSequence<String, Never> & Sendable)
}

/// What an operation returns.
package protocol Answer: Sendable {
    static var description: AnswerDescription { get }
    var content: Content { get }
}

/// The success of an operation, for descriptions.
package struct AnswerDescription: Sendable {
    /// Of the HTTP status codes, at least one.
    package let statuses: [Int]
    /// The media type; `nil` without content.
    package let type: String?
    package let schema: Schema?

    /// JSON of this schema.
    static func json(_ schema: Schema, _ statuses: [Int] = [200]) -> AnswerDescription {
        AnswerDescription(statuses: statuses, type: "application/json", schema: schema)
    }
}

/// A JSON object whose schema stands beside its properties.
package protocol Record: Answer, Encodable {
    static var schema: Schema { get }
}

extension Record {
    package static var description: AnswerDescription { .json(schema) }
    package var content: Content { .json(self) }
}

/// Success without content.
package struct Nothing: Answer {
    package static let description = AnswerDescription(statuses: [204], type: nil, schema: nil)
    package var content: Content { .nothing }

    package init() {}
}

/// A record of something that was created.
package struct Created<Value: Record>: Answer {
    package static var description: AnswerDescription { .json(Value.schema, [201]) }
    package var content: Content { .json(value, isNew: true) }
    package let value: Value

    init(_ value: Value) { self.value = value }
}

/// A record that was created, or replaced.
package struct Stored<Value: Record>: Answer {
    package static var description: AnswerDescription { .json(Value.schema, [200, 201]) }
    package var content: Content { .json(value, isNew: isNew) }
    package let value: Value
    private let isNew: Bool

    init(_ value: Value, isNew: Bool) {
        self.value = value
        self.isNew = isNew
    }
}

/// Records as server-sent events (HTML, 9.2).
package struct RecordStream: Answer {
    package static let description = AnswerDescription(statuses: [200], type: "text/event-stream", schema: .text)
    package let content: Content

    init(_ lines: any AsyncSequence<String, Never> & Sendable) { content = .lines(lines) }
}

/// Several records as the one member of an object.
package struct Listed<Element: ListedRecord>: Answer {
    package static var description: AnswerDescription {
        .json(.object([.required(Element.plural, .array(Element.schema), "")]))
    }
    package var content: Content { .json([Element.plural: elements], records: elements.count) }
    package let elements: [Element]

    init(_ elements: [Element]) { self.elements = elements }
}

/// A record that operations return several of.
package protocol ListedRecord: Record {
    /// The name of the member that contains the records.
    static var plural: String { get }
}
