// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When each of several beacons has its turn on one advertiser: one advertising event a turn.
///
/// The beacon whose event is due first goes first. Where there is not time enough for all, all intervals are stretched
/// by the same factor, so that each beacon keeps its share.
struct TurnSchedule: Sendable {
    /// A beacon and the time of its next event.
    private struct Turn {
        let set: AdvertisingSetIdentifier
        /// What its owner wants, as near as the controller permits.
        var interval: AdvertisingInterval
        var due: Duration
    }

    /// How long a turn lasts on the air.
    let dwell: Duration
    /// How long it takes to exchange one beacon for the next, by experience.
    private(set) var exchange: Duration = .zero
    private var turns: [Turn] = []
    private var random: UInt64

    init(dwell: Duration, seed: UInt64) {
        self.dwell = dwell
        random = seed
    }

    /// How many beacons take turns.
    var count: Int { turns.count }

    /// Takes these beacons and no others; those that are new are due now.
    mutating func setBeacons(
        _ beacons: [(set: AdvertisingSetIdentifier, interval: AdvertisingInterval)], at now: Duration
    ) {
        let old = turns
        turns = beacons.map { beacon in
            let known = old.first { $0.set == beacon.set && $0.interval == beacon.interval }
            return Turn(set: beacon.set, interval: beacon.interval, due: known?.due ?? now)
        }
    }

    /// Whose event is due first, and when.
    var first: (set: AdvertisingSetIdentifier, due: Duration)? {
        turns.min { $0.due < $1.due }.map { ($0.set, $0.due) }
    }

    /// Takes down that a beacon has its event now.
    mutating func begin(_ set: AdvertisingSetIdentifier, at now: Duration) {
        guard let index = turns.firstIndex(where: { $0.set == set }) else { return }
        let interval = stretched(turns[index].interval)
        // A turn that is late by more than one interval does not call for several in a row.
        turns[index].due = max(turns[index].due, now - interval) + interval + advertisingDelay()
    }

    /// Takes down how long an exchange took.
    mutating func learn(exchange sample: Duration) {
        exchange = exchange == .zero ? sample : exchange * 3 / 4 + sample / 4
    }

    /// The mean time between a beacon's events, without the random delay.
    func effectiveInterval(of set: AdvertisingSetIdentifier) -> AdvertisingInterval? {
        guard let turn = turns.first(where: { $0.set == set }) else { return nil }
        return AdvertisingInterval(nearest: stretched(turn.interval))
    }

    /// The part of the time that is a beacon's.
    func share(of set: AdvertisingSetIdentifier) -> Double {
        guard let interval = effectiveInterval(of: set) else { return 0 }
        return min((dwell + exchange) / interval.duration, 1)
    }

    /// How much more time the beacons want than there is: 1 when there is enough.
    private var stretch: Double {
        max(turns.reduce(0) { $0 + (dwell + exchange) / $1.interval.duration }, 1)
    }

    private func stretched(_ interval: AdvertisingInterval) -> Duration {
        stretch > 1 ? interval.duration * stretch : interval.duration
    }

    /// The link layer's random delay of up to 10 ms (Core 5.4, Vol 6, Part B, 4.4.2.2.1), from a linear congruence.
    private mutating func advertisingDelay() -> Duration {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return .microseconds(Int64(random >> 33) % 10_001)
    }
}
