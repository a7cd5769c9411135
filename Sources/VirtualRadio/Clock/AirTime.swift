// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Microseconds since the air began: virtual time, which only `Air.advance(to:)` moves.
package typealias AirTime = Int64

extension AirTime {
    /// A moment that never comes.
    static let never = AirTime.max
}
