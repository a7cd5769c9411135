// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio

/// The wanted advertisements, those on the adapter, and their confirmation by what the controller was seen to advertise.
///
/// The advertisement of a beacon goes through these states:
///
/// * *wanted*: the next pass places it, and each later pass again while the adapter refuses it;
/// * *placed, pending*: it is on the adapter, and the monitor channel has not shown it yet;
/// * *placed, confirmed*: it was observed, or the deadline passed, and its status was returned by `confirm`;
/// * *withdrawn*: the next pass removes it, even if it is wanted again by then, so that its new start is reported.
///
/// A pass is: `noteLost`, then `beginPass`, then `beginRemoval` for each of `placedBeacons`, then `beginPlacing` for each of
/// `wantedBeacons`, followed by `notePlaced` or `noteRefusal`. Calls of `want` may come at any point of a pass; what they
/// change is left to the next pass.
struct AdvertisementPlacement {
    typealias Instant = ContinuousClock.Instant

    /// One advertisement that is about to be placed.
    struct Attempt {
        let beacon: BeaconIdentifier
        let advertisement: Advertisement
        /// Observations after this one may be of this advertisement.
        fileprivate let sequence: Int
    }

    /// The time that the controller may take to advertise a placed advertisement: the instances may take turns.
    static func patience(instancesOnAir: Int) -> Duration { .seconds(3 + 2 * instancesOnAir) }

    private struct Pending {
        let requested: Advertisement
        let sequence: Int
        let deadline: Instant
    }

    private var wanted: [BeaconIdentifier: Advertisement] = [:]
    private var placed: [BeaconIdentifier: Advertisement] = [:]
    private var withdrawn: Set<BeaconIdentifier> = []
    private var pending: [BeaconIdentifier: Pending] = [:]
    /// The last refusal of each beacon, which is reported once.
    private var refused: [BeaconIdentifier: RadioError] = [:]
    private var observer = AdvertisingObserver()

    /// The wanted advertisements, in no order.
    var wantedAdvertisements: some Collection<Advertisement> { wanted.values }

    /// The beacons that have a wanted advertisement, in the order of their names.
    var wantedBeacons: [BeaconIdentifier] { wanted.keys.sorted() }

    /// The beacons that have an advertisement on the adapter, in the order of their names.
    var placedBeacons: [BeaconIdentifier] { placed.keys.sorted() }

    /// The earliest deadline of a pending advertisement.
    var nextDeadline: Instant? { pending.values.map(\.deadline).min() }

    /// Sets what a beacon should advertise; `nil` for nothing.
    /// - Returns: whether that is a change.
    mutating func want(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) -> Bool {
        guard wanted[beacon] != advertisement else { return false }
        wanted[beacon] = advertisement
        refused[beacon] = nil
        pending[beacon] = nil
        if advertisement == nil { withdrawn.insert(beacon) }
        return true
    }

    /// Forgets what is on the adapter, which is lost or was given back.
    mutating func reset() {
        placed = [:]
        pending = [:]
    }

    // MARK: - One pass

    /// Takes beacons whose instances were removed from the adapter by others.
    /// - Returns: the beacons that stopped although they are wanted, in the order of their names.
    mutating func noteLost(_ beacons: Set<BeaconIdentifier>) -> [BeaconIdentifier] {
        let lost = beacons.sorted().filter { placed[$0] != nil }
        for beacon in lost {
            placed[beacon] = nil
            pending[beacon] = nil
        }
        return lost.filter { wanted[$0] != nil }
    }

    /// The beacons that were withdrawn since the last pass.
    mutating func beginPass() -> Set<BeaconIdentifier> {
        defer { withdrawn = [] }
        return withdrawn
    }

    /// Whether to remove the instances of a placed beacon, which is then not placed any more.
    mutating func beginRemoval(of beacon: BeaconIdentifier, withdrawn: Set<BeaconIdentifier>) -> Bool {
        guard wanted[beacon] == nil || withdrawn.contains(beacon) else { return false }
        placed[beacon] = nil
        pending[beacon] = nil
        return true
    }

