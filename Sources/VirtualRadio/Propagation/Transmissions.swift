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
/// Whether a PDU is received is decided at its end: all PDUs that overlap it have been added by then.
struct Transmissions: Sendable {
    /// Longer than any PDU on a primary channel, in microseconds: what ended earlier overlaps no PDU that has not ended.
    private static let memory: AirTime = 1_000
    /// The number of old PDUs that are removed together.
    private static let batch = 64

    private var recent: [Transmission] = []
    /// The PDUs of other controllers that overlap the selected one on its channel.
    private(set) var overlapping: [Transmission] = []
    /// The PDU that they overlap.
    private var selected: (transmitter: Int, channel: Int, start: AirTime, end: AirTime)?

    /// Selects the PDUs that overlap one which ends now; for the same PDU again, this takes no time.
    mutating func selectOverlapping(_ event: AdvertisingEvent, channel: Int, start: AirTime, end: AirTime) {
        if let selected, selected == (event.transmitter, channel, start, end) { return }
        selected = (event.transmitter, channel, start, end)
        overlapping.removeAll(keepingCapacity: true)
        for other in recent
        where other.channel == channel && other.start < end && other.end > start
            && other.transmitter != event.transmitter
        {
            overlapping.append(other)
        }
    }

    /// Adds a PDU that begins now or soon.
    mutating func add(_ transmission: Transmission, now: AirTime) {
        if recent.count >= Self.batch, recent[Self.batch - 1].end + Self.memory < now {
            // Earlier ones may have ended later than this one, but by less than half of the memory.
            recent.removeFirst(Self.batch)
        }
        recent.append(transmission)
        selected = nil
    }
}
