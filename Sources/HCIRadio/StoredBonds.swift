// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import HostStack
import Radio

/// The bonds and keys of a radio in their store, in the form that the host uses.
///
/// Without a store there are no bonds, and every key is new.
struct StoredBonds {
    private let store: (any BondStore)?
    private static let resolvingKeyName = "resolving-key"

    /// The bonds in a store.
    init(_ store: (any BondStore)? = nil) { self.store = store }

    /// The bonds of a beacon or a central. The store gets a warning for each that cannot be used.
    func bonds(of owner: BeaconIdentifier) -> [Bond] {
        guard let store else { return [] }
        return store.secrets(of: owner).bonds.compactMap { stored in
            do throws(BondRecordFault) {
                return try Bond(record: stored.fields)
            } catch {
                store.warn(Self.warning(error, stored.peer, of: owner), of: owner)
                return nil
            }
        }
    }

    /// Saves the bonds of a beacon or a central.
    /// - Returns: whether they are saved; `true` without a store.
    func save(_ bonds: [Bond], of owner: BeaconIdentifier) -> Bool {
        guard let store else { return true }
        var secrets = store.secrets(of: owner)
        secrets.bonds = bonds.map { StoredBond(peer: PairedPeer($0, isBonded: true), fields: $0.record) }
        return store.save(secrets, of: owner)
    }

    /// The identity resolving key of a beacon (Core 5.4, Vol 3, Part C, 10.7), created when it is first needed.
    /// - Parameter random: the source of a new key.
    func resolvingKey(of owner: BeaconIdentifier, from random: RandomSource) -> Octets<16> {
        var secrets = store?.secrets(of: owner) ?? StoredSecrets()
        if let text = secrets.own[Self.resolvingKeyName], let bytes = try? Hexadecimal.bytes(text),
            let key = Octets<16>(bytes)
        {
            return key
        }
        var random = random
        let key = Octets<16>(padding: random.bytes(16))
        secrets.own[Self.resolvingKeyName] = Hexadecimal.string(key.bytes)
        _ = store?.save(secrets, of: owner)
        return key
    }

    private static func warning(_ fault: BondRecordFault, _ peer: PairedPeer, of owner: BeaconIdentifier) -> Warning {
        Warning(
            code: "bonds-damaged",
            message: "the bond of \(owner) with \(peer.address) could not be used (\"\(fault.name)\" is missing or out "
                + "of range): \(owner) does not know that peer",
            hint: "forget \(owner) on the peer, and pair again")
    }
}
