// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

extension EventSelection {
    /// The line of an event as server-sent events have it (HTML, 9.2.5); `nil` if it is not selected.
    /// - Parameter hasText: Whether it has its sentence in the member `text`.
    func message(
        _ event: PostedEvent, _ lines: EventLines, hasText: Bool = false
    ) -> String? {
        if case .lost(let count) = event.event { return "event: overflow\ndata: {\"count\":\(count)}\n\n" }
        guard var line = line(event, lines) else { return nil }
        if hasText { line = "{\"text\":\(JSONLine.encode(EventText.line(event.event))),\(line.dropFirst())" }
        return "id: \(event.sequence)\ndata: \(line)\n\n"
    }
}
