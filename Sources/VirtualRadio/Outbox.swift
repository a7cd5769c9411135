// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// The packets of a controller for its host, in order.
///
/// If a host reads too slowly, the oldest advertising reports are dropped. Nothing else is dropped: while too many other
/// packets are queued, the controller accepts neither commands of the host nor data of peers.
struct Outbox: Sendable {
    private struct Item: Sendable {
        /// Wraps around; only the difference between two queued items is used.
        let sequence: UInt32
        let packet: HCIPacket
    }

    private var reports = RingBuffer<Item>()
    private var others = RingBuffer<Item>()
    private var sequence: UInt32 = 0
    /// The number of reports that were dropped.
    private(set) var droppedReports: UInt64 = 0

    var count: Int { reports.count + others.count }
    /// Packets that cannot be dropped.
    var undroppableCount: Int { others.count }

    mutating func append(_ packet: HCIPacket) {
        others.append(nextItem(packet))
    }

    /// Adds a report; drops the oldest if `limit` reports are queued.
    mutating func appendReport(_ event: HCIEventPacket, limit: Int) {
        if reports.count >= limit {
            _ = reports.popFirst(isBusy: true)
            droppedReports += 1
        }
        reports.append(nextItem(.event(event)))
    }

    /// Takes the oldest packet.
    /// - Parameter isBusy: whether the controller has connections, so that more packets are expected soon.
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

/// A queue in one circular array, which allocates no memory until it is used.
///
/// Not `Deque`: there is one queue for each controller and each end of a link, most of them are empty, and an empty one must
/// return its memory.
struct RingBuffer<Element: Sendable>: Sendable {
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    private static var smallestCapacity: Int { 4 }
    /// A larger array is freed when the queue is empty.
    private static var largestKeptCapacity: Int { 1024 }

    var isEmpty: Bool { count == 0 }

    /// The element that `popFirst` returns next.
    var first: Element? {
        get { count == 0 ? nil : slots[head] }
        _modify {
            if count == 0 {
                var none: Element?
                yield &none
            } else {
                yield &slots[head]
            }
        }
    }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        var tail = head + count
        if tail >= slots.count { tail -= slots.count }
        slots[tail] = element
        count += 1
    }

    /// Takes the first element.
    /// - Parameter isBusy: whether more elements are expected soon; otherwise even the smallest array is freed.
    mutating func popFirst(isBusy: Bool) -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count { head = 0 }
        count -= 1
        if count == 0, slots.count > Self.largestKeptCapacity || slots.count <= Self.smallestCapacity && !isBusy {
            removeAll()
        }
        return element
    }

    mutating func removeAll() {
        slots = []
        head = 0
        count = 0
    }

    private mutating func grow() {
        var larger: [Element?] = []
        let size = max(Self.smallestCapacity, slots.count * 2)
        larger.reserveCapacity(size)
        for offset in 0..<count { larger.append(slots[(head + offset) % slots.count].take()) }
        while larger.count < size { larger.append(nil) }
        slots = larger
        head = 0
    }
}
