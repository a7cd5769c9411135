// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The last events of a run, in a ring.
struct EventJournal {
    private let capacity: Int
    private var ring: [PostedEvent] = []
    /// The index of the oldest event when the ring is full.
    private var oldest = 0
    /// The number of the last event.
    private var last: UInt64 = 0
    /// The number of the last event that was removed on purpose.
    private var cleared: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The events, oldest first.
    var events: [PostedEvent] { Array(ring[oldest...] + ring[..<oldest]) }

    /// The events that are wanted, oldest first.
    func select(_ isWanted: (PostedEvent) -> Bool) -> [PostedEvent] {
        ring[oldest...].filter(isWanted) + ring[..<oldest].filter(isWanted)
    }

    /// The oldest event; `nil` without events.
    var first: PostedEvent? { ring.isEmpty ? nil : ring[oldest] }

    /// The event with this number; `nil` if it is not there.
    func event(_ sequence: UInt64) -> PostedEvent? {
        guard let first = first?.sequence, first...last ~= sequence else { return nil }
        return ring[(oldest + Int(sequence - first)) % ring.count]
    }

    /// The first event after one with this number; `nil` if there is none.
    func first(after sequence: UInt64) -> PostedEvent? {
        guard sequence < last, let first = first?.sequence else { return nil }
        return event(max(sequence + 1, first))
    }

    /// The number of events after one with this number that the ring had no place for any more.
    func countOfRemoved(after sequence: UInt64) -> Int {
        guard let first = first?.sequence else { return 0 }
        let begin = max(sequence, cleared)
        return first > begin + 1 ? Int(first - begin - 1) : 0
    }

    mutating func append(_ event: PostedEvent) {
        // Events from before the journal began are not missing.
        if ring.isEmpty, last == 0 { cleared = event.sequence - 1 }
        last = event.sequence
        if ring.count < capacity {
            ring.append(event)
        } else {
            ring[oldest] = event
            oldest = (oldest + 1) % capacity
        }
    }

    /// Removes the events up to the one with this number; without a number, all.
    mutating func clear(through number: UInt64? = nil) {
        ring = number.map { number in events.filter { $0.sequence > number } } ?? []
        oldest = 0
        cleared = max(cleared, min(number ?? last, last))
    }
}
