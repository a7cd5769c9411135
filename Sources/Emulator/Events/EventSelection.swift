// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import JSON
import Synchronization

/// Which events a reader gets.
package struct EventSelection: Hashable, Sendable {
    /// The names of events; `nil` for all.
    let types: Set<String>?
    /// The beacon or phone; `nil` for all.
    let device: String?

    /// A selection by the names of events and the beacon or phone; `nil` for all.
    package init(types: Set<String>? = nil, device: String? = nil) {
        self.types = types
        self.device = device
    }

    /// Checks the names of events.
    /// - Throws: `EmulatorError` `.badProfile` for a name that no event has, or no name.
    package func check() throws(EmulatorError) {
        guard let types else { return }
        guard !types.isEmpty else {
            throw EmulatorError(.badProfile, "there are no types of events", hint: "leave the types out for all events")
        }
        for type in types.sorted() where EventKind.named(type) == nil { throw EventKind.unknown(type) }
    }

    /// Whether an event is selected.
    func isSelected(_ posted: PostedEvent) -> Bool {
        if let device, posted.event.device != device { return false }
        return types?.contains(posted.kind.name) ?? true
    }

    /// The line of an event; `nil` if it is not selected.
    package func line(_ event: PostedEvent, _ lines: EventLines) -> String? {
        isSelected(event) ? lines.line(of: event) : nil
    }

    /// The object of an event with its number as `sequence`; `nil` if it is not selected.
    package func record(_ event: PostedEvent, _ lines: EventLines) -> JSONValue? {
        guard let line = line(event, lines), var members = try? JSONValue(parsing: Array(line.utf8), .own).members
        else { return nil }
        members["sequence"] = .number(Double(event.sequence))
        return .object(members)
    }
}

/// The last events as JSON, so that each is encoded once for all readers.
package final class EventLines: Sendable {
    private struct Line: Sendable {
        var sequence: UInt64 = 0
        var text = ""
    }

    private static let capacity = 1024

    private let lines = Mutex(Array(repeating: Line(), count: capacity))

    /// The JSON object of an event on one line.
    func line(of event: PostedEvent) -> String {
        let index = Int(event.sequence % UInt64(Self.capacity))
        let known = lines.withLock { $0[index] }
        if known.sequence == event.sequence, event.sequence > 0 { return known.text }
        let text = JSONLine.encode(event)
        lines.withLock { $0[index] = Line(sequence: event.sequence, text: text) }
        return text
    }
}
