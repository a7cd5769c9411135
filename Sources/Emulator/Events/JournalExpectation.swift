// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a test expects of the journal: events that match a pattern, and how many.
package struct JournalExpectation: Hashable, Sendable {
    /// The answer to an expectation.
    package struct Verdict: Codable, Hashable, Sendable {
        /// Whether it is met.
        package let ok: Bool
        /// The number of events that match.
        package let count: Int
        /// The events that match, oldest first.
        package let events: [JSONValue]
        /// Where it is not met: the events that come nearest, with the most members as expected.
        package let near: [JSONValue]
    }

    private static let nearest = 5

    /// The members that an event must have.
    package let pattern: JSONValue
    /// The accepted numbers of events.
    let numbers: ClosedRange<Int>

    /// An expectation of this number of events, exactly or at least; without either, of at least one.
    /// - Throws: `EmulatorError` `.badProfile` if the pattern is not an object, or a number is not valid.
    package init(_ pattern: JSONValue, count: Int? = nil, atLeast: Int? = nil) throws(EmulatorError) {
        guard pattern.members != nil else {
            throw EmulatorError(
                .badProfile, "an expectation needs an object \"match\"",
                hint: "give members of an event, such as its \"event\"")
        }
        guard count == nil || atLeast == nil else {
            throw EmulatorError(.badProfile, "give count or atLeast, not both")
        }
        guard count ?? atLeast ?? 0 >= 0 else {
            throw EmulatorError(.badProfile, "a number of events must be 0 or more")
        }
        self.pattern = pattern
        numbers = count.map { $0...$0 } ?? (atLeast ?? 1)...Int.max
    }

    /// An expectation of events as a condition describes them: `EVENT,KEY=VALUE`, each part optional.
    ///
    /// A dot in a key separates the keys of nested objects, as in `written,device=door,decoded.major=7`. A value may have
    /// commas, if what follows is not a key; a `*` at its end stands for any text.
    /// - Throws: `EmulatorError` `.badProfile`.
    package init(condition: String, count: Int? = nil, atLeast: Int? = nil) throws(EmulatorError) {
        var pairs: [(key: Substring, value: String)] = []
        for (index, part) in condition.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            if let sign = part.firstIndex(of: "="), Self.isKey(part[..<sign]) {
                pairs.append((part[..<sign], String(part[part.index(after: sign)...])))
            } else if index == 0, Self.isKey(part) {
                pairs.append(("event", String(part)))
            } else if let last = pairs.indices.last, pairs[last].key != "event" {
                pairs[last].value += ",\(part)"
            } else {
                throw EmulatorError(
                    .badProfile, "\"\(condition)\" is not a condition",
                    hint: "write EVENT,KEY=VALUE, such as written,device=door")
            }
        }
        var pattern = JSONValue.object([:])
        for (key, value) in pairs { pattern.set(.text(value), at: key.split(separator: ".")[...]) }
        try self.init(pattern, count: count, atLeast: atLeast)
    }

    private static func isKey(_ text: Substring) -> Bool {
        text.first?.isLetter == true && text.last != "."
            && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }

    /// The object of the control socket and of HTTP: `match`, `count` and `atLeast`.
    package var fields: Fields {
        let isExact = numbers.upperBound != .max
        return Fields(
            match: pattern, count: isExact ? numbers.lowerBound : nil, atLeast: isExact ? nil : numbers.lowerBound)
    }

    /// The object of the control socket and of HTTP.
    package struct Fields: Codable, Hashable, Sendable {
        /// The members that an event must have.
        package var match: JSONValue?
        /// The exact number of events.
        package var count: Int?
        /// The least number of events.
        package var atLeast: Int?

        package init(match: JSONValue?, count: Int? = nil, atLeast: Int? = nil) {
            self.match = match
            self.count = count
            self.atLeast = atLeast
        }
    }

    /// - Throws: `EmulatorError` `.badProfile`, as `init(_:count:atLeast:)`.
    package init(_ fields: Fields) throws(EmulatorError) {
        try self.init(fields.match ?? .null, count: fields.count, atLeast: fields.atLeast)
    }

    /// Compares these events with the expectation.
    package func verdict(on events: [JSONValue]) -> Verdict {
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

/// Several expectations, and the events that they are compared with.
struct JournalComparison: Sendable {
    private let expectations: [JournalExpectation]
    private var events: [JSONValue] = []
    private var counts: [Int]

    init(_ expectations: [JournalExpectation]) {
        self.expectations = expectations
        counts = Array(repeating: 0, count: expectations.count)
    }

    mutating func take(_ event: JSONValue) {
        events.append(event)
        for (index, expectation) in expectations.enumerated() where event.matches(expectation.pattern) {
            counts[index] += 1
        }
    }

    /// Whether no event that follows has to be considered: all expectations are met, or one cannot be met any more. That no
    /// event matches is certain at the end of the time only.
    var isDecided: Bool {
        let pairs = zip(expectations, counts)
        return pairs.contains { $1 > $0.numbers.upperBound }
            || pairs.allSatisfy { $0.numbers.contains($1) && $0.numbers.upperBound > 0 }
    }

    var verdicts: [JournalExpectation.Verdict] { expectations.map { $0.verdict(on: events) } }
}

extension JSONValue {
    /// Sets a value in nested objects.
    fileprivate mutating func set(_ value: JSONValue, at path: ArraySlice<Substring>) {
        guard let first = path.first else {
            self = value
            return
        }
        var members = members ?? [:]
        members[String(first), default: .object([:])].set(value, at: path.dropFirst())
        self = .object(members)
    }

    /// An object as a condition: the event, the device, then the other members; nested keys have dots between them.
    /// - Parameter hidden: Members that are left out.
    package func condition(without hidden: Set<String> = []) -> String {
        var pairs: [(key: String, value: String)] = []
        collect("", hidden, &pairs)
        let order = ["event": 0, "device": 1]
        let sorted = pairs.sorted { (order[$0.key] ?? 2, $0.key) < (order[$1.key] ?? 2, $1.key) }
        return sorted.map { $0.key == "event" ? $0.value : "\($0.key)=\($0.value)" }.joined(separator: ",")
    }

    private func collect(_ key: String, _ hidden: Set<String>, _ pairs: inout [(key: String, value: String)]) {
        guard let members else { return pairs.append((key, setting ?? JSONLine.encode(self))) }
        for (name, value) in members where !hidden.contains(name) {
            value.collect(key.isEmpty ? name : "\(key).\(name)", [], &pairs)
        }
    }
}
