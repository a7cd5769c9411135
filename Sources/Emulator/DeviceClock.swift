// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import FoundationEssentials

/// The clock of devices.
struct DeviceClock: Sendable {
    private let uptime: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// Uptime is measured with a clock, from now on.
    init<Source: Clock>(_ clock: Source) where Source.Duration == Duration {
        let beginning = clock.now
        uptime = { beginning.duration(to: clock.now) }
        pause = { try await clock.sleep(for: $0) }
    }

    /// The time now.
    var now: DeviceTime {
        DeviceTime(uptime: uptime(), sinceUnixEpoch: .seconds(Date.now.timeIntervalSince1970))
    }

    /// Waits.
    /// - Throws: `CancellationError`.
    func sleep(for duration: Duration) async throws { try await pause(duration) }
}
