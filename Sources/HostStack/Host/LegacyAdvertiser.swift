// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The one advertiser of a controller without advertising sets, and whose turn it is.
struct LegacyAdvertiser: Sendable {
    /// What the controller acknowledged.
    var advertiser = Advertiser(isSet: false)
    /// Whose turn it is, or is about to be.
    var holder: AdvertisingSetIdentifier?
    /// Who was on the air last.
    var lastOnAir: AdvertisingSetIdentifier?
    /// A command is on its way.
    var isWaiting = false
    /// How long the commands between two turns have taken.
    var exchange = ExchangeClock()
    /// When the turn on the air ends; `nil` when nobody else wants one.
    var end: Duration?
    /// Who is next.
    var schedule: TurnSchedule

    init(dwell: Duration, seed: UInt64) { schedule = TurnSchedule(dwell: dwell, seed: seed) }

    /// Counts the time of commands, and not that between them.
    struct ExchangeClock: Sendable {
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

    /// When a turn ends or begins.
    func deadline(isReady: Bool) -> Duration? {
        guard isReady, !isWaiting else { return nil }
        if holder != nil { return advertiser.isEnabled ? end : nil }
        return schedule.first?.due
    }
}
