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
    /// LEAdvertisement1 objects for bluetoothd of this version, whose experimental interfaces are on, off or unknown.
    case bus(BlueZVersion?, isExperimental: Bool?)

    /// For people.
    var name: String {
        switch self {
        case .management: "management socket"
        case .bus: "D-Bus"
        }
    }

    /// Whether advertisements over D-Bus may carry 128-bit services in the scan response (since BlueZ 5.80).
    var hasScanResponseServices: Bool {
        guard case .bus(let version?, _) = self else { return false }
        return version >= BlueZVersion(5, 80)
    }

    /// Whether intervals are honoured over D-Bus: since BlueZ 5.77, before that only when experimental.
    var honoursIntervals: Bool? {
        guard case .bus(let version, let isExperimental) = self else { return true }
        if let version, version >= BlueZVersion(5, 77) { return true }
        return version == nil && isExperimental != true ? nil : isExperimental
    }
}
