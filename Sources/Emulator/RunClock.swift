// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Concurrency
import Profiles
import Radio

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

/// The time of day, since the Unix epoch.
package typealias TimeOfDay = @Sendable () -> Duration

/// The clock of a run: real time, real time by a factor, or the time of a simulation.
struct RunClock: Sendable {
    private let clock: any Clock<Duration>
    /// Counts from the start of the run.
    let timekeeper: Timekeeper
    /// The time of day at the start of the run, since the Unix epoch.
    private let epoch: Duration
    /// The time of day, which may be set during the run; `nil` where it follows from the start and the clock of the run.
    private let timeOfDay: TimeOfDay?

    /// - Parameters:
    ///   - epoch: the time of day at the start; `nil` for the machine's.
    ///   - timeOfDay: the time of day, which may be set during the run; `nil` for the machine's in real time without an
    ///     `epoch`, and otherwise for a time of day that cannot be set.
    init(_ clock: any Clock<Duration>, epoch: Duration?, timeOfDay: TimeOfDay? = nil) {
        self.clock = clock
        timekeeper = Timekeeper(clock)
        let isMachines = epoch == nil && clock is ContinuousClock
        self.timeOfDay = timeOfDay ?? (isMachines ? { @Sendable in .sinceUnixEpoch } : nil)
        self.epoch = epoch ?? self.timeOfDay?() ?? .sinceUnixEpoch
    }

    /// Whether the time of day may be set during the run.
    var canBeSet: Bool { timeOfDay != nil }

    /// The time since the start of the run.
    var uptime: Duration { timekeeper.now() }

    /// The present time for schedules.
    var scheduleTime: ScheduleTime {
        let uptime = uptime
        return ScheduleTime(uptime: uptime, sinceUnixEpoch: timeOfDay?() ?? epoch + uptime)
    }

    /// Waits for a duration, on the clock of the run.
    /// - Returns: `false` if the task was cancelled meanwhile.
    @discardableResult
    func sleep(for duration: Duration) async -> Bool { await timekeeper.sleep(for: duration) }

    /// The present state.
    var record: ClockRecord {
        let rate = (clock as? Simulation)?.rate ?? .scaled((clock as? ScaledClock)?.rate ?? 1)
        return ClockRecord(elapsed: uptime / .seconds(1), rate: "\(rate)", virtual: clock is Simulation ? true : nil)
    }

    /// Changes a clock in virtual time. An advance ends early when its client leaves.
    /// - Throws: `EmulatorError` `.realTime`, or `.conflict` to advance a clock that is not paused.
    func perform(_ change: ClockChange) async throws(EmulatorError) {
        guard let simulation = clock as? Simulation else {
            throw EmulatorError(
                .realTime, "this run uses the machine's clock",
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
            await Requester.value(of: Task { await simulation.advance(by: duration) })
        }
    }
}

/// Notices that the time of day was set, beside a clock that cannot be set.
///
/// One of the two may also have stood still while the machine was suspended. Small steps, and a time of day that is slewed, add up
/// until they count.
struct TimeOfDayWatch {
    /// The least step that counts.
    static let leastStep = Duration.milliseconds(500)

    /// The time of day at the start of the clock, as it was when a step counted last.
    private var start: Duration
    /// The difference between local time and UTC.
    private let utcOffset: Schedule.UTCOffset
    private var lastOffset: Int64

    init(at time: ScheduleTime, _ utcOffset: @escaping Schedule.UTCOffset) {
        start = time.sinceUnixEpoch - time.uptime
        self.utcOffset = utcOffset
        lastOffset = utcOffset(time.sinceUnixEpoch.components.seconds)
    }

    /// Takes the present time.
    /// - Returns: Whether the time of day, or the time zone, was set since the last call that returned `true`.
    mutating func wasSet(at time: ScheduleTime) -> Bool {
        let start = time.sinceUnixEpoch - time.uptime
        let step = start > self.start ? start - self.start : self.start - start
        let offset = utcOffset(time.sinceUnixEpoch.components.seconds)
        guard step >= Self.leastStep || offset != lastOffset else { return false }
        self.start = start
        lastOffset = offset
        return true
    }
}

/// The task that compares the time of day again and again, once a schedule depends on it.
///
/// Confined to the actor of the run.
final class TimeOfDayTimer {
    private var task: Task<Void, Never>?

    /// Begins; without effect if it has begun already.
    func begin(_ makeTask: () -> Task<Void, Never>) {
        if task == nil { task = makeTask() }
    }

    func cancel() { task?.cancel() }
}
