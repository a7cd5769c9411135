// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Emulator
@testable import Persistence

/// A process that does nothing but write to flash is killed, again and again: what was acknowledged is there.
@Suite(.timeLimit(.minutes(2)))
struct FlashKillTests {
    private static let rounds = 200

    /// What 200 kills have shown.
    struct Tally {
        var killsAmidAWrite = 0
        var restored = 0
    }

    @Test
    func whatWasAcknowledgedSurvivesSIGKILL() async throws {
        let tally = try await Self.onAThreadOfItsOwn { try Self.killAgainAndAgain(seed: 2026) }
        #expect(tally.restored == Self.rounds)
        // Had every kill come between two writes, nothing would have been tested.
        #expect(tally.killsAmidAWrite > 0)
    }

    private static func killAgainAndAgain(seed: UInt64) throws -> Tally {
        // It is the process that dies, not the machine, so any medium will do: the quickest one.
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

    /// The number in the file; 0 when there is none yet, as in the harness's profile.
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

    /// A random moment is what is wanted here, not a wait for something.
    private static func spin(for duration: Duration) {
        let end = ContinuousClock.now.advanced(by: duration)
        while ContinuousClock.now < end {}
    }

    /// Runs what blocks away from the threads that other tests need.
    private static func onAThreadOfItsOwn<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "flash-harness").async { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test
    func theLockOfAKilledProcessIsTaken() async throws {
        let folder = try TemporaryFolder()
        try await Self.onAThreadOfItsOwn {
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
