// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio

/// The wanted advertisements, those on the adapter, and their confirmation by what the controller was seen to advertise.
///
/// The advertisement of a beacon goes through these states:
///
/// * *wanted*: the next pass places it, and each later pass again while the adapter refuses it;
/// * *placed, pending*: it is on the adapter, and the monitor channel has not shown it yet;
/// * *placed, confirmed*: it was observed, or there is no monitor channel, and its status was returned by `confirm`; an
///   `AirSupervisor` has the observed ones from then on;
/// * *to be restored*: the next pass places it again; a confirmed one without another confirmation unless the adapter
///   refuses it;
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
        /// Whether it was confirmed before.
        let isRestoration: Bool
    }

    /// The status of a pending advertisement.
    struct Confirmation {
        let beacon: BeaconIdentifier
        let status: AdvertisingStatus
        /// Observations after this one are of the advertisement; `nil` if it was not observed.
        let sequence: Int?
    }

    /// The results of `confirm`.
    struct Results {
        /// The statuses of pending advertisements that were observed, and of all without the monitor channel.
        var confirmations: [Confirmation] = []
        /// The pending beacons that wait longer because of an obstacle; each is named once.
        var obstructed: [BeaconIdentifier] = []
        /// The pending beacons that were not observed, although no obstacle explains it; each is named once.
        var unexplained: [BeaconIdentifier] = []
        /// Whether the next pass has to place beacons again.
        var restores = false
    }

    private struct Pending {
        let requested: Advertisement
        let sequence: Int
        var deadline: Instant
        /// The settings of the adapter when it was placed.
        var settings: AdvertisingRules.KnownSettings
        /// Whether the obstacle that it waits for was reported.
        var isReportedAsObstructed = false
        /// Whether it was reported that nothing explains why it was not observed.
        var isReportedAsUnexplained = false
    }

    /// The wanted advertisements.
    private(set) var wanted: [BeaconIdentifier: Advertisement] = [:]
    private var placed: [BeaconIdentifier: Advertisement] = [:]
    private var withdrawn: Set<BeaconIdentifier> = []
    private var pending: [BeaconIdentifier: Pending] = [:]
    /// The last refusal of each beacon, which is reported once.
    private var refused: [BeaconIdentifier: RadioError] = [:]
    private var restoring: Set<BeaconIdentifier> = []
    /// Advertisements that were confirmed without the monitor channel, with their last status, which follows the rules.
    private var unobserved: [BeaconIdentifier: (entry: Pending, status: AdvertisingStatus)] = [:]
    /// The observed controller.
    private(set) var controller = ObservedController()

    /// The wanted advertisements, in no order.
    var wantedAdvertisements: some Collection<Advertisement> { wanted.values }

    /// The beacons that have a wanted advertisement, in the order of their names.
    var wantedBeacons: [BeaconIdentifier] { wanted.keys.sorted() }

    /// The beacons that have an advertisement on the adapter, in the order of their names.
    var placedBeacons: [BeaconIdentifier] { placed.keys.sorted() }

    /// The beacons that stop when the adapter is lost: those that are on it, and those that are being placed, which may have
    /// been on it before.
    var carriedBeacons: [BeaconIdentifier] { wantedBeacons.filter { refused[$0] == nil } }

    /// The earliest deadline of a pending advertisement.
    var nextDeadline: Instant? { pending.values.map(\.deadline).min() }

    /// Sets what a beacon should advertise; `nil` for nothing.
    /// - Returns: whether that is a change.
    mutating func want(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) -> Bool {
        guard wanted[beacon] != advertisement else { return false }
        wanted[beacon] = advertisement
        refused[beacon] = nil
        forget(beacon)
        if advertisement == nil { withdrawn.insert(beacon) }
        return true
    }

    /// Forgets what is on the adapter, which is lost or was given back.
    mutating func reset() {
        placed = [:]
        pending = [:]
        restoring = []
        unobserved = [:]
    }

    private mutating func forget(_ beacon: BeaconIdentifier) {
        pending[beacon] = nil
        restoring.remove(beacon)
        unobserved[beacon] = nil
    }

    /// Has the next pass place a beacon again that is on the adapter, but no longer on the air.
    /// - Returns: whether the beacon is on the adapter, and confirmed.
    mutating func restore(_ beacon: BeaconIdentifier) -> Bool {
        guard let advertisement = placed[beacon], advertisement == wanted[beacon], pending[beacon] == nil else {
            return false
        }
        restoring.insert(beacon)
        return true
    }

    /// Has a placed beacon confirmed again, whose status without an observation was withdrawn.
    mutating func resume(_ beacon: BeaconIdentifier) {
        guard let known = unobserved.removeValue(forKey: beacon), placed[beacon] != nil else { return }
        pending[beacon] = known.entry
    }

    /// Takes from bluetoothd whether a program scans with the adapter.
    /// - Returns: whether that changes what keeps something off the air.
    mutating func note(isDiscovering: Bool) -> Bool { controller.note(isDiscovering: isDiscovering) }

    // MARK: - One pass

    /// Takes beacons whose instances were removed from the adapter by others.
    /// - Returns: the beacons that stopped although they are wanted, in the order of their names.
    mutating func noteLost(_ beacons: Set<BeaconIdentifier>) -> [BeaconIdentifier] {
        let lost = beacons.sorted().filter { placed[$0] != nil }
        for beacon in lost {
            placed[beacon] = nil
            forget(beacon)
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
        forget(beacon)
        return true
    }

    /// The advertisement to place for a beacon; `nil` if the wanted one is on the adapter and on the air.
    mutating func beginPlacing(_ beacon: BeaconIdentifier) -> Attempt? {
        guard let advertisement = wanted[beacon],
            placed[beacon] != advertisement || restoring.contains(beacon)
        else { return nil }
        placed[beacon] = nil
        return Attempt(
            beacon: beacon, advertisement: advertisement, sequence: controller.advertising.sequence,
            isRestoration: restoring.contains(beacon))
    }

    /// Takes a refusal of the adapter.
    /// - Returns: whether it is to be reported: the same refusal was not reported before.
    mutating func noteRefusal(_ error: RadioError, of attempt: Attempt) -> Bool {
        forget(attempt.beacon)
        defer { refused[attempt.beacon] = error }
        return refused[attempt.beacon] != error
    }

    /// Takes note that an advertisement is on the adapter. From now on it is pending, unless it was withdrawn or replaced
    /// meanwhile: then the next pass removes it, and its start is not reported.
    /// - Parameter settings: the settings of the adapter.
    mutating func notePlaced(
        _ attempt: Attempt, deadline: Instant, settings: AdvertisingRules.KnownSettings = .init()
    ) {
        let beacon = attempt.beacon
        refused[beacon] = nil
        placed[beacon] = attempt.advertisement
        if attempt.isRestoration, restoring.remove(beacon) != nil {
            unobserved[beacon]?.entry.settings = settings
            pending[beacon]?.settings = settings
            return
        }
        guard wanted[beacon] == attempt.advertisement, !withdrawn.contains(beacon) else { return }
        pending[beacon] = Pending(
            requested: attempt.advertisement, sequence: attempt.sequence, deadline: deadline, settings: settings)
    }

    // MARK: - Confirmation

    /// Takes a packet of the controller from the monitor channel.
    /// - Returns: whether it may confirm something, or change what is on the air.
    mutating func observe(_ packet: MonitorPacket) -> Bool { controller.observe(packet) }

    /// Takes the time, and the rules, which settings of the adapter and other advertisements change.
    ///
    /// A pending advertisement is confirmed when it was observed. One that was not by its deadline is not on the air: it waits
    /// longer, and is placed again unless an obstacle explains it. Without the monitor channel it is confirmed at once, and
    /// again when the rules give it another status.
    /// - Parameters:
    ///   - rules: the rules of the adapter in use.
    ///   - canReadBack: whether packets of the monitor channel are observed; without them nothing is waited for.
    mutating func confirm(at now: Instant, by rules: AdvertisingRules, canReadBack: Bool) -> Results {
        var results = Results()
        for (beacon, known) in unobserved.sorted(by: { $0.key < $1.key }) {
            let next = confirmation(of: beacon, known.entry, by: rules, canReadBack)
            guard next.status != known.status else { continue }
            unobserved[beacon] = (known.entry, next.status)
            results.confirmations.append(next)
        }
        for (beacon, entry) in pending.sorted(by: { $0.key < $1.key }) {
            let confirmation = confirmation(of: beacon, entry, by: rules, canReadBack)
            if !canReadBack || confirmation.sequence != nil {
                pending[beacon] = nil
                if !canReadBack { unobserved[beacon] = (entry, confirmation.status) }
                results.confirmations.append(confirmation)
            } else if now >= entry.deadline {
                extend(beacon, entry, to: now + rules.patience, &results)
            }
        }
        return results
    }

    /// Waits longer for an observation.
    private mutating func extend(
        _ beacon: BeaconIdentifier, _ entry: Pending, to deadline: Instant, _ results: inout Results
    ) {
        pending[beacon]?.deadline = deadline
        if controller.activity.obstacle != nil {
            pending[beacon]?.isReportedAsObstructed = true
            if !entry.isReportedAsObstructed { results.obstructed.append(beacon) }
        } else {
            pending[beacon]?.isReportedAsUnexplained = true
            if !entry.isReportedAsUnexplained { results.unexplained.append(beacon) }
            restoring.insert(beacon)
            results.restores = true
        }
    }

    private func confirmation(
        of beacon: BeaconIdentifier, _ entry: Pending, by rules: AdvertisingRules, _ canReadBack: Bool
    ) -> Confirmation {
        let observation =
            canReadBack
            ? rules.observation(
                of: entry.requested, by: controller.advertising, after: entry.sequence) : nil
        var rules = rules
        // The kernel leaves an advertising set as it is when the settings change (Linux 6.12).
        if rules.isExtended, rules.way == .management { rules.settings = entry.settings }
        // bluetoothd composes the flags when an advertisement is registered (BlueZ 5.82).
        if case .bus(var daemon) = rules.way {
            daemon.isAdapterDiscoverable = entry.settings.isDiscoverable
            rules.way = .bus(daemon)
        }
        return Confirmation(
            beacon: beacon,
            status: rules.status(
                of: entry.requested, observation: observation,
                unknownBecause: "without CAP_NET_RAW the controller's commands cannot be read"),
            sequence: observation == nil ? nil : entry.sequence)
    }
}
