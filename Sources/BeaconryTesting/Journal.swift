// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON
public import Testing

extension VirtualAir {
    /// An event of an air (docs/events.md).
    public struct Event: Hashable, Sendable, CustomStringConvertible {
        let content: JSONValue

        /// The name, such as `connected`.
        public var name: String { self["event"] ?? "" }
        /// The beacon; `nil` for none.
        public var device: String? { self["device"] }
        /// The number in the air, from 1.
        public var sequence: Int { content.members?["sequence"]?.double.flatMap { Int(exactly: $0) } ?? 0 }

        /// A field as text, such as `central`, or of a nested object with dots between the keys, such as `decoded.major`; `nil`
        /// if it is absent, or an array or an object.
        public subscript(_ key: String) -> String? {
            var value: JSONValue? = content
            for part in key.split(separator: ".") { value = value?.members?[String(part)] }
            return value?.setting
        }

        /// Its number, and its fields as a condition.
        public var description: String {
            "\(sequence)  \(content.condition(without: ["v", "time", "sequence", "requested"]))"
        }
    }

    /// The last 10,000 events of an air, and expectations of them.
    ///
    /// A condition is `EVENT,KEY=VALUE` with any number of keys, as for `beaconry ctl wait` (docs/control.md):
    /// `written,decoded.major=7`. A `*` at the end of a value stands for any text.
    public struct Journal: Sendable {
        private static let last = 15

        let air: VirtualAir

        private var hub: EventHub { air.hub }

        /// All events, oldest first.
        public var events: [Event] { hub.records().map(Event.init) }

        /// The number of the last event, for `since`.
        public var mark: Int { events.last?.sequence ?? 0 }

        /// Whether there was an event of this name.
        func has(_ name: String) -> Bool { events.contains { $0.name == name } }

        /// Removes all events.
        public func clear() { hub.clearJournal() }

        /// The last events as text, a line each.
        public func text(last count: Int) -> String {
            let lines = events.suffix(count).map { "  \($0)" }
            return lines.isEmpty ? "  none" : lines.joined(separator: "\n")
        }

        /// The events so far that meet a condition.
        /// - Parameters:
        ///   - beacon: only events of this beacon.
        ///   - mark: only events after the one with this number.
        /// - Returns: the events, oldest first. A condition that is malformed, or has a name or a key that events do not have, is an
        ///   issue.
        public func find(
            _ condition: String, beacon: Beacon? = nil, since mark: Int = 0,
            sourceLocation: SourceLocation = #_sourceLocation
        ) -> [Event] {
            air.noteRead(of: "the journal", detail: condition + (beacon?.name ?? ""), sourceLocation)
            do {
                return try Self.expectation(condition, beacon).matching(hub.records(since: mark)).map(Event.init)
            } catch {
                Issue.record("\(error)", sourceLocation: sourceLocation)
                return []
            }
        }

        /// Expects an event that meets a condition, now or within a time of the air, and records an issue with the last events
        /// if there is none.
        /// - Parameters:
        ///   - beacon: only events of this beacon.
        ///   - mark: only events after the one with this number.
        ///   - time: the clock runs until the event, or this time is over.
        /// - Returns: the first such event, which may have been before.
        @discardableResult
        public func expect(
            _ condition: String, beacon: Beacon? = nil, since mark: Int = 0, within time: Duration = .seconds(5),
            sourceLocation: SourceLocation = #_sourceLocation
        ) async -> Event? {
            let verdict = await verify(condition, beacon, nil, mark, time, sourceLocation)
            // The verdict has the last ones.
            return verdict?.ok == true ? find(condition, beacon: beacon, since: mark).first : nil
        }

        /// Expects that no event meets a condition, until a time of the air is over, and records an issue with the last events
        /// if there is one.
        /// - Parameters: as for `expect`.
        public func expectNone(
            _ condition: String, beacon: Beacon? = nil, since mark: Int = 0, within time: Duration = .seconds(5),
            sourceLocation: SourceLocation = #_sourceLocation
        ) async {
            _ = await verify(condition, beacon, 0, mark, time, sourceLocation)
        }

        private static func expectation(
            _ condition: String, _ beacon: Beacon?, count: Int? = nil
        ) throws(EmulatorError) -> JournalExpectation {
            try JournalExpectation(condition: condition + (beacon.map { ",device=\($0.name)" } ?? ""), count: count)
        }

        private func verify(
            _ condition: String, _ beacon: Beacon?, _ count: Int?, _ mark: Int, _ time: Duration,
            _ location: SourceLocation
        ) async -> JournalExpectation.Verdict? {
            let expectation: JournalExpectation
            let verdict: JournalExpectation.Verdict
            do {
                expectation = try Self.expectation(condition, beacon, count: count)
                let verdicts = try await air.run { [hub] in
                    await hub.verify([expectation], from: { $0.sequence > mark }, within: time)
                }
                verdict = verdicts[0]
            } catch {
                Issue.record("\(error)", sourceLocation: location)
                return nil
            }
            if verdict.ok { return verdict }
            let wanted = expectation.pattern.condition()
            var message = count == 0 ? "there was \(wanted)" : "no \(wanted) within \(time)"
            let near = (count == 0 ? verdict.events : verdict.near).map { "  \(Event(content: $0))" }
            if !near.isEmpty {
                message += "\n\(count == 0 ? "It is" : "The nearest are")\n\(near.joined(separator: "\n"))"
            }
            Issue.record("\(message)\nThe last events are\n\(text(last: Self.last))", sourceLocation: location)
            return verdict
        }
    }
}
