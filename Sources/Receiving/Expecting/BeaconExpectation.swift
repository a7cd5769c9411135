// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import BluetoothCore

/// Waits for a beacon to be present or absent, and states the result in one sentence.
///
/// A value without a clock: its inputs have times since an arbitrary start.
package struct BeaconExpectation: Sendable {
    /// What is expected.
    package struct Condition: Hashable, Sendable {
        /// Whether the beacon must be present or absent.
        package enum Presence: String, Hashable, Sendable, CaseIterable {
            /// It must be received in time; that ends the wait with success.
            case present
            /// It must not be received in this time; if it is, that ends the wait with failure.
            case absent
        }

        /// The units of a count.
        package enum Unit: String, Hashable, Sendable, CaseIterable {
            /// Advertisements, of one beacon or of several.
            case advertisements
            /// Beacons of different numbers.
            case beacons
        }

        /// The proximity UUIDs of which a beacon has one; empty for any iBeacon.
        package var uuids: [UUID128]
        /// The major number; `nil` for any.
        package var major: UInt16?
        /// The minor number; `nil` for any.
        package var minor: UInt16?
        /// Whether they must be present or absent.
        package var presence: Presence
        /// The proximity, by its own RSSI, of advertisements that count; `nil` for any.
        package var proximity: Proximity?
        /// The number that must be received; fewer than that is absent. At least 1.
        package var count: Int
        /// The unit of the count.
        package var unit: Unit
        /// The time limit.
        package var within: Duration
        /// How distances are estimated.
        package var model: DistanceModel
        /// The limits of the proximities.
        package var thresholds: ProximityThresholds

        /// By default, one advertisement of any of these beacons is expected.
        package init(
            uuids: [UUID128] = [], major: UInt16? = nil, minor: UInt16? = nil, presence: Presence = .present,
            proximity: Proximity? = nil, count: Int = 1, unit: Unit = .advertisements, within: Duration,
            model: DistanceModel = .android, thresholds: ProximityThresholds = .standard
        ) {
            self.uuids = uuids
            self.major = major
            self.minor = minor
            self.presence = presence
            self.proximity = proximity
            self.count = max(count, 1)
            self.unit = unit
            self.within = within
            self.model = model
            self.thresholds = thresholds
        }

        /// A condition on the beacons of a region; the region's identifier is not used.
        package init(
            region: BeaconRegion, presence: Presence = .present, proximity: Proximity? = nil, count: Int = 1,
            unit: Unit = .advertisements, within: Duration, model: DistanceModel = .android,
            thresholds: ProximityThresholds = .standard
        ) {
            self.init(
                uuids: [region.uuid], major: region.major, minor: region.minor, presence: presence,
                proximity: proximity, count: count, unit: unit, within: within, model: model, thresholds: thresholds)
        }

        /// Whether a beacon has one of the UUIDs.
        func hasUUID(_ beacon: IBeacon) -> Bool { uuids.isEmpty || uuids.contains(beacon.uuid) }

        /// Whether a beacon has the numbers.
        func contains(_ beacon: IBeacon) -> Bool {
            hasUUID(beacon) && major ?? beacon.major == beacon.major && minor ?? beacon.minor == beacon.minor
        }
    }

    /// The result of an expectation.
    package struct Verdict: Hashable, Sendable {
        /// Whether the expectation was met.
        package let isFulfilled: Bool
        /// What was received, in one sentence without its full stop.
        package let sentence: String
        /// The number of advertisements or beacons that counted, in the condition's unit.
        package let count: Int
        /// The time from the start to the verdict.
        package let elapsed: Duration
        /// The nearest of the beacons that counted. If none counted although some should have, the nearest miss. `nil`
        /// without either.
        package let nearest: Estimate?
    }

    /// A beacon, and how near it was.
    package struct Estimate: Hashable, Sendable {
        /// Its numbers.
        package let beacon: BeaconIdentity
        /// The mean of its known RSSI values, in dBm; `nil` without one.
        package let meanRSSI: Double?
        /// The estimated distance in metres; `nil` when it cannot be estimated.
        package let distance: Double?
    }

    /// A beacon that was received.
    private struct Seen {
        var beacon: IBeacon
        var advertisements = 0
        /// Of the advertisements, those that count.
        var counted = 0
        var samples = 0
        var sum = 0

        var meanRSSI: Double? { samples > 0 ? Double(sum) / Double(samples) : nil }
    }

    /// The number of beacons that are remembered: of more, those seen last.
    private static let maximumBeacons = 1024

    /// What is expected.
    package let condition: Condition
    /// The verdict; `nil` before it is decided.
    package private(set) var verdict: Verdict?

    private let start: Duration
    /// Advertisements without an iBeacon frame.
    private var others = 0
    /// Advertisements with one.
    private var advertisements = 0
    /// Of these, the ones that count.
    private var counted = 0
    private var beacons = RecencyTable<BeaconIdentity, Seen>(capacity: maximumBeacons)
    private var countedBeacons: Set<BeaconIdentity> = []

    /// An expectation whose time begins now.
    package init(_ condition: Condition, at time: Duration) {
        self.condition = condition
        start = time
    }

    /// When the time limit is reached; `nil` after the verdict.
    package var nextDeadline: Duration? { verdict == nil ? start + condition.within : nil }

    /// Takes an input. A scan response without a beacon is not an advertisement.
    /// - Returns: the verdict, if this input decided it.
    package mutating func take(_ reception: Reception) -> Verdict? {
        guard case .received(let sighting, let time) = reception else { return advance(to: reception.time) }
        let beacons = sighting.beacons
        if beacons.isEmpty {
            let isAdvertisement = sighting.pdu?.isScanResponse != true
            return isAdvertisement ? receive(nil, rssi: sighting.rssi, at: time) : advance(to: time)
        }
        for beacon in beacons {
            if let verdict = receive(beacon, rssi: sighting.rssi, at: time) { return verdict }
        }
        return nil
    }

    /// Takes an advertisement.
    /// - Parameter beacon: the iBeacon frame in it; `nil` if it has none, which the verdict may mention.
    /// - Returns: the verdict, if this advertisement decided it.
    package mutating func receive(_ beacon: IBeacon?, rssi: RSSI?, at time: Duration) -> Verdict? {
        if let verdict = advance(to: time) { return verdict }
        guard verdict == nil else { return nil }
        guard let beacon else {
            others += 1
            return nil
        }
        advertisements += 1
        let counts = self.counts(beacon, rssi)
        beacons.use(BeaconIdentity(beacon), initial: Seen(beacon: beacon)) { seen in
            seen.beacon = beacon
            seen.advertisements += 1
            seen.counted += counts ? 1 : 0
            if let rssi = rssi.known {
                seen.samples += 1
                seen.sum += Int(rssi.decibelMilliwatts)
            }
        }
        guard counts else { return nil }
        counted += 1
        if condition.unit == .beacons { countedBeacons.insert(BeaconIdentity(beacon)) }
        guard reached >= condition.count else { return nil }
        return end(condition.presence == .present, at: time)
    }

    /// Advances the time.
    /// - Returns: the verdict, if the time decided it.
    package mutating func advance(to time: Duration) -> Verdict? {
        guard let deadline = nextDeadline, time >= deadline else { return nil }
        return end(condition.presence == .absent, at: deadline)
    }

    /// The count reached so far.
    private var reached: Int { condition.unit == .beacons ? countedBeacons.count : counted }

    private func counts(_ beacon: IBeacon, _ rssi: RSSI?) -> Bool {
        guard condition.contains(beacon) else { return false }
        guard let proximity = condition.proximity else { return true }
        let distance = condition.model.distance(rssi: rssi.known, measuredPower: beacon.measuredPower)
        return condition.thresholds.proximity(at: distance) == proximity
    }

    private mutating func end(_ isFulfilled: Bool, at time: Duration) -> Verdict {
        let sentence = isFulfilled ? fulfilledSentence(at: time) : failedSentence(at: time)
        let verdict = Verdict(
            isFulfilled: isFulfilled, sentence: sentence, count: reached, elapsed: time - start, nearest: nearest)
        self.verdict = verdict
        return verdict
    }
    private var nearest: Estimate? {
        let counted = beacons.values.filter { $0.counted > 0 }.map(estimate)
        if let nearest = counted.min(by: Self.precedes) { return nearest }
        return condition.presence == .present ? nearestMiss.map(estimate) : nil
    }

    private func estimate(_ seen: Seen) -> Estimate {
        let mean = seen.meanRSSI
        let distance = mean.flatMap { condition.model.distance(rssi: $0, measuredPower: seen.beacon.measuredPower) }
        return Estimate(beacon: BeaconIdentity(seen.beacon), meanRSSI: mean, distance: distance)
    }

    /// By distance; those of unknown distance last, the strongest first.
    private static func precedes(_ left: Estimate, _ right: Estimate) -> Bool {
        let distances = (left.distance ?? .infinity, right.distance ?? .infinity)
        guard distances.0 == distances.1 else { return distances.0 < distances.1 }
        let means = (left.meanRSSI ?? -.infinity, right.meanRSSI ?? -.infinity)
        guard means.0 == means.1 else { return means.0 > means.1 }
        return left.beacon < right.beacon
    }
}

