// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Real time, faster or slower by a factor.
package struct ScaledClock: Clock {
    package typealias Instant = Simulation.Instant

    /// Seconds of this clock in a second of real time; more than 0.
    package let rate: Double
    private let beginning = ContinuousClock.now

    /// A clock that begins now.
    package init(rate: Double) { self.rate = rate }

    package var now: Instant { Instant(offset: beginning.duration(to: .now) * rate) }
    package var minimumResolution: Duration { ContinuousClock().minimumResolution * rate }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await Task.sleep(
            until: beginning.advanced(by: deadline.offset / rate), tolerance: tolerance.map { $0 / rate },
            clock: .continuous)
    }
}
