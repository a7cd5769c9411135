// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryStream
import Foundation

/// What a test receives on other threads.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    /// Everything so far.
    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }

    func add(_ more: [Element]) { elements.withLock { $0 += more } }
}

/// The error for a state that was not reached in a minute.
struct NotReached: Error, CustomStringConvertible {
    let description: String
}

/// Waits until a value is there: as long as it takes, at most a minute.
func wait<Value>(for state: String, _ value: () throws -> Value?) async throws -> Value {
    let deadline = Date().addingTimeInterval(60)
    while Date() < deadline {
        if let value = try value() { return value }
        try await Task.sleep(nanoseconds: 5_000_000)
    }
    throw NotReached(description: "after a minute, not: \(state)")
}

/// Waits until a condition is met.
func wait(until state: String, _ condition: () throws -> Bool) async throws {
    try await wait(for: state) { try condition() ? () : nil }
}
