// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Progress on standard error: a bar on a terminal, else a line for every tenth.
package struct ProgressBar {
    private static let width = 40

    private let isShown: Bool
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var lastStep = -1

    package init(isShown: Bool) { self.isShown = isShown }

    /// Shows a fraction from 0 to 1.
    package mutating func show(_ fraction: Double) {
        let steps = isTerminal ? Self.width : 10
        let step = Int(fraction * Double(steps))
        guard isShown, step > lastStep else { return }
        lastStep = step
        let percent = "\(step * 100 / steps) %"
        guard isTerminal else { return Output.note(percent) }
        let bar = String(repeating: "#", count: step) + String(repeating: ".", count: Self.width - step)
        Output.rawNote("\r[\(bar)] \(percent)")
    }

    /// Ends the line of the bar.
    package func finish() {
        if isShown, isTerminal, lastStep >= 0 { Output.note("") }
    }
}
