// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import HCI

/// Why a beacon is off the air.
package enum AdvertisingEnd: Hashable, Sendable {
    /// Its owner wants it so.
    case requested
    /// A central connected; it comes back when the connection is gone.
    case connected
    /// The controller ended it with this status; it is tried again.
    case controller(HCIStatus)
}
