// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Timestamps of all output: UTC with milliseconds, `2026-01-31T12:00:00.000Z`.
package enum Timestamp {
    /// The current time.
    package static var now: String { text(.now) }

    /// A time since 1970-01-01 00:00 UTC, of which whole milliseconds are shown.
    package static func text(sinceUnixEpoch time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000_000)
        // The formatter truncates: half a millisecond more keeps 7 ms from becoming 6.999.
        return text(Date(timeIntervalSince1970: (milliseconds + 0.5) / 1000))
    }

    private static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

/// Numbers and counts as people read them.
package enum Formatting {
    /// A number rounded to two decimals: `9.31`.
    package static func hundredths(_ value: Double) -> String {
        guard abs(value) < 1e12 else { return "\(value)" }
        let count = Int((value * 100).rounded())
        return "\(count < 0 ? "-" : "")\(abs(count) / 100).\(String(abs(count) % 100 + 100).dropFirst())"
    }

    /// A count with its noun: `1 beacon`, `2 beacons`.
    package static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// The cells that are there, with two spaces between them.
    package static func row(_ cells: [String?]) -> String { cells.compactMap(\.self).joined(separator: "  ") }
}
