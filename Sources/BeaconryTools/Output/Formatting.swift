// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Numbers and counts as people read them.
package enum Formatting {
    /// A number rounded to two decimals: `9.31`.
    package static func hundredths(_ value: Double) -> String {
        guard abs(value) < 1e12 else { return "\(value)" }
        let count = Int((value * 100).rounded())
        return "\(count < 0 ? "-" : "")\(abs(count) / 100).\(String(abs(count) % 100 + 100).dropFirst())"
    }

    /// A number of metres, to a centimetre and without needless digits: `9`, `2.5`, `8.96`.
    package static func metres(_ value: Double) -> String {
        var text = hundredths(value)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }

    /// A position: `8.96, 0, 0`.
    package static func position(_ axes: [Double]) -> String { axes.map(metres).joined(separator: ", ") }

    /// A duration in seconds: `10 s`, `0.5 s`.
    package static func seconds(_ duration: Duration) -> String {
        let text = hundredths(duration / .seconds(1))
        let isWhole = text.hasSuffix(".00")
        return "\(isWhole ? text.dropLast(3) : text.hasSuffix("0") ? text.dropLast() : text[...]) s"
    }

    /// A count with its noun: `1 beacon`, `2 beacons`.
    package static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// The cells that are not `nil`, with two spaces between them.
    package static func row(_ cells: [String?]) -> String { cells.compactMap(\.self).joined(separator: "  ") }
}
