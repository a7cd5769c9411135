// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// A beacon in a ranging report.
package struct RangedBeacon: Hashable, Sendable {
    /// Its identity and its measured power, as last received.
    package let beacon: ReceivedBeacon
    /// The mean RSSI since the last report, in dBm, not rounded; `nil` without a sample.
    package let meanRSSI: Double?
    /// The estimated distance in metres; `nil` if unknown.
    package let distance: Double?
    /// How near it is.
    package let proximity: Proximity
    /// The number of its advertisements received since the last report.
    package let packets: Int
    /// When it was last seen.
    package let lastSeen: Duration

    package init(
        beacon: ReceivedBeacon, meanRSSI: Double?, distance: Double?, proximity: Proximity, packets: Int,
        lastSeen: Duration
    ) {
        self.beacon = beacon
        self.meanRSSI = meanRSSI
        self.distance = distance
        self.proximity = proximity
        self.packets = packets
        self.lastSeen = lastSeen
    }

    /// Its identity.
    package var identity: BeaconIdentity { beacon.identity }
    /// The mean RSSI rounded to whole dBm, and 0 without a sample, as in Core Location.
    package var rssi: RSSI { RSSI(meanRSSI.flatMap { Int8(exactly: $0.rounded()) } ?? 0) }
    /// The estimated distance in metres, and -1 if unknown.
    package var accuracy: Double { distance ?? -1 }

    /// Nearest first; then beacons of unknown distance, by falling RSSI, and last beacons without a sample.
    static func precedes(_ left: RangedBeacon, _ right: RangedBeacon) -> Bool {
        let distances = (left.distance ?? .infinity, right.distance ?? .infinity)
        guard distances.0 == distances.1 else { return distances.0 < distances.1 }
        let means = (left.meanRSSI ?? -.infinity, right.meanRSSI ?? -.infinity)
        guard means.0 == means.1 else { return means.0 > means.1 }
        return left.identity < right.identity
    }
}

/// What ranging reports once a period.
package struct RangingReport: Hashable, Sendable {
    /// The end of the period.
    package let time: Duration
    /// The number of earlier periods without a report of their own, which this one covers, too.
    package let missed: Int
    /// Every tracked beacon once, the nearest first, unknown distances last; empty when none is in range.
    package let beacons: [RangedBeacon]

    package init(time: Duration, missed: Int = 0, beacons: [RangedBeacon]) {
        self.time = time
        self.missed = missed
        self.beacons = beacons
    }

    /// The beacons of a region, in the same order; empty when none is in range.
    package func beacons(in region: BeaconRegion) -> [RangedBeacon] {
        beacons.filter { region.contains($0.identity) }
    }
}
