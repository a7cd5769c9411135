// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import FoundationEssentials

/// What tells devices the time, and wakes them.
struct DeviceClock: Sendable {
    private let uptime: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// The time of a clock since now.
    init<Source: Clock>(_ clock: Source) where Source.Duration == Duration {
        let beginning = clock.now
        uptime = { beginning.duration(to: clock.now) }
        pause = { try await clock.sleep(for: $0) }
    }

    /// The time now.
    var now: DeviceTime {
        DeviceTime(uptime: uptime(), sinceUnixEpoch: .seconds(Date.now.timeIntervalSince1970))
    }

    /// Waits; an end before that is one of the task.
    func sleep(for duration: Duration) async throws { try await pause(duration) }
}
