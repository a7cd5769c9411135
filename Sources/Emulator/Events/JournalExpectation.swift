// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Devices
package import JSON

/// What a test expects of the journal: events that match a pattern, and how many.
package struct JournalExpectation: Hashable, Sendable {
    /// The answer to an expectation.
    package struct Verdict: Codable, Hashable, Sendable {
        /// Whether it is met.
        package let ok: Bool
        /// The number of events that match.
        package let count: Int
        /// The last events that match, oldest first, at most `JournalExpectation.shown`.
        package let events: [JSONValue]
        /// Where it is not met: the events that come nearest, with the most members as expected.
        package let near: [JSONValue]
    }

    /// The greatest number of events in a verdict.
    static let shown = 20
    private static let nearest = 5
    /// The number of events with the right name or beacon that are compared member by member, to find the nearest ones.
    static let candidates = 50

    /// The members that an event must have.
    package let pattern: JSONValue
    /// Members that an event must not have all; `nil` for none.
    package let exception: JSONValue?
    /// Whether its beacons and hosts need not be there yet.
    package let mayAppear: Bool
    /// The accepted numbers of events.
    let numbers: ClosedRange<Int>
    /// The expected name of the event, and the expected beacon or phone.
    private let name: JSONValue?
    private let device: JSONValue?

    /// An expectation of this number of events, exactly or at least; without either, of at least one.
    /// - Parameters:
    ///   - exception: Members that an event must not have all.
    ///   - mayAppear: Whether its beacons and hosts need not be there yet.
    /// - Throws: `EmulatorError` `.badProfile` if the pattern is not an object, has a key or the name of an event that there is
    ///   not, or a number is not valid.
    package init(
        _ pattern: JSONValue, count: Int? = nil, atLeast: Int? = nil, except exception: JSONValue? = nil,
        mayAppear: Bool = false
    ) throws(EmulatorError) {
        guard let members = pattern.members else {
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
        try EventPattern.check(members)
        if let exception {
            guard let members = exception.members else {
                throw EmulatorError(.badProfile, "\"except\" must be an object of members of an event")
            }
            try EventPattern.check(members)
        }
        self.pattern = pattern
        self.exception = exception
        self.mayAppear = mayAppear
        numbers = count.map { $0...$0 } ?? (atLeast ?? 1)...Int.max
        (name, device) = (members["event"], members["device"])
    }

    /// An expectation of events as a condition describes them: `EVENT,KEY=VALUE`, each part optional.
    ///
    /// A dot in a key separates the keys of nested objects, as in `written,device=door,decoded.major=7`. A value may have
    /// commas, if what follows is not a key; a `*` at its end stands for any text.
    /// - Throws: `EmulatorError` `.badProfile`.
    package init(
        condition: String, count: Int? = nil, atLeast: Int? = nil, except exception: JSONValue? = nil,
        mayAppear: Bool = false
    ) throws(EmulatorError) {
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
        try self.init(pattern, count: count, atLeast: atLeast, except: exception, mayAppear: mayAppear)
    }

    /// The same with members that an event must not have all.
    package func except(_ exception: JSONValue) throws(EmulatorError) -> JournalExpectation {
        var fields = fields
        fields.except = exception
        return try JournalExpectation(fields)
    }

    private static func isKey(_ text: Substring) -> Bool {
        text.first?.isLetter == true && text.last != "."
            && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }

    /// The object of requests.
    package var fields: Fields {
        let isExact = numbers.upperBound != .max
        return Fields(
            match: pattern, count: isExact ? numbers.lowerBound : nil, atLeast: isExact ? nil : numbers.lowerBound,
            except: exception, mayAppear: mayAppear ? true : nil)
    }

    /// The object of requests.
    package struct Fields: Encodable, Hashable, Sendable {
        /// Its keys.
        package static let keys = ["match", "count", "atLeast", "except", "mayAppear"]

        /// The members that an event must have.
        package var match: JSONValue?
        /// The exact number of events.
        package var count: Int?
        /// The least number of events.
        package var atLeast: Int?
        /// Members that an event must not have all.
        package var except: JSONValue?
        /// Whether its beacons and hosts need not be there yet.
        package var mayAppear: Bool?

        fileprivate init(match: JSONValue, count: Int?, atLeast: Int?, except: JSONValue?, mayAppear: Bool?) {
            self.match = match
            self.count = count
            self.atLeast = atLeast
            self.except = except
            self.mayAppear = mayAppear
        }

        /// The members of an object that a client has sent.
        /// - Throws: `EmulatorError` `.badProfile` for another key, or a value of a wrong type.
        package init(_ object: [String: JSONValue]) throws(EmulatorError) {
            if let unknown = object.keys.sorted().first(where: { !Self.keys.contains($0) }) {
                throw EmulatorError(
                    .badProfile,
                    Spelling.unknown("an expectation has no key \"\(unknown)\"", unknown, "keys", Self.keys))
            }
            match = object["match"]
            count = try Self.number("count", object)
            atLeast = try Self.number("atLeast", object)
            except = object["except"]
            guard let present = object["mayAppear"] else { return }
            guard case .boolean(let value) = present else {
                throw EmulatorError(.badProfile, "mayAppear must be true or false")
            }
            mayAppear = value
        }

        private static func number(_ key: String, _ object: [String: JSONValue]) throws(EmulatorError) -> Int? {
            guard let value = object[key] else { return nil }
            if let number = value.double.flatMap({ Int(exactly: $0) }) { return number }
            throw EmulatorError(.badProfile, "\(key) must be a whole number")
        }
    }

    /// - Throws: `EmulatorError` `.badProfile`, as `init(_:count:atLeast:except:mayAppear:)`.
    package init(_ fields: Fields) throws(EmulatorError) {
        try self.init(
            fields.match ?? .null, count: fields.count, atLeast: fields.atLeast, except: fields.except,
            mayAppear: fields.mayAppear ?? false)
    }

    /// The events that match.
    package func matching(_ events: [JSONValue]) -> [JSONValue] { events.filter(matches) }

    private func matches(_ event: JSONValue) -> Bool {
        event.matches(pattern) && exception.map { !event.matches($0) } ?? true
    }

    // MARK: - Comparison without JSON

    /// Whether an event may match, by its name and its beacon, which are there without its JSON.
    func mayMatch(_ posted: PostedEvent) -> Bool { mayMatch(score(of: posted)) }

    private func mayMatch(_ score: Int) -> Bool { score == (name == nil ? 0 : 2) + (device == nil ? 0 : 1) }

    /// Whether an event that may match has to be compared as JSON.
    var needsRecord: Bool {
        exception != nil || pattern.members?.contains { !["event", "device"].contains($0.key) } == true
    }

    /// How near an event is by its name and its beacon: 0 to 3, where the name counts more.
    func score(of posted: PostedEvent) -> Int {
        var score = 0
        if let name, JSONValue.text(posted.kind.name).matches(name) { score += 2 }
        if let device, let present = posted.event.device, JSONValue.text(present).matches(device) { score += 1 }
        return score
    }

    fileprivate func matches(_ posted: PostedEvent, _ record: () -> JSONValue?) -> Bool {
        mayMatch(posted) && (!needsRecord || record().map(matches) == true)
    }

    /// The events that come nearest, for the report of a failure: those with its name and beacon first, then with one of them.
    /// Oldest first.
    fileprivate func candidates(in journal: [PostedEvent]) -> [PostedEvent] {
        var scored: [[PostedEvent]] = [[], [], [], []]
        // From the last one, of which those with the name and the beacon suffice.
        for posted in journal.reversed() {
            guard scored[3].count < Self.candidates else { break }
            let score = score(of: posted)
            guard scored[score].count < Self.candidates, needsRecord || !mayMatch(score) else { continue }
            scored[score].append(posted)
        }
        return scored.reversed().joined().prefix(Self.candidates).sorted { $0.sequence < $1.sequence }
    }

    /// The nearest of events that do not match, the nearest first.
    func near(_ events: [JSONValue]) -> [JSONValue] {
        let wanted = pattern.members ?? [:]
        let ranked = events.enumerated().compactMap { index, event -> (score: Int, index: Int, event: JSONValue)? in
            guard let members = event.members, !matches(event) else { return nil }
            let score = wanted.reduce(0) { $0 + (members[$1.key]?.matches($1.value) == true ? 1 : 0) }
            return score > 0 ? (score, index, event) : nil
        }
        return ranked.sorted { ($0.score, $0.index) > ($1.score, $1.index) }.prefix(Self.nearest).map(\.event)
    }
}

/// Several expectations, and how many events have met each. It keeps the last of these events only.
struct JournalComparison: Sendable {
    private struct Found {
        var count = 0
        var last: [PostedEvent] = []
    }

    private let expectations: [JournalExpectation]
    private var found: [Found]

    init(_ expectations: [JournalExpectation]) {
        self.expectations = expectations
        found = Array(repeating: Found(), count: expectations.count)
    }

    mutating func take(_ event: PostedEvent, _ lines: EventLines) {
        var parsed: JSONValue??
        func record() -> JSONValue? {
            if let parsed { return parsed }
            let record = EventSelection().record(event, lines)
            parsed = record
            return record
        }
        for (index, expectation) in expectations.enumerated() where expectation.matches(event, record) {
            found[index].count += 1
            if found[index].last.count == JournalExpectation.shown { found[index].last.removeFirst() }
            found[index].last.append(event)
        }
    }

    /// Whether no event that follows has to be considered: all expectations are met, or one cannot be met any more. That no
    /// event matches is certain at the end of the time only.
    var isDecided: Bool {
        let pairs = zip(expectations, found)
        return pairs.contains { $1.count > $0.numbers.upperBound }
            || pairs.allSatisfy { $0.numbers.contains($1.count) && $0.numbers.upperBound > 0 }
    }

    /// - Parameter journal: The events among which the nearest are looked for, oldest first.
    /// - Returns: A verdict for each expectation; without events once the work is cancelled.
    @concurrent func verdicts(
        _ lines: EventLines, _ journal: [PostedEvent]
    ) async -> [JournalExpectation.Verdict] {
        var verdicts: [JournalExpectation.Verdict] = []
        var isCancelled = Task.isCancelled
        func records(_ events: [PostedEvent]) -> [JSONValue] {
            events.compactMap { EventSelection().record($0, lines) }
        }
        for (expectation, found) in zip(expectations, found) {
            let isMet = expectation.numbers.contains(found.count)
            if isCancelled {
                // No client reads it.
                verdicts.append(JournalExpectation.Verdict(ok: isMet, count: found.count, events: [], near: []))
                continue
            }
            verdicts.append(
                JournalExpectation.Verdict(
                    ok: isMet, count: found.count, events: records(found.last),
                    near: isMet ? [] : expectation.near(records(expectation.candidates(in: journal)))))
            isCancelled = await !LongWork.pause()
        }
        return verdicts
    }
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
