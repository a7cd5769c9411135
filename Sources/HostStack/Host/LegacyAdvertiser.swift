// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth

/// The only advertiser of a controller without advertising sets, which the host's sets use in turns.
///
/// A set is the *holder* from the preparation of its turn until the turn's end; commands bring the advertiser from one
/// holder's order to the next. With a single set there is one turn without an end. With several, a turn lasts `dwell`
/// on the air, enough for one advertising event, and `TurnSchedule` chooses the next holder.
///
///     no holder --(a turn is due)--> preparing --(enabled)--> on the air --(dwell is over, or not wanted)--> no holder
struct LegacyAdvertiser: Sendable {
    /// Counts the time of the commands between two turns, without the time between the commands.
    private struct ExchangeClock: Sendable {
        private var spent: Duration = .zero
        private var since: Duration?

        mutating func resume(at now: Duration) { since = since ?? now }

        mutating func pause(at now: Duration) {
            if let since { spent += now - since }
            since = nil
        }

        /// The time of an exchange that ends now.
        mutating func finish(at now: Duration) -> Duration {
            pause(at: now)
            defer { spent = .zero }
            return spent
        }
    }

    /// What the controller acknowledged.
    private(set) var advertiser = Advertiser(isSet: false)
    /// The set whose turn it is, or is about to be.
    private(set) var holder: AdvertisingSetIdentifier?
    /// The set that was on the air last.
    private var lastOnAir: AdvertisingSetIdentifier?
    /// Whether a command is on its way.
    private(set) var isWaiting = false
    private var exchange = ExchangeClock()
    /// When the turn on the air ends; `nil` if no other set waits.
    private var end: Duration?
    private var schedule: TurnSchedule

    init(dwell: Duration, seed: UInt64) { schedule = TurnSchedule(dwell: dwell, seed: seed) }

    /// The number of sets that take turns.
    var turns: Int { schedule.count }

    /// When a turn ends or begins.
    var deadline: Duration? {
        guard !isWaiting else { return nil }
        if holder != nil { return advertiser.isEnabled ? end : nil }
        return schedule.first?.due
    }

    func isOnAir(_ set: AdvertisingSetIdentifier) -> Bool { lastOnAir == set && advertiser.isEnabled }

    /// The mean interval of a set that shares the advertiser.
    func effectiveInterval(of set: AdvertisingSetIdentifier) -> AdvertisingInterval? {
        schedule.effectiveInterval(of: set)
    }

    /// The fraction of the advertiser's time that a set has: 1 when it has the advertiser to itself.
    func share(of set: AdvertisingSetIdentifier) -> Double { turns > 1 ? schedule.share(of: set) : 1 }

    /// Sets the sets that take turns, and the interval of each.
    mutating func setSets(
        _ sets: [(set: AdvertisingSetIdentifier, interval: AdvertisingInterval)], at now: Duration
    ) {
        schedule.setSets(sets, at: now)
        if let holder, !sets.contains(where: { $0.set == holder }) { self.holder = nil }
    }

    /// Ends the turn if its time is over, and begins the next one when the advertiser is disabled.
    mutating func chooseHolder(at now: Duration) {
        if holder != nil, advertiser.isEnabled {
            if turns < 2 {
                end = nil
            } else if end ?? now <= now {
                holder = nil
                end = nil
            }
        }
        if holder == nil, !advertiser.isEnabled, let next = schedule.first, next.due <= now || turns == 1 {
            holder = next.set
        }
    }

    /// A command is on its way.
    /// - Returns: the set of the command: the holder, or the set that leaves the air.
    mutating func beginCommand(at now: Duration) -> AdvertisingSetIdentifier? {
        isWaiting = true
        exchange.resume(at: now)
        return holder ?? lastOnAir
    }

    /// The controller replied to the command.
    mutating func finishCommand(at now: Duration) {
        isWaiting = false
        exchange.pause(at: now)
    }

    /// The controller refused a command as not allowed now.
    /// - Returns: whether it is to be repeated (see `Advertiser.refuse`).
    mutating func refuse(_ step: AdvertiserStep) -> Bool { advertiser.refuse(step) }

    /// The controller executed a command for a set.
    mutating func acknowledge(_ step: AdvertiserStep, for set: AdvertisingSetIdentifier?, at now: Duration) {
        advertiser.acknowledge(step)
        guard step == .enable, let set else { return }
        lastOnAir = set
        schedule.recordExchange(exchange.finish(at: now))
        schedule.beginTurn(of: set, at: now)
        end = now + schedule.dwell
    }

    /// A central connected, and the controller disabled the advertiser for it.
    /// - Returns: the set that the central connected to.
    mutating func endForConnection() -> AdvertisingSetIdentifier? {
        advertiser.acknowledge(.disable)
        holder = nil
        end = nil
        return lastOnAir
    }
}

/// The times of the turns of several sets on one advertiser: one advertising event a turn.
///
/// The set whose event is due first goes first. Where there is not enough time for all, all intervals are stretched by
/// the same factor, so that each set keeps its share.
struct TurnSchedule: Sendable {
    /// A set and the time of its next event.
    private struct Turn {
        let set: AdvertisingSetIdentifier
        /// The requested interval, as near as the controller permits.
        let interval: AdvertisingInterval
        var due: Duration
    }

    /// The duration of a turn on the air.
    let dwell: Duration
    /// The measured duration of the change from one set to the next.
    private(set) var exchange: Duration = .zero
    private var turns: [Turn] = []
    private var random: UInt64

    init(dwell: Duration, seed: UInt64) {
        self.dwell = dwell
        random = seed
    }

    /// The number of sets that take turns.
    var count: Int { turns.count }

    /// Replaces the sets; new ones are due now.
    mutating func setSets(
        _ sets: [(set: AdvertisingSetIdentifier, interval: AdvertisingInterval)], at now: Duration
    ) {
        let old = turns
        turns = sets.map { new in
            let known = old.first { $0.set == new.set && $0.interval == new.interval }
            return Turn(set: new.set, interval: new.interval, due: known?.due ?? now)
        }
    }

    /// The set whose event is due first, and its time.
    var first: (set: AdvertisingSetIdentifier, due: Duration)? {
        turns.min { $0.due < $1.due }.map { ($0.set, $0.due) }
    }

    /// Schedules the next event of a set whose turn begins.
    mutating func beginTurn(of set: AdvertisingSetIdentifier, at now: Duration) {
        guard let index = turns.firstIndex(where: { $0.set == set }) else { return }
        let interval = stretched(turns[index].interval)
        // After a delay of several intervals, the set gets one turn, not several in a row.
        turns[index].due = max(turns[index].due, now - interval) + interval + advertisingDelay()
    }

    /// Adds a measured duration of an exchange to the average.
    mutating func recordExchange(_ sample: Duration) {
        exchange = exchange == .zero ? sample : exchange * 3 / 4 + sample / 4
    }

    /// The mean time between a set's events, without the random delay.
    func effectiveInterval(of set: AdvertisingSetIdentifier) -> AdvertisingInterval? {
        guard let turn = turns.first(where: { $0.set == set }) else { return nil }
        return AdvertisingInterval(nearest: stretched(turn.interval))
    }

    /// The fraction of the time that a set has.
    func share(of set: AdvertisingSetIdentifier) -> Double {
        guard let interval = effectiveInterval(of: set) else { return 0 }
        return min((dwell + exchange) / interval.duration, 1)
    }

    /// The time that the sets need, relative to the time that there is: 1 if there is enough.
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
