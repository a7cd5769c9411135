// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Sends elements to any number of readers.
///
/// One buffer has the last elements for all readers; each has only a position in it, so that a slow reader costs no memory and
/// delays no other. A reader that falls too far behind gets the number of elements that it lost in their place.
package final class Broadcast<Element: Sendable>: Sendable {
    /// What a reader gets.
    package enum Item: Sendable {
        case element(Element)
        /// The number of elements that were dropped before the next one.
        case lost(Int)
    }

    private struct State {
        /// The last elements; the first one has the number `first`.
        var buffer: [Element] = []
        var first = 0
        /// The number of the next element of each reader, by the number of the reader.
        var positions: [Int: Int] = [:]
        var waiting: [Int: CheckedContinuation<Item?, Never>] = [:]
        var nextReader = 0
        var isFinished = false

        var end: Int { first + buffer.count }

        mutating func take(_ reader: Int) -> Item? {
            guard let position = positions[reader] else { return nil }
            guard position >= first else {
                positions[reader] = first
                return .lost(first - position)
            }
            guard position < end else { return nil }
            positions[reader] = position + 1
            return .element(buffer[position - first])
        }

        /// The number of elements at which those that all readers have read are removed: in batches, so that each element is
        /// moved once.
        private var trimCount = smallest

        mutating func append(_ element: Element, capacity: Int) {
            if buffer.count >= trimCount {
                remove(before: max(positions.values.min() ?? end, end - capacity))
                trimCount = max(Self.smallest, min(2 * buffer.count, buffer.count + capacity))
            }
            buffer.append(element)
        }

        private mutating func remove(before number: Int) {
            guard number > first else { return }
            buffer.removeFirst(number - first)
            first = number
        }

        mutating func removeAll() {
            first = end
            buffer = []
        }

        private static var smallest: Int { 256 }
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// A broadcast without readers.
    /// - Parameter capacity: the number of elements that a reader may be behind before it loses some.
    package init(capacity: Int = 4096) { self.capacity = capacity }

    /// Whether something reads: without that, elements need not be made.
    package var hasReaders: Bool { state.withLock { !$0.positions.isEmpty } }

    /// The elements from now on. The stream ends with `finish()`, after those that were sent before.
    /// - Parameter first: elements that this reader gets before those.
    package func stream(after first: [Element] = []) -> AsyncStream<Item> {
        let first = Mutex(first[...])
        let reader = state.withLock { state in
            defer { state.nextReader += 1 }
            state.positions[state.nextReader] = state.end
            return state.nextReader
        }
        let subscription = Subscription { [weak self] in self?.remove(reader) }
        return AsyncStream {
            // The stream owns the subscription, which ends with it.
            _ = subscription
            if let element = first.withLock({ $0.popFirst() }) { return .element(element) }
            return await self.next(of: reader)
        } onCancel: {
            subscription.end()
        }
    }

    /// Sends an element to all readers, to each in the same order, from any thread.
    ///
    /// Readers that wait are resumed after the lock is released: resuming needs a lock of the runtime, which calls the handler of
    /// a cancellation under it, and that one takes the lock of this class. A reader waits once at a time, so later elements
    /// do not overtake the one that it is resumed with.
    package func send(_ element: Element) {
        let waiting = state.withLock { state in
            guard !state.isFinished else { return [:] as [Int: CheckedContinuation<Item?, Never>] }
            guard !state.positions.isEmpty else {
                state.first += 1
                return [:]
            }
            state.append(element, capacity: capacity)
            defer { state.waiting.removeAll(keepingCapacity: true) }
            for reader in state.waiting.keys { state.positions[reader] = state.end }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: .element(element)) }
    }

    /// Ends the streams of all readers.
    package func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: nil) }
    }

    private func next(of reader: Int) async -> Item? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Item?? = state.withLock { state in
                    if let item = state.take(reader) { return .some(item) }
                    if state.isFinished || Task.isCancelled || state.positions[reader] == nil { return .some(nil) }
                    state.waiting[reader] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: reader) }?.resume(returning: nil)
        }
    }

    private func remove(_ reader: Int) {
        let continuation = state.withLock { state in
            state.positions[reader] = nil
            if state.positions.isEmpty { state.removeAll() }
            return state.waiting.removeValue(forKey: reader)
        }
        continuation?.resume(returning: nil)
    }

    /// Removes a reader when its stream is released.
    private final class Subscription: Sendable {
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }
}
