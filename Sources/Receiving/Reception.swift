// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// An input of the values that range, monitor, seek, calibrate and expect: a sighting, or the time.
package enum Reception: Hashable, Sendable {
    /// A sighting at a time since the start.
    case received(Sighting, at: Duration)
    /// The time since the start.
    case passed(Duration)

    /// The time since the start.
    package var time: Duration {
        switch self {
        case .received(_, let time), .passed(let time): time
        }
    }
}
