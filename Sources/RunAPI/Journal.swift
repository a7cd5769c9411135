// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import JSON

package struct FollowEvents: Operation {
    package static let name = "events"
    package static let method = OperationMethod.get
    package static let path = "/v1/events"
    package static let sentence = "Events from now on, or from an earlier one, as server-sent events."
    package static let fields: [Field<FollowEvents>] = [
        .optional("types", .query, \.types, "names of events, with commas between them"),
        .optional("device", .query, \.device, "a beacon or a phone"),
        .optional("after", .query, \.after, "the number of the event after which they begin"),
        .optional("last", .header("Last-Event-ID"), \.last, "the same, as browsers send it"),
        .optional("text", .query, \.hasText, "whether each has its sentence as text"),
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon]

    package var types: EventTypes?
    package var device: String?
    package var after: EventNumber?
    package var last: EventNumber?
    package var hasText: Bool?

    package var patience: Duration? { nil }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> EventFeed {
        let selection = EventSelection(types: types?.names, device: device)
        try await run.emulator.check(selection)
        return EventFeed(selection: selection, after: (last ?? after)?.number, hasText: hasText == true)
    }
}

/// A stream of events.
package struct EventFeed: Answer {
    package static let description = AnswerDescription(
        statuses: [200], type: "text/event-stream", schema: .text)

    package let selection: EventSelection
    /// The number of the event after which it begins; `nil` for now.
    package let after: UInt64?
    /// Whether each event has its sentence.
    package let hasText: Bool

    package var content: Content { .events(self) }
}

package struct ShowJournal: Operation {
    package static let name = "journal"
    package static let method = OperationMethod.get
    package static let path = "/v1/journal"
    package static let sentence = "The events that the run keeps, oldest first."
    package static let fields: [Field<ShowJournal>] = [
        .optional("types", .query, \.types, "names of events, with commas between them"),
        .optional("device", .query, \.device, "a beacon or a phone"),
        .optional("since", .query, \.begin, "the number of the event before the first, or a duration such as 30s"),
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon]

    package var types: EventTypes?
    package var device: String?
    package var begin: JournalBegin?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Journal {
        let selection = EventSelection(types: types?.names, device: device)
        let isIncluded = try JournalStart.isIncluded(begin?.text)
        try await run.emulator.check(selection)
        let hub = run.emulator.events
        // In this order, so that an event that is posted between the two is in the answer or after its last number.
        let last = hub.last
        let journal = hub.journal
        return Journal(
            JSONBody(
                "events", count: journal.count, isShared: true,
                ["last": .number(Double(max(last, journal.last?.sequence ?? 0)))]
            ) { [lines = hub.lines] index in
                guard isIncluded(journal[index]) else { return nil }
                return selection.record(journal[index], lines).map { JSONLine.encode($0) }
            })
    }
}

/// Events of a run.
package struct Journal: Answer {
    package static let description = AnswerDescription.json(
        .record(
            "Journal",
            [
                .required("events", .array(.event), "oldest first"),
                .required(
                    "last", .integer(from: 0),
                    "the number of the last event, selected, kept or not; 0 before the first"),
            ]))

    private struct Body: Decodable {
        let events: [JSONValue]
        let last: UInt64
    }

    package let content: Content
    /// What a client has read: the events, and the number of the last one. Empty and 0 in a run.
    package let events: [JSONValue]
    package let last: UInt64

    init(_ body: JSONBody) { (content, events, last) = (.json(body), [], 0) }
}

extension Journal: ReadableAnswer {
    package init(_ response: Response) throws {
        let body = try response.decoded(as: Body.self)
        (events, last, content) = (body.events, body.last, .nothing)
    }
}

extension Schema {
    /// An event, as docs/events.md describes it.
    fileprivate static let event = Schema.record(
        "Event",
        [
            .required("v", .integer, "the version of the format"),
            .required("event", .text, "the name"),
            .required("time", .text, "the time in UTC"),
            .optional("sequence", .integer(from: 1), "the number of the event in the run"),
            .optional("device", .text, "the beacon or the phone"),
        ], isOpen: true)
}

package struct ClearJournal: Operation {
    package static let name = "clearJournal"
    package static let method = OperationMethod.delete
    package static let path = "/v1/journal"
    package static let sentence = "Removes the events that the run keeps."
    package static let fields: [Field<ClearJournal>] = [
        .optional("through", .query, \.through, "the number of the last event to remove; without it, all")
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile]

    package var through: EventNumber?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        run.emulator.events.clearJournal(through: through?.number)
        return Nothing()
    }
}

package struct Wait: Operation {
    package static let name = "wait"
    package static let method = OperationMethod.post
    package static let path = "/v1/journal/wait"
    package static let sentence =
        "Compares the journal with conditions, until all are met, one cannot be met any more, or a time is over."
    package static let fields: [Field<Wait>] = [
        .required("conditions", .member, \.conditions, "what is expected of the journal"),
        .optional(
            "within", .member, \.time, "a time of the run, at most 24h; without it, the journal is compared at once"),
        .optional("since", .member, \.begin, "the number of the event before the first, or a duration such as 30s"),
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon]
    private static let longest = Duration.seconds(24 * 3600)

    package var conditions = Conditions()
    package var time: Duration?
    package var begin: JournalBegin?

    package var patience: Duration? { nil }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Verdicts {
        let time = time ?? .zero
        guard time <= Self.longest else { throw EmulatorError(.badProfile, "within is at most 24h") }
        let comparison = try await run.emulator.comparison(conditions.expectations, since: begin?.text)
        if time == .zero { return Verdicts(now: await comparison(.zero)) }
        return Verdicts(later: { await comparison(time) })
    }
}

/// Whether conditions are met: a verdict for each.
package struct Verdicts: Answer {
    package static let description = AnswerDescription.json(
        .record(
            "Verdicts", [.required("verdicts", .array(JournalExpectation.Verdict.schema), "one for each condition")]))

    private struct Body: Decodable {
        let verdicts: [JournalExpectation.Verdict]
    }

    package let content: Content
    /// The verdicts that a client has read; empty in a run.
    package let verdicts: [JournalExpectation.Verdict]

    init(now verdicts: [JournalExpectation.Verdict]) {
        self.verdicts = verdicts
        content = .json(JSONBody("verdicts", verdicts))
    }

    init(later verdicts: @escaping @Sendable () async -> [JournalExpectation.Verdict]) {
        self.verdicts = []
        content = .later { JSONBody("verdicts", await verdicts()) }
    }
}

extension Verdicts: ReadableAnswer {
    package init(_ response: Response) throws { self.init(now: try response.decoded(as: Body.self).verdicts) }
}

extension JournalExpectation.Verdict {
    static let schema = Schema.record(
        "Verdict",
        [
            .required("ok", .boolean, "whether the condition is met"),
            .required("count", .integer, "the number of events that match"),
            .required("events", .array(.event), "the last of them, oldest first, at most 20"),
            .required("near", .array(.event), "where it is not met: the events that come nearest"),
        ])
}