// MARK: - Sentences

extension BeaconExpectation {
    /// The sentence of an expectation that was met.
    private func fulfilledSentence(at time: Duration) -> String {
        switch condition.presence {
        case .present: "received \(countedText) within \((time - start).secondsText)\(rssiText)"
        case .absent where reached == 0: "received no \(wanted) for \(condition.within.secondsText); \(everythingText)"
        case .absent:
            "received only \(countedText) for \(condition.within.secondsText); expected fewer than \(goalText)"
        }
    }

    /// The sentence of an expectation that was not met.
    private func failedSentence(at time: Duration) -> String {
        switch condition.presence {
        case .present: "expected \(goalText) within \(condition.within.secondsText), but \(missText)"
        case .absent where condition.count == 1:
            "expected no \(wanted) for \(condition.within.secondsText), but received \(countedText) after "
                + "\((time - start).secondsText)\(rssiText)"
        case .absent:
            "expected fewer than \(goalText) for \(condition.within.secondsText), but received \(countedText) after "
                + (time - start).secondsText + rssiText
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

    /// What must be received.
    private var goalText: String {
        switch condition.unit {
        case .advertisements: "\(Self.count(condition.count, "advertisement")) of \(regionText)"
        case .beacons: "\(Self.count(condition.count, "beacon")) of \(regionText)"
        }
    }

    /// What counted.
    private var countedText: String {
        let seen = beacons.values.filter { $0.counted > 0 }
        let advertisements = Self.count(counted, "advertisement")
        guard seen.count == 1, let only = seen.first else {
            return "\(advertisements) of \(Self.count(seen.count, "beacon")) of \(regionText)"
        }
        return "\(advertisements) of \(BeaconIdentity(only.beacon))"
    }

    /// The RSSI of what counted, if it is one beacon: `, mean -59 dBm, 1.01 m, near`; else empty.
    private var rssiText: String {
        let seen = beacons.values.filter { $0.counted > 0 }
        guard seen.count == 1, let only = seen.first, let text = estimateText(only) else { return "" }
        return ", \(text)"
    }

    /// `mean -59 dBm, 1.01 m, near`; `nil` without a known RSSI.
    private func estimateText(_ seen: Seen) -> String? {
        guard let mean = seen.meanRSSI else { return nil }
        let distance = condition.model.distance(rssi: mean, measuredPower: seen.beacon.measuredPower)
        let proximity = condition.thresholds.proximity(at: distance).rawValue
        let place = distance.map { "\($0.twoDecimals) m, \(proximity)" } ?? "distance unknown"
        return "mean \(Int(mean.rounded())) dBm, \(place)"
    }

    /// Everything that was received.
    private var everythingText: String {
        let known =
            beacons.hasForgotten ? "more than \(Self.maximumBeacons) beacons" : Self.count(beacons.count, "beacon")
        switch (advertisements, others) {
        case (0, 0): return "received nothing at all"
        case (0, _): return "received \(Self.count(others, "advertisement")), none of an iBeacon"
        default: return "received \(Self.count(advertisements, "advertisement")) of \(known)"
        }
    }

    /// Why the expectation was not met.
    private var missText: String {
        guard advertisements > 0 else { return everythingText }
        guard counted == 0 else { return "received only \(countedText)" }
        guard let miss = nearestMiss else { return everythingText }
        let text = estimateText(miss).map { " (\($0))" } ?? ""
        return "\(everythingText), none \(reason(miss)); nearest miss: \(BeaconIdentity(miss.beacon))\(text)"
    }

    /// The beacon that has most of what is expected.
    private var nearestMiss: Seen? { beacons.values.max { rank($0) < rank($1) } }

    /// The first thing that no beacon has, if even the nearest miss does not.
    private func reason(_ miss: Seen) -> String {
        if !condition.hasUUID(miss.beacon) { return condition.uuids.count == 1 ? "of this UUID" : "of these UUIDs" }
        if let major = condition.major, miss.beacon.major != major { return "with major \(major)" }
        if let minor = condition.minor, miss.beacon.minor != minor { return "with minor \(minor)" }
        return "in \((condition.proximity ?? .unknown).rawValue) proximity"
    }

    /// How much of what is expected a beacon has: the greater, the nearer a miss. Of equal ones that with more
    /// advertisements is nearer, and of these that of lower numbers.
    private func rank(_ seen: Seen) -> Rank {
        var matches = 0
        if condition.hasUUID(seen.beacon) {
            matches = 1
            if condition.major ?? seen.beacon.major == seen.beacon.major {
                matches = condition.minor ?? seen.beacon.minor == seen.beacon.minor ? 3 : 2
            }
        }
        return Rank(matches: matches, advertisements: seen.advertisements, beacon: BeaconIdentity(seen.beacon))
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
