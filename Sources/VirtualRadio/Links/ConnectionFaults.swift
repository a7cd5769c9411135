// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The connections of controllers that are set to fail, by the indexes of the controllers.
struct ConnectionFaults {
    private var faults: [Int: (fault: ConnectionFault, reason: HCIStatus)] = [:]

    mutating func set(_ fault: ConnectionFault, _ reason: HCIStatus, of controller: Int) {
        faults[controller] = fault.count > 0 ? (fault, reason) : nil
    }

    mutating func remove(_ controller: Int) { faults[controller] = nil }

    /// The number of connections that will fail.
    func remaining(of controller: Int) -> Int { faults[controller]?.fault.count ?? 0 }

    /// The fault of a connection that a controller gets now; `nil` for none.
    mutating func take(_ controller: Int) -> (phase: ConnectionFault.Phase, reason: HCIStatus)? {
        guard !faults.isEmpty, let (fault, reason) = faults[controller] else { return nil }
        var next = fault
        next.count -= 1
        set(next, reason, of: controller)
        return (fault.phase, reason)
    }
}
