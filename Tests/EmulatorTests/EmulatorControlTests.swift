// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Radio
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Settings that the user changes, and settings that are saved between runs.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct EmulatorControlTests {
    // MARK: - Set

    @Test
    func settingIsAdvertisedAndSaved() async throws {
        try await withReadyRig { rig in
            let status = try await rig.emulator.set("entrance", ["major": "300", "interval": "200ms"])
            #expect(status.settings.contains(.major(300)))
            #expect(status.settings.contains(.interval(AdvertisingInterval(320))))
            let advertisement = try #require(try await rig.advertisement("entrance", 2))
            #expect(advertisement.frame?.major == 300)
            #expect(advertisement.frame?.minor == 3)
            #expect(advertisement.interval == AdvertisingInterval(320))
            let flash = StateFolder(rig.folder.file("state")).flash(
                profile: "museum", beacon: "entrance", kind: "iot-design-shop")
            guard case .image(let image) = try flash.load() else {
                Issue.record("nothing was saved")
                return
            }
            #expect(image.values["major"] == .integer(300))
            #expect(image.values["interval-ticks"] == .integer(320))
            #expect(image.values["minor"] == .integer(3))
            #expect(try await rig.read(of: "entrance") == .success([0x2C, 0x01, 3, 0]))
        }
    }

    @Test
    func plainBeaconKeepsSettingsForTheRun() async throws {
        try await withReadyRig { rig in
            let status = try await rig.emulator.set("exit", ["minor": "77"])
            #expect(!status.keepsSettings)
            #expect(try await rig.advertisement("exit", 2)?.frame?.minor == 77)
            #expect(rig.folder.names("state/museum") == ["entrance.lock"])
        }
    }

    /// With one invalid value, the valid one is not set either.
    @Test(
        arguments: [
            ("entrance", ["major": "7", "minor": "65536"], EmulatorError.Code.badProfile, 65),
            ("entrance", ["major": "7", "colour": "red"], .badProfile, 65),
            ("entrance", ["major": "7", "uuid": "1234"], .badProfile, 65),
            ("entrance", ["major": "7", "interval": "soon"], .badProfile, 65),
            ("entrance", ["major": "7", "interval": "65536ticks"], .refusedSetting, 65),
            ("entrance", ["major": "7", "tx-power": "3dBm"], .refusedSetting, 65),
            ("exit", ["major": "7", "interval": "10ms"], .refusedSetting, 65),
            ("nobody", ["major": "7"], .unknownBeacon, 64),
        ])
    func invalidValueChangesNothing(
        _ name: String, _ values: [String: String], _ code: EmulatorError.Code, _ exit: Int32
    ) async throws {
        try await withReadyRig { rig in
            let before = await rig.emulator.list()
            let error = await #expect(throws: EmulatorError.self) { try await rig.emulator.set(name, values) }
            #expect(error?.code == code)
            #expect(error?.exitCode == exit)
            #expect(error?.description.contains(name) == true)
            #expect(await rig.emulator.list() == before)
            try await rig.settle()
            #expect(rig.radio.advertisements("entrance").count == 1)
            #expect(rig.radio.advertisements("exit").count == 1)
            #expect(rig.folder.names("state/museum") == ["entrance.lock"])
        }
    }

    @Test
    func unknownBeaconIsAnError() async throws {
        try await withReadyRig { rig in
            let error = await #expect(throws: EmulatorError.self) { try await rig.emulator.show("door") }
            #expect(error?.description == "there is no beacon \"door\"; beacons are entrance, exit")
            let exit = try await rig.emulator.show("exit")
            #expect(exit.kind == "ibeacon")
        }
    }

    // MARK: - Enabled and disabled

    @Test
    func beaconIsDisabledAndEnabled() async throws {
        try await withReadyRig { rig in
            #expect(try await rig.emulator.setEnabled("entrance", false).isEnabled == false)
            #expect(try await rig.advertisement("entrance", 2) == nil)
            try await rig.event("advertising-stopped", of: "entrance")
            // While the beacon is disabled, new settings are not on the air.
            _ = try await rig.emulator.set("entrance", ["major": "8"])
            _ = try await rig.emulator.setEnabled("entrance", false)
            try await rig.settle()
            #expect(rig.radio.advertisements("entrance").count == 2)

            #expect(try await rig.emulator.setEnabled("entrance", true).isEnabled)
            #expect(try await rig.advertisement("entrance", 3)?.frame?.major == 8)
            try await rig.event("advertising-started", of: "entrance", 2)
            #expect(rig.radio.advertisements("exit").count == 1)
        }
    }

    @Test
    func disabledBeaconStaysOffTheAirWhenACentralDisconnects() async throws {
        try await withReadyRig { rig in
            rig.connect("phone", to: "entrance")
            #expect(try await rig.advertisement("entrance", 2) == nil)
            _ = try await rig.emulator.setEnabled("entrance", false)
            rig.disconnect("phone", from: "entrance")
            try await rig.event("disconnected")
            try await rig.settle()
            #expect(rig.radio.advertisements("entrance").count == 2)
            _ = try await rig.emulator.setEnabled("entrance", true)
            #expect(try await rig.advertisement("entrance", 3) != nil)
        }
    }

    /// A device without power has no connections.
    @Test
    func disablingDisconnectsCentrals() async throws {
        try await withReadyRig { rig in
            rig.connect("phone", to: "entrance")
            try await rig.advertisement("entrance", 2)
            _ = try await rig.emulator.setEnabled("entrance", false)
            try await rig.radio.calls.entry { $0 == .disconnect("phone") }
        }
    }

    // MARK: - Saved settings

    @Test
    func savedSettingsReplaceTheProfiles() async throws {
        let folder = try TemporaryFolder()
        let first = try Rig(Samples.museum, folder: folder)
        try await first.event("ready")
        #expect(!first.events.entries.contains { $0.event == "settings-restored" })
        _ = try await first.emulator.set("entrance", ["minor": "30"])
        try await first.stop()

        let second = try Rig(Samples.museum.replacing("minor: 3", with: "minor: 4"), folder: folder)
        try await second.event("ready")
        let restored = try await second.event("settings-restored", of: "entrance")
        #expect(restored.file == folder.file("state/museum/entrance.json"))
        let command = "beaconry reset museum/entrance --state \(folder.file("state"))"
        #expect(restored.hint == "\(command) goes back to the profile, when the run has ended")
        #expect(second.radio.wanted("entrance")?.frame?.minor == 30)
        guard case .open(let plans, _) = second.radio.calls.entries.first else {
            Issue.record("the first call is not open")
            return
        }
        #expect(plans.first?.advertisement?.frame?.minor == 30)
        try await second.stop()
    }

    /// Saved settings that equal the profile's are not reported.
    @Test
    func savedSettingsEqualToTheProfilesAreNotReported() async throws {
        let folder = try TemporaryFolder()
        let first = try Rig(Samples.museum, folder: folder)
        try await first.event("ready")
        _ = try await first.emulator.set("entrance", ["minor": "3"])
        try await first.stop()
        let second = try Rig(Samples.museum, folder: folder)
        try await second.event("ready")
        try await second.settle()
        #expect(!second.events.entries.contains { $0.event == "settings-restored" })
        try await second.stop()
    }

    @Test
    func factoryResetRestoresTheProfile() async throws {
        let folder = try TemporaryFolder()
        let first = try Rig(Samples.museum, folder: folder)
        try await first.event("ready")
        _ = try await first.emulator.set("entrance", ["minor": "30"])
        try await first.stop()
        let second = try Rig(Samples.museum, folder: folder) { $0.resets = true }
        try await second.event("ready")
        let reset = try await second.event("settings-reset", of: "entrance")
        #expect(reset.file == folder.file("state/museum/entrance.json"))
        #expect(second.radio.wanted("entrance")?.frame?.minor == 3)
        try await second.stop()
        #expect(folder.names("state/museum") == [])
    }

    @Test
    func ephemeralRunSavesNothing() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.museum, folder: folder) { $0.state = nil }
        try await rig.event("ready")
        let status = try await rig.emulator.set("entrance", ["minor": "30"])
        #expect(!status.keepsSettings)
        #expect(try await rig.advertisement("entrance", 2)?.frame?.minor == 30)
        try await rig.stop()
        #expect(folder.names() == [])
    }
}
