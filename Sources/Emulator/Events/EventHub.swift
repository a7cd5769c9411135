// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands every event to everybody who listens.
public final class EventHub: Sendable {
    /// How many events may wait for a listener; of more, the oldest are lost to it.
    private static let capacity = 4096

    private struct State {
        var listeners: [Int: AsyncStream<EventRecord>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// A hub that nobody listens to yet.
    public init() {}

    /// The events from now on.
    public func listen() -> AsyncStream<EventRecord> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EventRecord.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        let identifier = state.withLock { state in
            defer { state.next += 1 }
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[identifier] = nil }
        }
        return stream
    }

    /// Tells everybody.
    func post(_ record: EventRecord) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(record) }
    }

    /// Ends every listener's stream, once it has read what waits for it.
    func finish() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }
}
