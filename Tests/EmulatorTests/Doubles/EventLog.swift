// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Entries in order, for tests that wait for one of them.
final class EventLog<Entry: Sendable>: Sendable {
    /// The log has ended without the expected entry.
    struct Ended: Error { let entries: [Entry] }

    private struct Waiter {
        let isSatisfied: @Sendable ([Entry]) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var entries: [Entry] = []
        var waiters: [Int: Waiter] = [:]
        var next = 0
        var isEnded = false
    }

    private let state = Mutex(State())

    /// The entries so far.
    var entries: [Entry] { state.withLock(\.entries) }

    func append(_ entry: Entry) {
        let satisfied = state.withLock { state in
            state.entries.append(entry)
            let satisfied = state.waiters.filter { $0.value.isSatisfied(state.entries) }
            for key in satisfied.keys { state.waiters[key] = nil }
            return satisfied
        }
        for waiter in satisfied.values { waiter.continuation.resume() }
    }

    /// Ends the log: no more entries follow.
    func end() {
        let (waiters, entries) = state.withLock { state in
            defer { state.waiters = [:] }
            state.isEnded = true
            return (state.waiters, state.entries)
        }
        for waiter in waiters.values { waiter.continuation.resume(throwing: Ended(entries: entries)) }
    }

    /// Waits for the `count`th entry that matches.
    /// - Throws: `Ended` if the log ended before, `CancellationError` at the time limit of the test.
    @discardableResult
    func entry(_ count: Int = 1, where isWanted: @escaping @Sendable (Entry) -> Bool) async throws -> Entry {
        let key = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(
                    isSatisfied: { $0.lazy.filter(isWanted).prefix(count).count == count }, continuation: continuation)
                wait(waiter, key)
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
        return entries.filter(isWanted)[count - 1]
    }

    private func wait(_ waiter: Waiter, _ key: Int) {
        let outcome: Result<Void, any Error>? = state.withLock { state in
            if waiter.isSatisfied(state.entries) { return .success(()) }
            if state.isEnded { return .failure(Ended(entries: state.entries)) }
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiters[key] = waiter
            return nil
        }
        if let outcome { waiter.continuation.resume(with: outcome) }
    }
}
