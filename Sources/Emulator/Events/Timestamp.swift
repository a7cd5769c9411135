// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Radio

/// Timestamps of all output: UTC with milliseconds, `2026-01-31T12:00:00.000Z`.
package enum Timestamp {
    /// The present time: the machine's, or the current simulation's.
    package static var now: String { text(sinceUnixEpoch: .sinceUnixEpoch) }

    /// A time since 1970-01-01 00:00 UTC, of which whole milliseconds are shown.
    package static func text(sinceUnixEpoch time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return text(milliseconds: Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000_000))
    }

    /// A time, of which whole milliseconds are shown.
    static func text(_ time: Date) -> String {
        // A `Date` of our century is exact to 0.0002 ms: without a thousandth more, 7 ms could become 6.
        text(milliseconds: (time.timeIntervalSince1970 * 1000 + 0.001).rounded(.down))
    }

    private static func text(milliseconds: Double) -> String {
        // The formatter truncates: without half a millisecond more, 7 ms could become 6.
        Date(timeIntervalSince1970: (milliseconds + 0.5) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
