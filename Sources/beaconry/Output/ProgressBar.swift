// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How much of something is done: a bar on a terminal, else a line every tenth, on standard error.
struct ProgressBar {
    private static let width = 40

    private let isShown: Bool
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var lastStep = -1

    init(isShown: Bool) { self.isShown = isShown }

    /// Shows a part from 0 to 1.
    mutating func show(_ part: Double) {
        let steps = isTerminal ? Self.width : 10
        let step = Int(part * Double(steps))
        guard isShown, step > lastStep else { return }
        lastStep = step
        let percent = "\(step * 100 / steps) %"
        guard isTerminal else { return Output.note(percent) }
        let bar = String(repeating: "#", count: step) + String(repeating: ".", count: Self.width - step)
        Output.rawNote("\r[\(bar)] \(percent)")
    }

    /// Leaves the bar where it is.
    func finish() {
        if isShown, isTerminal, lastStep >= 0 { Output.note("") }
    }
}
