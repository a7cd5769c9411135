// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

extension Emulator.ReloadResult: Record {
    package static let schema = Schema.record(
        "Reload",
        [
            .required("added", .texts, "new beacons"),
            .required("changed", .texts, "beacons whose definition has changed"),
            .required("removed", .texts, "beacons that are in no profile any more"),
            .required("kept", .texts, "beacons whose definition is the same; they keep their state"),
        ])
}

extension ClockRecord: Record {
    package static let schema = Schema.record(
        "Clock",
        [
            .required("elapsed", .number, "seconds since the beginning of the run"),
            .required("rate", .text, "max, manual, or seconds of the run in a second"),
            .optional("virtual", .boolean, "true in virtual time, in which the clock can be changed"),
        ])
}

extension ScenarioRecord: Record {
    private static let change = Schema.record(
        "Change",
        [
            .required("at", .number, "seconds since the start of the scenario"),
            .required("change", .text, "the change, as in the scenario"),
            .optional("message", .text, "why it was refused"),
        ])

    package static let schema = Schema.record(
        "Scenario",
        [
            .version, .required("scenario", .text, "its name"),
            .required("state", .choice(State.self), "what it does"),
            .required("elapsed", .number, "seconds of the run since its start"),
            .required("duration", .number, "its duration in seconds"),
            .required("changes", .integer, "the number of changes"),
            .required("done", .integer, "the number of changes that were done or refused"),
            .optional("next", change, "the next change"),
            .required("refused", .array(change), "the changes that were refused"),
            .optional("ignored", .texts, "the keys of the scenario that have no effect on a run"),
        ])
}

extension CaptureRecord: ListedRecord {
    package static let plural = "captures"
    package static let schema = Schema.record(
        "Capture",
        [
            .version, .required("id", .integer(from: 1), "its number"),
            .required("state", .choice(State.self), "whether it takes packets"),
            .required("records", .integer, "the number of packets"),
            .required("bytes", .integer, "the size of the btsnoop file"),
            .required("limit", .integer, "the limit of that size"),
        ])
}

extension JournalExpectation.Verdict {
    static let schema = Schema.record(
        "Verdict",
        [
            .required("ok", .boolean, "whether the condition is met"),
            .required("count", .integer, "the number of events that match"),
            .required("events", .array(EventSchema.schema), "the last of them, oldest first, at most 20"),
            .required("near", .array(EventSchema.schema), "where it is not met: the events that come nearest"),
        ])
}
