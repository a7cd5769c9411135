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
    /// - Parameter left: the time up to the end; `nil` if it is not known.
    package mutating func show(_ fraction: Double, left: Duration? = nil) {
        let steps = isTerminal ? Self.width : 10
        let step = Int(fraction * Double(steps))
        guard isShown, step > lastStep else { return }
        lastStep = step
        let rest = left.map { ", \(Self.text($0)) left" } ?? ""
        let percent = "\(step * 100 / steps) %\(fraction < 1 ? rest : "")"
        guard isTerminal else { return Output.note(percent) }
        let bar = String(repeating: "#", count: step) + String(repeating: ".", count: Self.width - step)
        // Up to the end of the line, where a longer time may have been.
        Output.rawNote("\r[\(bar)] \(percent)\u{1B}[K")
    }

    /// A time in its largest unit: `40 s`, `12 min`, `5 h`.
    private static func text(_ time: Duration) -> String {
        let seconds = max(0, time / .seconds(1))
        if seconds < 100 { return "\(Int(seconds.rounded())) s" }
        return seconds < 6000 ? "\(Int((seconds / 60).rounded())) min" : "\(Int((seconds / 3600).rounded())) h"
    }

    /// Ends the line of the bar.
    package func finish() {
        if isShown, isTerminal, lastStep >= 0 { Output.note("") }
    }
}
