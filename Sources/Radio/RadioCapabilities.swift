// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The capabilities of a radio for beacons.
package struct RadioCapabilities: Hashable, Sendable {
    /// Its name, as `--radio` takes it.
    package var name: String
    /// The interface to the controller, for people: "management socket", "D-Bus".
    package var way: String
    /// Why this interface, for people.
    package var wayReason: String
    /// The adapter's address; `nil` without an adapter.
    package var address: BluetoothAddress?
    /// Whether the controller has extended advertising (advertising sets), or legacy only.
    package var hasExtendedAdvertising: Bool
    /// The number of advertisements that it carries at once.
    package var instances: Int
    /// The number of these that are free.
    package var freeInstances: Int
    /// Whether advertisements take turns, so that each is sent less often than requested.
    package var sharesTime: Bool
    /// Whether the values on the air can be read back.
    package var canReadBack: Bool
    /// The servers that give other hosts controllers on its air, or let other programs use hosts on it:
    /// `tcp:127.0.0.1:6402`, `vhci:hci1`, `esphome:127.0.0.1:6053`.
    package var servers: [String]
    /// The servers that were given a name, by that name: where the host of a receiver finds its controller.
    package var receivers: [String: String]
    /// The random seed of a virtual air, by which a run can be repeated; `nil` for a real one.
    package var seed: UInt64?

    /// The version of the virtual air: it grows when the same seed gives other numbers. 2: beacons that a run begins with have phases.
    package static let airVersion = 2
    /// The name of the virtual air, as `--radio` takes it.
    package static let virtualName = "virtual"

    /// Capabilities as given.
    package init(
        name: String, way: String, wayReason: String, address: BluetoothAddress?, hasExtendedAdvertising: Bool,
        instances: Int, freeInstances: Int, sharesTime: Bool, canReadBack: Bool,
        servers: [String] = [], receivers: [String: String] = [:], seed: UInt64? = nil
    ) {
        self.name = name
        self.way = way
        self.wayReason = wayReason
        self.address = address
        self.hasExtendedAdvertising = hasExtendedAdvertising
        self.instances = instances
        self.freeInstances = freeInstances
        self.sharesTime = sharesTime
        self.canReadBack = canReadBack
        self.servers = servers
        self.receivers = receivers
        self.seed = seed
    }
}
