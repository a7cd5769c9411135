// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth

/// Reports once a period which beacons are in range, and how near they are.
///
/// A value without a clock: its inputs have times since an arbitrary start. Reports are due at
/// whole periods after the start. After more than a period without a call, one report covers everything since the
/// last one, rather than many at once, and the next is due at the next whole period.
package struct Ranging: Sendable {
    /// The reports that have a beacon of which no packets were received.
    package enum LossReports: Hashable, Sendable {
        /// All, until it is not tracked any more.
        case all
        /// The first one after a report with packets.
        case one
        case none
    }

    /// The parameters of ranging.
    package struct Settings: Hashable, Sendable {
        /// The time between reports; at least 1 ms.
        package var period: Duration
        /// How long a beacon stays in the reports after it was last seen.
        package var trackingAge: Duration
        /// How distances are estimated.
        package var model: DistanceModel
        /// The limits of the proximities.
        package var thresholds: ProximityThresholds
        /// The number of beacons that are tracked at once; of more, those seen last.
        package var maximumBeacons: Int
        /// The RSSI from which distances are estimated.
        package var filter: RSSIFilter
        /// The reports that have a beacon without packets.
        package var lossReports: LossReports
        /// How beacons are found in packets.
        package var reader = FrameReader.specified

        /// By default one report a second and five seconds of tracking.
        package init(
            period: Duration = .seconds(1), trackingAge: Duration = .seconds(5), model: DistanceModel = .altBeacon,
            thresholds: ProximityThresholds = .standard, maximumBeacons: Int = 1024, filter: RSSIFilter = .mean,
            lossReports: LossReports = .all
        ) {
            self.period = max(period, .milliseconds(1))
            self.trackingAge = trackingAge
            self.model = model
            self.thresholds = thresholds
            self.maximumBeacons = maximumBeacons
            self.filter = filter
            self.lossReports = lossReports
        }
    }

    private struct Track {
        var beacon: ReceivedBeacon
        var lastSeen: Duration
        var packets = 0
        var samples = 0
        var sum = 0
        var history: RSSIHistory
        /// Whether a report without packets was made.
        var isReportedLost = false

        mutating func ranged(_ settings: Settings, at time: Duration) -> RangedBeacon {
            let mean = samples > 0 ? Double(sum) / Double(samples) : nil
            // A beacon that is not received has no distance, whatever was received before.
            let filtered = mean.flatMap { history.value(at: time) ?? $0 }
            let distance = filtered.flatMap { rssi in
                beacon.measuredPower.flatMap { settings.model.distance(rssi: rssi, measuredPower: $0) }
            }
            return RangedBeacon(
                beacon: beacon, meanRSSI: mean, distance: distance,
                proximity: settings.thresholds.proximity(at: distance), packets: packets, lastSeen: lastSeen)
        }
    }

    /// The parameters.
    package let settings: Settings
    /// The beacons that are ranged.
    package private(set) var filter: BeaconFilter
    /// The regions that are ranged; empty if the filter has none.
    package var regions: [BeaconRegion] { if case .regions(let regions) = filter { regions } else { [] } }
    /// When the next report is due.
    package private(set) var nextDeadline: Duration

    private var tracks: RecencyTable<BeaconIdentity, Track>
    private var found: RememberedBeacons

    /// Ranging that begins now; the first report is due a period later.
    package init(_ filter: BeaconFilter, settings: Settings = Settings(), at time: Duration) {
        self.filter = filter
        self.settings = settings
        nextDeadline = time + settings.period
        tracks = RecencyTable(capacity: settings.maximumBeacons)
        found = RememberedBeacons(settings.reader)
    }

    /// Ranging of the beacons of any of these regions, which begins now.
    package init(_ regions: [BeaconRegion], settings: Settings = Settings(), at time: Duration) {
        self.init(.regions(regions), settings: settings, at: time)
    }

    /// Ranges these regions from now on; beacons of none of them are forgotten.
    package mutating func setRegions(_ regions: [BeaconRegion]) {
        filter = .regions(regions)
        tracks.keep { [filter] track in filter.contains(track.beacon.identity) }
    }

    /// Takes an input.
    /// - Returns: the report that became due, if any.
    package mutating func take(_ reception: Reception) -> RangingReport? {
        guard case .received(let sighting, let time) = reception else { return advance(to: reception.time) }
        return receive(found.beacons(in: sighting), rssi: sighting.rssi, at: time)
    }

    /// Takes an input, and notes what is received beside the beacons that are ranged.
    /// - Returns: the report that became due before it, if any.
    package mutating func take(_ reception: Reception, others: inout OtherAdvertisers) -> RangingReport? {
        guard case .received(let sighting, let time) = reception else { return advance(to: reception.time) }
        let beacons = found.beacons(in: sighting)
        others.take(sighting, with: beacons)
        return receive(beacons, rssi: sighting.rssi, at: time)
    }

    /// Takes the beacons of a packet.
    /// - Returns: the report that became due before it, if any.
    mutating func receive(_ beacons: [ReceivedBeacon], rssi: RSSI?, at time: Duration) -> RangingReport? {
        var report = advance(to: time)
        for beacon in beacons { report = receive(beacon, rssi: rssi, at: time) ?? report }
        return report
    }

    /// Takes an advertisement. One without an RSSI counts as a packet, but not in the mean.
    /// - Returns: the report that became due before it, if any.
    package mutating func receive(_ beacon: ReceivedBeacon, rssi: RSSI?, at time: Duration) -> RangingReport? {
        let report = advance(to: time)
        guard filter.contains(beacon.identity) else { return report }
        tracks.use(
            beacon.identity,
            initial: Track(beacon: beacon, lastSeen: time, history: RSSIHistory(settings.filter))
        ) { track in
            track.beacon = beacon
            track.lastSeen = max(track.lastSeen, time)
            track.packets += 1
            if let rssi = rssi.known {
                track.samples += 1
                track.sum += Int(rssi.decibelMilliwatts)
                track.history.add(rssi, at: time)
            }
        }
        return report
    }

    /// Advances the time.
    /// - Returns: the report that became due, if any.
    package mutating func advance(to time: Duration) -> RangingReport? {
        guard time >= nextDeadline else { return nil }
        let missed = (time - nextDeadline).count(of: settings.period)
        let end = nextDeadline + settings.period * missed
        nextDeadline = end + settings.period
        return report(at: end, missed: missed)
    }

    /// Ends ranging.
    /// - Returns: the report of the part of a period since the last report; `nil` if no time has passed since then.
    package mutating func finish(at time: Duration) -> RangingReport? {
        guard time > nextDeadline - settings.period else { return nil }
        nextDeadline = time + settings.period
        return report(at: time, missed: 0)
    }

    private mutating func report(at time: Duration, missed: Int) -> RangingReport {
        let settings = settings
        var beacons: [RangedBeacon] = []
        tracks.keep { track in
            guard time - track.lastSeen < settings.trackingAge else { return false }
            let isLost = track.packets == 0
            defer { track.isReportedLost = isLost }
            switch settings.lossReports {
            case .one where isLost && track.isReportedLost, .none where isLost: return true
            case .all, .one, .none: break
            }
            beacons.append(track.ranged(settings, at: time))
            track.packets = 0
            track.samples = 0
            track.sum = 0
            return true
        }
        return RangingReport(time: time, missed: missed, beacons: beacons.sorted(by: RangedBeacon.precedes))
    }
}
