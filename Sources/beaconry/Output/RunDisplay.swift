// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// A run on a terminal: a table that is redrawn ten times a second at most, below what the table does not show.
enum RunDisplay {
    /// Shows events until there are no more.
    /// - Parameter note: is called with each of them.
    static func show(_ events: AsyncStream<EventRecord>, note: @escaping @Sendable (EventRecord) -> Void) async {
        let (feed, input) = AsyncStream.makeStream(of: EventRecord?.self)
        let ticking = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                input.yield(nil)
            }
        }
        let reading = Task {
            for await record in events {
                note(record)
                input.yield(record)
            }
            input.finish()
        }
        let screen = LiveScreen()
        var table = LiveTable()
        var isDirty = false
        for await record in feed {
            if let record {
                isDirty = true
                guard !table.take(record) else { continue }
                screen.print(EventText.line(record))
            }
            if isDirty { screen.show(table.content) }
            isDirty = false
        }
        screen.show(table.content)
        screen.finish()
        ticking.cancel()
        await reading.value
    }
}
