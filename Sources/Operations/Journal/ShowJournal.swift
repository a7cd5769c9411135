// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
package import Emulator

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
        let records = await LongWork.perform {
            journal.compactMap { isIncluded($0) ? selection.record($0, hub.lines) : nil }
        }
        return Journal(events: records, last: max(last, journal.last?.sequence ?? 0))
    }
}

/// Events of a run.
package struct Journal: ReadableRecord {
    package static let schema = Schema.record(
        "Journal",
        [
            .required("events", .array(EventSchema.schema), "oldest first"),
            .required(
                "last", .integer(from: 0), "the number of the last event, selected, kept or not; 0 before the first"),
        ])

    package let events: [JSONValue]
    package let last: UInt64

    package var content: Content { .json(self, records: events.count) }
}

/// The schema of events, which docs/events.md describes.
enum EventSchema {
    static let schema = Schema.record(
        "Event",
        [
            .required("v", .integer, "the version of the format"),
            .required("event", .text, "the name"),
            .required("time", .text, "the time in UTC"),
            .optional("sequence", .integer(from: 1), "the number of the event in the run"),
            .optional("device", .text, "the beacon or the phone"),
        ], isOpen: true)
}
