// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Radio
import TestSupport
import TestTraits
import Testing

@testable import Emulator

/// Faults that the user provokes.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct FaultTests {
    private let radio = ScriptedAir()
    /// A radio without an emulated air.
    private let other = ScriptedRadio()

    // MARK: - Mute

    @Test
    func mutedBeaconIsReportedAndStaysOnTheAir() async throws {
        try await withReadyRig(radio: radio) { rig in
            let muted = try await rig.emulator.mute("entrance", for: nil)
            #expect(muted.isMuted && muted.isOnAir)
            #expect(try await rig.event("muted", of: "entrance").seconds == nil)
            #expect(try await !rig.emulator.unmute("entrance").isMuted)
            try await rig.event("unmuted", of: "entrance")
            _ = try await rig.emulator.unmute("entrance")
            try await rig.settle()
            #expect(rig.events.entries.filter { $0.event == "unmuted" }.count == 1)
            #expect(radio.calls.entries.suffix(2) == [.mute("entrance", true), .mute("entrance", false)])
            #expect(radio.advertisements("entrance").count == 1)
        }
    }

    @Test
    func mutingEndsAfterItsTime() async throws {
        try await withReadyRig(radio: radio) { rig in
            _ = try await rig.emulator.mute("entrance", for: .seconds(10))
            #expect(try await rig.event("muted", of: "entrance").seconds == 10)
            await rig.clock.waitForSleeper(of: .seconds(10))
            rig.clock.advance(by: .seconds(4))
            // The later command counts.
            _ = try await rig.emulator.mute("entrance", for: .milliseconds(7500))
            #expect(try await rig.event("muted", of: "entrance", 2).seconds == 7.5)
            await rig.clock.waitForSleeper(of: .milliseconds(7500))
            rig.clock.advance(by: .seconds(7))
            #expect(try await rig.emulator.show("entrance").isMuted)
            rig.clock.advance(by: .milliseconds(500))
            try await rig.event("unmuted", of: "entrance")
            #expect(try await !rig.emulator.show("entrance").isMuted)
            #expect(radio.calls.entries.filter { $0 == .mute("entrance", false) }.count == 1)
        }
    }

    @Test
    func mutingSurvivesAReload() async throws {
        try await withReadyRig(radio: radio) { rig in
            _ = try await rig.emulator.mute("entrance", for: nil)
            rig.profiles.change(Samples.museum.replacing("minor: 3", with: "minor: 5"))
            #expect(try await rig.emulator.reload().changed == ["entrance"])
            #expect(try await rig.emulator.show("entrance").isMuted)
        }
    }

    /// A fault that has begun ends before a reset: else it would be that of a beacon that the reset has made.
    @Test(arguments: ["mute", "battery"])
    func resetFollowsAFaultThatHasBegun(fault: String) async throws {
        try await withReadyRig(radio: radio) { rig in
            let emulator = rig.emulator
            let resets = EventLog<Int>()
            radio.whileInjecting {
                Task { resets.append(try await emulator.reset().added.count) }
                for _ in 0..<20_000 where resets.entries.isEmpty { await Task.yield() }
            }
            let status =
                fault == "mute"
                ? try await emulator.mute("entrance", for: nil) : try await emulator.setBattery("entrance", .flat)
            #expect(status.isMuted == (fault == "mute") && status.hasFlatBattery == (fault == "battery"))
            _ = try await resets.entry { $0 > 0 }
            let shown = try await emulator.show("entrance")
            #expect(!shown.isMuted && !shown.hasFlatBattery && shown.isEnabled)
        }
    }

    // MARK: - Battery

    @Test
    func flatBatterySwitchesTheBeaconOff() async throws {
        try await withReadyRig(radio: radio) { rig in
            let flat = try await rig.emulator.setBattery("entrance", .flat)
            #expect(flat.hasFlatBattery && !flat.isEnabled && !flat.isOnAir)
            try await rig.event("battery-flat", of: "entrance")
            #expect(try await rig.event("advertising-stopped", of: "entrance").reason == "its battery is flat")
            #expect(try await rig.advertisement("entrance", 2) == nil)
            #expect(radio.calls.entries.contains(.power("entrance", false)))
            let error = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.setEnabled("entrance", true)
            }
            #expect(error?.exitCode == 65)
            #expect(error?.hint == "replace it (beaconry ctl battery entrance full)")

            let full = try await rig.emulator.setBattery("entrance", .full)
            #expect(!full.hasFlatBattery && full.isEnabled)
            try await rig.event("battery-full", of: "entrance")
            #expect(try await rig.advertisement("entrance", 3) != nil)
            try await rig.event("advertising-started", of: "entrance", 2)
            let power = radio.calls.entries.filter { if case .power = $0 { true } else { false } }
            #expect(power == [.power("entrance", false), .power("entrance", true)])
            #expect(rig.events.entries.filter { $0.event == "advertising-stopped" }.count == 1)
        }
    }

    /// A radio without an emulated air ends the connections.
    @Test
    func flatBatteryDisconnectsCentralsOfOtherRadios() async throws {
        try await withReadyRig(radio: other) { rig in
            rig.connect("phone", to: "entrance")
            try await rig.advertisement("entrance", 2)
            #expect(try await rig.emulator.setBattery("entrance", .flat).hasFlatBattery)
            try await other.calls.entry { $0 == .disconnect("phone") }
        }
    }

    @Test
    func batteryThatIsAlreadyFlatIsNotReportedAgain() async throws {
        try await withReadyRig(radio: other) { rig in
            _ = try await rig.emulator.setBattery("exit", .full)
            _ = try await rig.emulator.setBattery("exit", .flat)
            _ = try await rig.emulator.setBattery("exit", .flat)
            try await rig.settle()
            #expect(rig.events.entries.filter { $0.event.hasPrefix("battery-") }.map(\.event) == ["battery-flat"])
        }
    }

    // MARK: - Disconnect and radio

    @Test
    func connectionsEndOnTheAir() async throws {
        let radio = ScriptedAir(ended: ["F0:F1:F2:F3:F4:F5"])
        try await withReadyRig(radio: radio) { rig in
            let peers = try await rig.emulator.disconnect("entrance", from: "F0:F1:F2:F3:F4:F5#2", .supervisionTimeout)
            #expect(peers == ["F0:F1:F2:F3:F4:F5"])
            #expect(
                radio.calls.entries.last
                    == .endConnections("entrance", with: "F0:F1:F2:F3:F4:F5", .supervisionTimeout))
        }
    }

    @Test
    func otherRadiosEndConnectionsWithoutAReason() async throws {
        try await withReadyRig(radio: other) { rig in
            rig.connect("phone", to: "entrance")
            try await rig.event("connected")
            try await rig.settle()
            let error = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.disconnect("entrance", from: nil, .supervisionTimeout)
            }
            #expect(error?.exitCode == 69)
            #expect(error?.message == "scripted ends connections with the reason remote-user only")
            #expect(try await rig.emulator.disconnect("entrance", from: "PHONE", .remoteUser) == ["phone"])
            #expect(other.calls.entries.last == .disconnect("phone"))
        }
    }

    @Test
    func missingConnectionsAreRefused() async throws {
        let radio = ScriptedAir(ended: nil)
        try await withReadyRig(radio: radio) { rig in
            let none = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.disconnect("entrance", from: "C0:00:00:00:00:01", .remoteUser)
            }
            #expect(none?.message == "entrance has no connection with C0:00:00:00:00:01" && none?.exitCode == 64)
            let unknown = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.disconnect("nothing", from: nil, .remoteUser)
            }
            #expect(unknown?.message == "nothing on the air is named \"nothing\"" && unknown?.exitCode == 64)
        }
    }

    @Test
    func radioIsSwitchedOffAndOn() async throws {
        try await withReadyRig(radio: radio) { rig in
            try await rig.emulator.setRadio(.off)
            try await rig.emulator.setRadio(.on)
            #expect(radio.calls.entries.suffix(2) == [.power(nil, false), .power(nil, true)])
        }
    }

    @Test
    func radioWithoutAnEmulatedAirRefuses() async throws {
        try await withReadyRig(radio: other) { rig in
            for attempt in [
                { _ = try await rig.emulator.mute("entrance", for: nil) },
                { _ = try await rig.emulator.unmute("entrance") }, { try await rig.emulator.setRadio(.off) },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: EmulatorError.self) { try await attempt() }
                #expect(error?.exitCode == 69)
                #expect(error?.hint == "run on the virtual air (--radio virtual)")
            }
            let status = try await rig.emulator.show("entrance")
            #expect(!status.isMuted)
        }
    }
}
