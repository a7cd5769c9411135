// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Emulator

/// Whether a beacon is on the air, and what a run announces of that.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct AirStateTests {
    private static let onAir = AirConditions(
        isEnabled: true, isScheduledOff: false, hasFlatBattery: false, isMuted: false, isRequested: true,
        isRadioUp: true,
        report: .advertising)

    /// Conditions that differ from those of a beacon that is on the air.
    private static func conditions(_ change: (inout AirConditions) -> Void) -> AirConditions {
        var conditions = onAir
        change(&conditions)
        return conditions
    }

    @Test(
        arguments: [
            (conditions { $0.report = .none }, AirState.starting, true),
            (conditions { $0.report = .paused }, .paused, false),
            (conditions { $0.report = .stopped }, .notOnAir, true),
            (conditions { $0.report = .refused }, .refused, true),
            (conditions { $0.isEnabled = false }, .disabled, false),
            (conditions { $0.isScheduledOff = true }, .scheduledOff, false),
            (conditions { $0.hasFlatBattery = true }, .flatBattery, true),
            (conditions { $0.isMuted = true }, .muted, false),
            (conditions { $0.isRequested = false }, .paused, false),
            (conditions { $0.isRadioUp = false }, .radioOff, true),
        ])
    func stateFollowsFromTheConditions(_ conditions: AirConditions, _ state: AirState, _ isExpected: Bool) {
        #expect(Self.onAir.state == .onAir)
        #expect(conditions.state == state && state.isExpected == isExpected && state.isMissing == isExpected)
    }

    /// A switched-off radio makes no difference to a beacon that should not be on the air.
    @Test
    func causesHaveAnOrder() {
        var conditions = Self.onAir
        conditions.isRadioUp = false
        conditions.isMuted = true
        #expect(conditions.state == .muted)
        conditions.isEnabled = false
        #expect(conditions.state == .disabled)
        conditions.hasFlatBattery = true
        #expect(conditions.state == .flatBattery)
        conditions.isScheduledOff = true
        #expect(conditions.state == .scheduledOff)
    }

    @Test
    func readyFileAndEventsFollowTheAir() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.museum, folder: folder) { $0.readyFile = folder.file("ready") }
        try await rig.event("ready")
        #expect(folder.names().contains("ready"))
        #expect(await rig.emulator.airSummary().isComplete)

        rig.radio.emit(.lost(RadioError(.noAdapter, "hci0 is gone", hint: "plug it in")))
        let degraded = try await rig.event("degraded")
        #expect(degraded.expected == 2 && degraded.onAir == 0)
        #expect(degraded.missing?.map(\.state) == [.radioOff, .radioOff])
        #expect(!folder.names().contains("ready"))
        for beacon in ["entrance", "exit"] {
            rig.radio.emit(.stopped(BeaconIdentifier(beacon), reason: "hci0 is gone"))
        }
        rig.radio.emit(.ready(RadioCapabilities.scripted))
        try await rig.settle()
        #expect(await rig.emulator.airSummary().count(.starting) == 2)
        rig.radio.confirm("entrance")
        try await rig.settle()
        #expect(await rig.emulator.airSummary().missing.map(\.device) == ["exit"])
        #expect(rig.events.entries.count { $0.event == "recovered" } == 0)
        rig.radio.confirm("exit")
        try await rig.event("recovered")
        #expect(folder.names().contains("ready"))
        // The run is ready for the first time only once.
        #expect(rig.events.entries.count { $0.event == "ready" } == 1)
        try await rig.stop()
        #expect(!folder.names().contains("ready"))
    }

    @Test
    func refusedBeaconIsMissingUntilItIsOnTheAir() async throws {
        try await withReadyRig { rig in
            let exit = BeaconIdentifier("exit")
            rig.radio.emit(.refused(exit, RadioError(.refused, "busy", hint: "wait")))
            #expect(try await rig.event("degraded").missing?.first?.state == .refused)
            #expect(try await rig.emulator.show("exit").airState == .refused)
            rig.radio.confirm("exit")
            try await rig.event("recovered")
            rig.radio.emit(.stopped(exit, reason: "its advertising instance was removed by another program"))
            #expect(try await rig.event("degraded", 2).missing?.first?.state == .notOnAir)
        }
    }

    /// What is meant to be off the air is not missing.
    @Test
    func disabledBeaconIsNotMissing() async throws {
        try await withReadyRig { rig in
            #expect(try await rig.emulator.setEnabled("exit", false).airState == .disabled)
            var summary = await rig.emulator.airSummary()
            #expect(summary.isComplete && summary.beacons == 2 && summary.expected == 1)
            #expect(try await rig.emulator.setEnabled("exit", true).airState.isExpected)
            // The first start, the stop, and this start.
            try await rig.advertisement("exit", 3)
            rig.radio.confirm("exit")
            try await rig.settle()
            summary = await rig.emulator.airSummary()
            #expect(summary.isComplete && summary.count(.onAir) == 2)
            #expect(rig.events.entries.count { $0.event == "degraded" } == 0)
        }
    }

    @Test
    func summaryNamesWhatIsMissing() {
        var summary = AirSummary()
        for _ in 0..<3 { summary.move(from: nil, to: .onAir) }
        #expect(summary.sentence == "3 beacons on the air")
        summary.move(from: .onAir, to: .disabled)
        #expect(summary.sentence == "2 of 3 beacons on the air, 1 off")
        for state in [AirState.paused, .muted, .outOfRange, .scheduledOff, .scheduledOff] {
            summary.move(from: nil, to: state)
        }
        #expect(
            summary.sentence == "2 of 8 beacons on the air, 1 paused, 1 off, 2 off by schedule, 1 muted, 1 out of range"
        )
        for state in [AirState.paused, .muted, .outOfRange, .scheduledOff, .scheduledOff] {
            summary.move(from: state, to: nil)
        }
        summary.move(from: .onAir, to: .flatBattery)
        let named = summary.named([
            (BeaconIdentifier("till"), AirState.flatBattery), (BeaconIdentifier("door"), .onAir),
        ])
        #expect(named.sentence == "1 of 2 beacons on the air; not: till (flat battery)")
        for _ in 0..<20 { summary.move(from: nil, to: .refused) }
        let many = summary.named((0..<21).map { (BeaconIdentifier("b\($0)"), AirState.refused) })
        #expect(many.missing.count == 10 && many.sentence.hasSuffix("b9 (refused by the radio), 11 more"))
    }

    @Test func onlyBeaconThatIsOffByScheduleIsNotCalledOnTheAir() {
        var summary = AirSummary()
        summary.move(from: nil, to: .scheduledOff)
        #expect(EmulatorEvent.ready(summary).sentence == "ready: 0 of 1 beacon on the air, 1 off by schedule")
        summary.move(from: .scheduledOff, to: .onAir)
        #expect(EmulatorEvent.ready(summary).sentence == "ready: 1 beacon is on the air")
        summary.usesLastGood = true
        #expect(
            EmulatorEvent.ready(summary).sentence
                == "ready: 1 beacon on the air; the profile cannot be used, and the one that ran last runs")
    }

    /// The state is degraded from the start, and until the profile is read: a change by a client does not correct the file.
    @Test func lastGoodProfileIsDegradedUntilTheProfileIsRead() async throws {
        let warning = Warning(code: "profile-is-last-good", message: "it cannot be read", hint: "correct it")
        let kept = Mutex(0)
        let rig = try Rig(Samples.museum, folder: try TemporaryFolder()) {
            $0.lastGood = warning
            $0.keepProfiles = {
                kept.withLock { $0 += 1 }
                return nil
            }
        }
        try await rig.warning("profile-is-last-good")
        try await rig.event("ready")
        #expect(try await rig.event("degraded").message?.contains("the one that ran last runs") == true)
        #expect(await rig.emulator.airSummary().isComplete)
        _ = try await rig.emulator.replaceProfile(nil, by: Samples.museum, tag: nil)
        #expect(await rig.emulator.airSummary().usesLastGood)
        rig.profiles.change("profile: [")
        await #expect(throws: EmulatorError.self) { _ = try await rig.emulator.reload() }
        #expect(await rig.emulator.airSummary().usesLastGood)
        #expect(kept.withLock(\.self) == 0, "nothing was read that could be kept")
        rig.profiles.change(Samples.museum)
        _ = try await rig.emulator.reload()
        try await rig.event("recovered")
        #expect(await !rig.emulator.airSummary().usesLastGood)
        #expect(kept.withLock(\.self) == 1)
        try await rig.stop()
    }

    /// Profiles are kept once their beacons are on the radio, and when they were read again; not what clients have changed.
    @Test func profilesAreKeptWhenTheyWereRead() async throws {
        let kept = EventLog<String>()
        let rig = try Rig(Samples.museum, folder: try TemporaryFolder()) {
            $0.keepProfiles = {
                kept.append("kept")
                return Warning(code: "profile-not-kept", message: "there is no room", hint: "make room")
            }
        }
        try await rig.event("ready")
        try await rig.warning("profile-not-kept")
        _ = try await rig.emulator.replaceProfile(nil, by: Samples.museum, tag: nil)
        #expect(kept.entries.count == 1)
        _ = try await rig.emulator.reload()
        #expect(kept.entries.count == 2)
        _ = try await rig.emulator.reset()
        #expect(kept.entries.count == 3)
        rig.profiles.change("profile: [")
        await #expect(throws: EmulatorError.self) { _ = try await rig.emulator.reload() }
        #expect(kept.entries.count == 3)
        try await rig.stop()
    }
}
