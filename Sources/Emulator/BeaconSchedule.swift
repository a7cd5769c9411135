// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles

/// What the schedule of a beacon says at present.
package struct ScheduleStatus: Hashable, Sendable {
    /// Whether the schedule has the beacon on.
    package let isOn: Bool
    /// When that changes, since the Unix epoch; `nil` if it does not.
    package let until: Duration?
    /// Whether the user has switched the beacon the other way until then.
    package let isOverridden: Bool
}

/// The schedule of a beacon in a run: what it says, until when, and what the user has switched since.
///
/// It is on or off as the schedule says, or overridden until the next change of the schedule. Its timer is
/// in the session of the beacon.
struct BeaconSchedule: Sendable {
    /// What a moment has changed.
    struct Change: Hashable, Sendable {
        /// Whether the beacon is to be on from now on; `nil` for no change.
        var isOn: Bool?
        /// The new step of the rotation; `nil` for no change.
        var step: Int?
    }

    let schedule: Schedule
    private let offset: Schedule.UTCOffset
    /// What the user has switched since the last change.
    private var override: Bool?
    private var isScheduledOn = true
    /// When the schedule changes, and when it is to be looked at, since the start of the run.
    private var change: (uptime: Duration, sinceUnixEpoch: Duration)?
    private var step: Int?
    private var stepEnd: Duration?

    /// The schedule at a moment.
    init(_ schedule: Schedule, at time: ScheduleTime, _ offset: @escaping Schedule.UTCOffset) {
        self.schedule = schedule
        self.offset = offset
        _ = advance(to: time)
    }

    /// Whether the beacon is to be on.
    var isOn: Bool { override ?? isScheduledOn }
    /// Whether the schedule has it off.
    var isScheduledOff: Bool { override == nil && !isScheduledOn }
    /// The present step of the rotation; `nil` without one.
    var rotation: (rotation: Rotation, step: Int)? {
        guard let rotation = schedule.rotation, let step else { return nil }
        return (rotation, step)
    }

    /// Whether it depends on the time of day.
    var followsTimeOfDay: Bool { !schedule.windows.isEmpty }

    /// Switches the beacon until the next change of the schedule, which does not change at all if it only rotates.
    mutating func override(by isOn: Bool) { override = isOn == isScheduledOn ? nil : isOn }

    /// Takes the present time. A change of the schedule ends what the user has switched.
    mutating func advance(to time: ScheduleTime) -> Change {
        var result = Change()
        let (isOn, remaining) = schedule.state(at: time, offset)
        if isOn != isScheduledOn {
            if self.isOn != isOn { result.isOn = isOn }
            isScheduledOn = isOn
            override = nil
        }
        change = remaining.map { (time.uptime + $0, time.sinceUnixEpoch + $0) }
        if let rotation = schedule.rotation {
            let (number, end) = rotation.step(at: time.uptime)
            if number != step { result.step = number }
            step = number
            stepEnd = time.uptime + end
        }
        return result
    }

    /// When it is to be advanced next, since the start of the run; `nil` if nothing changes.
    var deadline: Duration? {
        guard let change = change?.uptime else { return stepEnd }
        return stepEnd.map { min($0, change) } ?? change
    }

    /// What it says; `nil` for a schedule that does not switch the beacon.
    var status: ScheduleStatus? {
        guard schedule.switches else { return nil }
        return ScheduleStatus(isOn: isScheduledOn, until: change?.sinceUnixEpoch, isOverridden: override != nil)
    }
}

/// The time zone of the machine.
package enum LocalTime {
    /// The seconds that local time is ahead of UTC, at a time in seconds since the Unix epoch.
    @Sendable package static func offset(at seconds: Int64) -> Int64 {
        var time = time_t(seconds)
        var parts = tm()
        // Reads /etc/localtime again if it has changed, which localtime_r need not do.
        tzset()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return Int64(parts.tm_gmtoff)
    }
}
