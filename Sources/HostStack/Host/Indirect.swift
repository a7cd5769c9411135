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

/// A part of a host that is made when it is first changed; until then, it takes 8 bytes.
struct OnDemand<Part: HostPart>: Sendable {
    private var storage: [Part] = []

    /// Whether it was changed; if not, it has nothing to do.
    var isMade: Bool { !storage.isEmpty }

    var value: Part {
        _read {
            if isMade { yield storage[0] } else { yield Part() }
        }
        _modify {
            if !isMade { storage.append(Part()) }
            yield &storage[0]
        }
    }
}

/// A part of a host with an initial state, in which it has nothing to do.
protocol HostPart: Sendable {
    init()
}
