// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

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

    private struct Body: Codable {
        let verdicts: [JournalExpectation.Verdict]
    }

    package let content: Content
    /// The verdicts that a client has read; empty in a run.
    package let verdicts: [JournalExpectation.Verdict]

    init(now verdicts: [JournalExpectation.Verdict]) {
        self.verdicts = verdicts
        content = .json(Body(verdicts: verdicts))
    }

    init(later verdicts: @escaping @Sendable () async -> [JournalExpectation.Verdict]) {
        self.verdicts = []
        content = .later { Body(verdicts: await verdicts()) }
    }
}

extension Verdicts: ReadableAnswer {
    package init(_ response: Response) throws { self.init(now: try response.decoded(as: Body.self).verdicts) }
}
