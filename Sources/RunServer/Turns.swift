// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Synchronization

/// A limited number of turns, which tasks get in the order in which they ask for one.
///
/// Requests that read from a run have one until their answer is encoded, or counts in `ReplyMemory`. Otherwise hundreds of answers
/// could wait in memory for a thread that encodes them.
final class Turns: Sendable {
    /// The right to proceed. It ends when it is released, or deallocated.
    final class Turn: Sendable {
        private let turns: Mutex<Turns?>

        fileprivate init(_ turns: Turns) { self.turns = Mutex(turns) }

        deinit { release() }

        func release() {
            turns.withLock { turns in
                defer { turns = nil }
                return turns
            }?.end()
        }
    }

    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>

    init(_ number: Int) { state = Mutex(State(free: number)) }

    /// Waits for a turn.
    func take() async -> Turn {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        return Turn(self)
    }

    private func end() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
