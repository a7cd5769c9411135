// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The calls of a central that have not returned, and its consumers of scans and notifications: what a program that does not
/// continue waits for.
final class PendingCalls: Sendable {
    private struct State {
        var names: [UInt64: String] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The operations, in the order in which they began, as in `CentralError.operation`.
    var names: [String] { state.withLock { $0.names.sorted { $0.key < $1.key }.map(\.value) } }

    /// A call begins. It ends when nothing refers to what is returned.
    func begin(_ operation: String) -> PendingCall {
        let number = state.withLock { state in
            state.last += 1
            state.names[state.last] = operation
            return state.last
        }
        return PendingCall(number, of: self)
    }

    fileprivate func end(_ number: UInt64) { state.withLock { _ = $0.names.removeValue(forKey: number) } }
}

/// A call of a central that has not returned.
final class PendingCall: Sendable {
    private let number: UInt64
    private let calls: PendingCalls

    fileprivate init(_ number: UInt64, of calls: PendingCalls) {
        self.number = number
        self.calls = calls
    }

    deinit { calls.end(number) }
}
