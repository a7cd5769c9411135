// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import FoundationEssentials

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
    package static let atOnce = 100

    /// The same for an answer with this number of records, of which many take long.
    package static func encode(_ value: some Encodable & Sendable, records count: Int) async -> String {
        count > atOnce ? await LongWork.perform { encode(value) } : encode(value)
    }
}
