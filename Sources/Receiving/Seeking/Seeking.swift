// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
internal import Glibc

/// What seeking reports once a period.
package struct SeekingReport: Hashable, Sendable {
    /// Whether the seeker comes nearer.
    package enum Trend: String, Hashable, Sendable, CaseIterable {
        /// The beacon is nearer than when the trend changed last.
        case warmer
        /// It is further away.
        case colder
        /// The distance is about the same or unknown, or the beacon has just been found.
        case steady
    }

    /// What to show when no beacon is in range.
    package static let noneFound = "No Beacons Found"

    /// The end of the period.
    package let time: Duration
    /// The nearest beacon; `nil` when none is in range.
    package let nearest: RangedBeacon?
    /// 0 for cold, 1 for hot; the last value while the distance is unknown.
    package let warmth: Double
    /// Whether the seeker comes nearer.
    package let trend: Trend

    package init(time: Duration, nearest: RangedBeacon?, warmth: Double, trend: Trend) {
        self.time = time
        self.nearest = nearest
        self.warmth = warmth
        self.trend = trend
    }

    /// The text to show: the accuracy in metres with two decimals, -1.00 if unknown, or "No Beacons Found".
    package var text: String { nearest.map { $0.accuracy.twoDecimals + " m" } ?? Self.noneFound }
}

/// The game of hot and cold: reports once a period how near the nearest beacon is, and whether the seeker
/// comes nearer.
///
/// A value without a clock; its reports are due at the same times as the reports of `Ranging`, which it uses.
package struct Seeking: Sendable {
    /// The greatest distance that is hot, in metres.
    package static let hot = 0.25
    /// The least distance that is cold, in metres.
    package static let cold = 32.0
    /// The factor by which a distance must change to be warmer or colder: the RSSI varies without movement.
    package static let noticeableFactor = 1.25

    private struct Quarry {
        let beacon: BeaconIdentity
        /// The distance when the trend changed last.
        var distance: Double
        var warmth: Double
    }

    private var ranging: Ranging
    private var quarry: Quarry?
    private var found: RememberedBeacons

    /// Seeking that begins now.
    package init(_ filter: BeaconFilter, settings: Ranging.Settings = Ranging.Settings(), at time: Duration) {
        ranging = Ranging(filter, settings: settings, at: time)
        found = RememberedBeacons(settings.reader)
    }

    /// Seeking of the beacons of any of these regions, which begins now.
    package init(_ regions: [BeaconRegion], settings: Ranging.Settings = Ranging.Settings(), at time: Duration) {
        self.init(.regions(regions), settings: settings, at: time)
    }

    /// The time between reports.
    package var period: Duration { ranging.settings.period }
    /// When the next report is due.
    package var nextDeadline: Duration { ranging.nextDeadline }

    /// Takes an input.
    /// - Returns: the report that became due, if any.
    package mutating func take(_ reception: Reception) -> SeekingReport? {
        var report = advance(to: reception.time)
        guard case .received(let sighting, let time) = reception else { return report }
        for beacon in found.beacons(in: sighting) {
            report = receive(beacon, rssi: sighting.rssi, at: time) ?? report
        }
        return report
    }

    /// Takes an advertisement.
    /// - Returns: the report that became due before it, if any.
    package mutating func receive(_ beacon: ReceivedBeacon, rssi: RSSI?, at time: Duration) -> SeekingReport? {
        let report = ranging.receive(beacon, rssi: rssi, at: time)
        return report.map { judge($0) }
    }

    /// Advances the time.
    /// - Returns: the report that became due, if any.
    package mutating func advance(to time: Duration) -> SeekingReport? {
        let report = ranging.advance(to: time)
        return report.map { judge($0) }
    }

    /// Ends seeking.
    /// - Returns: the report of the part of a period since the last report; `nil` if no time has passed since then.
    package mutating func finish(at time: Duration) -> SeekingReport? {
        let report = ranging.finish(at: time)
        return report.map { judge($0) }
    }

    /// How warm a distance in metres is: 1 at 0.25 m and nearer, 0 at 32 m and further; each halving of the distance
    /// adds the same.
    package static func warmth(at distance: Double) -> Double {
        guard distance > hot else { return 1 }
        return max(log(cold / distance) / log(cold / hot), 0)
    }

    private mutating func judge(_ report: RangingReport) -> SeekingReport {
        guard let nearest = report.beacons.first else {
            quarry = nil
            return SeekingReport(time: report.time, nearest: nil, warmth: 0, trend: .steady)
        }
        if quarry?.beacon != nearest.identity { quarry = nil }
        var trend = SeekingReport.Trend.steady
        if let distance = nearest.distance {
            let before = quarry?.distance ?? distance
            if distance * Self.noticeableFactor < before { trend = .warmer }
            if distance > before * Self.noticeableFactor { trend = .colder }
            quarry = Quarry(
                beacon: nearest.identity, distance: trend == .steady ? before : distance,
                warmth: Self.warmth(at: distance))
        }
        return SeekingReport(time: report.time, nearest: nearest, warmth: quarry?.warmth ?? 0, trend: trend)
    }
}
