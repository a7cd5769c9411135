// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands every event to every listener.
///
/// Each listener has a queue of its own. When it is full, its oldest event is lost, and the listener receives an
/// `events-lost` event with their number in the place of the gap.
package final class EventHub: Sendable {
    private struct State {
        var listeners: [Int: EventQueue] = [:]
        var next = 0
        var isFinished = false
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// A hub without listeners.
    /// - Parameter capacity: how many events wait for a listener at most.
    package init(capacity: Int = 4096) { self.capacity = capacity }

    /// The events from now on.
    package func listen() -> AsyncStream<EventRecord> {
        let queue = EventQueue(capacity: capacity)
        let identifier = state.withLock { state in
            defer { state.next += 1 }
            if state.isFinished { queue.finish() } else { state.listeners[state.next] = queue }
            return state.next
        }
        let listener = Listener { [weak self] in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: identifier) }
        }
        return AsyncStream {
            // The stream has the listener, which leaves the hub with it.
            _ = listener
            return await queue.next()
        } onCancel: {
            listener.end()
        }
    }

    /// How many listeners there are.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Whether no event waits for a listener.
    var isRead: Bool { state.withLock { $0.listeners.values.allSatisfy(\.isEmpty) } }

    /// Posts an event to all listeners.
    func post(_ record: EventRecord) {
        for queue in state.withLock({ Array($0.listeners.values) }) { queue.append(record) }
    }

    /// Ends every listener's stream, once it has read what waits for it.
    func finish() {
        let queues = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for queue in queues { queue.finish() }
    }
}

/// Takes a listener out of its hub when its stream is not read any more.
private final class Listener: Sendable {
    let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

/// The events that wait for one listener: a ring, whose oldest event gives way when it is full.
private final class EventQueue: Sendable {
    private struct State {
        var ring: [EventRecord] = []
        var first = 0
        var lost = 0
        var isFinished = false
        var reader: CheckedContinuation<EventRecord?, Never>?

        /// The next event, or the number of those that were lost before it.
        mutating func take() -> EventRecord? {
            if lost > 0 {
                defer { lost = 0 }
                return EventRecord(lost: lost)
            }
            guard first < ring.count else { return nil }
            let record = ring[first]
            first += 1
            if first == ring.count {
                ring = []
                first = 0
            }
            return record
        }

        mutating func append(_ record: EventRecord, capacity: Int) {
            if ring.count - first == capacity {
                first += 1
                lost += 1
            }
            // What was read is removed now and then: each event is moved once.
            if first >= capacity {
                ring.removeFirst(first)
                first = 0
            }
            ring.append(record)
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    /// Whether no event waits.
    var isEmpty: Bool { state.withLock { $0.first == $0.ring.count && $0.lost == 0 } }

    func append(_ record: EventRecord) {
        let reader = state.withLock { state in
            if state.reader == nil { state.append(record, capacity: capacity) }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: record)
    }

    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// Waits for an event; `nil` at the end, or when the task is cancelled.
    func next() async -> EventRecord? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: EventRecord?? = state.withLock { state in
                    if let record = state.take() { return .some(record) }
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    state.reader = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}

extension EventRecord {
    /// The place of so many events that were lost to a listener.
    init(lost count: Int) {
        self.init("events-lost")
        self.count = count
        message = "\(count) \(count == 1 ? "event was" : "events were") lost, because they were read too slowly"
    }
}
