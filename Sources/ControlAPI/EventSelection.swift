// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Synchronization

/// Which events a client wants.
struct EventSelection: Sendable {
    /// The names of events; `nil` for all.
    private let types: Set<String>?
    /// The beacon or phone; `nil` for all.
    private let device: String?

    /// - Parameter query: `types`, names with commas between them, and `device`.
    init(_ query: [String: String]) {
        types = query["types"].map { Set($0.split(separator: ",").map(String.init)) }
        device = query["device"]
    }

    /// The line of an event; `nil` if it is not selected.
    func line(_ event: PostedEvent, _ lines: EventLines) -> String? {
        if let device, event.event.device != device { return nil }
        let (name, line) = lines.line(of: event)
        return types?.contains(name) == false ? nil : line
    }

    /// The line of an event as server-sent events have it (HTML, 9.2.5); `nil` if it is not selected.
    func message(_ event: PostedEvent, _ lines: EventLines) -> String? {
        if case .lost(let count) = event.event { return "event: overflow\ndata: {\"count\":\(count)}\n\n" }
        return line(event, lines).map { "id: \(event.sequence)\ndata: \($0)\n\n" }
    }
}

/// The last events as JSON, so that each is encoded once for all streams.
final class EventLines: Sendable {
    private struct Line: Sendable {
        var sequence: UInt64 = 0
        var name = ""
        var text = ""
    }

    private static let capacity = 1024

    private let lines = Mutex(Array(repeating: Line(), count: capacity))

    /// The name of an event, and its JSON object on one line.
    func line(of event: PostedEvent) -> (name: String, text: String) {
        let index = Int(event.sequence % UInt64(Self.capacity))
        let known = lines.withLock { $0[index] }
        if known.sequence == event.sequence, event.sequence > 0 { return (known.name, known.text) }
        let text = JSONLine.encode(event)
        let name = JSONValue(parsing: Array(text.utf8))?.members?["event"]?.string ?? ""
        lines.withLock { $0[index] = Line(sequence: event.sequence, name: name, text: text) }
        return (name, text)
    }
}

/// What a test expects of the journal: events that match a pattern, and how many.
struct Expectation: Sendable {
    /// The answer to an expectation.
    struct Verdict: Encodable, Sendable {
        /// Whether it is met.
        let ok: Bool
        /// The number of events that match.
        let count: Int
        /// The events that match, oldest first.
        let events: [JSONValue]
        /// Where it is not met: the events that come nearest, with the most members as expected.
        let near: [JSONValue]
    }

    private static let nearest = 5

    let pattern: JSONValue
    let numbers: ClosedRange<Int>

    /// - Parameter members: `match`, an object, and `count` or `atLeast` (default: 1).
    init(_ members: [String: JSONValue]) throws(Problem) {
        guard let pattern = members["match"], pattern.members != nil else {
            throw .invalid("verify needs an object \"match\"", hint: "give members of an event, such as its \"event\"")
        }
        self.pattern = pattern
        let count = try Self.number(members, "count")
        let least = try Self.number(members, "atLeast")
        if count != nil, least != nil { throw .invalid("give count or atLeast, not both") }
        numbers = count.map { $0...$0 } ?? (least ?? 1)...Int.max
    }

    private static func number(_ members: [String: JSONValue], _ name: String) throws(Problem) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.double.flatMap({ Int(exactly: $0) }), number >= 0 else {
            throw .invalid("\(name) must be a whole number from 0")
        }
        return number
    }

    /// Compares these events with the expectation.
    func verdict(on events: [JSONValue]) -> Verdict {
        let found = events.filter { $0.matches(pattern) }
        let isMet = numbers.contains(found.count)
        return Verdict(ok: isMet, count: found.count, events: found, near: isMet ? [] : near(events))
    }

    private func near(_ events: [JSONValue]) -> [JSONValue] {
        let wanted = pattern.members ?? [:]
        let ranked = events.enumerated().compactMap { index, event -> (score: Int, index: Int, event: JSONValue)? in
            guard let members = event.members, !event.matches(pattern) else { return nil }
            let score = wanted.reduce(0) { $0 + (members[$1.key]?.matches($1.value) == true ? 1 : 0) }
            return score > 0 ? (score, index, event) : nil
        }
        return ranked.sorted { ($0.score, $0.index) > ($1.score, $1.index) }.prefix(Self.nearest).map(\.event)
    }
}
