// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The time since its creation, and sleep, on a clock of any type.
package final class Timekeeper: Sendable {
    /// The time since the timekeeper was created.
    package let now: @Sendable () -> Duration
    private let clock: any Clock<Duration>

    /// A timekeeper on a clock.
    package init(_ clock: any Clock<Duration>) {
        self.clock = clock
        now = Self.stopwatch(clock)
    }

    /// Sleeps.
    /// - Returns: `false` if the task was cancelled meanwhile.
    @discardableResult
    package func sleep(for duration: Duration) async -> Bool {
        guard duration > .zero else { return !Task.isCancelled }
        do {
            try await clock.sleep(for: duration)
            return !Task.isCancelled
        } catch {
            return false
        }
    }

    private static func stopwatch<Watched: Clock<Duration>>(_ clock: Watched) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
