// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryTesting
import Foundation
import TestTraits
import Testing

/// Hundreds of airs in one process leave nothing behind. It belongs to the suites named `EnduranceTests`, which run apart.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct AirEnduranceTests {
    @Test func threeHundredAirsLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            /// The threads and the descriptors of the process.
            func resources() -> [Int] {
                ["task", "fd"].map {
                    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\($0)").count) ?? 0
                }
            }
            func useAirs(_ count: Int) async throws -> [VirtualAir] {
                var airs: [VirtualAir] = []
                for number in 0..<count {
                    let air = try await VirtualAir(seed: UInt64(number))
                    try await air.beacon("door", iBeacon: ("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7))
                    _ = try await air.receiver("phone")
                    airs.append(air)
                }
                return airs
            }
            func resourcesInUse(by count: Int) async throws -> [Int] {
                let airs = try await useAirs(count)
                defer { withExtendedLifetime(airs) {} }
                return resources()
            }
            // The first airs start threads of the runtime, which stay.
            _ = try await useAirs(20)
            while resources()[0] > 40 { usleep(10_000) }
            let before = resources()
            // All at once, then one after the other.
            let most = try await resourcesInUse(by: 300)
            for _ in 0..<300 { _ = try await useAirs(1) }
            while zip(resources(), before).contains(where: { $0 > $1 }) { usleep(10_000) }
            print("threads and descriptors: before \(before), with 300 airs \(most), after \(resources())")
        }
    }
}
