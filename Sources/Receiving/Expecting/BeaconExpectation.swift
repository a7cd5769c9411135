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

        /// Which beacons; the identifier does not matter.
        public var region: BeaconRegion
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

        /// That one advertisement of a region is heard, unless said otherwise.
        public init(
            region: BeaconRegion, presence: Presence = .present, proximity: Proximity? = nil, count: Int = 1,
            unit: Unit = .advertisements, within: Duration, model: DistanceModel = .android,
            thresholds: ProximityThresholds = .standard
        ) {
            self.region = region
            self.presence = presence
            self.proximity = proximity
            self.count = max(count, 1)
            self.unit = unit
            self.within = within
            self.model = model
            self.thresholds = thresholds
        }
    }

    /// How it ended.
    public struct Verdict: Hashable, Sendable {
        /// Whether it was as expected.
        public let isFulfilled: Bool
        /// What was heard, in one sentence without its full stop.
        public let sentence: String

        /// A verdict of these values.
        public init(isFulfilled: Bool, sentence: String) {
            self.isFulfilled = isFulfilled
            self.sentence = sentence
        }
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
        guard condition.region.contains(beacon) else { return false }
        guard let proximity = condition.proximity else { return true }
        let distance = condition.model.distance(rssi: rssi.known, measuredPower: beacon.measuredPower)
        return condition.thresholds.proximity(at: distance) == proximity
    }

    private mutating func end(_ isFulfilled: Bool, at time: Duration) -> Verdict {
        let sentence = isFulfilled ? fulfilledSentence(at: time) : failedSentence(at: time)
        let verdict = Verdict(isFulfilled: isFulfilled, sentence: sentence)
        self.verdict = verdict
        return verdict
    }
}
