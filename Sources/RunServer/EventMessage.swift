// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON

extension EventSelection {
    /// The line of an event as server-sent events have it (HTML, 9.2.5); `nil` if it is not selected.
    /// - Parameter hasText: Whether it has its sentence in the member `text`.
    func message(
        _ event: PostedEvent, _ lines: EventLines, hasText: Bool = false
    ) -> String? {
        var line: String
        var identifier = "id: \(event.sequence)\n"
        if case .lost = event.event {
            // It has no number, and every reader gets it.
            (line, identifier) = (JSONLine.encode(event), "")
        } else {
            guard let selected = self.line(event, lines) else { return nil }
            line = selected
        }
        if hasText {
            line = "{\"\(EventField.text.name)\":\(JSONLine.encode(event.event.sentence)),\(line.dropFirst())"
        }
        return "\(identifier)data: \(line)\n\n"
    }
}
