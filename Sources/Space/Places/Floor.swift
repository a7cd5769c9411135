// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A floor of a building, from its own height up to the next floor's.
package struct Floor: Hashable, Sendable {
    /// Its name, which no other floor of the building has.
    package let id: String
    /// Where it begins, in metres: the height of its slab.
    package let height: Double
    /// The loss in dB of a path through its slab; 0 for none.
    package let slabLoss: Double

    package init(id: String, height: Double, slabLoss: Double = 0) {
        self.id = id
        self.height = height
        self.slabLoss = slabLoss
    }
}
