// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Virtual time in microseconds since the air was created; only `Air.advance(to:)` moves it.
package typealias AirTime = Int64

extension AirTime {
    /// Later than all events.
    static let never = AirTime.max
}

/// The purpose of a timer, with the index of its owner.
enum TimerOwner: Hashable, Sendable {
    /// The next advertising event of a set, or its end.
    case advertisingSet(Int32)
    /// The next connection event of a link, or its end.
    case link(Int32)
    /// The end of a controller's scan.
    case scanTimeout(Int32)
    /// The end of a controller's inquiry.
    case inquiry(Int32)
    /// The end of a controller's page.
    case page(Int32)
    /// The end of the next PDU of a chain.
    case chain(Int32)
    /// The next packet of the recording that is sent again.
    case replay
    /// The next command or event that the character of a controller delays.
    case heldItems
}

/// Identifies a timer of a queue.
struct TimerIdentifier: Hashable, Sendable {
    fileprivate let index: Int32
}

/// Timers in order of their deadlines; timers with equal deadlines fire in the order in which they were set.
///
/// A heap with four children per node in one flat array. Each timer is in the heap at most once and its place is recorded, so
/// that setting it again moves it: a host that enables and disables without end leaves nothing behind. Not `Heap` of
/// swift-collections, which cannot move an element.
struct TimerQueue: Sendable {
    private struct Entry {
        var deadline: AirTime
        var sequence: UInt64
        var timer: Int32

        func precedes(_ other: Entry) -> Bool {
            deadline < other.deadline || (deadline == other.deadline && sequence < other.sequence)
        }
    }

    private var heap: [Entry] = []
    /// The place of each timer in the heap, or -1.
    private var places: [Int32] = []
    private var owners: [TimerOwner] = []
    private var free: [Int32] = []
    private var sequence: UInt64 = 0

    /// The earliest deadline.
    var firstDeadline: AirTime? { heap.first?.deadline }
    /// The number of timers that are set.
    var count: Int { heap.count }

    /// The deadline of a timer; `nil` if it is not set.
    func deadline(of timer: TimerIdentifier) -> AirTime? {
        let place = Int(places[Int(timer.index)])
        return place < 0 ? nil : heap[place].deadline
    }

    /// Adds a timer that is not set.
    mutating func add(_ owner: TimerOwner) -> TimerIdentifier {
        if let index = free.popLast() {
            owners[Int(index)] = owner
            return TimerIdentifier(index: index)
        }
        owners.append(owner)
        places.append(-1)
        return TimerIdentifier(index: Int32(owners.count - 1))
    }

    /// Removes a timer; its identifier may be reused.
    mutating func remove(_ timer: TimerIdentifier) {
        cancel(timer)
        free.append(timer.index)
    }

    /// Sets a timer, or moves it to another deadline.
    mutating func schedule(_ timer: TimerIdentifier, at deadline: AirTime) {
        sequence += 1
        let entry = Entry(deadline: deadline, sequence: sequence, timer: timer.index)
        let place = Int(places[Int(timer.index)])
        if place < 0 {
            heap.append(entry)
            moveUp(entry, from: heap.count - 1)
        } else {
            settle(entry, at: place)
        }
    }

    /// Cancels a timer if it is set.
    mutating func cancel(_ timer: TimerIdentifier) {
        let place = Int(places[Int(timer.index)])
        guard place >= 0 else { return }
        removeEntry(at: place)
    }

    /// Removes the timer with the earliest deadline, unless that is after `limit`.
    mutating func popFirst(notAfter limit: AirTime) -> (deadline: AirTime, owner: TimerOwner)? {
        guard let first = heap.first, first.deadline <= limit else { return nil }
        removeEntry(at: 0)
        return (first.deadline, owners[Int(first.timer)])
    }

    private mutating func removeEntry(at place: Int) {
        places[Int(heap[place].timer)] = -1
        let last = heap.removeLast()
        if place < heap.count { settle(last, at: place) }
    }

    /// Replaces the entry at a place, then moves the new one to its place.
    private mutating func settle(_ entry: Entry, at place: Int) {
        if place > 0, entry.precedes(heap[(place - 1) / 4]) {
            moveUp(entry, from: place)
        } else {
            moveDown(entry, from: place)
        }
    }

    private mutating func moveUp(_ entry: Entry, from start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 4
            guard entry.precedes(heap[parent]) else { break }
            put(heap[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    private mutating func moveDown(_ entry: Entry, from start: Int) {
        var place = start
        while true {
            let firstChild = 4 * place + 1
            guard firstChild < heap.count else { break }
            var least = firstChild
            for child in firstChild + 1..<max(firstChild + 1, min(firstChild + 4, heap.count))
            where heap[child].precedes(heap[least]) {
                least = child
            }
            guard heap[least].precedes(entry) else { break }
            put(heap[least], at: place)
            place = least
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        heap[place] = entry
        places[Int(entry.timer)] = Int32(truncatingIfNeeded: place)
    }
}
