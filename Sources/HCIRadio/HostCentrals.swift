// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HostStack
import Radio

/// The centrals that are connected to beacons of a radio.
struct HostCentrals {
    /// A central.
    struct Entry {
        /// The name, unique on the radio.
        let name: String
        let beacon: BeaconIdentifier
        let link: HCIRemoteLink
    }

    private struct Connection: Hashable {
        let host: HostIdentifier
        let identifier: ConnectionIdentifier

        /// By hosts and numbers: an order that is the same in each run in virtual time.
        static func precedes(_ left: Connection, _ right: Connection) -> Bool {
            (left.host, left.identifier.rawValue) < (right.host, right.identifier.rawValue)
        }
    }

    private var entries: [Connection: Entry] = [:]
    private var connections: [String: Connection] = [:]

    /// All centrals, in the order of the hosts and numbers.
    var all: [Entry] { Self.ordered(entries) }

    /// The centrals of a beacon, in the same order.
    func centrals(of beacon: BeaconIdentifier) -> [Entry] { Self.ordered(entries.filter { $1.beacon == beacon }) }

    private static func ordered(_ entries: some Collection<(key: Connection, value: Entry)>) -> [Entry] {
        if entries.count < 2 { return entries.map(\.value) }
        return entries.sorted { Connection.precedes($0.key, $1.key) }.map(\.value)
    }

    /// The central with a name.
    subscript(name: String) -> Entry? { connections[name].flatMap { entries[$0] } }

    /// The central of a connection.
    func central(_ connection: ConnectionIdentifier, on host: HostIdentifier) -> Entry? {
        entries[Connection(host: host, identifier: connection)]
    }

    /// Adds a central. Its name is its address, with a number if it is connected to several beacons.
    mutating func add(_ link: HCIRemoteLink, to beacon: BeaconIdentifier) -> Entry {
        let address = link.device.address.description
        var (name, number) = (address, 1)
        while connections[name] != nil {
            number += 1
            name = "\(address)#\(number)"
        }
        let entry = Entry(name: name, beacon: beacon, link: link)
        let connection = Connection(host: link.host, identifier: link.connection)
        entries[connection] = entry
        connections[name] = connection
        return entry
    }

    /// Removes the central of a connection.
    /// - Returns: `nil` if there is none.
    mutating func remove(_ connection: ConnectionIdentifier, on host: HostIdentifier) -> Entry? {
        guard let entry = entries.removeValue(forKey: Connection(host: host, identifier: connection)) else {
            return nil
        }
        connections[entry.name] = nil
        return entry
    }

    /// Removes all of them.
    mutating func removeAll() -> [Entry] {
        defer { self = HostCentrals() }
        return all
    }
}
