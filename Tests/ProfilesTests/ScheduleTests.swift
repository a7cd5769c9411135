// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

@testable import Profiles

@Suite struct ScheduleTests {
    /// Friday, 30 January 2026, 00:00 UTC, in seconds since the Unix epoch.
    private static let friday: Int64 = 1_769_731_200

    private static func schedule(_ text: String) throws -> Schedule {
        let profile = try Profile(
            parsing: """
                profile: a
                beacons:
                  - { id: b, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }, schedule: \(text) }
                """, file: "a.yaml")
        return try #require(profile.beacons.first?.schedule)
    }

    /// What it says at a time of the week from Friday on, when the run began on Friday at 00:00.
    private static func state(
        _ schedule: Schedule, at seconds: Int64, offset: Int64 = 0
    ) -> (isOn: Bool, change: Duration?) {
        let time = ScheduleTime(uptime: .seconds(seconds), sinceUnixEpoch: .seconds(friday + seconds))
        return schedule.state(at: time) { _ in offset }
    }

    private static let hour: Int64 = 3600

    struct Sample: Sendable {
        let text: String
        /// Hours since Friday, 00:00.
        let hours: Double
        let isOn: Bool
        /// Hours until the change; `nil` for none.
        let change: Double?
    }

    @Test(arguments: [
        Sample(text: "{ between: 09:00-17:00 }", hours: 8, isOn: false, change: 1),
        Sample(text: "{ between: 09:00-17:00 }", hours: 9, isOn: true, change: 8),
        Sample(text: "{ between: 09:00-17:00 }", hours: 17, isOn: false, change: 16),
        Sample(text: "{ between: [09:00-12:00, 12:00-17:00] }", hours: 10, isOn: true, change: 7),
        Sample(text: "{ between: [mon-fri 09:00-17:00] }", hours: 18, isOn: false, change: 63),
        Sample(text: "{ between: 'sat,sun 22:00-02:00' }", hours: 47.5, isOn: true, change: 2.5),
        Sample(text: "{ between: 'sat,sun 22:00-02:00' }", hours: 49, isOn: true, change: 1),
        Sample(text: "{ between: 'sun-mon 22:00-02:00' }", hours: 2, isOn: false, change: 68),
        Sample(text: "{ between: 00:00-24:00 }", hours: 5, isOn: true, change: nil),
        Sample(text: "{ between: 'fri 00:00-24:00' }", hours: 24, isOn: false, change: 144),
        Sample(text: "{ on: 30m, off: 90m }", hours: 4.25, isOn: true, change: 0.25),
        Sample(text: "{ on: 30m, off: 90m }", hours: 5, isOn: false, change: 1),
        // The duty cycle is on at even hours only, and counts from the start of the run.
        Sample(text: "{ between: 09:15-17:00, on: 30m, off: 90m }", hours: 9.5, isOn: false, change: 0.5),
        Sample(text: "{ between: 09:15-10:10, on: 30m, off: 90m }", hours: 10, isOn: true, change: 1.0 / 6),
        Sample(text: "{ rotate: { every: 1h, minor: [1] } }", hours: 3, isOn: true, change: nil),
    ])
    func stateFollowsFromTheTime(_ sample: Sample) throws {
        let state = Self.state(try Self.schedule(sample.text), at: Int64(sample.hours * 3600))
        #expect(state.isOn == sample.isOn, "\(sample)")
        #expect(state.change == sample.change.map { .seconds(Int64(($0 * 3600).rounded())) }, "\(sample)")
    }