    /// The advertisement to place for a beacon; `nil` if the wanted one is on the adapter.
    mutating func beginPlacing(_ beacon: BeaconIdentifier) -> Attempt? {
        guard let advertisement = wanted[beacon], placed[beacon] != advertisement else { return nil }
        placed[beacon] = nil
        return Attempt(beacon: beacon, advertisement: advertisement, sequence: observer.sequence)
    }

    /// Takes a refusal of the adapter.
    /// - Returns: whether it is to be reported: the same refusal was not reported before.
    mutating func noteRefusal(_ error: RadioError, of attempt: Attempt) -> Bool {
        defer { refused[attempt.beacon] = error }
        return refused[attempt.beacon] != error
    }

    /// Takes note that an advertisement is on the adapter. From now on it is pending, unless it was withdrawn or replaced
    /// meanwhile: then the next pass removes it, and its start is not reported.
    mutating func notePlaced(_ attempt: Attempt, deadline: Instant) {
        let beacon = attempt.beacon
        refused[beacon] = nil
        placed[beacon] = attempt.advertisement
        guard wanted[beacon] == attempt.advertisement, !withdrawn.contains(beacon) else { return }
        pending[beacon] = Pending(
            requested: attempt.advertisement, sequence: attempt.sequence, deadline: deadline)
    }

    // MARK: - Confirmation

    /// Takes a packet of the controller from the monitor channel.
    /// - Returns: whether it may confirm something.
    mutating func observe(_ packet: MonitorPacket) -> Bool { observer.observe(packet) }

    /// The statuses of pending advertisements that were observed, or whose deadline has passed.
    /// - Parameters:
    ///   - rules: the rules of the adapter in use.
    ///   - canReadBack: whether packets of the monitor channel are observed; without them nothing is waited for.
    mutating func confirm(
        at now: Instant, by rules: AdvertisingRules, canReadBack: Bool
    ) -> [(beacon: BeaconIdentifier, status: AdvertisingStatus)] {
        var statuses: [(BeaconIdentifier, AdvertisingStatus)] = []
        for (beacon, entry) in pending.sorted(by: { $0.key < $1.key }) {
            let observation = canReadBack ? observation(of: entry, by: rules) : nil
            guard !canReadBack || observation != nil || now >= entry.deadline else { continue }
            pending[beacon] = nil
            let reason =
                canReadBack
                ? "the commands to the controller were not seen"
                : "without CAP_NET_RAW the controller's commands cannot be read"
            statuses.append(
                (beacon, rules.status(of: entry.requested, observation: observation, unknownBecause: reason)))
        }
        return statuses
    }

    /// The observation of a pending advertisement. Where the kernel sends only data that changed, data that was never
    /// seen is the requested data.
    private func observation(of entry: Pending, by rules: AdvertisingRules) -> AdvertisingObserver.Observation? {
        let mayBeUnchanged = rules.way == .management
        let isAlone = rules.instancesOnAir == 1
        let composition = rules.composition(of: entry.requested)
        let found = observer.observation(after: entry.sequence) { bytes in
            guard let bytes else { return mayBeUnchanged && isAlone }
            return composition?.isCarried(by: bytes) ?? Self.carries(bytes, entry.requested.advertisingData)
        }
        guard var observation = found, mayBeUnchanged else { return found }
        if observation.advertisingData == nil {
            observation.advertisingData = entry.requested.advertisingData.serialized()
        }
        if observation.scanResponse == nil { observation.scanResponse = entry.requested.scanResponse.serialized() }
        return observation
    }

    /// Whether advertised bytes have all requested structures but the flags.
    private static func carries(_ bytes: [UInt8], _ requested: AdvertisingData) -> Bool {
        guard bytes != requested.serialized() else { return true }
        guard let structures = try? AdvertisingData(parsing: bytes).structures else { return false }
        return requested.structures.allSatisfy { structure in
            if case .flags = structure { return true }
            return structures.contains(structure)
        }
    }
}
