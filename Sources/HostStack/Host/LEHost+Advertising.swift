// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
import BluetoothCore
import HCI

extension LEHost {
    /// Puts a beacon on the air, or exchanges what it is; `.advertising` or `.advertisingFailed` tells the outcome.
    ///
    /// It may be called before the host is ready. Data is exchanged while on the air; other values need a short silence.
    /// - Parameter whileConnected: whether it comes back at once when a central has connected to it; else it does when
    ///   that central is gone.
    package mutating func setAdvertising(
        _ advertisement: Advertisement, for set: AdvertisingSetIdentifier, address: OwnAddress,
        whileConnected: Bool = false
    ) {
        let problems = advertisement.problems
        guard problems.isEmpty else { return emit(.advertisingFailed(set, .malformed(problems))) }
        if let random = address.randomAddress, !random.isStaticRandom {
            return emit(.advertisingFailed(set, .notStaticRandom(random)))
        }
        let index = indexOrNew(of: set)
        sets[index].order = AdvertisingOrder(advertisement, address: presentAddress(address, at: index))
        sets[index].advertisesWhileConnected = whileConnected
        sets[index].hasFailed = false
        sets[index].isRevised = true
        sets[index].told = .nothing
        continueAdvertising(set)
        flush()
    }

    /// Takes a beacon off the air; `.advertisingStopped` tells when it is.
    package mutating func stopAdvertising(_ set: AdvertisingSetIdentifier) {
        guard let index = index(of: set), sets[index].order != nil else { return }
        sets[index].order = nil
        if sets[index].connection == nil { sets[index].privateAddress = [] }
        sets[index].hasFailed = false
        sets[index].isRevised = true
        sets[index].told = .nothing
        continueAdvertising(set)
        flush()
    }

    /// Sets the attributes of a beacon; `nil` for the services that every device has.
    ///
    /// Connections to it get the new table at once: clients that subscribed to Service Changed are indicated the affected
    /// handles, and requests that were checked against another table are refused.
    /// - Returns: the subscriptions that ended with it, by the handles of the former table.
    @discardableResult
    package mutating func setDatabase(
        _ database: AttributeDatabase?, for set: AdvertisingSetIdentifier
    ) -> [EndedSubscription] {
        sets[indexOrNew(of: set)].database = database
        dropIfEmpty(set)
        guard let database = database ?? .empty else { return [] }
        var ended: [EndedSubscription] = []
        for link in connections.map(\.link) where link.role == .peripheral && link.advertisingSet == set {
            ended += replaceDatabase(database, of: link.id)
        }
        return ended
    }

    private mutating func replaceDatabase(
        _ database: AttributeDatabase, of connection: ConnectionIdentifier
    ) -> [EndedSubscription] {
        guard let former = index(of: connection).flatMap({ connections[$0].bearer.server }) else { return [] }
        let now = now
        let range = database.affectedHandles(since: former.database)
        var kept: Set<AttributeHandle> = []
        withServer(of: connection) { server in
            defer { kept = Set(server.client.configurations.keys) }
            return server.replaceDatabase(database, changed: range, at: now)
        }
        return former.client.configurations.keys.filter { !kept.contains($0) }.sorted().map {
            EndedSubscription(connection: connection, handle: $0)
        }
    }

    /// Whether anything is on the air, as far as the controller acknowledged it.
    package var isAdvertising: Bool {
        legacy?.advertiser.isEnabled ?? false || sets.contains { $0.advertiser.isEnabled }
    }

    func index(of set: AdvertisingSetIdentifier) -> Int? { sets.firstIndex { $0.set == set } }

    private mutating func indexOrNew(of set: AdvertisingSetIdentifier) -> Int {
        if let index = index(of: set) { return index }
        sets.append(BeaconState(set: set))
        return sets.count - 1
    }

    /// Forgets a beacon of which nothing is left.
    mutating func dropIfEmpty(_ set: AdvertisingSetIdentifier) {
        guard let index = index(of: set), sets[index].isEmpty, !sets[index].isWaiting,
            sets[index].advertiser.parameters == nil
        else { return }
        sets.remove(at: index)
    }

    /// Does what is next for all beacons.
    mutating func continueAdvertising() {
        guard isReady else { return }
        if legacy != nil { return continueTurns() }
        for set in sets.map(\.set) { continueSet(set) }
    }

    mutating func continueAdvertising(_ set: AdvertisingSetIdentifier) {
        guard isReady else { return }
        if legacy != nil { continueTurns() } else { continueSet(set) }
    }

    /// Gives up on an order until there is another.
    mutating func failAdvertising(_ set: AdvertisingSetIdentifier, _ failure: LEHostFailure) {
        guard let index = index(of: set) else { return }
        sets[index].hasFailed = true
        emit(.advertisingFailed(set, failure))
    }

    /// Why this controller cannot carry the order; `nil` when it may.
    func obstacle(to order: AdvertisingOrder) -> LEHostFailure? {
        order.address == .publicDevice && knownCapabilities.address == nil ? .noPublicAddress : nil
    }

    /// What a beacon is on the air by what the controller acknowledged.
    func effective(
        _ order: AdvertisingOrder, _ advertiser: Advertiser, interval: AdvertisingInterval, turns: Int = 1,
        share: Double = 1
    ) -> EffectiveAdvertising {
        EffectiveAdvertising(
            pdu: advertiser.parameters?.pdu ?? order.parameters.pdu,
            advertisingData: advertiser.advertisingData,
            scanResponse: order.parameters.pdu.isScannable ? advertiser.scanResponse : [],
            interval: interval, transmitPower: advertiser.selectedPower,
            address: order.address.randomAddress ?? knownCapabilities.address ?? .zero,
            addressType: order.address.randomAddress == nil ? .public : .random, turns: turns, share: share)
    }

    /// A connection is gone: its beacon comes back, and those are tried again that failed, perhaps for its sake.
    mutating func resumeAdvertising(after connection: ConnectionIdentifier) {
        for set in sets.map(\.set) {
            guard let index = index(of: set), sets[index].connection == connection || sets[index].hasFailed else {
                continue
            }
            if sets[index].connection == connection { sets[index].connection = nil }
            sets[index].hasFailed = false
            if sets[index].order != nil { sets[index].told = .nothing }
            continueAdvertising(set)
            dropIfEmpty(set)
        }
    }

    /// A central connected to a beacon, which the controller took off the air for it.
    mutating func suspendAdvertising(_ set: AdvertisingSetIdentifier, for connection: ConnectionIdentifier) {
        guard let index = index(of: set) else { return }
        sets[index].connection = connection
        sets[index].advertiser.acknowledge(.disable)
        guard sets[index].order != nil else { return }
        sets[index].told = sets[index].isWanted ? .nothing : .silence
        emit(.advertisingStopped(set, .connected))
        continueAdvertising(set)
    }
}

/// A subscription that ended because the attribute table was replaced.
package struct EndedSubscription: Hashable, Sendable {
    /// Whose it was.
    package let connection: ConnectionIdentifier
    /// The characteristic's value, in the former table.
    package let handle: AttributeHandle

    /// A subscription of a connection.
    package init(connection: ConnectionIdentifier, handle: AttributeHandle) {
        self.connection = connection
        self.handle = handle
    }
}
