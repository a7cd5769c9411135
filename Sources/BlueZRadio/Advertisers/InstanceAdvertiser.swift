// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio

/// One way to put advertisements on an adapter: it owns the instances that it adds.
protocol InstanceAdvertiser: Actor {
    /// Which way it is.
    nonisolated var way: AdvertisingWay { get }

    /// How many instances one beacon takes.
    nonisolated func instancesNeeded(by advertisement: Advertisement) -> Int

    /// How many instances the adapter has, and how many are free or ours.
    /// - Throws: `RadioError` when the adapter does not answer.
    func capacity() async throws(RadioError) -> (total: Int, free: Int)

    /// Puts a beacon's advertisement on the adapter in the place of what it had.
    /// - Throws: `RadioError` when it is refused; nothing of the beacon is on the adapter then.
    func put(_ advertisement: Advertisement, for beacon: BeaconIdentifier) async throws(RadioError)

    /// Takes a beacon's advertisement off the adapter.
    func remove(_ beacon: BeaconIdentifier) async

    /// The beacons whose instances the adapter has lost without us.
    /// - Throws: `RadioError` when the adapter does not answer.
    func lostBeacons() async throws(RadioError) -> Set<BeaconIdentifier>

    /// Takes everything of ours off the adapter.
    func removeAll() async
}

/// How advertisements reach an adapter, with what decides what becomes of them there.
enum AdvertisingWay: Hashable, Sendable {
    /// The kernel's management socket.
    case management
    /// LEAdvertisement1 objects for a bluetoothd.
    case bus(DaemonCapabilities)

    /// For people.
    var name: String {
        switch self {
        case .management: "management socket"
        case .bus: "D-Bus"
        }
    }

    /// Whether intervals are honoured; `nil` when that is not known.
    var honoursIntervals: Bool? {
        switch self {
        case .management: true
        case .bus(let daemon): daemon.honoursIntervals
        }
    }
}
