// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The method calls of a connection that wait for their replies, by serial.
///
/// A call is removed when its reply arrives, its timer fires, its task is cancelled or the connection closes, whichever is
/// first. The caller then finishes it, after the change of this table, since finishing may change the connection.
struct PendingCalls {
    /// A removed call; to be finished once.
    struct Call {
        fileprivate let complete: (Result<[DBusValue], DBusError>) -> Void
        fileprivate let timer: (any DispatchSourceTimer)?

        /// Passes on the reply, or the error instead of a reply.
        func finish(_ result: Result<[DBusValue], DBusError>) {
            timer?.cancel()
            complete(result)
        }
    }

    private var calls: [UInt32: Call] = [:]

    /// Adds a call that was sent with this serial.
    mutating func add(
        _ serial: UInt32, timer: (any DispatchSourceTimer)? = nil,
        complete: @escaping (Result<[DBusValue], DBusError>) -> Void
    ) {
        calls[serial] = Call(complete: complete, timer: timer)
    }

    /// Removes the call with this serial; `nil` if it does not wait any more.
    mutating func remove(_ serial: UInt32) -> Call? { calls.removeValue(forKey: serial) }

    /// Removes all calls.
    mutating func removeAll() -> [Call] {
        defer { calls = [:] }
        return Array(calls.values)
    }
}
