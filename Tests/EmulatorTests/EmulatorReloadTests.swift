// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Dispatch
import Profiles
import Radio
import Synchronization
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Profiles that change during a run.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct EmulatorReloadTests {
    /// Entrance and exit as before, or changed, and a hall.
    private static let hall = "\n  - { id: hall, device: iot-design-shop }"
    private static let changedExit = Samples.museum.replacing("minor: 4", with: "minor: 40")
    private static let changedEntrance = Samples.museum.replacing("minor: 3", with: "minor: 33")

    private static func plans(_ call: ScriptedRadio.Call?) -> [String]? {
        if case .replan(let plans) = call { plans.map(\.identifier.name) } else { nil }
    }

    @Test
    func reloadKeepsChangesAndAddsBeacons() async throws {
        try await withReadyRig { rig in
            _ = try await rig.emulator.set("entrance", ["major": "9"])
            try await rig.advertisement("entrance", 2)
            rig.profiles.change(Self.changedExit + Self.hall)
            let result = try await rig.emulator.reload()
            #expect(result.kept == ["entrance"])
            #expect(result.changed == ["exit"])
            #expect(result.added == ["hall"])
            #expect(result.removed == [])
            #expect(try await rig.advertisement("exit", 2)?.frame?.minor == 40)
            #expect(try await rig.advertisement("hall", 1)?.frame?.minor == 1)
            #expect(try await rig.event("reloaded").beacons == 3)
            let replan = rig.radio.calls.entries.first { Self.plans($0) != nil }
            #expect(Self.plans(replan) == ["entrance", "exit", "hall"])
            // An unchanged beacon is not disturbed, and keeps its settings.
            try await rig.settle()
            #expect(rig.radio.advertisements("entrance").count == 2)
            #expect(try await rig.emulator.show("entrance").settings.contains(.major(9)))
            #expect(rig.folder.names("state/museum") == ["entrance.json", "entrance.lock", "hall.lock"])
        }
    }

    /// A medium that does not answer blocks only the thread that reads it.
    @Test
    func runEndsWhileProfilesCannotBeRead() async throws {
        let folder = try TemporaryFolder()
        let (isBlocked, release) = (EventLog<Void>(), DispatchSemaphore(value: 0))
        defer { release.signal() }
        let isFirst = Mutex(true)
        let rig = try Rig(Samples.museum, folder: folder) { configuration in
            let load = configuration.loadProfiles
            configuration.loadProfiles = { () throws(ProfileFaults) in
                let isReload = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return !isFirst
                }
                if isReload {
                    isBlocked.append(())
                    release.wait()
                }
                return try load()
            }
        }
        try await rig.event("ready")
        let reloads = (0..<2).map { _ in Task { try await rig.emulator.reload() } }
        try await isBlocked.entry { _ in true }
        // Beacons answer meanwhile, and the run can end.
        #expect(try await rig.emulator.set("entrance", ["major": "9"]).settings.contains(.major(9)))
        try await rig.stop()
        for reload in reloads {
            let error = await #expect(throws: EmulatorError.self) { try await reload.value }
            #expect(error?.code == .inputOutput)
        }
        // The profiles have no fault.
        #expect(!rig.events.entries.contains { $0.event == "reload-failed" })
    }

    @Test
    func disabledBeaconStaysDisabled() async throws {
        try await withReadyRig { rig in
            _ = try await rig.emulator.setEnabled("exit", false)
            rig.profiles.change(Self.changedExit)
            let result = try await rig.emulator.reload()
            #expect(result.changed == ["exit"])
            let status = try await rig.emulator.show("exit")
            #expect(!status.isEnabled)
            #expect(status.settings.contains(.minor(40)))
        }
    }

    @Test
    func removedBeaconLeavesTheAir() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.museum + Self.hall, folder: folder)
        try await rig.event("ready")
        rig.profiles.change(Samples.museum)
        let result = try await rig.emulator.reload()
        #expect(result.removed == ["hall"])
        #expect(result.kept == ["entrance", "exit"])
        #expect(try await rig.advertisement("hall", 2) == nil)
        try await rig.event("advertising-stopped", of: "hall")
        #expect(await rig.emulator.list().map(\.identifier.name) == ["entrance", "exit"])
        #expect(try await rig.read(of: "hall") == .failure(.unlikely))
        #expect(folder.names("state/museum") == ["entrance.lock"])
        try await rig.stop()
        #expect(folder.names("state/museum") == [])
    }

    @Test
    func reloadWithoutChangesDisturbsNoBeacon() async throws {
        try await withReadyRig { rig in
            let result = try await rig.emulator.reload()
            #expect(result.kept == ["entrance", "exit"])
            #expect(result.added + result.changed + result.removed == [])
            try await rig.settle()
            #expect(rig.radio.advertisements("entrance").count == 1)
            #expect(rig.radio.advertisements("exit").count == 1)
        }
    }

    @Test
    func invalidProfileChangesNothingAndIsReported() async throws {
        try await withReadyRig { rig in
            let before = await rig.emulator.list()
            rig.profiles.change(Self.changedExit.replacing("minor: 3", with: "minor: 70000"))
            let error = await #expect(throws: EmulatorError.self) { try await rig.emulator.reload() }
            let expected =
                "museum.yaml:5:33: beacons[0].ibeacon.minor: \"70000\" is not a whole number from 0 to 65535"
            #expect(error?.code == .badProfile)
            #expect(error?.message == expected)
            #expect(error?.diagnostics == [expected.replacing("33: ", with: "33: error: ")])
            let failed = try await rig.event("reload-failed")
            #expect(failed.message == expected)
            #expect(failed.hint == "fix the profile, then reload")
            #expect(await rig.emulator.list() == before)
            #expect(!rig.radio.calls.entries.contains { Self.plans($0) != nil })

            rig.profiles.change(Self.changedExit)
            #expect(try await rig.emulator.reload().changed == ["exit"])
        }
    }

    @Test
    func refusingRadioChangesNothing() async throws {
        try await withReadyRig { rig in
            let before = await rig.emulator.list()
            rig.radio.failReplanning(RadioError(.cannotCarry, "it carries two", hint: "leave one out"))
            rig.profiles.change(Self.changedExit + Self.hall)
            let error = await #expect(throws: EmulatorError.self) { try await rig.emulator.reload() }
            #expect(error == EmulatorError(RadioError(.cannotCarry, "it carries two", hint: "leave one out")))
            #expect(try await rig.event("reload-failed").hint == "leave one out")
            #expect(await rig.emulator.list() == before)
            try await rig.settle()
            #expect(rig.radio.advertisements("exit").count == 1)
            #expect(rig.radio.advertisements("hall").count == 0)
            #expect(rig.folder.names("state/museum") == ["entrance.lock"])

            rig.radio.failReplanning(nil)
            #expect(try await rig.emulator.reload().added == ["hall"])
            #expect(rig.folder.names("state/museum") == ["entrance.lock", "hall.lock"])
        }
    }

    @Test
    func lockedSettingsChangeNothing() async throws {
        try await withReadyRig { rig in
            let lock = try StateFolder(rig.folder.file("state")).lock(profile: "museum", beacon: "hall")
            rig.profiles.change(Self.changedEntrance + Self.hall)
            let error = await #expect(throws: EmulatorError.self) { try await rig.emulator.reload() }
            #expect(error?.message.hasPrefix("the settings of museum/hall are in use by process ") == true)
            #expect(await rig.emulator.list().map(\.identifier.name) == ["entrance", "exit"])
            // The beacon that was not replaced still holds its lock.
            #expect(rig.folder.names("state/museum") == ["entrance.lock", "hall.lock"])
            lock.release()
        }
    }

    /// A replaced beacon hands its lock over to its successor.
    @Test
    func changedBeaconTakesOverLockAndSettings() async throws {
        try await withReadyRig { rig in
            _ = try await rig.emulator.set("entrance", ["major": "9"])
            try await rig.advertisement("entrance", 2)
            rig.profiles.change(Self.changedEntrance)
            #expect(try await rig.emulator.reload().changed == ["entrance"])
            let restored = try await rig.event("settings-restored", of: "entrance")
            #expect(restored.file == rig.folder.file("state/museum/entrance.json"))
            // Saved settings also replace the profile's new value.
            #expect(try await rig.emulator.show("entrance").settings.contains(.minor(3)))
            #expect(throws: PersistenceError.self) {
                try StateFolder(rig.folder.file("state")).lock(profile: "museum", beacon: "entrance")
            }
            #expect(try await rig.write([1, 0, 2, 0], of: "entrance") == .success([]))
        }
    }

    @Test
    func beaconThatBecomesAnotherDeviceReleasesItsLock() async throws {
        try await withReadyRig(Samples.entrance) { rig in
            rig.profiles.change(
                Samples.entrance.replacing("device: iot-design-shop", with: "device: ibeacon").replacing(
                    "{ major", with: "{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major"))
            let result = try await rig.emulator.reload()
            #expect(result.changed == ["entrance"])
            #expect(try await rig.advertisement("entrance", 2)?.pdu == .nonConnectable)
            #expect(rig.folder.names("state/museum") == [])

            rig.profiles.change(Samples.entrance)
            #expect(try await rig.emulator.reload().changed == ["entrance"])
            #expect(rig.folder.names("state/museum") == ["entrance.lock"])
        }
    }

    @Test
    func changedBeaconStaysOffTheAirWhileACentralIsConnected() async throws {
        try await withReadyRig { rig in
            rig.connect("phone", to: "entrance")
            try await rig.advertisement("entrance", 2)
            rig.profiles.change(Self.changedEntrance)
            #expect(try await rig.emulator.reload().changed == ["entrance"])
            try await rig.settle()
            #expect(rig.radio.wanted("entrance") == nil)
            // The beacon knows its central: it disconnects another one, and advertises again when this one disconnects.
            rig.connect("tablet", to: "entrance")
            try await rig.radio.calls.entry { $0 == .disconnect("tablet") }
            rig.disconnect("tablet", from: "entrance")
            rig.disconnect("phone", from: "entrance")
            try await rig.event("advertising-started", of: "entrance", 2)
            #expect(rig.radio.wanted("entrance")?.frame?.minor == 33)
        }
    }

    @Test
    func keptBeaconIsNotDisturbedWhileACentralIsConnected() async throws {
        try await withReadyRig { rig in
            rig.connect("phone", to: "entrance")
            try await rig.advertisement("entrance", 2)
            rig.profiles.change(Self.changedExit)
            #expect(try await rig.emulator.reload().kept == ["entrance"])
            #expect(try await rig.write([1, 0, 2, 0], of: "entrance") == .success([]))
            try await rig.settle()
            #expect(rig.radio.advertisements("entrance").count == 2)
            rig.disconnect("phone", from: "entrance")
            #expect(try await rig.advertisement("entrance", 3)?.frame?.major == 1)
        }
    }

    /// A second profile with the same identifier gives the first one's beacon a longer name.
    @Test
    func identifierThatBecomesSharedIsQualified() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.entrance, folder: folder)
        try await rig.event("ready")
        _ = try await rig.emulator.set("entrance", ["major": "9"])
        rig.profiles.change(Samples.entrance, Samples.entrance.replacing("museum", with: "park"))
        let result = try await rig.emulator.reload()
        #expect(result.removed == ["entrance"])
        #expect(result.added == ["museum/entrance", "park/entrance"])
        try await rig.event("advertising-stopped", of: "entrance")
        #expect(try await rig.advertisement("museum/entrance", 1)?.frame?.major == 9)
        #expect(folder.names("state/museum") == ["entrance.json", "entrance.lock"])
        #expect(folder.names("state/park") == ["entrance.lock"])
        try await rig.stop()
        #expect(folder.names("state/museum") == ["entrance.json"])
        #expect(folder.names("state/park") == [])
    }

    /// The run waited for a beacon that the reload removes.
    @Test
    func reloadMayMakeTheRunReady() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        radio.react(.silent, to: "hall")
        let rig = try Rig(Samples.museum + Self.hall, folder: folder, radio: radio)
        try await rig.event("advertising-started", of: "entrance")
        try await rig.event("advertising-started", of: "exit")
        try await rig.settle()
        #expect(!rig.events.entries.contains { $0.event == "ready" })
        rig.profiles.change(Samples.museum)
        #expect(try await rig.emulator.reload().removed == ["hall"])
        #expect(try await rig.event("ready").beacons == 2)
        try await rig.stop()
    }

    /// A write that is acknowledged while the profiles are read is not lost.
    @Test
    func writeDuringAReloadIsNotLost() async throws {
        try await withReadyRig { rig in
            let (writing, continuation) = AsyncStream<AttributeResponse?>.makeStream()
            rig.radio.whileReplanning {
                Task { continuation.yield(try? await rig.write([77, 0, 78, 0], of: "entrance")) }
            }
            rig.profiles.change(Self.changedEntrance)
            let result = try await rig.emulator.reload()
            #expect(result.changed == ["entrance"])
            for await response in writing {
                #expect(response == .success([]))
                break
            }
            #expect(try await rig.read(of: "entrance") == .success([77, 0, 78, 0]))
        }
    }

    /// Between the replacement of the radio's tables and of the devices, no device answers for another table.
    @Test
    func readDuringAReloadIsAnsweredByTheNewDevice() async throws {
        try await withReadyRig { rig in
            let (reading, continuation) = AsyncStream<AttributeResponse?>.makeStream()
            rig.radio.whileReplanning {
                // The radio has replaced its tables, and a central reads from the new one.
                Task { continuation.yield(try? await rig.read(of: "entrance")) }
                for _ in 0..<100 { await Task.yield() }
            }
            rig.profiles.change(Self.changedEntrance)
            _ = try await rig.emulator.reload()
            for await response in reading {
                #expect(response == .success([2, 0, 33, 0]))
                break
            }
        }
    }

    /// SIGHUP and `ctl reload` may arrive together.
    @Test
    func reloadsRunOneAfterTheOther() async throws {
        try await withReadyRig { rig in
            let emulator = rig.emulator
            rig.radio.whileReplanning {
                rig.profiles.change(Self.changedExit)
            }
            rig.profiles.change(Self.changedExit + Self.hall)
            async let first = emulator.reload()
            async let second = emulator.reload()
            let results = try await [first, second]
            #expect(Set(results.map(\.added)) == [["hall"], []])
            #expect(Set(results.map(\.removed)) == [["hall"], []])
            #expect(await emulator.list().map(\.identifier.name) == ["entrance", "exit"])
            #expect(rig.folder.names("state/museum") == ["entrance.lock"])
        }
    }
}
