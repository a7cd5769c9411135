// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

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
