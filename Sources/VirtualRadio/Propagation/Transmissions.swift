// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A PDU on a primary channel.
struct Transmission: Sendable {
    /// The index of the transmitter's controller.
    let transmitter: Int
    /// Transmit power in dBm.
    let power: Int8
    /// 0 to 2 for 37 to 39.
    let channel: Int
    let start: AirTime
    /// At 1 Mbit/s, one microsecond for each bit.
    let end: AirTime
}

/// The PDUs that are on the primary channels, or were until recently, for collisions.
///
/// Whether a PDU is received is decided at its end: all PDUs that overlap it have been added by then. The RSSI of a PDU at a
/// receiver is saved where it was computed, since it is compared with the RSSI of each PDU that overlaps it.
struct Transmissions: Sendable {
    /// Longer than any PDU on a primary channel, in microseconds: what ended earlier overlaps no PDU that has not ended.
    private static let memory: AirTime = 1_000
    /// The number of old PDUs that are removed together.
    private static let batch = 64

    private var recent: [Transmission] = []
    /// The rows of `recent` in the table; -1 before one is needed.
    private var rows: [Int32] = []
    private var table = RSSITable()
    /// The PDUs of other controllers that overlap the selected one on its channel.
    private(set) var overlapping: [Transmission] = []
    private var overlappingRows: [Int32] = []
    /// The PDU that they overlap.
    private var selected: (transmitter: Int, channel: Int, start: AirTime, end: AirTime)?
    /// The row of the selected PDU; -1 if it was not added.
    private var selectedRow: Int32 = -1

    // MARK: - PDUs

    /// Selects the PDUs that overlap one which ends now; for the same PDU again, this takes no time.
    /// - Returns: whether the PDU was not the selected one.
    @inline(__always)
    mutating func selectOverlapping(_ event: AdvertisingEvent, channel: Int, start: AirTime, end: AirTime) -> Bool {
        if let selected, selected == (event.transmitter, channel, start, end) { return false }
        select(event, channel: channel, start: start, end: end)
        return true
    }

    @inline(never)
    private mutating func select(_ event: AdvertisingEvent, channel: Int, start: AirTime, end: AirTime) {
        selected = (event.transmitter, channel, start, end)
        selectedRow = -1
        overlapping.removeAll(keepingCapacity: true)
        overlappingRows.removeAll(keepingCapacity: true)
        for index in recent.indices {
            let other = recent[index]
            guard other.channel == channel, other.start < end, other.end > start else { continue }
            if other.transmitter != event.transmitter {
                overlapping.append(other)
                overlappingRows.append(row(of: index))
            } else if other.start == start, other.end == end {
                selectedRow = row(of: index)
            }
        }
    }

    private mutating func row(of index: Int) -> Int32 {
        if rows[index] < 0 { rows[index] = table.addRow() }
        return rows[index]
    }

    /// Adds a PDU that begins now or soon.
    mutating func add(_ transmission: Transmission, now: AirTime) {
        if recent.count >= Self.batch, recent[Self.batch - 1].end + Self.memory < now {
            // Earlier ones may have ended later than this one, but by less than half of the memory.
            recent.removeFirst(Self.batch)
            for row in rows[..<Self.batch] where row >= 0 { table.removeRow(row) }
            rows.removeFirst(Self.batch)
        }
        recent.append(transmission)
        rows.append(-1)
        selected = nil
    }

    // MARK: - RSSI

    /// The column of a receiver.
    @inline(__always)
    mutating func column(of receiver: Int) -> Int { table.column(of: receiver) }

    /// The highest RSSI in dBm that is known of the overlapping PDUs at a receiver; -∞ for none.
    @inline(__always)
    func highestRSSI(inColumn column: Int) -> Float {
        var highest = RSSITable.unknown
        for index in 0..<overlappingRows.count {
            let rssi = table[overlappingRows[index], column]
            if rssi > highest { highest = rssi }
        }
        return highest
    }

    /// Whether the RSSI of an overlapping PDU at a receiver is known.
    @inline(__always)
    func isKnown(_ index: Int, inColumn column: Int) -> Bool {
        table[overlappingRows[index], column] > RSSITable.unknown
    }

    /// Saves the RSSI of an overlapping PDU at a receiver.
    @inline(__always)
    mutating func setRSSI(_ rssi: Float, of index: Int, inColumn column: Int) {
        table[overlappingRows[index], column] = rssi
    }

    /// Saves the RSSI of the selected PDU at a receiver; -∞ if it is not known.
    @inline(__always)
    mutating func setSelectedRSSI(_ rssi: Float, inColumn column: Int) {
        if selectedRow >= 0 { table[selectedRow, column] = rssi }
    }

    /// Discards what is known of RSSI: an antenna has changed.
    mutating func discardRSSI() {
        selected = nil
        for index in rows.indices where rows[index] >= 0 {
            table.removeRow(rows[index])
            rows[index] = -1
        }
    }
}
