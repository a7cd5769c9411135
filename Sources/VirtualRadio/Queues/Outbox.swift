// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// What a controller has for its host, in order.
///
/// A host that reads too slowly loses the oldest advertising reports. Nothing else is dropped: while there is too much
/// of it, the controller takes no more of what leads to it, neither commands of the host nor data of peers.
struct Outbox: Sendable {
    private struct Item: Sendable {
        /// Wraps round; only the difference of two that are both queued counts.
        let sequence: UInt32
        let packet: HCIPacket
    }

    private var reports = RingBuffer<Item>()
    private var others = RingBuffer<Item>()
    private var sequence: UInt32 = 0
    /// How many reports were dropped.
    private(set) var droppedReports: UInt64 = 0

    var count: Int { reports.count + others.count }
    /// Packets that cannot be dropped.
    var undroppableCount: Int { others.count }

    mutating func append(_ packet: HCIPacket) {
        others.append(nextItem(packet))
    }

    /// Adds a report, for which the oldest makes room when there are `limit`.
    mutating func appendReport(_ event: HCIEventPacket, limit: Int) {
        if reports.count >= limit {
            _ = reports.popFirst()
            droppedReports += 1
        }
        reports.append(nextItem(.event(event)))
    }

    mutating func popFirst() -> HCIPacket? {
        guard let report = reports.first else { return others.popFirst()?.packet }
        guard let other = others.first else { return reports.popFirst()?.packet }
        let otherIsOlder = Int32(bitPattern: other.sequence &- report.sequence) < 0
        return otherIsOlder ? others.popFirst()?.packet : reports.popFirst()?.packet
    }

    private mutating func nextItem(_ packet: HCIPacket) -> Item {
        sequence &+= 1
        return Item(sequence: sequence, packet: packet)
    }
}
