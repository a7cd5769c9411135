// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Glibc

/// A table that is redrawn in place on a terminal, below the words that are said meanwhile.
struct TerminalTable {
    private var table = LiveTable()
    private var drawnLines = 0
    private var isDirty = false

    /// Whether standard output is a terminal that can do so.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && Environment.value("TERM").map { $0 != "dumb" } ?? false
    }

    /// Shows an event: in the table, or as words above it.
    mutating func take(_ record: EventRecord) {
        if table.take(record) {
            isDirty = true
        } else {
            erase()
            Output.line(EventText.line(record))
            isDirty = true
            draw()
        }
    }

    /// Redraws the table when something in it changed.
    mutating func draw() {
        guard isDirty else { return }
        isDirty = false
        let size = Self.size
        erase()
        let lines = table.lines(width: size.columns, height: size.rows)
        Output.line(lines.joined(separator: "\n"))
        drawnLines = lines.count
    }

    /// Takes the table's lines away: up to its first one, and nothing below.
    private mutating func erase() {
        if drawnLines > 0 { Output.raw("\u{1B}[\(drawnLines)A\u{1B}[J") }
        drawnLines = 0
    }

    private static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
