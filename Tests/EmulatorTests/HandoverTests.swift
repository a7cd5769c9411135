// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Devices
import Dispatch
import Radio
import Synchronization
import SystemPackage
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Commands and inputs while a reload replaces their beacon: one beacon handles each of them, once.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct HandoverTests {
    private static let name = BeaconIdentifier("entrance")

    @Test
    func retiredBeaconRefusesInputs() async throws {
        let folder = try TemporaryFolder()
        let bench = try BeaconOnABench(StateFolder(folder.file("state")))
        await bench.beacon.powerOn()
        _ = await bench.beacon.retire()
        let earlier = bench.names
        #expect(await bench.beacon.setEnabled(false) == nil)
        #expect(await bench.beacon.perform(DeviceCommand("act", ["action": "positive", "notification": "1"])) == nil)
        #expect(await bench.beacon.take(.connected(Central("phone"))) == nil)
        #expect(bench.names == earlier)
        #expect(folder.names("state/museum") == ["entrance.lock"])
        #expect(await bench.beacon.isEnabled)
    }

    /// The command has looked up its beacon when the handover begins.
    @Test
    func commandForARetiredBeaconGoesToItsSuccessor() async throws {
        let folder = try TemporaryFolder()
        let predecessor = try BeaconOnABench(nil).beacon
        let successor = try BeaconOnABench(StateFolder(folder.file("state"))).beacon
        let directory = BeaconDirectory(events: RadioEvents())
        await predecessor.powerOn()
        await successor.powerOn()
        directory.setBeacons([predecessor])
        let met = EventLog<ObjectIdentifier>()
        let outcome = await directory.route(to: Self.name) { beacon in
            met.append(ObjectIdentifier(beacon))
            if beacon === predecessor {
                let handover = Task {
                    _ = await predecessor.retire()
                    directory.setBeacons([successor])
                    directory.endHandover()
                }
                directory.announceHandover(handover)
                await directory.beginHandover(of: [Self.name])
                await handover.value
            }
            return await beacon.setEnabled(false)
        }
        #expect(met.entries == [ObjectIdentifier(predecessor), ObjectIdentifier(successor)])
        #expect(outcome?.isEnabled == false)
        #expect(await !successor.isEnabled)
        #expect(await predecessor.isEnabled)
    }

    @Test
    func beaconThatIsKeptDoesNotWait() async throws {
        let beacon = try BeaconOnABench(nil).beacon
        let directory = BeaconDirectory(events: RadioEvents())
        directory.setBeacons([beacon])
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let handover = Task { for await _ in gate {} }
        directory.announceHandover(handover)
        await directory.beginHandover(of: [BeaconIdentifier("exit")])
        #expect(directory.handover(of: BeaconIdentifier("exit")) != nil && directory.handover(of: Self.name) == nil)
        // It would wait for ever otherwise.
        #expect(await directory.route(to: Self.name) { await $0.setEnabled(false) } != nil)
        opening.finish()
        await handover.value
    }

    @Test
    func unknownBeaconIsNotRouted() async throws {
        let outcome = await BeaconDirectory(events: RadioEvents()).route(to: Self.name) { await $0.setEnabled(false) }
        #expect(outcome == nil)
    }

    /// One command waits for the medium when the reload begins, and another one waits for the first.
    @Test
    func commandsDuringAReloadAreNotLost() async throws {
        let folder = try TemporaryFolder()
        let files = GatedFileSystem()
        let rig = try Rig(Samples.museum, folder: folder) {
            $0.state = StateFolder(folder.file("state"), fileSystem: files)
        }
        try await rig.event("ready")
        let emulator = rig.emulator
        async let first = emulator.set("entrance", ["major": "9"])
        await files.entered()
        async let second = emulator.set("entrance", ["minor": "77"])
        async let third = emulator.setEnabled("exit", false)
        for _ in 0..<100 { await Task.yield() }
        rig.profiles.change(
            Samples.museum.replacing("minor: 3", with: "minor: 33").replacing("minor: 4", with: "minor: 44"))
        async let reload = emulator.reload()
        while await emulator.directory.announcedHandover == nil { await Task.yield() }
        files.open()
        #expect(try await first.settings.contains(.major(9)))
        #expect(try await second.settings.contains(.minor(77)))
        #expect(try await !third.isEnabled)
        #expect(try await reload.changed == ["entrance", "exit"])
        let status = try await emulator.show("entrance")
        #expect(status.settings.contains(.major(9)) && status.settings.contains(.minor(77)))
        #expect(try await !emulator.show("exit").isEnabled)
        try await rig.event("advertising-stopped", of: "exit")
        #expect(rig.radio.wanted("exit") == nil)
        try await rig.radio.calls.entry { call in
            guard case .advertise(Self.name, let advertisement) = call else { return false }
            return advertisement?.frame?.minor == 77
        }
        try await rig.stop()
    }

    /// A central that connects while its beacon is replaced is connected to the successor once.
    @Test
    func centralThatConnectsDuringAReloadIsConnectedOnce() async throws {
        try await withReadyRig(Samples.entrance) { rig in
            rig.radio.whileReplanning { rig.connect("phone", to: "entrance") }
            rig.profiles.change(Samples.entrance.replacing("minor: 3", with: "minor: 33"))
            _ = try await rig.emulator.reload()
            while rig.radio.wanted("entrance") != nil { await Task.yield() }
            rig.disconnect("phone", from: "entrance")
            try await rig.event("disconnected", of: "entrance")
            while rig.radio.wanted("entrance")?.frame?.minor != 33 { await Task.yield() }
        }
    }
}

/// The local file system, with a gate: creating the first file blocks until the gate is opened.
private final class GatedFileSystem: FileSystem {
    private let base = LocalFileSystem()
    private let gate = DispatchSemaphore(value: 0)
    private let isFirst = Mutex(true)
    private let waiting = EventLog<Bool>()

    /// Waits until a call is blocked.
    func entered() async { _ = try? await waiting.entry { $0 } }
    func open() { gate.signal() }

    func create(_ path: String, isPrivate: Bool) throws(SystemError) -> FileDescriptor {
        let isFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        if isFirst {
            waiting.append(true)
            gate.wait()
        }
        return try base.create(path, isPrivate: isPrivate)
    }

    func write(_ bytes: ArraySlice<UInt8>, to descriptor: FileDescriptor) throws(SystemError) -> Int {
        try base.write(bytes, to: descriptor)
    }
    func synchronize(_ descriptor: FileDescriptor) throws(SystemError) { try base.synchronize(descriptor) }
    func close(_ descriptor: FileDescriptor) { base.close(descriptor) }
    func rename(_ path: String, to newPath: String) throws(SystemError) { try base.rename(path, to: newPath) }
    func synchronizeFolder(_ path: String) throws(SystemError) { try base.synchronizeFolder(path) }
    func remove(_ path: String) throws(SystemError) { try base.remove(path) }
    func read(_ path: String) throws(SystemError) -> [UInt8]? { try base.read(path) }
}
