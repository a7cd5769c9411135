// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a timer is for, with its place in the array that holds it.
enum TimerOwner: Hashable, Sendable {
    /// The next advertising event of a set, or its end.
    case advertisingSet(Int32)
    /// The next connection event of a link, or its end.
    case link(Int32)
    /// The end of a controller's scan.
    case scanTimeout(Int32)
}

/// A timer's place in its queue.
struct TimerIdentifier: Hashable, Sendable {
    fileprivate let index: Int32
}

/// Timers in the order of their deadlines; of equal ones, that which was set first goes first.
///
/// A heap with four children a node in one flat array. Each timer is in it at most once and knows its place, so that
/// setting a timer anew moves it: hosts that enable and disable without end leave nothing behind.
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
    /// Of each timer its place in the heap, or -1.
    private var places: [Int32] = []
    private var owners: [TimerOwner] = []
    private var free: [Int32] = []
    private var sequence: UInt64 = 0

    /// The earliest deadline.
    var firstDeadline: AirTime? { heap.first?.deadline }
    /// How many timers are set.
    var count: Int { heap.count }

    /// When a timer is due; `nil` when it is not set.
    func deadline(of timer: TimerIdentifier) -> AirTime? {
        let place = Int(places[Int(timer.index)])
        return place < 0 ? nil : heap[place].deadline
    }

    /// A timer that is not set.
    mutating func add(_ owner: TimerOwner) -> TimerIdentifier {
        if let index = free.popLast() {
            owners[Int(index)] = owner
            return TimerIdentifier(index: index)
        }
        owners.append(owner)
        places.append(-1)
        return TimerIdentifier(index: Int32(owners.count - 1))
    }

    /// Gives a timer back.
    mutating func remove(_ timer: TimerIdentifier) {
        cancel(timer)
        free.append(timer.index)
    }

    /// Sets a timer, or sets it anew.
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

    /// Stops a timer if it is set.
    mutating func cancel(_ timer: TimerIdentifier) {
        let place = Int(places[Int(timer.index)])
        guard place >= 0 else { return }
        removeEntry(at: place)
    }

    /// Takes the timer with the earliest deadline, unless that is after `limit`.
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

    /// Puts an entry where another was, then where it belongs.
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
