// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A queue in one array that is used round and round; it owns no memory until something is in it.
struct RingBuffer<Element: Sendable>: Sendable {
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    private static var smallestCapacity: Int { 4 }
    /// A larger array is not kept for a queue that is empty: it is seldom needed.
    private static var largestKeptCapacity: Int { 1024 }

    var isEmpty: Bool { count == 0 }

    /// The element that is taken next.
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
    /// - Parameter isBusy: whether more is expected soon; the smallest array, which is soon made again, is kept only then.
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
