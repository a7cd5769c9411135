// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// The effects of a failing flash on centrals, advertisement and events.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct BeaconFlashFaultTests {
    typealias Fault = FaultyFileSystem.Fault

    private static let old = Samples.majorMinor(0x0102, 0x0304)
    private static let new = Samples.majorMinor(0x0506, 0x0708)

    /// A beacon on the air that has saved the old value.
    private static func bench(
        _ folder: TemporaryFolder, _ fileSystem: FaultyFileSystem
    ) async throws -> BeaconOnABench {
        let bench = try BeaconOnABench(StateFolder(folder.path, fileSystem: fileSystem))
        await bench.beacon.powerOn()
        #expect(await bench.write(old) == .success([]))
        return bench
    }

    private static func callsOfOneWrite() async throws -> [FaultyFileSystem.Call] {
        let folder = try TemporaryFolder()
        let fileSystem = FaultyFileSystem()
        let bench = try await bench(folder, fileSystem)
        fileSystem.disarm()
        #expect(await bench.write(new) == .success([]))
        #expect(folder.has("museum/entrance.json"))
        return fileSystem.calls
    }

    /// The value that a new beacon restores from the folder.
    private static func valueAfterRestart(_ folder: TemporaryFolder) async throws -> [UInt8] {
        let bench = try BeaconOnABench(StateFolder(folder.path))
        try await bench.beacon.restore(resets: false)
        #expect(bench.names == ["settings-restored"])
        let value = try await bench.read().get()
        bench.beacon.lock?.release()
        return value
    }

    @Test(arguments: Fault.allCases)
    func everyStepOfAWrite(_ fault: Fault) async throws {
        let calls = try await Self.callsOfOneWrite()
        var refusals = 0
        for step in calls.indices {
            let folder = try TemporaryFolder()
            let fileSystem = FaultyFileSystem()
            let bench = try await Self.bench(folder, fileSystem)
            let earlier = bench.names
            let onAir = bench.advertisements
            fileSystem.arm(fault, at: step)
            let answer = await bench.write(Self.new)
            bench.beacon.lock?.release()

            let isFailure = fileSystem.hasStruck && fault != .shortWrite && !(fault.isCrash && answer == .success([]))
            if isFailure {
                refusals += 1
                #expect(answer == .failure(.insufficientResources))
                #expect(await bench.read() == .success(Self.old))
                #expect(bench.advertisements == onAir)
                #expect(bench.names == earlier + ["persist-failed", "0x11"])
                let warning = bench.records.last { $0.event == "warning" }
                #expect(warning?.device == "entrance")
                #expect(warning?.hint?.isEmpty == false)
                #expect(bench.records.last?.event == "refused")
            } else {
                #expect(answer == .success([]))
                #expect(await bench.read() == .success(Self.new))
                #expect(bench.advertisements.count == onAir.count + 1)
                #expect(bench.names == earlier + ["settings-saved", "written"])
            }
            let restarted = try await Self.valueAfterRestart(folder)
            switch (isFailure, fault.isCrash) {
            case (true, true): #expect([Self.old, Self.new].contains(restarted))
            case (true, false): #expect(restarted == Self.old)
            case (false, _): #expect(restarted == Self.new)
            }
        }
        #expect((refusals > 0) == (fault != .shortWrite))
    }

    @Test
    func errorCodeIsInsufficientResources() async throws {
        #expect(ATTError.insufficientResources.rawValue == 0x11)
    }

    @Test
    func beaconContinuesWhenAFullDiskHasRoomAgain() async throws {
        let folder = try TemporaryFolder()
        let fileSystem = FaultyFileSystem()
        let bench = try await Self.bench(folder, fileSystem)
        let calls = try await Self.callsOfOneWrite()
        fileSystem.arm(.noSpace, at: try #require(calls.firstIndex(of: .write)))
        #expect(await bench.write(Self.new) == .failure(.insufficientResources))
        #expect(await bench.write(Self.new) == .success([]))
        #expect(await bench.read() == .success(Self.new))
        #expect(folder.names("museum") == ["entrance.json", "entrance.lock"])
    }

    @Test
    func withoutAStateFolderNothingIsSaved() async throws {
        let bench = try BeaconOnABench(nil)
        await bench.beacon.powerOn()
        #expect(await bench.write(Self.new) == .success([]))
        #expect(await bench.read() == .success(Self.new))
        #expect(bench.names == ["written"])
        #expect(bench.beacon.status.keepsSettings == false)
    }
}
