// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Broadcasts events to any number of readers.
///
/// One buffer serves all readers; each has only a position in it, so that a slow reader costs no memory. One that falls too far
/// behind gets a `.lost` event with the number of missed events in their place.
/// (AsyncStream and swift-async-algorithms have bounded buffers, too, but one for each reader, and do not report how many
/// elements they dropped, and where.) Readers of selected events have queues of their own.
package final class EventHub: Sendable {
    private struct State {
        /// The readers of all events.
        var readers: [Int: Reader] = [:]
        /// Those that have read everything, and wait.
        var waiting: [Int: CheckedContinuation<PostedEvent?, Never>] = [:]
        var selections: [Int: Selection] = [:]
        /// The identifier of the next reader.
        var next = 0
        var isFinished = false
        var sequence: UInt64 = 0
        /// The buffer that readers read; `journal` is for clients.
        var recent: EventJournal
        var journal: EventJournal?

        /// The next event of a reader, or the number of events that were dropped before it; `nil` if there is none.
        mutating func take(_ reader: Int) -> PostedEvent? {
            guard var place = readers[reader] else { return nil }
            defer { readers[reader] = place }
            if let first = recent.first?.sequence, place.next < first {
                place.lost += Int(first - place.next)
                place.next = first
            }
            if place.lost > 0 {
                defer { place.lost = 0 }
                return PostedEvent(.lost(count: place.lost))
            }
            guard let event = recent.event(place.next) else { return nil }
            place.next += 1
            return event
        }
    }

    /// The place of a reader.
    private struct Reader {
        /// The number of its next event.
        var next: UInt64
        /// The number of events that were dropped before that one, and are not reported yet.
        var lost = 0
    }

    /// A reader of selected events.
    private struct Selection {
        let queue: EventQueue
        let isWanted: @Sendable (PostedEvent) -> Bool
    }

    /// The number of events that a reader may usually fall behind.
    package static let usualCapacity = 4096

    private let capacity: Int
    private let state: Mutex<State>
    /// The last events as JSON.
    package let lines = EventLines()
    /// The labels of the beacons and receivers that events concern.
    package let labels = RunLabels()

    /// A hub without readers.
    /// - Parameter capacity: The number of events that a reader may fall behind before it loses some.
    package init(capacity: Int = usualCapacity) {
        self.capacity = capacity
        state = Mutex(State(recent: EventJournal(capacity: capacity)))
    }

    /// The events from now on.
    package func listen() -> AsyncStream<PostedEvent> { listen(after: nil) }

    /// The events from now on that are wanted; others do not get into the queue of the reader.
    func listen(where isWanted: @escaping @Sendable (PostedEvent) -> Bool) -> AsyncStream<PostedEvent> {
        let queue = EventQueue(capacity: capacity)
        let identifier = state.withLock { state in
            defer { state.next += 1 }
            if state.isFinished {
                queue.finish()
            } else {
                state.selections[state.next] = Selection(queue: queue, isWanted: isWanted)
            }
            return state.next
        }
        let subscription = Subscription { [weak self] in
            _ = self?.state.withLock { $0.selections.removeValue(forKey: identifier) }
        }
        return AsyncStream {
            // The stream owns the subscription, which ends with it.
            _ = subscription
            return await queue.next()
        } onCancel: {
            subscription.end()
        }
    }

    /// The events from now on, preceded by the events of the journal that came after an event.
    ///
    /// Events that the journal does not have any more are reported by `.lost` at the beginning.
    /// - Parameter sequence: The number of the last event that the reader has; `nil` for only those from now on.
    package func listen(after sequence: UInt64?) -> AsyncStream<PostedEvent> {
        let identifier = state.withLock { state in
            defer { state.next += 1 }
            var reader = Reader(next: state.sequence + 1)
            if let sequence, let journal = state.journal {
                reader.lost = journal.countOfRemoved(after: sequence)
                reader.next = journal.first(after: sequence)?.sequence ?? reader.next
            }
            state.readers[state.next] = reader
            return state.next
        }
        let subscription = Subscription { [weak self] in self?.end(identifier) }
        return AsyncStream {
            // The stream owns the subscription, which ends with it.
            _ = subscription
            return await self.next(of: identifier)
        } onCancel: {
            subscription.end()
        }
    }

    /// Waits for an event; `nil` at the end, and when the task is cancelled.
    private func next(of reader: Int) async -> PostedEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: PostedEvent?? = state.withLock { state in
                    if let event = state.take(reader) { return .some(event) }
                    if state.isFinished || Task.isCancelled || state.readers[reader] == nil { return .some(nil) }
                    state.waiting[reader] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: reader) }?.resume(returning: nil)
        }
    }

    private func end(_ reader: Int) {
        let continuation = state.withLock { state in
            state.readers[reader] = nil
            return state.waiting.removeValue(forKey: reader)
        }
        continuation?.resume(returning: nil)
    }

    /// The number of readers.
    var readerCount: Int { state.withLock { $0.readers.count + $0.selections.count } }

    /// Whether every reader has read everything.
    var isRead: Bool {
        state.withLock { state in
            state.readers.values.allSatisfy { $0.next > state.sequence && $0.lost == 0 }
                && state.selections.values.allSatisfy(\.queue.isEmpty)
        }
    }

    /// Keeps the last events from now on.
    /// - Parameter capacity: Their number.
    package func keepJournal(capacity: Int = 10_000) {
        state.withLock { if $0.journal == nil { $0.journal = EventJournal(capacity: capacity) } }
    }

    /// The events of the journal, oldest first; empty without one.
    package var journal: EventJournal { state.withLock { $0.journal ?? EventJournal(capacity: 1) } }

    /// The number of the last event; 0 before the first.
    package var last: UInt64 { state.withLock(\.sequence) }

    /// Removes events of the journal.
    /// - Parameter last: the number of the last one to remove; `nil` for all.
    package func clearJournal(through last: UInt64? = nil) {
        state.withLock { $0.journal?.clear(through: last) }
    }

    /// Sends an event to all readers, to each in the order of the numbers, from any thread.
    ///
    /// Readers that wait are resumed after the lock is released: the runtime cancels a task under a lock of its own, while the
    /// handler of the cancellation takes this one; resuming needs the lock of the runtime, so under this one it could
    /// deadlock. A reader waits once at a time, so later events do not overtake the one that it is resumed with.
    package func post(_ event: EmulatorEvent) {
        var posted = PostedEvent(event, label: event.subject.flatMap { labels[$0] })
        let waiting = state.withLock { state in
            state.sequence += 1
            posted.sequence = state.sequence
            state.journal?.append(posted)
            state.recent.append(posted)
            // Those that wait have read all events before this one.
            for reader in state.waiting.keys { state.readers[reader]?.next = posted.sequence + 1 }
            let selecting = state.selections.values.filter { $0.isWanted(posted) }
                .compactMap { $0.queue.append(posted) }
            defer { state.waiting.removeAll(keepingCapacity: true) }
            return state.waiting.values + selecting
        }
        for continuation in waiting { continuation.resume(returning: posted) }
    }

    /// Ends every reader's stream after the events that it has not read.
    func finish() {
        let (continuations, queues) = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), state.selections.values.map(\.queue))
        }
        for continuation in continuations { continuation.resume(returning: nil) }
        for queue in queues { queue.finish() }
    }

    /// Removes a reader from the hub when its stream is released.
    private final class Subscription: Sendable {
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }
}

/// The queue of a reader of selected events: a ring that drops its oldest event when it is full.
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

    /// Adds an event, unless a reader waits.
    /// - Returns: The reader that waits, to be resumed with the event.
    func append(_ event: PostedEvent) -> CheckedContinuation<PostedEvent?, Never>? {
        state.withLock { state in
            if state.reader == nil { state.append(event, capacity: capacity) }
            defer { state.reader = nil }
            return state.reader
        }
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
