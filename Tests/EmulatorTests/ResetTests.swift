// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Devices
import Radio
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// A reset of a run: all of it, or nothing.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct ResetTests {
    private static let two = """
        profile: two
        beacons:
          - { id: a, device: iot-design-shop, ibeacon: { uuid: 10000000-2000-3000-4000-500000000000, major: 1, minor: 1 } }
          - { id: b, device: iot-design-shop, ibeacon: { uuid: 10000000-2000-3000-4000-500000000000, major: 1, minor: 2 } }
        """

    @Test
    func resetStartsFromTheProfile() async throws {
        try await withReadyRig(Self.two) { rig in
            _ = try await rig.emulator.set("a", ["minor": "55"])
            let result = try await rig.emulator.reset()
            #expect(result.added == ["a", "b"] && result.kept.isEmpty)
            #expect(try await rig.emulator.show("a").settings.contains(.minor(1)))
            #expect(rig.folder.names("state/two") == ["a.lock", "b.lock"])
            while rig.radio.wanted("a")?.frame?.minor != 1 { await Task.yield() }
        }
    }

    /// The first file can be removed, the second one cannot.
    @Test
    func resetThatCannotRemoveAFileChangesNothing() async throws {
        try await withReadyRig(Self.two) { rig in
            _ = try await rig.emulator.set("a", ["minor": "55"])
            try await rig.advertisement("a", 2)
            try await rig.settle()
            try rig.folder.makeFolder("state/two/b.json")
            let calls = rig.radio.calls.entries.count
            let before = await rig.emulator.list()
            let error = await #expect(throws: EmulatorError.self) { _ = try await rig.emulator.reset() }
            #expect(error?.code == .inputOutput && error?.message.hasPrefix("nothing was reset") == true)
            #expect(await rig.emulator.list() == before)
            #expect(rig.radio.calls.entries.count == calls)
            #expect(rig.folder.names("state/two") == ["a.json", "a.lock", "b.json", "b.lock"])
            // The locks are still held, and a change is still saved.
            #expect(throws: PersistenceError.self) {
                try StateFolder(rig.folder.file("state")).lock(profile: "two", beacon: "a")
            }
            _ = try await rig.emulator.set("a", ["minor": "56"])
        }
    }

    @Test
    func resetThatTheRadioRefusesChangesNothing() async throws {
        try await withReadyRig(Self.two) { rig in
            _ = try await rig.emulator.set("a", ["minor": "55"])
            try await rig.advertisement("a", 2)
            try await rig.settle()
            let before = await rig.emulator.list()
            rig.radio.failReplanning(RadioError(.cannotCarry, "too many beacons", hint: "use fewer"))
            await #expect(throws: EmulatorError.self) { _ = try await rig.emulator.reset() }
            rig.radio.failReplanning(nil)
            #expect(await rig.emulator.list() == before)
            #expect(rig.folder.names("state/two") == ["a.json", "a.lock", "b.lock"])
            let flash = StateFolder(rig.folder.file("state")).flash(
                profile: "two", beacon: "a", kind: "iot-design-shop")
            guard case .image(let image) = try flash.load() else {
                Issue.record("the settings are not saved any more")
                return
            }
            #expect(image.values["minor"] == .integer(55))
        }
    }

    /// While a reset runs, other requests wait; then they have the new beacons.
    @Test
    func requestsDuringAResetWait() async throws {
        try await withReadyRig(Self.two) { rig in
            let emulator = rig.emulator
            let answers = EventLog<Int>()
            rig.radio.whileReplanning {
                Task { answers.append(await emulator.list().count) }
                Task { if (try? await emulator.set("b", ["minor": "9"])) != nil { answers.append(9) } }
                for _ in 0..<100 { await Task.yield() }
            }
            _ = try await emulator.reset()
            _ = try await answers.entry(1) { $0 == 9 }
            _ = try await answers.entry(1) { $0 == 2 }
            #expect(try await emulator.show("b").settings.contains(.minor(9)))
        }
    }

    /// What a process that was killed during a reset has left is put back.
    @Test
    func killedResetKeepsSettings() throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(folder.file("state"))
        _ = try state.lock(profile: "two", beacon: "a")
        let flash = state.flash(profile: "two", beacon: "a", kind: "iot-design-shop")
        try flash.store(FlashImage(["minor": .integer(7)]))
        #expect(try flash.file.beginErasing())
        #expect(folder.names("state/two") == ["a.json.reset", "a.lock"])
        #expect(state.beacons(of: "two") == ["a"])
        #expect(try flash.load() == .image(FlashImage(["minor": .integer(7)])))
        #expect(folder.names("state/two") == ["a.json", "a.lock"])
        #expect(try flash.erase())
        #expect(folder.names("state/two") == ["a.lock"])
    }

    /// What was saved after the beginning is newer than what is put back.
    @Test
    func cancelledRemovalKeepsTheNewerFile() throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(folder.file("state"))
        _ = try state.lock(profile: "two", beacon: "a")
        let flash = state.flash(profile: "two", beacon: "a", kind: "iot-design-shop")
        try flash.store(FlashImage(["minor": .integer(7)]))
        var reset = StateReset()
        try reset.begin(flash.file)
        try flash.store(FlashImage(["minor": .integer(8)]))
        reset.cancel()
        #expect(try flash.load() == .image(FlashImage(["minor": .integer(8)])))
        #expect(folder.names("state/two") == ["a.json", "a.lock"])
    }
}
