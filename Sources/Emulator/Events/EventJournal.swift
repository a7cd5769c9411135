// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The last events of a run, oldest first, whose numbers follow each other.
///
/// The events are in blocks, which copies share: a copy costs no memory until events are added, and then that of one block.
package struct EventJournal: RandomAccessCollection, Sendable {
    /// The number of events of a full block; all but the last block are full.
    private static let blockSize = 256

    private let capacity: Int
    private var blocks: [[PostedEvent]] = []
    /// The events of the first block that are removed already.
    private var removed = 0
    /// The number of the last event.
    private var last: UInt64 = 0
    /// The number of the last event that was removed on purpose.
    private var cleared: UInt64 = 0

    init(capacity: Int) { self.capacity = Swift.max(1, capacity) }

    package var startIndex: Int { 0 }
    package var endIndex: Int {
        guard let partial = blocks.last else { return 0 }
        return (blocks.count - 1) * Self.blockSize + partial.count - removed
    }

    package subscript(position: Int) -> PostedEvent {
        let place = position + removed
        return blocks[place / Self.blockSize][place % Self.blockSize]
    }

    /// The event with this number; `nil` if it is not there.
    func event(_ sequence: UInt64) -> PostedEvent? {
        guard let first = first?.sequence, first...last ~= sequence else { return nil }
        return self[Int(sequence - first)]
    }

    /// The first event after one with this number; `nil` if there is none.
    func first(after sequence: UInt64) -> PostedEvent? {
        guard sequence < last, let first = first?.sequence else { return nil }
        return event(Swift.max(sequence + 1, first))
    }

    /// The number of events after one with this number for which there was no place any more.
    func countOfRemoved(after sequence: UInt64) -> Int {
        guard let first = first?.sequence else { return 0 }
        let begin = Swift.max(sequence, cleared)
        return first > begin + 1 ? Int(first - begin - 1) : 0
    }

    mutating func append(_ event: PostedEvent) {
        // Events from before the journal began are not missing.
        if blocks.isEmpty, last == 0 { cleared = event.sequence - 1 }
        last = event.sequence
        if blocks.last.map({ $0.count == Self.blockSize }) ?? true {
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(Swift.min(Self.blockSize, capacity))
        }
        blocks[blocks.count - 1].append(event)
        if count > capacity { removeFirst(1) }
    }

    /// Removes the events up to the one with this number; without a number, all.
    mutating func clear(through number: UInt64? = nil) {
        let number = Swift.min(number ?? last, last)
        if let first = first?.sequence, number >= first { removeFirst(Int(number - first) + 1) }
        cleared = Swift.max(cleared, number)
    }

    private mutating func removeFirst(_ number: Int) {
        removed += number
        while let block = blocks.first, removed >= block.count {
            removed -= block.count
            blocks.removeFirst()
        }
    }
}
