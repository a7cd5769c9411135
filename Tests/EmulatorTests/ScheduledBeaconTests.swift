// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Radio
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Emulator

/// Schedules on the clock of the test, in a time zone without summer time.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct ScheduledBeaconTests {
    /// Friday, 30 January 2026, 00:00 UTC.
    private static let friday = Duration.seconds(1_769_731_200)
    private static let hour = Duration.seconds(3600)

    private static func profile(_ schedule: String, minor: Int = 7) -> String {
        """
        profile: shop
        beacons:
          - id: sign
            device: ibeacon
            ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: \(minor) }
            schedule: \(schedule)
        """
    }

    /// Runs the profile from Friday at midnight of a zone that is two hours ahead of UTC.
    private func withRig(_ schedule: String, _ body: (Rig) async throws -> Void) async throws {
        let rig = try Rig(Self.profile(schedule), folder: try TemporaryFolder()) { configuration in
            configuration.epoch = Self.friday - Self.hour * 2
            configuration.utcOffset = { _ in 7200 }
        }
        do {
            try await rig.event("ready")
            try await body(rig)
        } catch {
            try? await rig.stop()
            throw error
        }
        try await rig.stop()
    }

    /// Advances to the next change, which must be this far away.
    private func advance(_ rig: Rig, by duration: Duration) async {
        await rig.clock.waitForSleeper(of: duration)
        rig.clock.advance(by: duration)
    }

    @Test func dayOfAShopTakesMilliseconds() async throws {
        try await withRig("{ between: mon-fri 09:00-17:00 }") { rig in
            let closed = try await rig.emulator.show("sign")
            #expect(!closed.isEnabled && !closed.isOnAir)
            #expect(
                closed.schedule == ScheduleStatus(isOn: false, until: Self.friday + Self.hour * 7, isOverridden: false))
            #expect(rig.radio.advertisements("sign").isEmpty)

            await advance(rig, by: Self.hour * 9)
            try await rig.event("advertising-started", of: "sign")
            let open = try await rig.emulator.show("sign")
            #expect(open.isEnabled && open.schedule?.until == Self.friday + Self.hour * 15)

            await advance(rig, by: Self.hour * 8)
            #expect(try await rig.event("advertising-stopped", of: "sign").reason == "off by its schedule")
            // Until Monday at 09:00.
            await advance(rig, by: Self.hour * 64)
            try await rig.event("advertising-started", of: "sign", 2)
        }
    }

    @Test func centralsAreDisconnectedWhenTheScheduleSwitchesOff() async throws {
        try await withRig("{ on: 10s, off: 50s }") { rig in
            try await rig.event("advertising-started", of: "sign")
            rig.connect("phone", to: "sign")
            try await rig.event("connected", of: "sign")
            await advance(rig, by: .seconds(10))
            _ = try await rig.radio.calls.entry { $0 == .disconnect("phone") }
            await advance(rig, by: .seconds(50))
            try await rig.event("advertising-started", of: "sign", 2)
        }
    }

    @Test func userSwitchesUntilTheNextChange() async throws {
        try await withRig("{ on: 10s, off: 50s }") { rig in
            try await rig.event("advertising-started", of: "sign")
            rig.clock.advance(by: .seconds(4))
            let off = try await rig.emulator.setEnabled("sign", false)
            #expect(!off.isEnabled && off.schedule?.isOn == true && off.schedule?.isOverridden == true)
            #expect(try await rig.event("advertising-stopped", of: "sign").reason == "disabled")
            // The schedule switches it off, too: nothing to do.
            await advance(rig, by: .seconds(6))
            await rig.clock.waitForSleeper(of: .seconds(50))
            #expect(try await rig.emulator.show("sign").schedule?.isOverridden == false)
            let on = try await rig.emulator.setEnabled("sign", true)
            #expect(on.isEnabled && on.schedule?.isOn == false && on.schedule?.isOverridden == true)
            try await rig.event("advertising-started", of: "sign", 2)
            // The schedule switches it on, which it is, and off again.
            await advance(rig, by: .seconds(50))
            await advance(rig, by: .seconds(10))
            #expect(try await rig.event("advertising-stopped", of: "sign", 2).reason == "off by its schedule")
        }
    }

    @Test func reloadKeepsThePhaseAndWhatTheUserHasSwitched() async throws {
        try await withRig("{ on: 10s, off: 50s }") { rig in
            try await rig.event("advertising-started", of: "sign")
            rig.clock.advance(by: .seconds(4))
            _ = try await rig.emulator.setEnabled("sign", false)
            rig.profiles.change(Self.profile("{ on: 10s, off: 50s }", minor: 8))
            #expect(try await rig.emulator.reload().changed == ["sign"])
            #expect(try await !rig.emulator.show("sign").isEnabled)
            await advance(rig, by: .seconds(6))
            await advance(rig, by: .seconds(50))
            try await rig.event("advertising-started", of: "sign", 2)
            #expect(try await rig.advertisement("sign", 3)?.frame?.minor == 8)
            // Another schedule applies at once.
            rig.profiles.change(Self.profile("{ between: 09:00-10:00 }"))
            #expect(try await rig.emulator.reload().changed == ["sign"])
            #expect(try await rig.event("advertising-stopped", of: "sign", 2).reason == "off by its schedule")
            rig.profiles.change(
                Self.profile("{ on: 10s, off: 50s }").replacing("    schedule: { on: 10s, off: 50s }", with: ""))
            #expect(try await rig.emulator.reload().changed == ["sign"])
            try await rig.event("advertising-started", of: "sign", 3)
            #expect(try await rig.emulator.show("sign").schedule == nil)
        }
    }

    @Test func flatBatteryTakesPrecedence() async throws {
        try await withRig("{ on: 10s, off: 50s }") { rig in
            try await rig.event("advertising-started", of: "sign")
            await rig.clock.waitForSleeper(of: .seconds(10))
            _ = try await rig.emulator.setBattery("sign", .flat)
            rig.clock.advance(by: .seconds(10))
            await advance(rig, by: .seconds(50))
            await rig.clock.waitForSleeper(of: .seconds(10))
            #expect(try await !rig.emulator.show("sign").isEnabled)
            await advance(rig, by: .seconds(10))
            await rig.clock.waitForSleeper(of: .seconds(50))
            // It is replaced while the schedule has the beacon off.
            #expect(try await !rig.emulator.setBattery("sign", .full).isEnabled)
            await advance(rig, by: .seconds(50))
            try await rig.event("advertising-started", of: "sign", 2)
        }
    }

    @Test func identityRotates() async throws {
        try await withRig(
            "{ rotate: { every: 15m, minor: [1, 2, 3], address: [C0:FF:EE:00:00:01, C0:FF:EE:00:00:02] } }"
        ) {
            rig in
            let addresses = ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"].map { BluetoothAddress($0) }
            for step in 0..<4 {
                let new = try await rig.radio.calls.entry { call in
                    guard case .advertise(_, let advertisement?) = call else { return false }
                    return Int(advertisement.frame?.minor ?? 0) == step % 3 + 1
                        && advertisement.address == addresses[step % 2]
                }
                #expect(new != .close)
                await advance(rig, by: .seconds(900))
            }
            #expect(try await rig.emulator.show("sign").schedule == nil)
            let minors = rig.radio.advertisements("sign").compactMap { $0?.frame?.minor }
            #expect(minors.first == 1, "the number of the profile is never on the air")
        }
    }

    @Test func randomAddressIsAnotherOneInEachStepAndTheSameAfterAReload() async throws {
        let schedule = "{ rotate: { every: 15m, address: random } }"
        try await withRig(schedule) { rig in
            for step in 1...3 {
                try await rig.advertisement("sign", step)
                if step < 3 { await advance(rig, by: .seconds(900)) }
            }
            let addresses = rig.radio.advertisements("sign").compactMap { $0?.address }
            #expect(Set(addresses).count == 3 && addresses.allSatisfy(\.isStaticRandom))
            rig.profiles.change(Self.profile(schedule, minor: 9))
            #expect(try await rig.emulator.reload().changed == ["sign"])
            let last = try await rig.advertisement("sign", 4)
            #expect(last?.frame?.minor == 9 && last?.address == addresses.last)
        }
    }

    // MARK: - The time of day

    /// A time of day that a test sets.
    private final class Wall: Sendable {
        private let clock: Mutex<(since: Duration, clock: ManualClock)?> = Mutex(nil)
        private let start: Mutex<Duration>
        private let offset: Mutex<Int64> = Mutex(0)

        init(_ start: Duration) { self.start = Mutex(start) }

        /// The clock that it follows while it is not set.
        func follow(_ clock: ManualClock) { self.clock.withLock { $0 = (clock.now.offset, clock) } }

        var now: Duration {
            let elapsed = clock.withLock { $0.map { $0.clock.now.offset - $0.since } } ?? .zero
            return start.withLock(\.self) + elapsed
        }

        func set(by step: Duration) { start.withLock { $0 += step } }

        /// The seconds that local time is ahead of UTC.
        var utcOffset: Int64 { offset.withLock(\.self) }

        func setOffset(hours: Int64) { offset.withLock { $0 = hours * 3600 } }
    }

    /// Runs the profile on a clock that can be set, from Friday at this hour in UTC.
    private func withWall(
        _ schedule: String, at hour: Int, _ body: (Rig, Wall) async throws -> Void
    ) async throws {
        let wall = Wall(Self.friday + Self.hour * hour)
        let rig = try Rig(Self.profile(schedule), folder: try TemporaryFolder()) { configuration in
            configuration.timeOfDay = { wall.now }
            configuration.utcOffset = { _ in wall.utcOffset }
        }
        wall.follow(rig.clock)
        do {
            try await rig.event("ready")
            try await body(rig, wall)
        } catch {
            try? await rig.stop()
            throw error
        }
        try await rig.stop()
    }

    /// The run compares the time of day every two seconds.
    private func check(_ rig: Rig) async { await advance(rig, by: .seconds(2)) }

    @Test func scheduleFollowsAStepOfTheClockForward() async throws {
        try await withWall("{ between: mon-fri 09:00-17:00 }", at: 3) { rig, wall in
            #expect(try await !rig.emulator.show("sign").isEnabled)
            wall.set(by: Self.hour * 7)
            await check(rig)
            try await rig.event("advertising-started", of: "sign")
            #expect(try await rig.emulator.show("sign").schedule?.until == Self.friday + Self.hour * 17)
            // The timer is that of the new time.
            await rig.clock.waitForSleeper(of: Self.hour * 7 - .seconds(2))
        }
    }

    @Test func scheduleFollowsAStepOfTheClockBack() async throws {
        try await withWall("{ between: mon-fri 09:00-17:00 }", at: 10) { rig, wall in
            try await rig.event("advertising-started", of: "sign")
            wall.set(by: Self.hour * -4)
            await check(rig)
            #expect(try await rig.event("advertising-stopped", of: "sign").reason == "off by its schedule")
            #expect(try await rig.emulator.show("sign").schedule?.until == Self.friday + Self.hour * 9)
            await advance(rig, by: Self.hour * 3 - .seconds(2))
            try await rig.event("advertising-started", of: "sign", 2)
        }
    }

    @Test func scheduleFollowsTheTimeZone() async throws {
        try await withWall("{ between: mon-fri 09:00-17:00 }", at: 3) { rig, wall in
            #expect(try await !rig.emulator.show("sign").isEnabled)
            wall.setOffset(hours: 7)
            await check(rig)
            try await rig.event("advertising-started", of: "sign")
            #expect(try await rig.emulator.show("sign").schedule?.until == Self.friday + Self.hour * 10)
        }
    }

    /// A clock that is slewed by half a second between two checks each is followed as well, once the steps add up.
    @Test func smallStepsAddUp() {
        var watch = TimeOfDayWatch(at: ScheduleTime(uptime: .zero, sinceUnixEpoch: Self.friday)) { _ in 0 }
        var noticed: [Int] = []
        for second in 1...12 {
            let time = Duration.seconds(second)
            let step = Duration.milliseconds(100) * second
            if watch.wasSet(at: ScheduleTime(uptime: time, sinceUnixEpoch: Self.friday + time + step)) {
                noticed.append(second)
            }
        }
        #expect(noticed == [5, 10])
    }

    /// The clock of timers stands still while the machine is suspended, and the time of day does not.
    @Test func suspendedMachineIsBehindNoScheduleAfterIt() async throws {
        try await withWall("{ between: mon-fri 09:00-17:00 }", at: 8) { rig, wall in
            await rig.clock.waitForSleeper(of: Self.hour)
            wall.set(by: Self.hour * 2)
            await check(rig)
            try await rig.event("advertising-started", of: "sign")
        }
    }

    /// Another kernel's clock of timers continues during the suspension, but a timer of the process is late: the next check does
    /// what the timer has not done.
    @Test func lateTimerIsNoticed() {
        let offset: Schedule.UTCOffset = { _ in 0 }
        let reader = try? Profile(parsing: Self.profile("{ between: 09:00-17:00 }"), file: "shop.yaml")
        guard let definition = reader?.beacons.first, let schedule = definition.schedule else {
            Issue.record("the profile has no schedule")
            return
        }
        let start = ScheduleTime(uptime: .zero, sinceUnixEpoch: Self.friday + Self.hour * 8)
        var plan = BeaconSchedule(schedule, at: start, offset)
        #expect(plan.deadline == Self.hour && plan.isScheduledOff)
        let after = ScheduleTime(uptime: Self.hour * 2, sinceUnixEpoch: Self.friday + Self.hour * 10)
        #expect(plan.advance(to: after).isOn == true)
    }

    @Test func cyclesAndRotationsDoNotFollowTheTimeOfDay() async throws {
        try await withWall("{ on: 10s, off: 50s }", at: 3) { rig, wall in
            try await rig.event("advertising-started", of: "sign")
            await rig.clock.waitForSleeper(of: .seconds(10))
            #expect(rig.clock.sleepers == 1, "nothing watches the time of day")
            wall.set(by: Self.hour * 7)
            await advance(rig, by: .seconds(10))
            #expect(try await rig.event("advertising-stopped", of: "sign").reason == "off by its schedule")
        }
    }

    /// With both, windows follow the time of day, and the cycle within them the start.
    @Test func cycleInAWindowKeepsItsPhase() async throws {
        try await withWall("{ between: 09:00-17:00, on: 10s, off: 50s }", at: 3) { rig, wall in
            wall.set(by: Self.hour * 7)
            await check(rig)
            try await rig.event("advertising-started", of: "sign")
            await advance(rig, by: .seconds(8))
            #expect(try await rig.event("advertising-stopped", of: "sign").reason == "off by its schedule")
        }
    }

    /// A step neither ends nor repeats what the user has switched, unless the schedule changes.
    @Test func stepWithinAWindowChangesNothing() async throws {
        try await withWall("{ between: 09:00-17:00 }", at: 10) { rig, wall in
            try await rig.event("advertising-started", of: "sign")
            _ = try await rig.emulator.setEnabled("sign", false)
            wall.set(by: Self.hour)
            await check(rig)
            await rig.clock.waitForSleeper(of: Self.hour * 6 - .seconds(2))
            #expect(try await rig.emulator.show("sign").schedule?.isOverridden == true)
        }
    }
}
