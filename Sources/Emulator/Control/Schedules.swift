// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Profiles
import Radio

// Schedules of beacons. Each has a timer for its next change. In real time, schedules follow the time of day when it is set, which
// no timer notices: the time is compared every two seconds, while there is a schedule that depends on it.
extension Emulator {
    /// The time after which a change of the time of day is noticed at the latest, and a timer that the suspended machine has delayed.
    private static let timeCheckPeriod = Duration.seconds(2)

    /// Begins the schedule of a beacon, or continues the same one; call it before `powerOn`.
    func beginSchedule(of beacon: RunningBeacon) async {
        guard let session = roster[beacon.identifier] else { return }
        session.follow(beacon.profile.schedule, at: runClock.scheduleTime, configuration.utcOffset)
        guard session.hasSchedule else { return }
        awaitScheduleChange(of: beacon.identifier)
        refresh(beacon.identifier)
        if session.followsTimeOfDay, runClock.canBeSet {
            timeOfDayTimer.begin {
                let watch = TimeOfDayWatch(at: runClock.scheduleTime, configuration.utcOffset)
                return Task { [weak self, runClock] in
                    var watch = watch
                    while await runClock.sleep(for: Self.timeCheckPeriod), let self {
                        watch = await self.checkSchedules(watch)
                    }
                }
            }
        }
        if let (rotation, step) = session.rotation { await beacon.prepare(rotation, step: step) }
    }

    private func awaitScheduleChange(of beacon: BeaconIdentifier) {
        roster[beacon]?.awaitScheduleChange(runClock) { [weak self] in
            // Its timer was cancelled after it had fired.
            guard !Task.isCancelled else { return }
            await self?.advanceSchedule(of: beacon)
        }
    }

    /// Advances the schedules whose changes no timer has noticed, because the time of day or the time zone was set, or the timer is
    /// late.
    /// - Parameter watch: The last time at which schedules were checked.
    /// - Returns: The present time.
    private func checkSchedules(_ watch: TimeOfDayWatch) async -> TimeOfDayWatch {
        guard progress.phase == .up else { return watch }
        let time = runClock.scheduleTime
        var watch = watch
        let wasSet = watch.wasSet(at: time)
        for beacon in roster.order {
            guard let session = roster[beacon],
                wasSet && session.followsTimeOfDay || session.hasMissedScheduleChange(at: time.uptime)
            else { continue }
            session.cancelScheduleTimer()
            await advanceSchedule(of: beacon)
        }
        return watch
    }

    private func advanceSchedule(of beacon: BeaconIdentifier) async {
        guard progress.phase == .up, let session = roster[beacon],
            let change = session.advanceSchedule(to: runClock.scheduleTime)
        else { return }
        awaitScheduleChange(of: beacon)
        refresh(beacon)
        if change.step != nil, let (rotation, step) = session.rotation {
            await directory.route(to: beacon) { await $0.rotate(rotation, step: step) }
        }
        guard let isOn = change.isOn else { return }
        // A reload may have removed it meanwhile.
        try? await exclusively(.named(beacon.name)) { beacons throws(EmulatorError) in
            if roster[beacon]?.hasFlatBattery != true { await switchBeacon(beacons[0], on: isOn) }
        }
    }
}
