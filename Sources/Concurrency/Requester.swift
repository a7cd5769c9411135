// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The client for which a task works. What takes long is cancelled when its client leaves (`value(of:)`); everything else is
/// completed, since its effects are not to depend on when a client leaves.
package final class Requester: Sendable {
    private struct State {
        var hasLeft = false
        var work: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    /// The client of this task; `nil` for none.
    @TaskLocal package static var current: Requester?

    private let state = Mutex(State())

    package init() {}

    var hasLeft: Bool { state.withLock(\.hasLeft) }

    /// Takes note that the client has left.
    package func leave() {
        let work = state.withLock { state in
            state.hasLeft = true
            return state.work.values
        }
        for cancel in work { cancel() }
    }

    /// The value of a task, which is cancelled when the client of the present task leaves, or the present task is cancelled.
    package static func value<Value>(of task: Task<Value, Never>) async -> Value {
        let requester = current
        let number = requester?.begin { task.cancel() }
        defer { if let number { requester?.end(number) } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Begins work.
    /// - Parameter cancel: Ends it early, when the client leaves.
    /// - Returns: Its number, for `end`.
    private func begin(_ cancel: @escaping @Sendable () -> Void) -> Int {
        let (number, hasLeft) = state.withLock { state in
            state.next += 1
            state.work[state.next] = cancel
            return (state.next, state.hasLeft)
        }
        if hasLeft { cancel() }
        return number
    }

    private func end(_ number: Int) { state.withLock { $0.work[number] = nil } }
}
