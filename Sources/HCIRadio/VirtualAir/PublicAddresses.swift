// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The public addresses of the controllers of one server.
///
/// It lives on the air's event loop.
final class PublicAddresses {
    private let first: BluetoothAddress?
    private let air: LiveAir
    private var inUse: Set<BluetoothAddress> = []

    /// Addresses from the first one upwards, always the lowest that is free; without a first one, addresses that no other
    /// controller on the air has.
    init(from first: BluetoothAddress?, on air: LiveAir) {
        self.first = first
        self.air = air
    }

    func take() -> BluetoothAddress {
        guard var address = first else { return air.makePublicAddress() }
        while !inUse.insert(address).inserted { address = address.successor }
        return address
    }

    func release(_ address: BluetoothAddress) { inUse.remove(address) }
}

extension BluetoothAddress {
    /// The next higher address; the first after the last.
    fileprivate var successor: BluetoothAddress {
        var octets = Array(octets)
        for index in octets.indices.reversed() {
            octets[index] &+= 1
            if octets[index] != 0 { break }
        }
        return BluetoothAddress(octets: octets) ?? .zero
    }
}
