// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import HCI

/// What a host wants done, in order.
package enum LEHostOutput: Hashable, Sendable {
    /// Give this packet to the controller.
    case send(HCIPacket)
    /// Tell the owner.
    case event(LEHostEvent)
}
