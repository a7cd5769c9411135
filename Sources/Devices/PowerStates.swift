// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The power of the radio.
package enum RadioPower: String, Codable, CaseIterable, Hashable, Sendable {
    /// The radio works.
    case on
    /// The radio is removed.
    case off
}

/// The state of a beacon's battery.
package enum BatteryState: String, Codable, CaseIterable, Hashable, Sendable {
    /// It has energy.
    case full
    /// It has none: the beacon is off.
    case flat
}
