// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Times as all output has them: UTC with milliseconds, `2026-01-31T12:00:00.000Z`.
enum Timestamp {
    /// This moment.
    static var now: String { text(.now) }

    /// A time since 1970-01-01 00:00 UTC.
    static func text(sinceUnixEpoch time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return text(Date(timeIntervalSince1970: Double(seconds) + Double(attoseconds) / 1e18))
    }

    private static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
