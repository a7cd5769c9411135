// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Glibc
import Radio
import Space
import TestSupport
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Runs from start to end.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct EmulatorRunTests {
    private static let trouble = RadioError(.poweredOff, "the adapter is off", hint: "power it on")

    // MARK: - Movement

    private static let visitor = Samples.museum + "\nreceivers: [{ id: visitor, position: [1, 2] }]"
    private static let walking =
        Samples.museum + "\n    path: { through: [[1, 2], [5, 2]], speed: 1m/s, repeat: true }"

    /// Receivers and movement are for the virtual air: other radios run the beacons, with one warning.
    @Test(arguments: [Self.visitor, Self.walking])
    func radioWithoutPositionsIsReportedOnce(_ profile: String) async throws {
        try await withReadyRig(profile) { rig in
            let warning = try await rig.warning("no-movement")
            #expect(warning.message == "receivers and movement have no effect: scripted has no positions")
            _ = try await rig.emulator.reload()
            try await rig.settle()
            #expect(rig.events.entries.filter { $0.code == "no-movement" }.count == 1)
        }
    }

    @Test
    func positionOfAMovingBeaconIsThatOfTheStartWithoutAnAir() async throws {
        try await withReadyRig(Self.walking) { rig in
            let status = try await rig.emulator.show("exit")
            #expect(status.position == Position(x: 1, y: 2))
        }
    }

    @Test
    func placesWithoutMovementAreNotReported() async throws {
        try await withReadyRig(Samples.museum + "\n    position: [1, 2]") { rig in
            try await rig.settle()
            #expect(!rig.events.entries.contains { $0.code == "no-movement" })
        }
    }

    // MARK: - Ready

    @Test
    func runIsReadyWhenEveryBeaconIsOnTheAir() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        radio.react(.silent, to: "exit")
        let rig = try Rig(Samples.museum, folder: folder, radio: radio) { $0.readyFile = folder.file("ready") }
        try await rig.event("advertising-started", of: "entrance")
        try await rig.advertisement("exit", 1)
        try await rig.settle()
        #expect(!rig.events.entries.contains { $0.event == "ready" })
        #expect(!folder.has("ready"))

        radio.confirm("exit")
        let ready = try await rig.event("ready")
        #expect(ready.beacons == 2)
        #expect(folder.has("ready"))
        let names = rig.events.entries.map(\.event)
        #expect(names.prefix(1) == ["radio-ready"])
        #expect(names.suffix(2) == ["advertising-started", "ready"])

        try await rig.stop()
        #expect(!folder.has("ready"))
        #expect(rig.events.entries.last?.event == "stopping")
        #expect(rig.radio.calls.entries.last == .close)
    }

    @Test
    func timersOfBeaconsEndWithTheRun() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(
            """
            profile: museum
            beacons:
              - { id: sign, device: beacon, format: eddystone-url, url: https://example.com/a, telemetry: { every: 10 } }
            """, folder: folder)
        try await rig.event("ready")
        while rig.clock.sleepers == 0 { await Task.yield() }
        try await rig.stop()
        #expect(rig.clock.sleepers == 0)
    }

    @Test
    func runIsReadyOnce() async throws {
        try await withReadyRig { rig in
            rig.radio.confirm("exit")
            try await rig.event("advertising-changed", of: "exit")
            try await rig.settle()
            #expect(rig.events.entries.filter { $0.event == "ready" }.count == 1)
        }
    }

    /// The file of a killed run would announce this one too early.
    @Test
    func readyFileOfAnotherRunIsRemovedFirst() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "ready")
        let radio = ScriptedRadio()
        radio.react(.silent, to: "entrance")
        let rig = try Rig(Samples.entrance, folder: folder, radio: radio) { $0.readyFile = folder.file("ready") }
        try await rig.advertisement("entrance", 1)
        #expect(!folder.has("ready"))
        radio.confirm("entrance")
        try await rig.event("ready")
        #expect(folder.has("ready"))
        try await rig.stop()
        #expect(!folder.has("ready"))
    }

    @Test
    func readyFileThatCannotBeCreatedEndsTheRun() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.entrance, folder: folder) { $0.readyFile = folder.file("no/such/folder") }
        let failure = try await rig.failure()
        #expect(failure.code == .cannotCreate)
        #expect(failure.hint == "choose another --ready-file")
        #expect(rig.radio.calls.entries.last == .close)
    }

    /// In /tmp, another user may create a link after the start of a run.
    @Test
    func readyFileIsNotWrittenThroughALink() async throws {
        let folder = try TemporaryFolder()
        try folder.write("precious", to: "target")
        let radio = ScriptedRadio()
        radio.react(.silent, to: "entrance")
        let rig = try Rig(Samples.entrance, folder: folder, radio: radio) { $0.readyFile = folder.file("ready") }
        try await rig.advertisement("entrance", 1)
        try #require(symlink(folder.file("target"), folder.file("ready")) == 0)
        radio.confirm("entrance")
        let failure = try await rig.failure()
        #expect(failure.code == .cannotCreate)
        #expect(failure.message.contains("it is a symbolic link"))
        #expect(folder.text("target") == "precious")
    }

    @Test
    func radioReceivesAllBeaconsBeforeAnyIsOnTheAir() async throws {
        try await withReadyRig { rig in
            guard case .open(let plans, waits: false) = rig.radio.calls.entries.first else {
                Issue.record("the first call is not open")
                return
            }
            #expect(plans.map(\.identifier.name) == ["entrance", "exit"])
            #expect(plans.map(\.services.count) == [1, 0])
            #expect(plans.map(\.advertisement) == [rig.radio.wanted("entrance"), rig.radio.wanted("exit")])
            #expect(rig.radio.wanted("entrance")?.frame?.minor == 3)
            #expect(rig.radio.wanted("exit")?.pdu == .nonConnectable)
        }
    }

    @Test
    func radioThatCannotReadBackIsReported() async throws {
        let radio = ScriptedRadio()
        radio.forbidReadingBack()
        try await withReadyRig(radio: radio) { rig in
            let warning = try await rig.warning("not-read-back")
            #expect(warning.device == nil)
        }
    }

    // MARK: - Strict

    @Test
    func differenceEndsAStrictRun() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        radio.react(.differing([.interval]), to: "exit")
        let rig = try Rig(Samples.museum, folder: folder, radio: radio) {
            $0.isStrict = true
            $0.readyFile = folder.file("ready")
        }
        let failure = try await rig.failure()
        #expect(failure.code == .radio)
        #expect(failure.exitCode == 69)
        #expect(failure.message == "exit advertises other values than requested: interval (interval differs)")
        #expect(!rig.events.entries.contains { $0.event == "ready" })
        #expect(!folder.has("ready"))
        let started = try await rig.event("advertising-started", of: "exit")
        #expect(started.different == ["interval"])
        #expect(rig.radio.calls.entries.last == .close)
        #expect(folder.names("state/museum") == [])
    }

    @Test
    func laterDifferenceEndsAStrictRun() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.entrance, folder: folder) { $0.isStrict = true }
        try await rig.event("ready")
        rig.radio.react(.differing([.advertisingData, .pdu]), to: "entrance")
        _ = try await rig.emulator.set("entrance", ["major": "9"])
        let failure = try await rig.failure()
        #expect(failure.message.hasPrefix("entrance advertises other values than requested: pdu, advertisingData ("))
    }

    @Test
    func differenceIsAWarningWithoutStrict() async throws {
        let radio = ScriptedRadio()
        radio.react(.differing([.interval]), to: "exit")
        try await withReadyRig(radio: radio) { rig in
            let warning = try await rig.warning("scripted")
            #expect(warning.device == "exit")
            #expect(warning.message == "interval differs")
        }
    }

    // MARK: - Refusals

    @Test
    func refusalBeforeReadyEndsTheRun() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        radio.react(.refused(Self.trouble), to: "exit")
        let rig = try Rig(Samples.museum, folder: folder, radio: radio)
        let failure = try await rig.failure()
        #expect(failure == EmulatorError(Self.trouble))
        #expect(rig.radio.calls.entries.last == .close)
        #expect(folder.names("state/museum") == [])
    }

    /// As while another program scans: what the radio says of the next attempts does not end the run either.
    @Test
    func refusalOfABeaconThatIsWaitedForIsAnEvent() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        let scan = RadioError(.refused, "another program scans", hint: "end the scan", isTemporary: true)
        radio.react(.refused(scan), to: "exit")
        let rig = try Rig(Samples.museum, folder: folder, radio: radio)
        try await rig.event("advertising-refused", of: "exit")
        rig.radio.emit(.refused(BeaconIdentifier("exit"), Self.trouble))
        #expect(try await rig.event("advertising-refused", of: "exit", 2).code == "powered-off")
        rig.radio.confirm("exit")
        try await rig.event("ready")
        try await rig.stop()
    }

    @Test
    func laterRefusalIsAnEvent() async throws {
        try await withReadyRig { rig in
            rig.radio.emit(.refused(BeaconIdentifier("exit"), Self.trouble))
            let event = try await rig.event("advertising-refused", of: "exit")
            #expect(event.code == "powered-off")
            #expect(event.message == "the adapter is off")
            #expect(event.hint == "power it on")
        }
    }

    @Test(arguments: [false, true])
    func radioThatDoesNotOpenEndsTheRun(waits: Bool) async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        radio.failOpening(Self.trouble)
        let rig = try Rig(Samples.museum, folder: folder, radio: radio) { $0.waits = waits }
        let failure = try await rig.failure()
        #expect(failure == EmulatorError(Self.trouble))
        guard case .open(_, waits) = rig.radio.calls.entries.first else {
            Issue.record("the radio was not opened as asked")
            return
        }
        #expect(rig.radio.calls.entries.dropFirst() == [.close])
        #expect(folder.names("state/museum") == [])
    }

    @Test
    func runCanBeStoppedWhileItWaitsForTheRadio() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        radio.holdOpening()
        let rig = try Rig(Samples.museum, folder: folder, radio: radio) { $0.waits = true }
        try await radio.calls.entry { if case .open(_, waits: true) = $0 { true } else { false } }
        try await rig.stop()
        #expect(radio.calls.entries.last == .close)
        #expect(radio.calls.entries.count == 2)
        #expect(folder.names("state/museum") == [])
    }

    /// The kernel may give an adapter another number: hci2 becomes hci3.
    @Test
    func radioOfABeaconIsTheOneInUse() async throws {
        try await withReadyRig { rig in
            let started = try await rig.event("advertising-started", of: "exit")
            #expect(started.radio == "scripted")
            rig.radio.emit(.lost(RadioError(.noAdapter, "hci2 is gone", hint: "plug it in")))
            var capabilities = RadioCapabilities.scripted
            capabilities.name = "scripted:3"
            rig.radio.emit(.ready(capabilities))
            rig.radio.confirm("exit")
            let changed = try await rig.event("advertising-changed", of: "exit")
            #expect(changed.radio == "scripted:3")
        }
    }

    @Test
    func lostRadioComesBack() async throws {
        try await withReadyRig { rig in
            rig.radio.emit(.lost(RadioError(.noDaemon, "bluetoothd is gone", hint: "start it")))
            let lost = try await rig.event("radio-lost")
            #expect(lost.code == "no-daemon")
            rig.radio.emit(.stopped(BeaconIdentifier("exit"), reason: "the radio is gone"))
            let stopped = try await rig.event("advertising-stopped", of: "exit")
            #expect(stopped.reason == "the radio is gone")
            rig.radio.confirm("exit")
            try await rig.event("advertising-started", of: "exit", 2)
            #expect(rig.events.entries.filter { $0.event == "ready" }.count == 1)
        }
    }

    // MARK: - The end

    @Test
    func durationStartsWhenReady() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        radio.react(.silent, to: "entrance")
        let rig = try Rig(Samples.entrance, folder: folder, radio: radio) { $0.duration = .seconds(10) }
        try await rig.advertisement("entrance", 1)
        rig.clock.advance(by: .seconds(60))
        try await rig.settle()
        #expect(rig.clock.sleepers == 0)

        radio.confirm("entrance")
        await rig.clock.waitForSleeper(of: .seconds(10))
        rig.clock.advance(by: .seconds(9))
        try await rig.settle()
        rig.clock.advance(by: .seconds(1))
        try await rig.end()
        #expect(rig.radio.calls.entries.last == .close)
    }

    @Test
    func stopClosesTheRadioAndReleasesLocks() async throws {
        let folder = try TemporaryFolder()
        let radio = ScriptedRadio()
        let source = ProfileSource([Samples.museum])
        let emulator = Emulator(
            .init(loadProfiles: source.load, state: StateFolder(folder.file("state"))), radio: radio)
        let stream = emulator.events.listen()
        let running = Task { try await emulator.run() }
        var names: [String] = []
        for await event in stream {
            names.append(EventRecord(event).event)
            guard case .ready = event.event else { continue }
            #expect(folder.names("state/museum") == ["entrance.lock"])
            await emulator.stop()
        }
        try await running.value
        #expect(names.last == "stopping")
        #expect(radio.calls.entries.last == .close)
        #expect(folder.names("state/museum") == [])
    }

    @Test
    func cancellationEndsTheRun() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.museum, folder: folder)
        try await rig.event("ready")
        rig.cancel()
        try await rig.end()
        #expect(rig.radio.calls.entries.last == .close)
        #expect(folder.names("state/museum") == [])
    }

    // MARK: - Failed starts

    @Test
    func invalidProfileEndsTheRunBeforeTheRadioIsOpened() async throws {
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.museum + "\n    colour: red", folder: folder)
        let failure = try await rig.failure()
        #expect(failure.code == .badProfile)
        #expect(failure.exitCode == 65)
        #expect(failure.message.hasPrefix("museum.yaml:9:5: beacons[1]: there is no key \"colour\" here"))
        #expect(rig.radio.calls.entries == [])
    }

    @Test
    func lockedSettingsEndTheRunAndReleaseOtherLocks() async throws {
        let folder = try TemporaryFolder()
        let two = Samples.museum + "\n  - { id: hall, device: iot-design-shop }"
        let lock = try StateFolder(folder.file("state")).lock(profile: "museum", beacon: "hall")
        let rig = try Rig(two, folder: folder)
        let failure = try await rig.failure()
        #expect(failure.code == .cannotCreate)
        #expect(failure.message.hasPrefix("the settings of museum/hall are in use by process "))
        #expect(rig.radio.calls.entries == [])
        #expect(folder.names("state/museum") == ["hall.lock"])
        lock.release()
    }

    @Test
    func profilesMayShareAnIdentifier() async throws {
        let folder = try TemporaryFolder()
        let other = Samples.entrance.replacing("museum", with: "park").replacing("minor: 3", with: "minor: 8")
        let rig = try Rig(Samples.museum, other, folder: folder)
        try await rig.event("ready")
        #expect(await rig.emulator.list().map(\.identifier.name) == ["museum/entrance", "exit", "park/entrance"])
        #expect(rig.radio.wanted("museum/entrance")?.frame?.minor == 3)
        #expect(rig.radio.wanted("park/entrance")?.frame?.minor == 8)
        _ = try await rig.emulator.set("park/entrance", ["minor": "9"])
        try await rig.stop()
        #expect(folder.names("state/museum") == [])
        #expect(folder.names("state/park") == ["entrance.json"])
    }
}
