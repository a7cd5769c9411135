// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore

/// A beacon as ranging sees it at a report.
public struct RangedBeacon: Hashable, Sendable {
    /// Its numbers and its measured power, as last heard.
    public let beacon: IBeacon
    /// The mean strength since the report before, in dBm, not rounded; `nil` when none was heard.
    public let meanRSSI: Double?
    /// The estimated distance in metres; `nil` when it cannot be told.
    public let distance: Double?
    /// How near it is.
    public let proximity: Proximity
    /// How many of its advertisements were heard since the report before.
    public let packets: Int
    /// When it was heard last.
    public let lastHeard: Duration

    /// A beacon with these values.
    public init(
        beacon: IBeacon, meanRSSI: Double?, distance: Double?, proximity: Proximity, packets: Int, lastHeard: Duration
    ) {
        self.beacon = beacon
        self.meanRSSI = meanRSSI
        self.distance = distance
        self.proximity = proximity
        self.packets = packets
        self.lastHeard = lastHeard
    }

    /// Its numbers.
    public var identity: BeaconIdentity { BeaconIdentity(beacon) }
    /// The mean strength rounded to whole dBm, and 0 when none was heard, as Core Location has it.
    public var rssi: RSSI { RSSI(meanRSSI.flatMap { Int8(exactly: $0.rounded()) } ?? 0) }
    /// The estimated distance in metres, and -1 when it cannot be told.
    public var accuracy: Double { distance ?? -1 }

    /// Nearest first; then those that cannot be told, the strongest first, and last those that were not heard.
    static func precedes(_ left: RangedBeacon, _ right: RangedBeacon) -> Bool {
        let distances = (left.distance ?? .infinity, right.distance ?? .infinity)
        guard distances.0 == distances.1 else { return distances.0 < distances.1 }
        let strengths = (left.meanRSSI ?? -.infinity, right.meanRSSI ?? -.infinity)
        guard strengths.0 == strengths.1 else { return strengths.0 > strengths.1 }
        return left.identity < right.identity
    }
}

/// What ranging tells once a period.
public struct RangingReport: Hashable, Sendable {
    /// The end of the period.
    public let time: Duration
    /// How many periods before it have no report of their own, since nobody asked in time; it covers them too.
    public let missed: Int
    /// Every tracked beacon once, the nearest first, unknown distances last; empty when none is in range.
    public let beacons: [RangedBeacon]

    /// A report of these values.
    public init(time: Duration, missed: Int = 0, beacons: [RangedBeacon]) {
        self.time = time
        self.missed = missed
        self.beacons = beacons
    }

    /// The beacons of a region, in the same order; empty when none is in range.
    public func beacons(in region: BeaconRegion) -> [RangedBeacon] {
        beacons.filter { region.contains($0.identity) }
    }
}