    /// Quotients of durations are not exact: 9540 s contain 158.999... periods of 60 s, and would be the end of a period, not a begin.
    @Test(arguments: [("40s", "20s"), ("10s", "50s"), ("333ms", "777ms"), ("100ms", "100ms"), ("7h", "3s")])
    func dutyCycleChangesAtEachOfItsTimes(_ on: String, _ off: String) throws {
        let schedule = try Self.schedule("{ on: \(on), off: \(off) }")
        let duty = try #require(schedule.duty)
        var begin = Duration.zero
        for _ in 0..<20_000 {
            let starts = schedule.state(at: ScheduleTime(uptime: begin, sinceUnixEpoch: begin)) { _ in 0 }
            guard starts == (true, duty.on) else { return #expect(starts == (true, duty.on), "at \(begin)") }
            begin += duty.on
            let ends = schedule.state(at: ScheduleTime(uptime: begin, sinceUnixEpoch: begin)) { _ in 0 }
            guard ends == (false, duty.off) else { return #expect(ends == (false, duty.off), "at \(begin)") }
            begin += duty.off
        }
    }

    @Test(arguments: [60, 600, 900, 7, 86_400])
    func eachStepOfARotationBeginsAtAMultipleOfItsPeriod(_ seconds: Int64) {
        let period = Duration.seconds(seconds)
        let rotation = Rotation(period: period, settings: [], addresses: .random)
        for number in 0..<20_000 {
            let step = rotation.step(at: period * number)
            guard step == (number, period) else { return #expect(step == (number, period)) }
        }
    }

    @Test func windowsAreInLocalTime() throws {
        let schedule = try Self.schedule("{ between: 'fri 09:00-17:00' }")
        let state = Self.state(schedule, at: 7 * Self.hour, offset: 2 * Self.hour)
        #expect(state.isOn && state.change == .seconds(8 * Self.hour))
        #expect(Self.state(schedule, at: 23 * Self.hour, offset: -10 * Self.hour).isOn)
    }

    /// In the night to Saturday clocks go forward by an hour, at 02:00: the window is an hour nearer.
    @Test func summerTimeMovesTheNextChange() throws {
        let schedule = try Self.schedule("{ between: 'sat 09:00-17:00' }")
        let time = ScheduleTime(uptime: .zero, sinceUnixEpoch: .seconds(Self.friday + 20 * Self.hour))
        let state = schedule.state(at: time) { $0 < Self.friday + 26 * Self.hour ? 0 : Self.hour }
        #expect(!state.isOn && state.change == .seconds(12 * Self.hour))
    }

    /// A duty cycle that is never on while the window is open is looked at again and again, not for ever at once.
    @Test func scheduleThatIsNeverOnEnds() throws {
        let schedule = try Self.schedule("{ between: 09:30-10:00, on: 30m, off: 30m }")
        let state = Self.state(schedule, at: 0)
        #expect(!state.isOn && (state.change.map { $0 > .seconds(8 * 86_400) } ?? true))
    }

    @Test func rotationCountsItsStepsFromTheStart() throws {
        let rotation = try #require(
            try Self.schedule("{ rotate: { every: 15m, minor: [4, 5, 6], major: [1, 2] } }").rotation)
        #expect(rotation.step(at: .zero).number == 0)
        let (number, end) = rotation.step(at: .seconds(4 * 900 + 1))
        #expect(number == 4 && end == .seconds(899))
        #expect(rotation.values(ofStep: 4) == ["minor": "5", "major": "1"])
        #expect(rotation.addresses == .fixed)
    }

    @Test(arguments: [
        "{ between: [09:00-17:00] }",
        "{ between: [\"mon,wed,fri-sun 22:00-02:00\", 00:00-24:00], on: 10s, off: 1500ms }",
        "{ rotate: { every: 15m, minor: [1, 2], address: random } }",
        "{ on: 1h, off: 1m, rotate: { every: 90s, address: [C0:FF:EE:00:00:01, c0:ff:ee:00:00:02] } }",
    ])
    func writtenProfileHasTheSameSchedule(_ text: String) throws {
        let schedule = try Self.schedule(text)
        let profile = try Profile(
            parsing: """
                profile: a
                beacons:
                  - { id: b, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }, schedule: \(text) }
                """, file: "a.yaml")
        let again = try Profile(parsing: ProfileWriter.text(of: profile), file: "b.yaml")
        #expect(again.beacons.first?.schedule == schedule)
        #expect(again.beacons == profile.beacons)
    }
}
