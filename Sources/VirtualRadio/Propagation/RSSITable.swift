// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// RSSI in dBm: a row for each PDU that is on the air, a column for each receiver.
///
/// Columns are in the order of the receivers' first packets, so that receivers that scan together are side by side, and the
/// controllers that do not receive take no memory in the rows.
struct RSSITable: Sendable {
    /// The RSSI that is not known, which is lower than any other.
    static let unknown = -Float.infinity

    private var values: [Float] = []
    /// The length of a row; at least the number of columns.
    private var width = 0
    private var freeRows: [Int32] = []
    /// By the index of the receiver's controller; -1 before its first packet.
    private var columns: [Int32] = []
    private var columnCount = 0
    private var rowCount = 0

    /// The column of a receiver; a new one with its first packet.
    @inline(__always)
    mutating func column(of receiver: Int) -> Int {
        if receiver < columns.count, columns[receiver] >= 0 { return Int(columns[receiver]) }
        return addColumn(receiver)
    }

    /// Adds a row of which nothing is known.
    mutating func addRow() -> Int32 {
        guard let row = freeRows.popLast() else {
            values.append(contentsOf: repeatElement(Self.unknown, count: width))
            rowCount += 1
            return Int32(rowCount - 1)
        }
        let start = Int(row) * width
        for index in start..<start + width { values[index] = Self.unknown }
        return row
    }

    mutating func removeRow(_ row: Int32) { freeRows.append(row) }

    subscript(row: Int32, column: Int) -> Float {
        @inline(__always) get { values[Int(row) * width + column] }
        @inline(__always) set { values[Int(row) * width + column] = newValue }
    }

    @inline(never)
    private mutating func addColumn(_ receiver: Int) -> Int {
        let missing = receiver + 1 - columns.count
        if missing > 0 { columns.append(contentsOf: repeatElement(-1, count: missing)) }
        columns[receiver] = Int32(columnCount)
        columnCount += 1
        if columnCount > width { widen(to: max(16, 2 * width)) }
        return columnCount - 1
    }

    private mutating func widen(to newWidth: Int) {
        var wider: [Float] = []
        wider.reserveCapacity(newWidth * rowCount)
        for row in 0..<rowCount {
            wider += values[row * width..<(row + 1) * width]
            wider += repeatElement(Self.unknown, count: newWidth - width)
        }
        (values, width) = (wider, newWidth)
    }
}
