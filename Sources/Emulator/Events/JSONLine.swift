// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import FoundationEssentials
import Radio

/// The encoder of JSON lines.
package enum JSONLine {
    /// A value on one line with sorted keys, without a line end; characters that control terminals or end lines are
    /// escaped.
    package static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("records hold nothing but strings, numbers and truth values")
        }
        return SafeText.json(String(decoding: data, as: UTF8.self))
    }

    /// The greatest number of records that are encoded, or made of events, at once.
    static let atOnce = 100

    /// The same for an answer with this number of records, of which many take long.
    package static func encode(_ value: some Encodable & Sendable, records count: Int) async -> String {
        count > atOnce ? await LongWork.perform { encode(value) } : encode(value)
    }
}

/// Timestamps of all output: UTC with milliseconds, `2026-01-31T12:00:00.000Z`.
package enum Timestamp {
    /// The present time: the machine's, or that of the current simulation.
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
