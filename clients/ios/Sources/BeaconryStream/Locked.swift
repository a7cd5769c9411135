// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that several threads use, one at a time.
// Mutex of the standard library needs iOS 18.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    /// A lock around this value.
    package init(_ value: Value) { self.value = value }

    /// Uses the value while no other thread does. The closure must not use the same lock, nor call what may wait for it.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
