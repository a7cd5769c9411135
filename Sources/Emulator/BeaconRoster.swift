// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Profiles
import Radio

/// The beacons of a run in the order of its profiles, and how many of them are on the air.
///
/// It belongs to its emulator, in whose isolation it is used.
final class BeaconRoster {
    /// The sessions of the beacons, and of removed beacons that are still on the air.
    private var sessions: [BeaconIdentifier: BeaconSession] = [:]
    /// The names of the beacons in the order of the profiles.
    private(set) var order: [BeaconIdentifier] = []
    /// The profiles in use, without their beacons, which the sessions have.
    private var profilesWithoutBeacons: [Profile] = []
    /// The number of times that the profiles in use have changed.
    private(set) var revision = 0
    /// The states of the beacons, counted, and what is announced of them.
    private var readiness = RunReadiness()
    /// The name that the radio reported last: an adapter may get another number.
    private(set) var radioName: String

    private let labels: RunLabels

    init(radioName: String, labels: RunLabels) {
        self.radioName = radioName
        self.labels = labels
    }

    // MARK: - Beacons

    subscript(_ beacon: BeaconIdentifier) -> BeaconSession? { sessions[beacon] }

    /// The sessions of the beacons, and of removed beacons that are still on the air, in the order of their names.
    var allSessions: [BeaconSession] { sessions.keys.sorted().compactMap { sessions[$0] } }

    /// The beacons in the order of the profiles.
    var beacons: [RunningBeacon] { order.compactMap { sessions[$0]?.beacon } }

    /// The profiles in use, with the labels at present.
    var profiles: [Profile] {
        let labels = labels.all
        let definitions = Dictionary(grouping: beacons, by: \.profileName).mapValues { beacons in
            beacons.map { $0.profile.with(label: labels[$0.identifier.name]) }
        }
        return profilesWithoutBeacons.map { profile in
            var receivers = profile.receivers
            for index in receivers.indices { receivers[index].label = labels[receivers[index].id] }
            return profile.with(definitions[profile.name] ?? []).with(receivers: receivers)
        }
    }

    /// The names of the profiles in use.
    var profileNames: [String] { profilesWithoutBeacons.map(\.name) }

    /// Takes the profiles of the start of the run.
    func begin(with profiles: [Profile]) { replace(by: profiles) }

    /// Takes the profiles of the beacons from now on.
    func adopt(_ profiles: [Profile]) {
        replace(by: profiles)
        revision += 1
    }

    private func replace(by profiles: [Profile]) {
        profilesWithoutBeacons = profiles.map { $0.with([]) }
        labels.replace(by: profiles)
    }

    /// Sets the label of a beacon or receiver; `nil` removes it.
    /// - Returns: Whether it is another one.
    func setLabel(_ label: String?, of name: String) -> Bool {
        guard labels[name] != label else { return false }
        labels.set(label, of: name)
        revision += 1
        return true
    }

    /// Makes these the beacons of the run. Sessions of other beacons stay until `remove`.
    /// - Returns: Whether the state of a beacon has changed.
    func install(_ beacons: [RunningBeacon]) -> Bool {
        for beacon in beacons {
            if let session = sessions[beacon.identifier] {
                session.replace(with: beacon)
            } else {
                sessions[beacon.identifier] = BeaconSession(beacon)
            }
        }
        order = beacons.map(\.identifier)
        return countAll()
    }

    /// Removes a session from the run, at once or when it is off the air.
    /// - Returns: Whether its state has changed.
    func remove(_ beacon: BeaconIdentifier) -> Bool {
        sessions[beacon]?.remove()
        defer { forgetIfGone(beacon) }
        return count(beacon)
    }

    /// Forgets a beacon that is removed and off the air.
    func forgetIfGone(_ beacon: BeaconIdentifier) {
        guard let session = sessions[beacon], session.isRemoved, !session.isOnAir else { return }
        sessions[beacon] = nil
    }

    // MARK: - On the air

    /// Whether the run has been ready.
    var isReady: Bool { readiness.isReady }
    /// Whether the radio is usable.
    var isRadioUp: Bool { readiness.summary.isRadioUp }
    /// What should be on the air, and what is.
    var summary: AirSummary {
        readiness.summary.named(
            order.lazy.compactMap { [sessions] name in sessions[name]?.countedState.map { (name, $0) } })
    }

    /// Counts the state that a beacon has now.
    /// - Returns: Whether it has changed.
    func count(_ beacon: BeaconIdentifier) -> Bool {
        guard let session = sessions[beacon] else { return false }
        let state = session.isRemoved ? nil : session.airState(isEnabled: session.isEnabled, isRadioUp: isRadioUp)
        guard state != session.countedState else { return false }
        readiness.move(from: session.countedState, to: state)
        session.countedState = state
        return true
    }

    /// Counts the states of all beacons.
    /// - Returns: Whether one has changed.
    func countAll() -> Bool {
        var hasChanged = false
        for beacon in order where count(beacon) { hasChanged = true }
        return hasChanged
    }

    /// The announcements that follow from the changes since the last ones.
    func announcements() -> [RunReadiness.Step] { readiness.next() }

    /// Takes whether the beacons are on the radio.
    func setRunning(_ isRunning: Bool) { readiness.setRunning(isRunning) }

    /// Takes whether the profiles in use are the last good ones.
    func setLastGood(_ isLastGood: Bool) { readiness.setLastGood(isLastGood) }

    /// Records whether the radio is usable, and its name.
    func setRadioUp(_ isUp: Bool, name: String? = nil) {
        if let name { radioName = name }
        readiness.setRadioUp(isUp)
        for session in sessions.values {
            if isUp { session.expectReport() }
            _ = count(session.beacon.identifier)
        }
    }
}
