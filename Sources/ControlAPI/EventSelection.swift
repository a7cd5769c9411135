// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

extension EventSelection {
    /// The line of an event as server-sent events have it (HTML, 9.2.5); `nil` if it is not selected.
    /// - Parameter sentence: describes the event in the member `text`; `nil` for no such member.
    func message(
        _ event: PostedEvent, _ lines: EventLines, sentence: (@Sendable (EmulatorEvent) -> String)? = nil
    ) -> String? {
        if case .lost(let count) = event.event { return "event: overflow\ndata: {\"count\":\(count)}\n\n" }
        guard var line = line(event, lines) else { return nil }
        if let sentence { line = "{\"text\":\(JSONLine.encode(sentence(event.event))),\(line.dropFirst())" }
        return "id: \(event.sequence)\ndata: \(line)\n\n"
    }
}
