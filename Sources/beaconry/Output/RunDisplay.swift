// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryTools
import Emulator

/// A run on a terminal: a table that is redrawn at most ten times a second, below the events that it does not show.
enum RunDisplay {
    /// Shows events until their stream ends.
    /// - Parameter observe: Called with each event.
    static func show(_ events: AsyncStream<PostedEvent>, observe: @escaping @Sendable (EmulatorEvent) -> Void) async {
        let (feed, input) = AsyncStream.makeStream(of: EmulatorEvent?.self)
        let ticking = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                input.yield(nil)
            }
        }
        let reading = Task {
            for await posted in events {
                observe(posted.event)
                input.yield(posted.event)
            }
            input.finish()
        }
        let screen = LiveScreen()
        var table = LiveTable()
        var isDirty = false
        for await event in feed {
            if let event {
                isDirty = true
                guard !table.take(event) else { continue }
                for line in event.lines { screen.print(line) }
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
