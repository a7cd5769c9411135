// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore

/// One beacon: what its owner wants, and how far it has come.
struct BeaconState: Sendable {
    let set: AdvertisingSetIdentifier
    /// What it should be on the air; `nil` when it is to go.
    var order: AdvertisingOrder?
    /// What the controller acknowledged of its set, where it has one.
    var advertiser = Advertiser(isSet: true)
    /// A command of its set is on its way.
    var isWaiting = false
    /// The controller refused the order; the next order is tried again.
    var hasFailed = false
    /// The connection to it, which keeps it off the air unless it is to be there all the same.
    var connection: ConnectionIdentifier?
    var advertisesWhileConnected = false
    /// The order came while a command of an older one was on its way.
    var isRevised = false
    /// What its owner knows.
    var told = Told.silence
    /// None or one: the private address in use.
    var privateAddress: [PrivateAddress] = []
    /// What a central finds in it.
    var database: AttributeDatabase?

    /// What an owner was told last.
    enum Told: Hashable {
        /// There is news to tell.
        case nothing
        /// That it is off the air.
        case silence
        /// That it is advertised at this interval, one of a number of beacons that take turns, reported at a time.
        case advertising(interval: AdvertisingInterval, turns: Int, at: Duration)

        /// Whether these values are reported: a measured interval that differs by a tenth or less is not, and one that
        /// differs by more is reported every 10 s at most, since it varies with the load of the machine.
        func isNews(interval: AdvertisingInterval, turns: Int, at now: Duration) -> Bool {
            guard case .advertising(let reported, let reportedTurns, let time) = self else { return true }
            if turns != reportedTurns { return true }
            let difference = abs(Int64(interval.count) - Int64(reported.count))
            return difference * 10 > Int64(reported.count) && now >= time + .seconds(10)
        }
    }

    init(set: AdvertisingSetIdentifier) { self.set = set }

    /// Whether it should be on the air now.
    var isWanted: Bool {
        guard let order, !hasFailed else { return false }
        return connection == nil || advertisesWhileConnected || !order.parameters.pdu.isConnectable
    }

    /// Whether nothing is left to keep.
    var isEmpty: Bool { order == nil && database == nil && connection == nil }

    mutating func forgetController() {
        advertiser = Advertiser(isSet: true)
        isWaiting = false
        hasFailed = false
        connection = nil
        isRevised = false
        told = order == nil ? .silence : .nothing
    }
}
