// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Rows of cells in columns that are as wide as their widest cell.
struct TextTable {
    /// The first row is the heading. What is longest, and least missed when a narrow terminal cuts it, comes last.
    var rows: [[String]]

    /// All lines.
    var lines: [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            // The last cell needs no padding.
            zip(row.dropLast(), widths).map { $0.padding(to: $1) + "  " }.joined() + (row.last ?? "")
        }
    }
}

extension String {
    /// At most this many characters; a text that is longer ends in "…".
    func cut(to width: Int) -> String {
        guard count > width else { return self }
        return width < 1 ? "" : prefix(width - 1) + "…"
    }

    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
