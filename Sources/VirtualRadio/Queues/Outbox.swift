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
            _ = reports.popFirst(isBusy: true)
            droppedReports += 1
        }
        reports.append(nextItem(.event(event)))
    }

    /// Takes the oldest packet.
    /// - Parameter isBusy: whether the controller has connections, and with them more to say soon.
    mutating func popFirst(isBusy: Bool = false) -> HCIPacket? {
        let isReport = !reports.isEmpty && (others.isEmpty || reportIsOlder)
        return isReport ? reports.popFirst(isBusy: isBusy)?.packet : others.popFirst(isBusy: isBusy)?.packet
    }

    private var reportIsOlder: Bool {
        guard let report = reports.first, let other = others.first else { return false }
        return Int32(bitPattern: report.sequence &- other.sequence) < 0
    }

    private mutating func nextItem(_ packet: HCIPacket) -> Item {
        sequence &+= 1
        return Item(sequence: sequence, packet: packet)
    }
}
