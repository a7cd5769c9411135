// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency

/// The end of a run with its outputs, for which requests wait.
package final class RunEnd: Sendable {
    private let isOver = ObservedState(false)

    init() {}

    /// Notes that the run has ended and that its outputs are complete.
    package func finish() { isOver.set(true) }

    /// Returns when the run has ended, or the task is cancelled.
    package func wait() async {
        for await isOver in isOver.stream where isOver { return }
    }
}
