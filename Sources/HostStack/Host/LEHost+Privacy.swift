// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// A private address in use.
struct PrivateAddress: Hashable, Sendable {
    let identity: LocalIdentity
    var address: BluetoothAddress
    /// When another takes its place.
    var end: Duration

    init(_ identity: LocalIdentity, at now: Duration, random: inout RandomSource) {
        self.identity = identity
        address = .resolvablePrivate(key: identity.resolvingKey, random: &random)
        end = now + BluetoothAddress.privateAddressInterval
    }
}

extension LEHost {
    /// When a private address is due to change.
    var privacyDeadline: Duration? {
        sets.lazy.compactMap(\.privateAddress.first?.end).min()
    }

    /// The address that a beacon is on the air with now: of a private one, the present.
    mutating func presentAddress(_ address: OwnAddress, at index: Int) -> OwnAddress {
        guard let identity = address.identity else {
            sets[index].privateAddress = []
            return address
        }
        if let present = sets[index].privateAddress.first, present.identity == identity {
            return .random(present.address)
        }
        let new = PrivateAddress(identity, at: now, random: &random)
        sets[index].privateAddress = [new]
        return .random(new.address)
    }

    /// Gives beacons other private addresses whose time has come.
    mutating func advancePrivacy() {
        for index in sets.indices {
            guard let old = sets[index].privateAddress.first, old.end <= now else { continue }
            let new = PrivateAddress(old.identity, at: now, random: &random)
            sets[index].privateAddress = [new]
            guard sets[index].order != nil else { continue }
            sets[index].order?.address = .random(new.address)
            sets[index].isRevised = true
            sets[index].told = .nothing
            continueAdvertising(sets[index].set)
        }
    }

    /// The random address of the central.
    var centralRandomAddress: BluetoothAddress? { configuration.centralAddress.randomAddress }
}
