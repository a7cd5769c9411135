// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The scan of a phone: whether it scans at a time, and with which parameters.
///
/// It is stopped, or was started at a time; from that time, the turns of the plan, the limits of the system and the screen
/// follow. A value without a clock: its inputs have times since an arbitrary start.
package struct PhoneScan: Hashable, Sendable {
    /// A start that the system does not permit: there were too many in a short time.
    package struct TooManyStarts: Error, Hashable, CustomStringConvertible {
        package let limit: Int
        package let time: Duration

        /// One sentence, without its full stop.
        package var description: String { "the system permits \(limit) starts of a scan in \(time.secondsText)" }
    }

    /// The plan.
    package private(set) var plan: ScanPlan
    /// The screen.
    package private(set) var screen = Screen.on
    /// Whether the app gives the system a filter, as one with regions does.
    package var isFiltered = false
    /// When it was started; `nil` if it is stopped.
    private var start: Duration?
    /// The times of the latest starts, oldest first.
    private var starts: [Duration] = []

    /// A scan that is stopped.
    package init(_ plan: ScanPlan) { self.plan = plan }

    /// Starts the scan, or starts it again.
    /// - Throws: `TooManyStarts`; then it is stopped.
    package mutating func start(at time: Duration) throws(TooManyStarts) {
        start = nil
        if let limits = plan.limits {
            starts.removeAll { time - $0 >= limits.startTime }
            guard starts.count < limits.starts else {
                throw TooManyStarts(limit: limits.starts, time: limits.startTime)
            }
            starts.append(time)
        }
        start = time
    }

    /// Stops the scan.
    package mutating func stop() { start = nil }

    /// Switches the screen on or off.
    package mutating func setScreen(_ screen: Screen) { self.screen = screen }

    /// Replaces the plan; a scan that is started goes on with the new one.
    package mutating func setPlan(_ plan: ScanPlan) { self.plan = plan }

    /// The parameters at a time; `nil` while the system does not scan.
    package func parameters(at time: Duration) -> ScanParameters? {
        guard let start else { return nil }
        let age = time - start
        if let turns = plan.turns, age.remainder(of: turns.period) >= turns.scan { return nil }
        guard let limits = plan.limits else { return plan.parameters }
        if age >= limits.longest { return nil }
        if screen == .off, limits.needsFilter, !isFiltered { return nil }
        if screen == .off, let screenOff = limits.screenOff { return screenOff }
        if let first = limits.first, age < ScanPlan.Limits.firstTime { return first }
        return plan.parameters
    }

    /// The next time at which the parameters may change by themselves, after a time; `nil` if they do not.
    package func nextDeadline(after time: Duration) -> Duration? {
        guard let start, plan.turns != nil || plan.limits != nil else { return nil }
        let age = time - start
        var ages: [Duration] = []
        if let turns = plan.turns {
            let turn = age - age.remainder(of: turns.period)
            ages += [turn + turns.scan, turn + turns.period]
        }
        if let limits = plan.limits { ages += [ScanPlan.Limits.firstTime, limits.longest] }
        return ages.filter { $0 > age }.min().map { start + $0 }
    }
}
