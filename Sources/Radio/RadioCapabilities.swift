// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What a radio is and can do.
public struct RadioCapabilities: Hashable, Sendable {
    /// Its name, as `--radio` takes it.
    public var name: String
    /// How advertisements reach it, for people: "management socket", "D-Bus".
    public var way: String
    /// Why this way, for people.
    public var wayReason: String
    /// The adapter's own address.
    public var address: BluetoothAddress?
    /// Whether the controller has extended advertising (sets of their own), or legacy only.
    public var hasExtendedAdvertising: Bool
    /// How many advertisements it carries at once.
    public var instances: Int
    /// How many of these are not taken by others.
    public var freeInstances: Int
    /// Whether advertisements take turns on the air, so that each has only a share of it.
    public var sharesTime: Bool
    /// Whether the values on the air can be read back.
    public var canReadBack: Bool
    /// Where others find controllers on its air: `tcp:127.0.0.1:6402`, `vhci:hci1`.
    public var servers: [String]
    /// What decides the chance of its air, so that a run can be repeated; `nil` where the air is a real one.
    public var seed: UInt64?

    /// Capabilities as given.
    public init(
        name: String, way: String, wayReason: String, address: BluetoothAddress?, hasExtendedAdvertising: Bool,
        instances: Int, freeInstances: Int, sharesTime: Bool, canReadBack: Bool,
        servers: [String] = [], seed: UInt64? = nil
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
        self.seed = seed
    }
}
