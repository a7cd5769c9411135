// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Concurrency

/// The clock of a run as `ctl clock` reports it.
package struct ClockRecord: Codable, Hashable, Sendable {
    /// Seconds since the beginning of the run.
    package var elapsed: Double
    /// `max`, `manual`, or seconds of the run in a second of real time.
    package var rate: String
    /// `true` in virtual time, in which the clock can be changed; absent otherwise.
    package var virtual: Bool?
}

/// What `ctl clock` changes.
package enum ClockChange: Hashable, Sendable {
    /// Advances a paused clock.
    case advance(Duration)
    /// Changes the rate; `.manual` pauses the clock.
    case rate(Simulation.Rate)
}

/// The clock of a run: real time, real time by a factor, or the time of a simulation.
struct RunClock: Sendable {
    let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = Self.stopwatch(clock)
    }

    private static func stopwatch<Watched: Clock<Duration>>(_ clock: Watched) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// The present state.
    var record: ClockRecord {
        let rate = (clock as? Simulation)?.rate ?? .scaled((clock as? ScaledClock)?.rate ?? 1)
        return ClockRecord(elapsed: elapsed() / .seconds(1), rate: "\(rate)", virtual: clock is Simulation ? true : nil)
    }

    /// Changes a clock in virtual time.
    /// - Throws: `EmulatorError` `.realTime`, or `.conflict` to advance a clock that is not paused.
    func perform(_ change: ClockChange) async throws(EmulatorError) {
        guard let simulation = clock as? Simulation else {
            throw EmulatorError(
                .realTime, "the clock of this run is that of the machine",
                hint: "start the run with --rate max, --rate manual, or a number, and without --hci-server")
        }
        switch change {
        case .rate(let rate): simulation.setRate(rate)
        case .advance(let duration):
            guard simulation.rate == .manual else {
                throw EmulatorError(
                    .conflict, "only a paused clock can be advanced, and this one has the rate \(simulation.rate)",
                    hint: "pause it first (ctl clock pause)")
            }
            await simulation.advance(by: duration)
        }
    }
}
