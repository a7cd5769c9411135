// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
    /// The whole number nearest to a measured one, halves away from zero; the nearest that there is, when it is out of
    /// range, and 0 when it is no number.
    init(clampedNearest value: Double) {
        let rounded = value.rounded()
        if let exact = Self(exactly: rounded) {
            self = exact
        } else if rounded.isNaN {
            self = 0
        } else {
            self = rounded < 0 ? .min : .max
        }
    }
}
