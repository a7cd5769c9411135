// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Where the receivers are, in square cells seen from above: finds those near a transmitter without looking at the others.
///
/// It chooses too many rather than too few; the medium decides about each. A receiver that moves stays in its cell until the
/// fastest may have moved by `slack`; then all cells are filled again. Receivers without a position, and those that jump
/// or are too fast for the cells, are always chosen.
struct ReceiverGrid: Sendable {
    /// A receiver, when the cells are filled.
    struct Member {
        /// In metres; `nil` without a position.
        let place: (x: Double, y: Double)?
        /// The highest speed in metres per second.
        let speed: Double
    }

    private struct Cell: Hashable {
        var column: Int32 = 0, row: Int32 = 0
    }

    /// With fewer receivers than this, looking for them takes longer than passing over them.
    static let smallestCount = 16

    /// The receivers that were chosen last, in order.
    private(set) var chosen: [Int32] = []
    /// The time from which on the cells are not valid any more.
    private(set) var expiry: AirTime = .min
    private let side: Double
    /// The movement in metres of a receiver that its cell allows for.
    private var slack: Double { side / 4 }
    private var memberCount = 0
    /// The first receiver of each bucket of cells and the next one of each receiver; -1 for none.
    private var heads: [Int32] = [], next: [Int32] = []
    private var cells: [Cell] = []
    /// One bit for each receiver that is always chosen.
    private var unplaced: [UInt64] = []
    private var marks: [UInt64] = []
    private var west = Double.infinity, east = -Double.infinity, south = Double.infinity, north = -Double.infinity

    /// A grid with cells of this side in metres.
    init(side: Double) { self.side = side }

    /// Makes the cells invalid: a receiver came, went or was moved.
    mutating func invalidate() { expiry = .min }

    /// Fills the cells.
    mutating func fill(count: Int, now: AirTime, _ member: (Int) -> Member) {
        memberCount = count
        var bucketCount = 16
        while bucketCount < 2 * count { bucketCount *= 2 }
        heads = Array(repeating: -1, count: bucketCount)
        next = Array(repeating: -1, count: count)
        cells = Array(repeating: Cell(), count: count)
        unplaced = Array(repeating: 0, count: (count + 63) / 64)
        marks = unplaced
        (west, east, south, north) = (.infinity, -.infinity, .infinity, -.infinity)
        var highestSpeed = 0.0
        for index in 0..<count {
            let member = member(index)
            guard let place = member.place, place.x.isFinite, place.y.isFinite, member.speed <= side else {
                unplaced[index / 64] |= 1 << UInt64(index % 64)
                continue
            }
            highestSpeed = max(highestSpeed, member.speed)
            (west, east) = (min(west, place.x), max(east, place.x))
            (south, north) = (min(south, place.y), max(north, place.y))
            cells[index] = Cell(column: cell(place.x), row: cell(place.y))
            let bucket = bucket(cells[index])
            next[index] = heads[bucket]
            heads[bucket] = Int32(index)
        }
        // A millisecond less: the medium's places may be this old.
        let seconds = highestSpeed > 0 ? slack / highestSpeed - 0.002 : .infinity
        expiry = seconds < 1e9 ? now + AirTime(seconds * 1e6) : .never
    }

    /// Chooses the receivers that may be within a distance; `false` if that would be all or most of them.
    mutating func choose(around x: Double, _ y: Double, radius: Double) -> Bool {
        guard memberCount >= Self.smallestCount, radius.isFinite, x.isFinite, y.isFinite else { return false }
        let reach = radius + slack
        let coversAll = x - reach <= west && x + reach >= east && y - reach <= south && y + reach >= north
        guard !coversAll else { return false }
        let (left, right) = (cell(x - reach), cell(x + reach))
        let (bottom, top) = (cell(y - reach), cell(y + reach))
        guard (Int(right) - Int(left) + 1) * (Int(top) - Int(bottom) + 1) <= memberCount else { return false }
        for word in marks.indices { marks[word] = unplaced[word] }
        for row in bottom...top {
            for column in left...right {
                let cell = Cell(column: column, row: row)
                var index = heads[bucket(cell)]
                while index >= 0 {
                    // Several cells may share a bucket.
                    if cells[Int(index)] == cell { marks[Int(index) / 64] |= 1 << UInt64(index % 64) }
                    index = next[Int(index)]
                }
            }
        }
        chosen.removeAll(keepingCapacity: true)
        for word in marks.indices {
            var bits = marks[word]
            while bits != 0 {
                chosen.append(Int32(64 * word + bits.trailingZeroBitCount))
                bits &= bits - 1
            }
        }
        return true
    }

    /// The cell of a coordinate; all that are far away share the last one.
    private func cell(_ coordinate: Double) -> Int32 {
        Int32(min(max((coordinate / side).rounded(.down), -1e9), 1e9))
    }

    private func bucket(_ cell: Cell) -> Int {
        let key = UInt64(UInt32(bitPattern: cell.column)) << 32 | UInt64(UInt32(bitPattern: cell.row))
        return Int(truncatingIfNeeded: Draws.mixed(key)) & (heads.count - 1)
    }
}
