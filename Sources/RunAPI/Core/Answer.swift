// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
package import JSON

/// The content of a response.
package enum Content: Sendable {
    /// JSON.
    /// - Parameter isNew: Whether something was created: status 201.
    case json(JSONBody, isNew: Bool = false)
    /// None: status 204.
    case nothing
    /// Another media type.
    case bytes(BytesContent)
    /// JSON that is there later. The request is accepted, and the client sees that the connection is alive meanwhile.
    case later(@Sendable () async -> JSONBody)
    /// Events until the client or the run ends.
    case events(EventFeed)
    /// Records, each as JSON on one line, until the client ends, or the source of the records.
    case lines(any AsyncSequence<String, Never> & Sendable)

    /// Whether it lasts until the client or the run ends.
    package var isStream: Bool {
        switch self {
        case .events, .lines: true
        case .json, .nothing, .bytes, .later: false
        }
    }
}

/// Content of another media type than JSON.
package struct BytesContent: Sendable {
    package let blocks: [[UInt8]]
    package let type: String
    /// The tag for conditional requests (RFC 9110, 8.8.3).
    package let tag: String?
    /// The path with which the same content is read again (RFC 9110, 8.7).
    package let location: String?
    /// Whether the blocks are those of the run, so that a reply takes no memory of its own for them.
    package let isShared: Bool

    package init(
        _ blocks: [[UInt8]], type: String, isShared: Bool, tag: String? = nil, location: String? = nil
    ) {
        (self.blocks, self.type, self.tag, self.location, self.isShared) = (blocks, type, tag, location, isShared)
    }
}

/// A JSON value, whose parts are encoded when they are written: a long list is never in memory as text.
package struct JSONBody: Sendable {
    /// The text up to the first part.
    package let opening: String
    /// The text after the last part.
    package let closing: String
    /// The number of places for parts, between which there are commas.
    package let count: Int
    /// Whether the values of the parts are those of the run, or are read with each part, so that a reply takes no memory of its own
    /// for them.
    package let isShared: Bool
    /// The part at a place as JSON on a line; `nil` or empty for none.
    package let part: @Sendable (Int) async -> String?

    /// A value, as one part.
    init(_ value: some Encodable & Sendable) {
        (opening, closing, count, isShared, part) = ("", "", 1, false, { _ in JSONLine.encode(value) })
    }

    /// An object with a list.
    /// - Parameters:
    ///   - name: The member that has the list.
    ///   - others: The other members.
    ///   - isShared, part: see the properties; a part may be several elements with commas between them.
    init(
        _ name: String, count: Int, isShared: Bool, _ others: [String: JSONValue] = [:],
        part: @escaping @Sendable (Int) async -> String?
    ) {
        let members = others.sorted { $0.key < $1.key }.map { ($0.key, "\"\($0.key)\":\(JSONLine.encode($0.value))") }
        opening = "{" + members.filter { $0.0 < name }.map { "\($0.1)," }.joined() + "\"\(name)\":["
        closing = "]" + members.filter { $0.0 > name }.map { ",\($0.1)" }.joined() + "}"
        (self.count, self.isShared, self.part) = (count, isShared, part)
    }

    /// An object with a list of records.
    init(_ name: String, _ records: [some Encodable & Sendable], _ others: [String: JSONValue] = [:]) {
        self.init(name, count: records.count, isShared: false, others) { JSONLine.encode(records[$0]) }
    }
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
    package var content: Content { .json(JSONBody(self)) }
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
    package var content: Content { .json(JSONBody(value), isNew: true) }
    package let value: Value

    init(_ value: Value) { self.value = value }
}

/// A record that was created, or replaced.
package struct Stored<Value: Record>: Answer {
    package static var description: AnswerDescription { .json(Value.schema, [200, 201]) }
    package var content: Content { .json(JSONBody(value), isNew: isNew) }
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
    package let content: Content
    /// The records; empty if they are read when they are written.
    package let elements: [Element]

    init(_ elements: [Element]) {
        self.elements = elements
        content = .json(JSONBody(Element.plural, elements))
    }

    /// Records that are read when they are written, each page of them at one time.
    /// - Parameter page: the records of a page.
    init(pages: Int, _ page: @escaping @Sendable (Int) async -> [Element]) {
        elements = []
        content = .json(
            JSONBody(Element.plural, count: pages, isShared: true) { number in
                await page(number).map { JSONLine.encode($0) }.joined(separator: ",")
            })
    }
}

/// A record that operations return several of.
package protocol ListedRecord: Record {
    /// The name of the member that contains the records.
    static var plural: String { get }
}
