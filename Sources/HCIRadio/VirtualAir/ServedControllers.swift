// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Space
import VirtualRadio

/// The controllers that a server gives to its hosts: their addresses, names and motions.
///
/// It lives on the air's event loop.
final class ServedControllers {
    private let server: VirtualAirOptions.Server
    private let air: LiveAir
    /// How its hosts move.
    private(set) var motion: Motion?
    /// The hardware of its hosts.
    private(set) var hardware: ReceiverHardware
    private(set) var character: ControllerCharacter
    /// The hosts that are on the air, and the addresses of their controllers.
    private var inUse: [(name: String, address: BluetoothAddress)] = []

    init(_ server: VirtualAirOptions.Server, on air: LiveAir) {
        self.server = server
        motion = server.motion
        hardware = server.hardware
        character = server.character
        self.air = air
    }

    /// The controller in the place of one that has left: with its name, its address and its motion.
    func take(replacing former: ControllerConfiguration) -> ControllerConfiguration {
        var controller = former
        controller.name = air.freeName(former.name)
        controller.character = character
        controller.hardware = hardware
        inUse.append((controller.name, controller.publicAddress))
        return controller
    }

    /// The controller for another host. Of the addresses from the server's upwards it has the lowest that is free, unless its
    /// character has one address for all.
    func take() -> ControllerConfiguration {
        let address = server.address ?? character.commonAddress ?? air.makePublicAddress()
        return take(name: server.name ?? "host", at: address, as: character)
    }

    /// The controller for a host that has a name, which the name of the server precedes, and an address: the one that it was
    /// given, else that of the server, else the one that follows from what it is.
    /// - Parameter character: the character of the door through which it comes.
    func take(
        name: String, given: BluetoothAddress?, derived: BluetoothAddress, as character: ControllerCharacter
    ) -> ControllerConfiguration {
        let address = given ?? server.address ?? character.commonAddress ?? derived
        return take(name: server.name ?? name, at: address, as: character)
    }

    private func take(
        name: String, at address: BluetoothAddress, as character: ControllerCharacter
    ) -> ControllerConfiguration {
        var address = address
        if character.commonAddress == nil {
            while isTaken(address) || !address.isOfDevice { address = address.successor }
        }
        let name = air.freeName(name)
        inUse.append((name, address))
        return ControllerConfiguration(
            publicAddress: address, name: name, motion: motion, hardware: hardware, character: character)
    }

    /// Whether something on the air has an address, or a host of the server will have it.
    private func isTaken(_ address: BluetoothAddress) -> Bool {
        air.hasController(at: address) || inUse.contains { $0.address == address }
    }

    /// Frees the address of a host that has left.
    func release(_ controller: ControllerConfiguration) {
        inUse.removeAll { $0 == (controller.name, controller.publicAddress) }
    }

    /// A controller was removed after a failure: those that join later do not fail.
    func noteRemoval() { character = character.afterRemoval }

    /// The names of its hosts that are on the air, in order.
    var hosts: [String] { inUse.map(\.name).sorted() }

    /// Its present position; `nil` is 1 m from every beacon.
    var position: Position? { motion?.position(atSeconds: air.seconds) }

    /// Removes its hosts from the air, and ends their connections.
    func removeHosts() {
        for host in inUse { air.remove(host.name) }
        inUse = []
    }

    /// The name that the server was given; `nil` for none.
    var name: String? { server.name }

    /// Changes how its hosts move, those that are on the air and those that join later.
    func setMotion(_ new: Motion?) {
        motion = new
        if let name { air.places.setServer(name, new) }
        for host in inUse { _ = air.setMotion(new, of: host.name) }
    }

    /// Replaces the hardware of its hosts, those that are on the air and those that join later.
    func setHardware(_ new: ReceiverHardware) {
        hardware = new
        for host in inUse { _ = air.setHardware(new, of: host.name) }
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
