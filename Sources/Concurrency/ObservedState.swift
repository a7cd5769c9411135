// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A state, and streams of its changes.
package final class ObservedState<State: Hashable & Sendable>: Sendable {
    private struct Storage {
        var state: State
        var observers: [UInt64: AsyncStream<State>.Continuation] = [:]
        var lastObserver: UInt64 = 0
        var isFinished = false
    }

    private let capacity: Int
    private let storage: Mutex<Storage>
    /// Keeps states in their order. The handler of the end of a stream takes only `storage`: the runtime calls it under a lock
    /// that `yield` needs.
    private let delivery = Mutex(())

    /// - Parameter capacity: the number of states that a slow consumer keeps; it misses the oldest, never the latest.
    package init(_ state: State, capacity: Int = 1) {
        self.capacity = capacity
        storage = Mutex(Storage(state: state))
    }

    /// The current state.
    package var value: State { storage.withLock(\.state) }

    /// The current state, then each change. The stream ends with `finish()`.
    package var stream: AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(capacity))
        let number: UInt64? = delivery.withLock { _ in
            let (state, number) = storage.withLock { storage in
                guard !storage.isFinished else { return (storage.state, UInt64?.none) }
                storage.lastObserver += 1
                storage.observers[storage.lastObserver] = continuation
                return (storage.state, storage.lastObserver)
            }
            continuation.yield(state)
            return number
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: UInt64) { storage.withLock { _ = $0.observers.removeValue(forKey: number) } }

    /// Changes the state; an equal one changes nothing.
    package func set(_ state: State) {
        delivery.withLock { _ in
            let observers = storage.withLock { storage in
                guard storage.state != state else { return [:] as [UInt64: AsyncStream<State>.Continuation] }
                storage.state = state
                return storage.observers
            }
            for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer.yield(state) }
        }
    }

    /// Ends all streams.
    package func finish() {
        delivery.withLock { _ in
            let observers = storage.withLock { storage in
                storage.isFinished = true
                defer { storage.observers = [:] }
                return storage.observers
            }
            for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer.finish() }
        }
    }
}
