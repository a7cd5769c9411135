// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Glibc

extension Duration {
    /// The time since 1970-01-01 00:00 UTC, without leap seconds: the machine's, or the current simulation's.
    package static var sinceUnixEpoch: Duration {
        if let simulation = Simulation.current { return Simulation.epoch + simulation.now.offset }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
