// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON

/// Rows of cells in columns that are as wide as their widest cell.
package struct TextTable {
    /// The first row is the heading. The longest column comes last, because a narrow terminal cuts it.
    private let rows: [[String]]

    /// Cells may hold any text: characters that control a terminal are replaced before the columns are measured.
    package init(rows: [[String]]) {
        self.rows = rows.map { $0.map(SafeText.line) }
    }

    /// All lines.
    package var lines: [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            // The last cell needs no padding.
            zip(row.dropLast(), widths).map { $0.padding(to: $1) + "  " }.joined() + (row.last ?? "")
        }
    }

    /// The table in Markdown.
    var markdown: [String] {
        func line(_ cells: [String]) -> String {
            "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
        }
        let rule = (rows.first ?? []).map { _ in "---" }
        return [line(rows.first ?? []), line(rule)] + rows.dropFirst().map(line)
    }
}

extension String {
    /// At most this many characters; a longer text ends in "…".
    package func cut(to width: Int) -> String {
        guard count > width else { return self }
        return width < 1 ? "" : prefix(width - 1) + "…"
    }

    /// With spaces up to this many characters; a longer text stays as it is.
    func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
