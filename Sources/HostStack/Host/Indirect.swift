// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A value on the heap; as an optional, 8 bytes while there is none.
///
/// On a virtual air every beacon has its own host, and most of them have no turns, private addresses or pairings.
/// Stored inline, these values would make every host hundreds of bytes larger.
struct Indirect<Value: Sendable>: Sendable {
    // An array of one element has what a box needs: copy on write, mutation in place, and a checked `Sendable`.
    private var storage: [Value]

    init(_ value: Value) { storage = [value] }

    var value: Value {
        _read { yield storage[0] }
        _modify { yield &storage[0] }
    }
}
