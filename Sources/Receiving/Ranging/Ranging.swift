// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore

/// Tells once a period which beacons of some regions are in range, and how near they are.
///
/// A value without a clock: it is told what was heard and when, as a time since an arbitrary start. Reports fall due at
/// whole periods after the start. When nobody calls for longer than a period, one report covers everything since the
/// last one, rather than many at once, and the next falls due at the next whole period.
public struct Ranging: Sendable {
    /// How to range.
    public struct Settings: Hashable, Sendable {
        /// The time between reports; at least 1 ms.
        public var period: Duration
        /// A beacon that was last heard so long ago, or longer, is not in the report any more.
        public var trackingAge: Duration
        /// How distances are estimated.
        public var model: DistanceModel
        /// Which distance is how near.
        public var thresholds: ProximityThresholds
        /// How many beacons are tracked at once; of more, those heard last.
        public var maximumBeacons: Int

        /// One report a second and five seconds of tracking, unless said otherwise.
        public init(
            period: Duration = .seconds(1), trackingAge: Duration = .seconds(5), model: DistanceModel = .android,
            thresholds: ProximityThresholds = .standard, maximumBeacons: Int = 1024
        ) {
            self.period = max(period, .milliseconds(1))
            self.trackingAge = trackingAge
            self.model = model
            self.thresholds = thresholds
            self.maximumBeacons = maximumBeacons
        }
    }

    private struct Track {
        var beacon: IBeacon
        var lastHeard: Duration
        var packets = 0
        var strengths = 0
        var strengthSum = 0

        func ranged(_ settings: Settings) -> RangedBeacon {
            let mean = strengths > 0 ? Double(strengthSum) / Double(strengths) : nil
            let distance = mean.flatMap { settings.model.distance(rssi: $0, measuredPower: beacon.measuredPower) }
            return RangedBeacon(
                beacon: beacon, meanRSSI: mean, distance: distance,
                proximity: settings.thresholds.proximity(at: distance), packets: packets, lastHeard: lastHeard)
        }
    }

    /// How it ranges.
    public let settings: Settings
    /// The beacons that are ranged: those of any of these regions.
    public private(set) var regions: [BeaconRegion]
    /// When the next report falls due.
    public private(set) var nextDeadline: Duration

    private var tracks: RecencyTable<BeaconIdentity, Track>

    /// Ranging that begins now; the first report falls due a period later.
    public init(_ regions: [BeaconRegion], settings: Settings = Settings(), at time: Duration) {
        self.regions = regions
        self.settings = settings
        nextDeadline = time + settings.period
        tracks = RecencyTable(capacity: settings.maximumBeacons)
    }

    /// Ranges these regions from now on; beacons of none of them are forgotten.
    public mutating func setRegions(_ regions: [BeaconRegion]) {
        self.regions = regions
        tracks.keep { track in regions.contains { $0.contains(track.beacon) } }
    }

    /// An advertisement was heard. Strengths that are not known count as heard, but not in the mean.
    /// - Returns: the report that fell due before it, if one did.
    public mutating func hear(_ beacon: IBeacon, rssi: RSSI?, at time: Duration) -> RangingReport? {
        let report = advance(to: time)
        guard regions.contains(where: { $0.contains(beacon) }) else { return report }
        tracks.use(BeaconIdentity(beacon), initial: Track(beacon: beacon, lastHeard: time)) { track in
            track.beacon = beacon
            track.lastHeard = max(track.lastHeard, time)
            track.packets += 1
            if let rssi = rssi.known {
                track.strengths += 1
                track.strengthSum += Int(rssi.decibelMilliwatts)
            }
        }
        return report
    }

    /// Time has passed.
    /// - Returns: the report that fell due, if one did.
    public mutating func advance(to time: Duration) -> RangingReport? {
        guard time >= nextDeadline else { return nil }
        let missed = Int(clamping: (time - nextDeadline).attoseconds / settings.period.attoseconds)
        let end = nextDeadline + settings.period * missed
        nextDeadline = end + settings.period
        return report(at: end, missed: missed)
    }

    /// Ranging ends.
    /// - Returns: the report of the part of a period since the last report; `nil` where there is no such part.
    public mutating func finish(at time: Duration) -> RangingReport? {
        guard time > nextDeadline - settings.period else { return nil }
        nextDeadline = time + settings.period
        return report(at: time, missed: 0)
    }

    private mutating func report(at time: Duration, missed: Int) -> RangingReport {
        let settings = settings
        var beacons: [RangedBeacon] = []
        tracks.keep { track in
            guard time - track.lastHeard < settings.trackingAge else { return false }
            beacons.append(track.ranged(settings))
            track.packets = 0
            track.strengths = 0
            track.strengthSum = 0
            return true
        }
        return RangingReport(time: time, missed: missed, beacons: beacons.sorted(by: RangedBeacon.precedes))
    }
}
