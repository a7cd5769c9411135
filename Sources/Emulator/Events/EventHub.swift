// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Broadcasts events to any number of readers.
///
/// Each reader has a bounded queue. When it is full, its oldest event is dropped, and the reader receives a `.lost` event
/// with the number of dropped events in the place of the gap. (AsyncStream and swift-async-algorithms have bounded
/// buffers, too, but do not report how many elements they dropped, and where.)
package final class EventHub: Sendable {
    private struct State {
        var readers: [Int: Reader] = [:]
        var next = 0
        var isFinished = false
        var sequence: UInt64 = 0
        var journal: EventJournal?
    }

    private struct Reader {
        let queue: EventQueue
        /// Whether it gets an event; `nil` for all.
        let isWanted: (@Sendable (PostedEvent) -> Bool)?
    }

    private let capacity: Int
    private let state = Mutex(State())
    /// The last events as JSON.
    package let lines = EventLines()

    /// A hub without readers.
    /// - Parameter capacity: The length of each reader's queue.
    package init(capacity: Int = 4096) { self.capacity = capacity }

    /// The events from now on.
    package func listen() -> AsyncStream<PostedEvent> { listen(after: nil) }

    /// The events from now on that are wanted; others do not get into the queue of the reader.
    func listen(where isWanted: @escaping @Sendable (PostedEvent) -> Bool) -> AsyncStream<PostedEvent> {
        listen(after: nil, isWanted)
    }

    /// The events from now on, and before them those of the journal that came after an event.
    ///
    /// Events that the journal does not have any more are reported by `.lost` at the beginning.
    /// - Parameter sequence: The number of the last event that the reader has; `nil` for only those from now on.
    package func listen(after sequence: UInt64?) -> AsyncStream<PostedEvent> { listen(after: sequence, nil) }

    private func listen(
        after sequence: UInt64?, _ isWanted: (@Sendable (PostedEvent) -> Bool)?
    ) -> AsyncStream<PostedEvent> {
        let queue = EventQueue(capacity: capacity)
        let identifier = state.withLock { state in
            defer { state.next += 1 }
            if let sequence, let journal = state.journal { queue.begin(with: journal, after: sequence) }
            if state.isFinished {
                queue.finish()
            } else {
                state.readers[state.next] = Reader(queue: queue, isWanted: isWanted)
            }
            return state.next
        }
        let subscription = Subscription { [weak self] in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: identifier) }
        }
        return AsyncStream {
            // The stream owns the subscription, which ends with it.
            _ = subscription
            return await queue.next()
        } onCancel: {
            subscription.end()
        }
    }

    /// The number of readers.
    var readerCount: Int { state.withLock { $0.readers.count } }

    /// Whether every queue is empty.
    var isRead: Bool { state.withLock { $0.readers.values.allSatisfy(\.queue.isEmpty) } }

    /// Keeps the last events from now on.
    /// - Parameter capacity: Their number.
    package func keepJournal(capacity: Int = 10_000) {
        state.withLock { if $0.journal == nil { $0.journal = EventJournal(capacity: capacity) } }
    }

    /// The events of the journal, oldest first; empty without one.
    package var journal: [PostedEvent] { state.withLock { $0.journal?.events ?? [] } }

    /// The events of the journal that are wanted, oldest first. The hub is locked meanwhile.
    func select(_ isWanted: (PostedEvent) -> Bool) -> [PostedEvent] {
        state.withLock { $0.journal?.select(isWanted) ?? [] }
    }

    /// Removes the events of the journal.
    /// - Returns: These events, oldest first.
    @discardableResult package func clearJournal() -> [PostedEvent] {
        state.withLock { state in
            defer { state.journal?.clear() }
            return state.journal?.events ?? []
        }
    }

    /// Sends an event to all readers: to each in the order of the numbers, whichever thread posts.
    package func post(_ event: EmulatorEvent) {
        state.withLock { state in
            state.sequence += 1
            var posted = PostedEvent(event)
            posted.sequence = state.sequence
            state.journal?.append(posted)
            for reader in state.readers.values where reader.isWanted?(posted) ?? true { reader.queue.append(posted) }
        }
    }

    /// Ends every reader's stream after the events that are in its queue.
    func finish() {
        let queues = state.withLock { state in
            state.isFinished = true
            return state.readers.values.map(\.queue)
        }
        for queue in queues { queue.finish() }
    }

    /// Removes a reader from the hub when its stream is released.
    private final class Subscription: Sendable {
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }
}

/// The queue of one reader: a ring that drops its oldest event when it is full.
private final class EventQueue: Sendable {
    private struct State {
        var ring: [PostedEvent] = []
        var first = 0
        var lost = 0
        var isFinished = false
        var reader: CheckedContinuation<PostedEvent?, Never>?

        /// The next event, or the number of events that were dropped before it.
        mutating func take() -> PostedEvent? {
            if lost > 0 {
                defer { lost = 0 }
                return PostedEvent(.lost(count: lost))
            }
            guard first < ring.count else { return nil }
            let event = ring[first]
            first += 1
            if first == ring.count {
                ring = []
                first = 0
            }
            return event
        }

        mutating func append(_ event: PostedEvent, capacity: Int) {
            if ring.count - first == capacity {
                first += 1
                lost += 1
            }
            // Removes read events in batches, so that each event is moved once.
            if first >= capacity {
                ring.removeFirst(first)
                first = 0
            }
            ring.append(event)
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { state.withLock { $0.first == $0.ring.count && $0.lost == 0 } }

    /// Takes what a reader that returns has missed.
    func begin(with journal: EventJournal, after sequence: UInt64) {
        let missed = journal.events(after: sequence)
        let kept = missed.suffix(capacity)
        state.withLock { state in
            state.ring = Array(kept)
            state.lost = journal.countOfRemoved(after: sequence) + missed.count - kept.count
        }
    }

    func append(_ event: PostedEvent) {
        let reader = state.withLock { state in
            if state.reader == nil { state.append(event, capacity: capacity) }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: event)
    }

    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// Waits for an event; `nil` at the end, and when the task is cancelled.
    func next() async -> PostedEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: PostedEvent?? = state.withLock { state in
                    if let event = state.take() { return .some(event) }
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
