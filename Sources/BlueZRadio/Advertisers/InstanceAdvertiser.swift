// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio

/// Puts advertisements on an adapter in one way, and owns the instances that it adds.
protocol InstanceAdvertiser: Actor {
    /// The way.
    nonisolated var way: AdvertisingWay { get }

    /// The length of an instance's turn on a legacy controller, in seconds.
    nonisolated var turn: Int { get }

    /// The number of instances that an advertisement needs.
    nonisolated func instancesNeeded(by advertisement: Advertisement) -> Int

    /// The number of instances of the adapter, and how many of them are free or ours.
    /// - Throws: `RadioError` when the adapter does not answer.
    func capacity() async throws(RadioError) -> (total: Int, free: Int)

    /// The number of advertising instances of other programs; `nil` if the kernel does not report it.
    /// - Parameter adapter: the adapter as bluetoothd describes it now.
    func foreignCount(on adapter: BlueZAdapter) async -> Int?

    /// Puts a beacon's advertisement on the adapter in place of the one before.
    /// - Parameter refreshes: whether the controller gets the data even if the kernel believes that it has them.
    /// - Throws: `RadioError` when it is refused; the beacon has nothing on the adapter then.
    func put(_ advertisement: Advertisement, for beacon: BeaconIdentifier, refreshes: Bool) async throws(RadioError)

    /// The numbers of the instances of other programs that were replaced since the last call, because the kernel had not listed
    /// them.
    func replacedInstances() async -> [UInt8]

    /// Removes a beacon's advertisement from the adapter.
    func remove(_ beacon: BeaconIdentifier) async

    /// The beacons whose instances were lost since the last call, and how.
    func lostBeacons() async -> [BeaconIdentifier: InstanceLoss]

    /// Removes all our advertisements from the adapter.
    func removeAll() async
}

extension InstanceAdvertiser {
    func replacedInstances() -> [UInt8] { [] }
}

/// How an advertising instance was lost.
enum InstanceLoss: Hashable, Sendable {
    /// The kernel or another program removed it.
    case removed
    /// Another program's advertisement has its number.
    case taken

    /// The cause, as a clause.
    var clause: String {
        switch self {
        case .removed: "its advertising instance was removed by the kernel or another program"
        case .taken: "another program's advertisement has taken its advertising instance"
        }
    }
}

/// How advertisements reach an adapter.
enum AdvertisingWay: Hashable, Sendable {
    /// The kernel's management socket.
    case management
    /// LEAdvertisement1 objects for bluetoothd.
    case bus(DaemonCapabilities)

    /// The name in reports.
    var name: String {
        switch self {
        case .management: "management socket"
        case .bus: "D-Bus"
        }
    }

    /// Whether intervals are honoured; `nil` if that is unknown.
    var honoursIntervals: Bool? {
        switch self {
        case .management: true
        case .bus(let daemon): daemon.honoursIntervals
        }
    }
}

/// What bluetoothd supports of org.bluez.LEAdvertisement1 on one adapter.
///
/// bluetoothd ignores unknown properties without an error, so capabilities that it does not publish are derived from its
/// version. An unknown version supports none of them.
struct DaemonCapabilities: Hashable, Sendable {
    /// The version; `nil` if the daemon does not publish it.
    var version: BlueZVersion?
    /// Whether the daemon was started with its experimental interfaces (`-E`); `nil` if that is unknown.
    var isExperimental: Bool?
    /// Whether `Includes` may have `tx-power` (SupportedIncludes).
    var canIncludeTransmitPower = false
    /// Whether `TxPower` is honoured (CanSetTxPower of SupportedFeatures).
    var canSetTransmitPower = false
    /// Whether the adapter is discoverable: then flags lack 0x04.
    var isAdapterDiscoverable = false

    /// Whether the daemon has the properties `ScanResponse…`, also without `-E`. Since BlueZ 5.80.
    var hasScanResponseProperties: Bool { isAtLeast(5, 80) }

    /// Whether `Discoverable` = false yields flags of 0x04 instead of no flags. Since BlueZ 5.69.
    var writesFlagsOfUndiscoverable: Bool { isAtLeast(5, 69) }

    /// Whether `Data` may have any resolvable set identifier. Since BlueZ 5.86 only one that resolves with the adapter's
    /// own key.
    var takesAnySetIdentifier: Bool { version != nil && !isAtLeast(5, 86) }

    /// Whether intervals are honoured: since BlueZ 5.77, before that only with `-E`; `nil` if that is unknown.
    var honoursIntervals: Bool? {
        if isAtLeast(5, 77) { return true }
        return version == nil && isExperimental != true ? nil : isExperimental
    }

    private func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        version.map { $0 >= BlueZVersion(major, minor) } ?? false
    }
}
