// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The connected centrals, by the names that events have, and the links through which their own attributes are used.
///
/// A central's name is the address that bluetoothd has in its object path. The kernel reports the identity address once
/// the central has paired: `noteIdentity` maps that address back to the name.
struct ConnectedCentrals {
    /// A central's address as the kernel's management interface has it.
    struct Peer {
        let address: BluetoothAddress
        let type: UInt8
    }

    private var peers: [String: Peer] = [:]
    private var beacons: [String: BeaconIdentifier] = [:]
    private var links: [String: BlueZRemoteLink] = [:]
    /// Names by identity address.
    private var names: [String: String] = [:]

    /// The names of all centrals.
    var all: [String] { Array(peers.keys) }

    /// The central that an event is attributed to when bluetoothd does not identify one.
    var anyName: String? { peers.keys.min() }

    /// Whether this central is connected.
    func contains(_ central: String) -> Bool { peers[central] != nil }

    /// The kernel's address of a central.
    func peer(_ central: String) -> Peer? { peers[central] }

    /// Adds a central that is connected to a beacon.
    /// - Parameter peer: the kernel's address; `nil` without the management interface.
    /// - Returns: whether it is new.
    mutating func add(_ central: String, to beacon: BeaconIdentifier, peer: Peer?) -> Bool {
        guard peers[central] == nil else { return false }
        beacons[central] = beacon
        peers[central] = peer ?? Peer(address: BluetoothAddress(central) ?? .zero, type: 0)
        return true
    }

    /// Removes the central with this name or identity address, and ends its link.
    /// - Returns: its name, and the beacon; `nil` if it is not connected.
    mutating func remove(_ address: String) -> (central: String, beacon: BeaconIdentifier)? {
        let central = peers[address] == nil ? names[address] ?? address : address
        guard peers.removeValue(forKey: central) != nil, let beacon = beacons.removeValue(forKey: central) else {
            return nil
        }
        links.removeValue(forKey: central)?.end("the connection was lost")
        return (central, beacon)
    }

    /// Takes the identity address of a central, which differs from the address in its name.
    mutating func noteIdentity(_ identity: String, of central: String) {
        names[identity] = central
    }

    // MARK: - Links

    /// The link to a central.
    func link(to central: String) -> BlueZRemoteLink? { links[central] }

    /// The link to the central with this object.
    func link(at path: ObjectPath) -> BlueZRemoteLink? { links.values.first { $0.path == path } }

    /// Adds the link to a central.
    mutating func add(_ link: BlueZRemoteLink, to central: String) {
        links[central] = link
    }

    /// Removes a link; the central stays.
    mutating func remove(_ link: BlueZRemoteLink) {
        links = links.filter { $0.value !== link }
    }
}
