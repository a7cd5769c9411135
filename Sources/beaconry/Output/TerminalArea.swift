// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Lines at the end of a terminal that are redrawn in place.
struct TerminalArea {
    private var drawnLines = 0

    /// Whether standard output is a terminal that can do so.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && Environment.value("TERM").map { $0 != "dumb" } ?? false
    }

    /// How much fits on it.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Shows these lines in the place of those shown before.
    mutating func show(_ lines: [String]) {
        erase()
        Output.lines(lines)
        drawnLines = lines.count
    }

    /// Takes the lines away: up to the first one, and nothing below.
    mutating func erase() {
        if drawnLines > 0 { Output.raw("\u{1B}[\(drawnLines)A\u{1B}[J") }
        drawnLines = 0
    }
}
