// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// Waits for advertisements to be received, or not to be, and states the result in one sentence.
///
/// A value without a clock: its inputs have times since an arbitrary start.
package struct AdvertisementExpectation: Sendable {
    /// What is expected.
    package struct Condition: Hashable, Sendable {
        /// Whether the advertisements must be present or absent.
        package enum Presence: String, Hashable, Sendable, CaseIterable {
            /// They must be received in time; that ends the wait with success.
            case present
            /// They must not be received in this time; if they are, that ends the wait with failure.
            case absent
        }

        /// The units of a count.
        package enum Unit: String, Hashable, Sendable, CaseIterable {
            /// Advertisements, of one sender or of several.
            case advertisements
            /// Different senders: iBeacons of different numbers, otherwise devices of different addresses.
            case beacons
        }

        /// What the advertisements must have, all of it. Without a criterion about frames or devices, they are of iBeacons.
        package var criteria: [AdvertisementCriterion]
        /// Whether they must be present or absent.
        package var presence: Presence
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

        /// By default, one advertisement is expected.
        package init(
            _ criteria: [AdvertisementCriterion] = [], presence: Presence = .present, count: Int = 1,
            unit: Unit = .advertisements, within: Duration, model: DistanceModel = .altBeacon,
            thresholds: ProximityThresholds = .standard
        ) {
            self.criteria = criteria
            self.presence = presence
            self.count = max(count, 1)
            self.unit = unit
            self.within = within
            self.model = model
            self.thresholds = thresholds
        }

        /// What the criteria are about.
        var subject: AdvertisementCriterion.Subject { AdvertisementCriterion.subject(of: criteria) }
    }

    /// The result of an expectation.
    package struct Verdict: Hashable, Sendable {
        /// Whether the expectation was met.
        package let isFulfilled: Bool
        /// What was received, in one sentence without its full stop.
        package let sentence: String
        /// The number of advertisements or senders that counted, in the condition's unit.
        package let count: Int
        /// The time from the start to the verdict.
        package let elapsed: Duration
        /// The nearest of the senders that counted. If none counted although some should have, the nearest miss. `nil`
        /// without either.
        package let nearest: Estimate?
    }

    /// A sender, and how near it was.
    package struct Estimate: Hashable, Sendable {
        /// The sender's address in its latest packet.
        package let device: RemoteAddress
        /// Its local name; `nil` if none is known.
        package let name: String?
        /// Its frame; `nil` for a device without one.
        package let frame: BeaconFrame?
        /// The mean of its known RSSI values, in dBm; `nil` without one.
        package let meanRSSI: Double?
        /// The estimated distance in metres; `nil` when it cannot be estimated.
        package let distance: Double?

        /// The identity of the beacon; `nil` for a device whose frame does not say it.
        package var beacon: BeaconIdentity? { frame?.identity }
    }

    /// What distinguishes senders.
    enum Sender: Hashable, Comparable {
        case beacon(BeaconIdentity)
        case device(String)
    }

    /// A sender that was received.
    struct Seen {
        let sender: Sender
        var device: RemoteAddress
        var name: String?
        var frame: BeaconFrame?
        var advertisements = 0
        /// Of the advertisements, those that count.
        var counted = 0
        /// How many of the criteria, from the first on, the best of them met.
        var matches = 0
        private var samples = 0
        private var sum = 0

        init(sender: Sender, device: RemoteAddress) {
            self.sender = sender
            self.device = device
        }

        var meanRSSI: Double? { samples > 0 ? Double(sum) / Double(samples) : nil }

        mutating func take(_ advertisement: CandidateAdvertisement, matches: Int, counts: Bool) {
            advertisements += advertisement.isCompletion ? 0 : 1
            if counts || (counted == 0 && matches >= self.matches) { frame = advertisement.frame }
            counted += counts ? 1 : 0
            self.matches = max(self.matches, matches)
            device = advertisement.device
            name = advertisement.name ?? name
            if let rssi = advertisement.rssi {
                samples += 1
                sum += Int(rssi.decibelMilliwatts)
            }
        }
    }

    /// The number of senders that are remembered: of more, those seen last.
    static let maximumSenders = 1024

    /// What is expected.
    package let condition: Condition
    /// The verdict; `nil` before it is decided.
    package private(set) var verdict: Verdict?

    private let subject: AdvertisementCriterion.Subject
    private let awaitsScanResponses: Bool
    private let start: Duration
    private var devices = AdvertiserTable<RemoteAddress>(capacity: maximumSenders)
    /// The devices of whose latest advertisement nothing counted; its scan response may change that.
    private var uncounted: Set<RemoteAddress> = []
    /// Advertisements of another subject.
    private(set) var others = 0
    /// The first of them that was almost of the subject: `an iBeacon of 26 bytes from C0:FF:EE:00:00:01`.
    private(set) var almost: String?
    /// Advertisements of this subject.
    private(set) var advertisements = 0
    /// Of these, the ones that count.
    private(set) var counted = 0
    private(set) var senders = RecencyTable<Sender, Seen>(capacity: maximumSenders)
    private var countedSenders: Set<Sender> = []

    /// An expectation whose time begins now.
    package init(_ condition: Condition, at time: Duration) {
        self.condition = condition
        subject = condition.subject
        awaitsScanResponses = condition.criteria.contains(where: \.mayBeInScanResponse)
        start = time
    }

    /// When the time limit is reached; `nil` after the verdict.
    package var nextDeadline: Duration? { verdict == nil ? start + condition.within : nil }

    /// Takes an input. A scan response counts if it has a frame that is expected, or if what it adds makes the device's
    /// latest advertisement count.
    /// - Returns: the verdict, if this input decided it.
    package mutating func take(_ reception: Reception) -> Verdict? {
        guard case .received(let sighting, let time) = reception else { return advance(to: reception.time) }
        if let verdict = advance(to: time) { return verdict }
        guard verdict == nil else { return nil }
        let device = devices.take(sighting, at: time).advertiser
        let candidates = received(sighting, of: device)
        let countedBefore = counted
        for advertisement in candidates {
            if let verdict = take(advertisement, at: time) { return verdict }
        }
        if !candidates.isEmpty, counted == countedBefore { uncounted.insert(sighting.device) }
        return nil
    }

    /// Advances the time.
    /// - Returns: the verdict, if the time decided it.
    package mutating func advance(to time: Duration) -> Verdict? {
        guard let deadline = nextDeadline, time >= deadline else { return nil }
        return end(condition.presence == .absent, at: deadline)
    }

    /// What a packet has of the subject.
    private mutating func received(
        _ sighting: Sighting, of device: Advertiser<RemoteAddress>
    ) -> [CandidateAdvertisement] {
        let isScanResponse = sighting.pdu?.isScanResponse == true
        if uncounted.count > Self.maximumSenders { uncounted.removeAll() }
        let isAwaited = uncounted.remove(sighting.device) != nil || device.advertisements == 0
        let frames = frames(in: isScanResponse ? device.scanResponse : device.advertisingData)
        guard isScanResponse else {
            if subject == .devices { return [advertisement(sighting, device, frames.first)] }
            if frames.isEmpty { note(other: device.advertisingData, of: sighting.device) }
            return frames.map { advertisement(sighting, device, $0) }
        }
        // Without an advertisement that it completes, a scan response counts by itself.
        let completes = isAwaited && device.advertisements > 0
        if subject == .devices {
            return isAwaited ? [advertisement(sighting, device, frames.first, completes: completes)] : []
        }
        if !frames.isEmpty { return frames.map { advertisement(sighting, device, $0) } }
        guard completes, awaitsScanResponses else { return [] }
        return self.frames(in: device.advertisingData).map { advertisement(sighting, device, $0, completes: true) }
    }

    private mutating func note(other data: AdvertisingData, of device: RemoteAddress) {
        others += 1
        guard almost == nil, let miss = data.nearMisses.first else { return }
        almost = "\(miss.text) from \(device.address)"
    }

    private func frames(in data: AdvertisingData) -> [BeaconFrame] {
        subject == .iBeacons ? data.frames.filter { $0.content is IBeacon } : data.frames
    }

    private func advertisement(
        _ sighting: Sighting, _ device: Advertiser<RemoteAddress>, _ frame: BeaconFrame?, completes: Bool = false
    ) -> CandidateAdvertisement {
        let rssi = sighting.rssi.known
        let distance = frame?.measuredPower.flatMap { condition.model.distance(rssi: rssi, measuredPower: $0) }
        return CandidateAdvertisement(
            device: sighting.device, name: device.localName, services: device.services, frame: frame, rssi: rssi,
            distance: distance, proximity: condition.thresholds.proximity(at: distance), isCompletion: completes)
    }

    private mutating func take(_ advertisement: CandidateAdvertisement, at time: Duration) -> Verdict? {
        let matches = condition.criteria.prefix { $0.isMet(by: advertisement) }.count
        let counts = matches == condition.criteria.count
        let beacon = subject == .devices ? nil : advertisement.iBeacon.map(BeaconIdentity.init)
        let sender = beacon.map(Sender.beacon) ?? .device(advertisement.device.address.description)
        advertisements += advertisement.isCompletion ? 0 : 1
        senders.use(sender, initial: Seen(sender: sender, device: advertisement.device)) {
            $0.take(advertisement, matches: matches, counts: counts)
        }
        guard counts else { return nil }
        counted += 1
        if condition.unit == .beacons { countedSenders.insert(sender) }
        guard reached >= condition.count else { return nil }
        return end(condition.presence == .present, at: time)
    }

    /// The count reached so far.
    var reached: Int { condition.unit == .beacons ? countedSenders.count : counted }

    private mutating func end(_ isFulfilled: Bool, at time: Duration) -> Verdict {
        let verdict = Verdict(
            isFulfilled: isFulfilled, sentence: sentence(isFulfilled, after: time - start), count: reached,
            elapsed: time - start, nearest: nearest)
        self.verdict = verdict
        return verdict
    }

    private var nearest: Estimate? {
        let counted = senders.values.filter { $0.counted > 0 }
        let nearest = counted.min { Self.precedes(($0.sender, estimate($0)), ($1.sender, estimate($1))) }
        return (nearest ?? (condition.presence == .present ? nearestMiss : nil)).map(estimate)
    }

    /// How near a sender was.
    func estimate(_ seen: Seen) -> Estimate {
        let mean = seen.meanRSSI
        let distance = seen.frame?.measuredPower.flatMap { power in
            mean.flatMap { condition.model.distance(rssi: $0, measuredPower: power) }
        }
        return Estimate(device: seen.device, name: seen.name, frame: seen.frame, meanRSSI: mean, distance: distance)
    }

    /// By distance, then by falling RSSI; estimates without a distance come last.
    private static func precedes(_ left: (Sender, Estimate), _ right: (Sender, Estimate)) -> Bool {
        let distances = (left.1.distance ?? .infinity, right.1.distance ?? .infinity)
        guard distances.0 == distances.1 else { return distances.0 < distances.1 }
        let means = (left.1.meanRSSI ?? -.infinity, right.1.meanRSSI ?? -.infinity)
        guard means.0 == means.1 else { return means.0 > means.1 }
        return left.0 < right.0
    }

    /// The sender that meets the most criteria; among equal senders, the one with the most advertisements, and among
    /// those the one with the lowest numbers.
    var nearestMiss: Seen? {
        senders.values.max {
            ($0.matches, $0.advertisements, $1.sender) < ($1.matches, $1.advertisements, $0.sender)
        }
    }
}
