// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// A reload that is requested before the run is up, as by SIGHUP, waits.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct EmulatorStartTests {
    @Test
    func reloadBeforeTheRunWaitsForIt() async throws {
        let folder = try TemporaryFolder()
        let source = ProfileSource([Samples.museum])
        let emulator = Emulator(
            Emulator.Configuration(loadProfiles: source.load, state: StateFolder(folder.file("state"))),
            radio: ScriptedRadio())
        async let reload = emulator.reload()
        for _ in 0..<100 { await Task.yield() }
        #expect(folder.names("state/museum") == [])
        async let run: Void = emulator.run()
        #expect(try await reload.kept == ["entrance", "exit"])
        await emulator.stop()
        try await run
        #expect(folder.names("state/museum") == [])
    }

    @Test
    func reloadFailsIfTheRunDoesNotStart() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        radio.failOpening(RadioError(.poweredOff, "the adapter is off", hint: "power it on"))
        let source = ProfileSource([Samples.museum])
        let emulator = Emulator(
            Emulator.Configuration(loadProfiles: source.load, state: StateFolder(folder.file("state"))), radio: radio)
        async let reload = emulator.reload()
        for _ in 0..<100 { await Task.yield() }
        await #expect(throws: EmulatorError.self) { try await emulator.run() }
        do {
            _ = try await reload
            Issue.record("there was nothing to reload")
        } catch {
            #expect((error as? EmulatorError)?.message == "the run has ended")
        }
        await #expect(throws: EmulatorError.self) { try await emulator.reload() }
    }
}
