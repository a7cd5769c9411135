// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A moment of a run.
package struct ScheduleTime: Hashable, Sendable {
    /// The time since the start of the run.
    package let uptime: Duration
    /// The time of day, since the Unix epoch.
    package let sinceUnixEpoch: Duration

    /// A moment.
    package init(uptime: Duration, sinceUnixEpoch: Duration) {
        self.uptime = uptime
        self.sinceUnixEpoch = sinceUnixEpoch
    }

    fileprivate func advanced(by time: Duration) -> ScheduleTime {
        ScheduleTime(uptime: uptime + time, sinceUnixEpoch: sinceUnixEpoch + time)
    }
}

/// When a beacon is on, and how its identity changes. It follows from the time alone, so a reload continues it.
package struct Schedule: Hashable, Sendable {
    /// On and off in turn, from the start of the run.
    package struct DutyCycle: Hashable, Sendable {
        /// Each more than zero.
        package let on: Duration
        package let off: Duration
    }

    /// The seconds that local time is ahead of UTC, at a time in seconds since the Unix epoch.
    package typealias UTCOffset = @Sendable (Int64) -> Int64

    /// The times of day in which it is on; empty: all day.
    package let windows: [WeeklyWindow]
    /// `nil`: it stays on.
    package let duty: DutyCycle?
    /// `nil`: its identity does not change.
    package let rotation: Rotation?

    /// Whether it switches the beacon on and off.
    package var switches: Bool { !windows.isEmpty || duty != nil }

    /// How many changes of windows and duty cycle, and how much time, are searched for a change of both. Windows repeat each
    /// week, so they never change if they do not change in eight days.
    private static let searchLimit = 2000
    private static let searchTime = Duration.seconds(8 * 86_400)

    /// Whether the beacon is on, and the time until that changes, or until it is worth asking again; `nil` if it does not
    /// change.
    package func state(at time: ScheduleTime, _ offset: UTCOffset) -> (isOn: Bool, change: Duration?) {
        let (isOn, first) = part(at: time, offset)
        var change = first
        for _ in 0..<Self.searchLimit {
            guard let elapsed = change else { return (isOn, nil) }
            let next = part(at: time.advanced(by: elapsed), offset)
            if next.isOn != isOn { return (isOn, elapsed) }
            if elapsed > Self.searchTime { return (isOn, duty == nil ? nil : elapsed) }
            change = next.end.map { elapsed + $0 }
        }
        return (isOn, change)
    }

    /// Whether it is on, and the time until the windows or, within one, the duty cycle change; `nil` if they do not.
    private func part(at time: ScheduleTime, _ offset: UTCOffset) -> (isOn: Bool, end: Duration?) {
        let (isOpen, windowEnd) = window(at: time, offset)
        guard isOpen, let duty else { return (isOpen, windowEnd) }
        let period = duty.on + duty.off
        let phase = time.uptime.remainder(of: period)
        let isOn = phase < duty.on
        let end = (isOn ? duty.on : period) - phase
        return (isOn, min(windowEnd ?? end, end))
    }

    private func window(at time: ScheduleTime, _ offset: UTCOffset) -> (isOpen: Bool, end: Duration?) {
        guard !windows.isEmpty else { return (true, nil) }
        let seconds = time.sinceUnixEpoch.components.seconds
        let local = seconds + offset(seconds)
        let isOpen = windows.contains { $0.contains(local) }
        guard let edge = windows.compactMap({ $0.nextEdge(after: local) }).min() else { return (isOpen, nil) }
        // Between now and then, summer time may begin or end.
        let estimate = edge - offset(seconds)
        let end = max(edge - offset(estimate), seconds + 1)
        return (isOpen, .seconds(end) - time.sinceUnixEpoch)
    }
}

/// How the identity of a beacon changes, a step at a time from the start of the run.
package struct Rotation: Hashable, Sendable {
    /// The addresses of the steps.
    package enum Addresses: Hashable, Sendable {
        /// The address of the beacon does not change.
        case fixed
        /// These static random addresses in turn, as texts.
        case list([String])
        /// Another static random address in each step.
        case random
    }

    /// A setting of the device and its values in turn.
    package struct Setting: Hashable, Sendable {
        package let key: String
        /// As `ctl set` takes them; at least one.
        package let values: [String]
    }

    /// The time of a step.
    package let period: Duration
    package let settings: [Setting]
    package let addresses: Addresses

    /// The number of the step, and the time until the next one.
    package func step(at uptime: Duration) -> (number: Int, end: Duration) {
        (uptime.count(of: period), period - uptime.remainder(of: period))
    }

    /// The settings of a step, by key.
    package func values(ofStep number: Int) -> [String: String] {
        Dictionary(settings.map { ($0.key, $0.values[number % $0.values.count]) }, uniquingKeysWith: { $1 })
    }
}
