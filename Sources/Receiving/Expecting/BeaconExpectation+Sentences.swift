// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore

// What an expectation says at its end.

extension BeaconExpectation {
    /// What was heard, and was expected.
    func fulfilledSentence(at time: Duration) -> String {
        switch condition.presence {
        case .present: "heard \(countedText) within \((time - start).secondsText)\(strengthText)"
        case .absent where reached == 0: "heard no \(wanted) for \(condition.within.secondsText); \(everythingText)"
        case .absent: "heard only \(countedText) for \(condition.within.secondsText); expected fewer than \(goalText)"
        }
    }

    /// What was expected, and what was heard.
    func failedSentence(at time: Duration) -> String {
        switch condition.presence {
        case .present: "expected \(goalText) within \(condition.within.secondsText), but \(missText)"
        case .absent where condition.count == 1:
            "expected no \(wanted) for \(condition.within.secondsText), but heard \(countedText) after "
                + "\((time - start).secondsText)\(strengthText)"
        case .absent:
            "expected fewer than \(goalText) for \(condition.within.secondsText), but heard \(countedText) after "
                + (time - start).secondsText + strengthText
        }
    }

    /// `advertisement of E2C5… major 1 in near proximity`
    private var wanted: String { "advertisement of \(regionText)" }

    private var regionText: String {
        let uuids = condition.uuids.map(\.description).joined(separator: " or ")
        let numbers = [condition.major.map { " major \($0)" }, condition.minor.map { " minor \($0)" }]
        let proximity = condition.proximity.map { " in \($0.rawValue) proximity" }
        return (uuids.isEmpty ? "any iBeacon" : uuids) + (numbers + [proximity]).compactMap(\.self).joined()
    }

    /// What must be heard.
    private var goalText: String {
        switch condition.unit {
        case .advertisements: "\(Self.count(condition.count, "advertisement")) of \(regionText)"
        case .beacons: "\(Self.count(condition.count, "beacon")) of \(regionText)"
        }
    }

    /// What was heard of it.
    private var countedText: String {
        let heard = beacons.values.filter { $0.counted > 0 }
        let advertisements = Self.count(counted, "advertisement")
        guard heard.count == 1, let only = heard.first else {
            return "\(advertisements) of \(Self.count(heard.count, "beacon")) of \(regionText)"
        }
        return "\(advertisements) of \(BeaconIdentity(only.beacon))"
    }

    /// How strong that was, of one beacon: `, mean -59 dBm, 1.01 m, near`; empty where that cannot be said.
    private var strengthText: String {
        let heard = beacons.values.filter { $0.counted > 0 }
        guard heard.count == 1, let only = heard.first, let strength = estimateText(only) else { return "" }
        return ", \(strength)"
    }

    /// `mean -59 dBm, 1.01 m, near`; `nil` when no strength is known.
    private func estimateText(_ heard: Heard) -> String? {
        guard let mean = heard.meanRSSI else { return nil }
        let distance = condition.model.distance(rssi: mean, measuredPower: heard.beacon.measuredPower)
        let proximity = condition.thresholds.proximity(at: distance).rawValue
        let place = distance.map { "\($0.twoDecimals) m, \(proximity)" } ?? "distance unknown"
        return "mean \(Int(mean.rounded())) dBm, \(place)"
    }

    /// All that was heard.
    private var everythingText: String {
        let known =
            beacons.hasForgotten ? "more than \(Self.maximumBeacons) beacons" : Self.count(beacons.count, "beacon")
        switch (advertisements, others) {
        case (0, 0): return "heard nothing at all"
        case (0, _): return "heard \(Self.count(others, "advertisement")), none of an iBeacon"
        default: return "heard \(Self.count(advertisements, "advertisement")) of \(known)"
        }
    }

    /// Why what was heard is not what was expected.
    private var missText: String {
        guard advertisements > 0 else { return everythingText }
        guard counted == 0 else { return "heard only \(countedText)" }
        guard let miss = nearestMiss else { return everythingText }
        let strength = estimateText(miss).map { " (\($0))" } ?? ""
        return "\(everythingText), none \(reason(miss)); nearest miss: \(BeaconIdentity(miss.beacon))\(strength)"
    }

    /// The beacon that has most of what is expected.
    var nearestMiss: Heard? { beacons.values.max { rank($0) < rank($1) } }

    /// The first thing that no beacon has, if even the nearest miss does not.
    private func reason(_ miss: Heard) -> String {
        if !condition.hasUUID(miss.beacon) { return condition.uuids.count == 1 ? "of this UUID" : "of these UUIDs" }
        if let major = condition.major, miss.beacon.major != major { return "with major \(major)" }
        if let minor = condition.minor, miss.beacon.minor != minor { return "with minor \(minor)" }
        return "in \((condition.proximity ?? .unknown).rawValue) proximity"
    }

    /// How much of what is expected a beacon has: the greater, the nearer a miss. Of equal ones that with more
    /// advertisements is nearer, and of these that of lower numbers.
    private func rank(_ heard: Heard) -> Rank {
        var matches = 0
        if condition.hasUUID(heard.beacon) {
            matches = 1
            if condition.major ?? heard.beacon.major == heard.beacon.major {
                matches = condition.minor ?? heard.beacon.minor == heard.beacon.minor ? 3 : 2
            }
        }
        return Rank(matches: matches, advertisements: heard.advertisements, beacon: BeaconIdentity(heard.beacon))
    }

    private struct Rank: Comparable {
        let matches: Int
        let advertisements: Int
        let beacon: BeaconIdentity

        static func < (left: Rank, right: Rank) -> Bool {
            (left.matches, left.advertisements, right.beacon) < (right.matches, right.advertisements, left.beacon)
        }
    }

    private static func count(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}
