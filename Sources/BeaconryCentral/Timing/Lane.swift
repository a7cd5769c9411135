// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An asynchronous lock: one task at a time, in the order of arrival.
final class Lane: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(place: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        var lastPlace: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Waits for its turn.
    /// - Returns: `true` when it has its turn, so that `leave()` must follow; `false` if the task was cancelled before.
    func enter() async -> Bool {
        let place = state.withLock { state in
            state.lastPlace += 1
            return state.lastPlace
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append((place, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting.firstIndex { $0.place == place }.map { state.waiting.remove(at: $0).continuation }
            }
            waiting?.resume(returning: false)
        }
    }

    /// Ends the turn: the next task has its turn.
    func leave() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return CheckedContinuation<Bool, Never>?.none
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
