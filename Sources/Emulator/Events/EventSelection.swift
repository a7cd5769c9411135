// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

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

    /// The line of an event; `nil` if it is not selected.
    package func line(_ event: PostedEvent, _ lines: EventLines) -> String? {
        if let device, event.event.device != device { return nil }
        let (name, line) = lines.line(of: event)
        return types?.contains(name) == false ? nil : line
    }

    /// The object of an event with its number as `sequence`; `nil` if it is not selected.
    func record(_ event: PostedEvent, _ lines: EventLines) -> JSONValue? {
        guard let line = line(event, lines), var members = JSONValue(parsing: Array(line.utf8))?.members else {
            return nil
        }
        members["sequence"] = .number(Double(event.sequence))
        return .object(members)
    }
}

/// The last events as JSON, so that each is encoded once for all readers.
package final class EventLines: Sendable {
    private struct Line: Sendable {
        var sequence: UInt64 = 0
        var name = ""
        var text = ""
    }

    private static let capacity = 1024

    private let lines = Mutex(Array(repeating: Line(), count: capacity))

    /// The name of an event, and its JSON object on one line.
    func line(of event: PostedEvent) -> (name: String, text: String) {
        let index = Int(event.sequence % UInt64(Self.capacity))
        let known = lines.withLock { $0[index] }
        if known.sequence == event.sequence, event.sequence > 0 { return (known.name, known.text) }
        let text = JSONLine.encode(event)
        let name = JSONValue(parsing: Array(text.utf8))?.members?["event"]?.string ?? ""
        lines.withLock { $0[index] = Line(sequence: event.sequence, name: name, text: text) }
        return (name, text)
    }
}
