// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CMalloc

/// What the C library is told of the heap.
enum Heap {
    /// One heap for all threads: nothing here allocates so much that they wait for each other, and thousands of beacons
    /// take two thirds of the room.
    static func useOneArena() { mallopt(M_ARENA_MAX, 1) }

    /// Gives free pages back to the system: reading a profile takes more than its beacons do.
    static func giveBack() { malloc_trim(0) }
}
