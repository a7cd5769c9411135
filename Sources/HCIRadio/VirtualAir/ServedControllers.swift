// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import VirtualRadio

/// The controllers that a server gives to its hosts: their addresses, names and places.
///
/// It lives on the air's event loop.
final class ServedControllers {
    private let server: VirtualAirOptions.Server
    private let air: LiveAir
    private var inUse: Set<BluetoothAddress> = []

    init(_ server: VirtualAirOptions.Server, on air: LiveAir) {
        self.server = server
        self.air = air
    }

    /// The controller for another host. Of the addresses from the server's upwards it has the lowest that is free.
    func take() -> ControllerConfiguration {
        var address = server.address ?? air.makePublicAddress()
        while !inUse.insert(address).inserted { address = address.successor }
        return ControllerConfiguration(
            publicAddress: address, name: air.freeName(server.name ?? "host"), position: server.position,
            carrying: server.carrying)
    }

    /// Frees the address of a host that has left.
    func release(_ controller: ControllerConfiguration) { inUse.remove(controller.publicAddress) }
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
