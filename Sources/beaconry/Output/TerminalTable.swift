// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// A run's table that is redrawn in place on a terminal, below the words that are said meanwhile.
struct TerminalTable {
    private var table = LiveTable()
    private var area = TerminalArea()
    private var isDirty = false

    /// Shows an event: in the table, or as words above it.
    mutating func take(_ record: EventRecord) {
        if table.take(record) {
            isDirty = true
        } else {
            area.erase()
            Output.line(EventText.line(record))
            isDirty = true
            draw()
        }
    }

    /// Redraws the table when something in it changed.
    mutating func draw() {
        guard isDirty else { return }
        isDirty = false
        let size = TerminalArea.size
        area.show(table.lines(width: size.columns, height: size.rows))
    }
}
