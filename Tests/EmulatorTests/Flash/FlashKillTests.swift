// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Dispatch
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// A process that only writes to flash is killed many times: acknowledged writes are saved.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct FlashKillTests {
    private static let rounds = 200

    /// The results of 200 kills.
    struct Tally {
        var killsAmidAWrite = 0
        var restored = 0
    }

    @Test
    func acknowledgedWritesSurviveSIGKILL() async throws {
        let tally = try await Self.onASeparateThread { try Self.killAgainAndAgain(seed: 2026) }
        #expect(tally.restored == Self.rounds)
        // The test needs kills during a write.
        #expect(tally.killsAmidAWrite > 0)
    }

    private static func killAgainAndAgain(seed: UInt64) throws -> Tally {
        // Only the process dies, not the machine, so the fastest medium is used.
        let isInMemory = FileManager.default.isWritableFile(atPath: "/dev/shm")
        let folder = try isInMemory ? TemporaryFolder(in: "/dev/shm") : TemporaryFolder()
        var generator = SplitMix64(seed: seed)
        var tally = Tally()
        var kept: UInt32 = 0
        for round in 0..<rounds {
            var harness = try FlashHarness(state: folder.path)
            do {
                try harness.read(count: .random(in: 1...40, using: &generator))
                spin(for: .nanoseconds(.random(in: 0..<1_000_000, using: &generator)))
                try harness.kill()
            } catch {
                try? harness.kill()
                throw error
            }
            let started = try #require(harness.numbers.first)
            let acknowledged = try #require(harness.numbers.last)
            try #require(started == kept, "round \(round): it started with another number than the file held")
            tally.restored += 1
            #expect(harness.numbers == Array(started...acknowledged))

            kept = try number(in: folder)
            try #require(acknowledged...(acknowledged + 1) ~= kept, "round \(round): \(kept), not \(acknowledged)")
            #expect(folder.names("harness").filter { $0.contains("damaged") } == [])
            if kept > acknowledged || folder.has("harness/beacon.json.new") { tally.killsAmidAWrite += 1 }
        }
        return tally
    }

    /// The number in the file; 0 if it does not exist, as in the harness's profile.
    private static func number(in folder: TemporaryFolder) throws -> UInt32 {
        let flash = StateFolder(folder.path).flash(profile: "harness", beacon: "beacon", kind: IoTDesignShopBeacon.kind)
        switch try flash.load() {
        case .absent: return 0
        case .damaged(let reason): throw FlashHarness.Failure(message: "the file is damaged: \(reason)")
        case .image(let image):
            let settings = try IoTDesignShopSettings(flash: image)
            return UInt32(settings.minor) << 16 | UInt32(settings.major)
        }
    }

    /// Waits for a random time on purpose.
    private static func spin(for duration: Duration) {
        let end = ContinuousClock.now.advanced(by: duration)
        while ContinuousClock.now < end {}
    }

    /// Runs a blocking function on a thread that other tests do not need.
    private static func onASeparateThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "flash-harness").async { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test
    func lockOfAKilledProcessIsFree() async throws {
        let folder = try TemporaryFolder()
        try await Self.onASeparateThread {
            let state = StateFolder(folder.path)
            var harness = try FlashHarness(state: folder.path)
            do {
                try harness.read(count: 1)
                let error = #expect(throws: PersistenceError.self) {
                    try state.lock(profile: "harness", beacon: "beacon")
                }
                let process = folder.text("harness/beacon.lock")?.dropLast() ?? ""
                #expect(error?.message == "the settings of harness/beacon are in use by process \(process)")
            } catch {
                try? harness.kill()
                throw error
            }
            try harness.kill()
            #expect(folder.has("harness/beacon.lock"))
            let lock = try state.lock(profile: "harness", beacon: "beacon")
            #expect(folder.text("harness/beacon.lock") == "\(getpid())\n")
            lock.release()
            #expect(!folder.has("harness/beacon.lock"))
        }
    }
}
