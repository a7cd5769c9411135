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
            until: beginning.advanced(by: deadline.offset.divided(by: rate)),
            tolerance: tolerance.map { $0.divided(by: rate) }, clock: .continuous)
    }
}

extension Duration {
    /// A century: more than any run lasts, and few enough nanoseconds for 64 bits.
    private static let century = Duration.seconds(3_000_000_000)

    /// The quotient, at most a century: a division by a small number exceeds the range of durations.
    func divided(by divisor: Double) -> Duration {
        let quotient = self / .seconds(1) / divisor
        return quotient < Self.century / .seconds(1) ? self / divisor : Self.century
    }
}
