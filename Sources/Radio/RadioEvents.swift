// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The events of a radio, in order, for one consumer.
///
/// Requests of centrals do not pass through this sequence. What answers them waits with `handled(upTo:)` for the events
/// before the request: a write that follows a subscription must find the subscription.
package final class RadioEvents: AsyncSequence, Sendable {
    private struct State {
        var yielded = 0
        var handled = 0
        /// Whether the consumer has ended.
        var isOver = false
        var waiting: [(position: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Removes those whose events are handled.
        mutating func takeFinished() -> [CheckedContinuation<Void, Never>] {
            guard !waiting.isEmpty else { return [] }
            let finished = waiting.filter { isOver || $0.position <= handled }
            waiting.removeAll { isOver || $0.position <= handled }
            return finished.map(\.continuation)
        }
    }

    private let stream: AsyncStream<RadioEvent>
    private let continuation: AsyncStream<RadioEvent>.Continuation
    private let state = Mutex(State())

    /// A sequence without events.
    package init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Appends an event.
    package func yield(_ event: RadioEvent) {
        state.withLock { $0.yielded += 1 }
        continuation.yield(event)
    }

    /// Ends the sequence after its last event.
    package func finish() { continuation.finish() }

    /// The position after the events so far, if the consumer has not handled all of them; `nil` if it has, or has ended.
    package var unhandled: Int? {
        state.withLock { $0.isOver || $0.handled == $0.yielded ? nil : $0.yielded }
    }

    /// Returns when the consumer has handled the events up to a position, or has ended.
    package func handled(upTo position: Int) async {
        await withCheckedContinuation { continuation in
            let isHandled = state.withLock { state in
                if state.isOver || state.handled >= position { return true }
                state.waiting.append((position, continuation))
                return false
            }
            if isHandled { continuation.resume() }
        }
    }

    private func note(_ change: (inout State) -> Void) {
        let finished = state.withLock { state in
            change(&state)
            return state.takeFinished()
        }
        for continuation in finished { continuation.resume() }
    }

    /// Reads the events; an event is handled when the next one is requested.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let events: RadioEvents
        fileprivate var iterator: AsyncStream<RadioEvent>.Iterator
        private var isHandling = false

        fileprivate init(_ events: RadioEvents) {
            self.events = events
            iterator = events.stream.makeAsyncIterator()
        }

        package mutating func next() async -> RadioEvent? { await next(isolation: nil) }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> RadioEvent? {
            if isHandling { events.note { $0.handled += 1 } }
            let event = await iterator.next(isolation: actor)
            isHandling = event != nil
            if event == nil { events.note { $0.isOver = true } }
            return event
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }
}
