// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

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
}
