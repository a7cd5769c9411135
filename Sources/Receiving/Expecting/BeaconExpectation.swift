// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore

/// Waits for a beacon to be heard, or not to be, and says in one sentence what came of it.
///
/// A value without a clock: it is told what was heard and when, as a time since an arbitrary start.
public struct BeaconExpectation: Sendable {
    /// What is expected.
    public struct Condition: Hashable, Sendable {
        /// Whether the beacon is to be there.
        public enum Presence: String, Hashable, Sendable, CaseIterable {
            /// It is to be heard before the time is over; that it was ends the waiting.
            case present
            /// It is not to be heard until the time is over; that it was ends the waiting.
            case absent
        }

        /// What a count is of.
        public enum Unit: String, Hashable, Sendable, CaseIterable {
            /// Advertisements, of one beacon or of several.
            case advertisements
            /// Beacons of different numbers.
            case beacons
        }

        /// The proximity UUIDs of which a beacon has one; empty for any iBeacon.
        public var uuids: [UUID128]
        /// The major number; `nil` for any.
        public var major: UInt16?
        /// The minor number; `nil` for any.
        public var minor: UInt16?
        /// Whether they are to be there.
        public var presence: Presence
        /// How near an advertisement must be, by its own strength, to count; `nil` for any.
        public var proximity: Proximity?
        /// How many must be heard; absent is what is heard less often. At least 1.
        public var count: Int
        /// What the count is of.
        public var unit: Unit
        /// How much time there is.
        public var within: Duration
        /// How distances are estimated.
        public var model: DistanceModel
        /// Which distance is how near.
        public var thresholds: ProximityThresholds

        /// By default, one advertisement of any of these beacons is expected.
        public init(
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

        /// The same of the beacons of a region, whose identifier does not matter.
        public init(
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

    /// How it ended.
    public struct Verdict: Hashable, Sendable {
        /// Whether it was as expected.
        public let isFulfilled: Bool
        /// What was heard, in one sentence without its full stop.
        public let sentence: String
        /// How many advertisements or beacons counted, in the condition's unit.
        public let count: Int
        /// The time from the start to the verdict.
        public let elapsed: Duration
        /// The nearest beacon of those that counted. Where none did, and some should have, the nearest miss. `nil` when
        /// there is neither.
        public let nearest: Estimate?
    }

    /// A beacon, and how near it was.
    public struct Estimate: Hashable, Sendable {
        /// Its numbers.
        public let beacon: BeaconIdentity
        /// The mean of its known received strengths, in dBm; `nil` when none is known.
        public let meanRSSI: Double?
        /// The estimated distance in metres; `nil` when it cannot be estimated.
        public let distance: Double?
    }

    /// A beacon that was heard.
    struct Heard {
        var beacon: IBeacon
        var advertisements = 0
        /// Of the advertisements, those that count.
        var counted = 0
        var strengths = 0
        var strengthSum = 0

        var meanRSSI: Double? { strengths > 0 ? Double(strengthSum) / Double(strengths) : nil }
    }

    /// Of so many beacons it is remembered that they were heard; of more, of those heard last.
    static let maximumBeacons = 1024

    /// What is expected.
    public let condition: Condition
    /// How it ended; `nil` while it has not.
    public private(set) var verdict: Verdict?

    let start: Duration
    /// Advertisements without an iBeacon frame.
    private(set) var others = 0
    /// Advertisements with one.
    private(set) var advertisements = 0
    /// Of these, the ones that count.
    private(set) var counted = 0
    private(set) var beacons = RecencyTable<BeaconIdentity, Heard>(capacity: maximumBeacons)
    private var countedBeacons: Set<BeaconIdentity> = []

    /// An expectation whose time begins now.
    public init(_ condition: Condition, at time: Duration) {
        self.condition = condition
        start = time
    }

    /// When its time is over; `nil` when it has ended.
    public var nextDeadline: Duration? { verdict == nil ? start + condition.within : nil }

    /// An advertisement was heard.
    /// - Parameter beacon: the iBeacon frame in it; `nil` when it has none, which helps to say what was heard.
    /// - Returns: how it ended, if it did now.
    public mutating func hear(_ beacon: IBeacon?, rssi: RSSI?, at time: Duration) -> Verdict? {
        if let verdict = advance(to: time) { return verdict }
        guard verdict == nil else { return nil }
        guard let beacon else {
            others += 1
            return nil
        }
        advertisements += 1
        let counts = self.counts(beacon, rssi)
        beacons.use(BeaconIdentity(beacon), initial: Heard(beacon: beacon)) { heard in
            heard.beacon = beacon
            heard.advertisements += 1
            heard.counted += counts ? 1 : 0
            if let rssi = rssi.known {
                heard.strengths += 1
                heard.strengthSum += Int(rssi.decibelMilliwatts)
            }
        }
        guard counts else { return nil }
        counted += 1
        if condition.unit == .beacons { countedBeacons.insert(BeaconIdentity(beacon)) }
        guard reached >= condition.count else { return nil }
        return end(condition.presence == .present, at: time)
    }

    /// Time has passed.
    /// - Returns: how it ended, if it did now.
    public mutating func advance(to time: Duration) -> Verdict? {
        guard let deadline = nextDeadline, time >= deadline else { return nil }
        return end(condition.presence == .absent, at: deadline)
    }

    /// How much of the count there is.
    var reached: Int { condition.unit == .beacons ? countedBeacons.count : counted }

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

    private func estimate(_ heard: Heard) -> Estimate {
        let mean = heard.meanRSSI
        let distance = mean.flatMap { condition.model.distance(rssi: $0, measuredPower: heard.beacon.measuredPower) }
        return Estimate(beacon: BeaconIdentity(heard.beacon), meanRSSI: mean, distance: distance)
    }

    /// By distance; those of unknown distance last, the strongest first.
    private static func precedes(_ left: Estimate, _ right: Estimate) -> Bool {
        let distances = (left.distance ?? .infinity, right.distance ?? .infinity)
        guard distances.0 == distances.1 else { return distances.0 < distances.1 }
        let strengths = (left.meanRSSI ?? -.infinity, right.meanRSSI ?? -.infinity)
        guard strengths.0 == strengths.1 else { return strengths.0 > strengths.1 }
        return left.beacon < right.beacon
    }
}
