// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What time it is for a device, as its owner says.
package struct DeviceTime: Hashable, Sendable {
    /// The time since a moment that the owner chose; it never goes back.
    package var uptime: Duration
    /// The time of day: since 1970 in UTC, as the owner's clock has it; it may jump.
    package var sinceUnixEpoch: Duration

    /// A time; the beginning of both unless said otherwise.
    package init(uptime: Duration = .zero, sinceUnixEpoch: Duration = .zero) {
        self.uptime = uptime
        self.sinceUnixEpoch = sinceUnixEpoch
    }
}
