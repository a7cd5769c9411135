// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import TestTraits
import Testing

@testable import BeaconryTools

/// The watch of profiles and scenarios, on real files.
@Suite(.realTime, .timeLimit(.minutes(10))) struct ProfileWatchTests {
    /// The watch may begin, or see the file for the first time, after the change.
    @Test func changeBetweenTheReadingAndTheFirstComparisonIsReported() async throws {
        let folder = try TemporaryFolder()
        let files = WatchedFiles()
        files.insert(try folder.write("one", to: "shop.yaml"))
        _ = try folder.write("three", to: "shop.yaml")

        // Without the change, the time limit ends the test.
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup { group in
            group.addTask { await ProfileWatch(files).run { continuation.finish() } }
            for await _ in changes {}
            group.cancelAll()
        }
    }
}
