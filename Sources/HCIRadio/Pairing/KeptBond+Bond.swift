// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HostStack
import Radio

extension KeptBond {
    /// A bond of our own host's, as others keep it.
    init(_ bond: Bond) {
        self.init(peer: PairedPeer(bond, isBonded: true), fields: bond.record)
    }
}

extension PlannedBeacon {
    /// What is known of a bond that was kept and cannot be used.
    func warning(of kept: KeptBond, _ fault: BondRecordFault) -> Warning {
        Warning(
            code: "bonds-damaged",
            message: "the bond of \(identifier) with \(kept.peer.address) could not be used (\"\(fault.name)\" is "
                + "missing or out of range): the beacon does not know that peer",
            cure: "forget the beacon on the peer, and pair again")
    }
}
