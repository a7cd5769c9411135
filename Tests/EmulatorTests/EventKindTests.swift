// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSON
import Testing

@testable import Emulator

/// The kinds of events, their JSON and their sentences, which scripts rely on.
@Suite struct EventKindTests {
    /// A sentence and a JSON object for each of the samples, in their order. With `BEACONRY_WRITE_SAMPLES=1` in the environment the
    /// test writes the file.
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Recordings/event-samples.txt")

    @Test func eachKindHasSample() {
        let sampled = Set(EventSamples.all.map(\.form.kind.name))
        #expect(EventKind.all.filter { !sampled.contains($0.name) }.map(\.name) == [])
        #expect(sampled.filter { EventKind.named($0) == nil } == [])
    }

    @Test func sentencesAndObjectsAreTheRecordedOnes() throws {
        let lines = EventSamples.all.flatMap { event in
            [event.sentence, JSONLine.encode(PostedEvent(event)).replacing(/"time":"[^"]*",/, with: "")]
        }
        if ProcessInfo.processInfo.environment["BEACONRY_WRITE_SAMPLES"] == "1" {
            try (lines.joined(separator: "\n") + "\n").write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map { String($0) }
        #expect(lines.count == recorded.count)
        for (line, expected) in zip(lines, recorded) { #expect(line == expected) }
    }

    /// An object has the fields of its row, and each field of a row is in one of the objects.
    @Test func rowsHaveTheFieldsOfTheSamples() throws {
        var written: [String: Set<String>] = [:]
        for event in EventSamples.all {
            // A label is of the run, not of the event.
            let label = event.form.kind.has("label") ? "a" : nil
            let posted = PostedEvent(event, label: label)
            let object = try JSONValue(parsing: Array(JSONLine.encode(posted).utf8)).members ?? [:]
            written[event.form.kind.name, default: []].formUnion(object.keys)
        }
        for kind in EventKind.all {
            let declared = Set((EventField.common + kind.fields).map(\.name))
            let found = try #require(written[kind.name])
            #expect(found.subtracting(declared) == [], "\(kind.name) writes fields that its row does not have")
            #expect(declared.subtracting(found) == [], "no \(kind.name) has these fields of its row")
        }
    }

    @Test func namesAreUnique() {
        let names = EventKind.all.map(\.name)
        #expect(Set(names).count == names.count)
        for name in EventKind.hints.keys { #expect(!names.contains(name)) }
    }

    /// A reader over HTTP gets the sentence of an event in the member `text`, beside its fields.
    @Test func sentenceHasItsNameAlone() {
        for kind in EventKind.all { #expect(!kind.fields.contains { $0.name == EventField.text.name }) }
    }

    /// Names that events had, and those that people look for among the events.
    @Test func namesOfNoEventAreRefusedWithHints() {
        let regions =
            "a receiver has the states of its regions: ctl receiver regions, phone.state(region) in tests, and enters and exits "
            + "in the expectations of scenarios"
        let hints = [
            "persisted": "it is \"settings-saved\" now", "bonds-persisted": "it is \"bonds-saved\" now",
            "not-told": "it is \"not-notified\" now", "region-entered": regions, "region-exited": regions,
            "region-left": regions,
        ]
        #expect(EventKind.hints == hints)
        for (name, hint) in hints {
            let condition = #expect(throws: EmulatorError.self) {
                try JournalExpectation(condition: "\(name),device=door")
            }
            #expect(condition?.hint == hint)
            let selection = #expect(throws: EmulatorError.self) { try EventSelection(types: [name]).check() }
            #expect(selection?.hint == hint)
        }
    }
}
