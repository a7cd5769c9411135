// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import VirtualRadio

/// The controllers that a server gives to its hosts: their addresses, names and motions.
///
/// It lives on the air's event loop.
final class ServedControllers {
    private let server: VirtualAirOptions.Server
    private let air: LiveAir
    private var motion: Motion?
    /// The names of the hosts that are on the air, by the addresses of their controllers.
    private var inUse: [BluetoothAddress: String] = [:]

    init(_ server: VirtualAirOptions.Server, on air: LiveAir) {
        self.server = server
        motion = server.motion
        self.air = air
    }

    /// The controller for another host. Of the addresses from the server's upwards it has the lowest that is free.
    func take() -> ControllerConfiguration {
        var address = server.address ?? air.makePublicAddress()
        while inUse[address] != nil { address = address.successor }
        let name = air.freeName(server.name ?? "host")
        inUse[address] = name
        return ControllerConfiguration(
            publicAddress: address, name: name, motion: motion, carrying: server.carrying)
    }

    /// Frees the address of a host that has left.
    func release(_ controller: ControllerConfiguration) { inUse[controller.publicAddress] = nil }

    /// The names of its hosts that are on the air, in order.
    var hosts: [String] { inUse.values.sorted() }

    /// Its present position; `nil` is 1 m from every beacon.
    var position: Position? { motion?.position(atSeconds: air.seconds) }

    /// Removes its hosts from the air, and ends their connections.
    func removeHosts() {
        for name in inUse.values { air.remove(name) }
        inUse = [:]
    }

    /// The name that the server was given; `nil` for none.
    var name: String? { server.name }

    /// Changes how its hosts move, those that are on the air and those that join later.
    func setMotion(_ new: Motion?) {
        motion = new
        for name in inUse.values { _ = air.setMotion(new, of: name) }
    }
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
