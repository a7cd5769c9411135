// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HostStack
import Radio

extension StoredBond {
    /// A bond of our own host's, as others keep it.
    init(_ bond: Bond) {
        self.init(peer: PairedPeer(bond, isBonded: true), fields: bond.record)
    }

    /// What is told of a bond that was kept and cannot be used.
    func warning(_ fault: BondRecordFault, of owner: BeaconIdentifier) -> Warning {
        Warning(
            code: "bonds-damaged",
            message: "the bond of \(owner) with \(peer.address) could not be used (\"\(fault.name)\" is missing or out "
                + "of range): \(owner) does not know that peer",
            hint: "forget \(owner) on the peer, and pair again")
    }
}

extension PairedPeer {
    init(_ bond: Bond, isBonded: Bool) {
        self.init(
            address: RemoteAddress(bond.peer), isBonded: isBonded, isAuthenticated: bond.isAuthenticated,
            usesSecureConnections: bond.isSecureConnections, keySize: bond.keySize)
    }
}

extension LinkProtection {
    init(_ security: LinkSecurity) {
        self.init(isAuthenticated: security.isAuthenticated, keySize: security.keySize)
    }
}
