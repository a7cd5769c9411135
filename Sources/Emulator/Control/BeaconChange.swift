// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Devices
import Glibc
import Profiles
import Radio
package import Space

/// The changes of a beacon that a client requests.
package struct BeaconChange: Hashable, Sendable {
    /// Mutes a beacon, until it is unmuted or for a duration, or unmutes it: receivers get none of its packets meanwhile.
    package enum Muting: Hashable, Sendable {
        case on
        case off
        case during(Duration)
    }

    /// Settings by their keys in profiles; `label` is one of them, which an empty text removes.
    package var settings: [String: String]?
    /// Its new position on a virtual air; ends a movement.
    package var position: Position?
    package var muting: Muting?
    package var battery: BatteryState?
    /// Whether it is switched on.
    package var isEnabled: Bool?

    package init(
        settings: [String: String]? = nil, position: Position? = nil, muting: Muting? = nil,
        battery: BatteryState? = nil, isEnabled: Bool? = nil
    ) {
        self.settings = settings
        self.position = position
        self.muting = muting
        self.battery = battery
        self.isEnabled = isEnabled
    }

    var isEmpty: Bool { self == BeaconChange() }
}

/// The beacons that a request is about.
package enum BeaconSelection: Hashable, Sendable {
    /// The one with this name in the run.
    case named(String)
    /// Those whose ids match a pattern with `*`, `?` and `[…]` (fnmatch(3)); a pattern with a slash matches `PROFILE/ID`. No
    /// match is an error.
    /// - Parameter profile: the name of a profile; `nil` for all profiles. Ignored if the run has one profile.
    case matching(String, profile: String? = nil)
}

extension Emulator {
    /// The beacons of a selection, in the order of the profiles.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there are none, `.unknownProfile`.
    func selected(_ selection: BeaconSelection) throws(EmulatorError) -> [RunningBeacon] {
        switch selection {
        case .named(let name): return [try present(name)]
        case .matching(let pattern, let profile):
            let hasProfile = pattern.contains("/")
            let found = try beacons(of: profile).filter { beacon in
                let id = beacon.profile.id
                return fnmatch(pattern, hasProfile ? "\(beacon.profileName)/\(id)" : id, 0) == 0
            }
            guard found.isEmpty else { return found }
            throw EmulatorError(
                .unknownBeacon, "no beacon matches \"\(pattern)\"",
                hint: "beaconry ctl list shows all; quote the pattern")
        }
    }

    /// Changes beacons, all or none: settings first, then position, muting, battery and switch.
    ///
    /// Every beacon is checked before the first change. The settings of all are written beside their files before the first
    /// file is replaced. Changes of the same beacon wait for each other.
    /// - Returns: Their statuses, in the order of the profiles.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.unknownProfile`; `.badProfile` for an empty change or an invalid value,
    ///   `.refusedSetting` if a device refuses one, `.conflict` to switch on a beacon with a flat battery, `.unsupported` or
    ///   `.radio` for what the radio cannot do, `.inputOutput` if settings could not be saved. Then nothing has changed;
    ///   but if replacing a file fails, the error names the beacons that were changed before.
    package func change(
        _ selection: BeaconSelection, _ change: BeaconChange
    ) async throws(EmulatorError) -> [BeaconStatus] {
        await progress.until(.opening)
        var change = change
        return try await exclusively(selection) { beacons throws(EmulatorError) in
            let label = try Self.takeLabel(of: &change, by: beacons)
            try await requireAcceptance(of: change, by: beacons, isLabelled: label != nil)
            var changed: Set<BeaconIdentifier> = []
            if let settings = change.settings { changed = try await set(settings, of: beacons) }
            if let label { changed.formUnion(setLabel(label.label, of: beacons)) }
            for beacon in beacons { try await apply(change, to: beacon) }
            var statuses = await statuses(of: beacons)
            guard change.settings != nil || label != nil else { return statuses }
            for index in statuses.indices { statuses[index].isChanged = changed.contains(statuses[index].identifier) }
            return statuses
        }
    }

    /// Performs a change when no other change of these beacons and no handover is under way.
    func exclusively<Outcome>(
        _ selection: BeaconSelection, _ change: ([RunningBeacon]) async throws(EmulatorError) -> Outcome
    ) async throws(EmulatorError) -> Outcome {
        await directory.beginChange()
        defer { directory.endChange() }
        var beacons = try selected(selection)
        var sessions = beacons.compactMap { roster[$0.identifier] }
        while let busy = sessions.first(where: \.isBeingChanged) {
            await busy.untilChanged()
            beacons = try selected(selection)
            sessions = beacons.compactMap { roster[$0.identifier] }
        }
        for session in sessions { session.beginChange() }
        defer { for session in sessions { session.endChange() } }
        return try await change(beacons)
    }

    /// Changes a beacon.
    /// - Throws: as `change` of a selection.
    @discardableResult
    package func change(_ name: String, _ change: BeaconChange) async throws(EmulatorError) -> BeaconStatus {
        try await self.change(.named(name), change)[0]
    }

    /// - Throws: as `change`, for what is known before a change.
    private func requireAcceptance(
        of change: BeaconChange, by beacons: [RunningBeacon], isLabelled: Bool
    ) async throws(EmulatorError) {
        guard !change.isEmpty || isLabelled else {
            throw EmulatorError(
                .badProfile, "the change is empty", hint: "send settings, such as {\"settings\":{\"major\":7}}")
        }
        // One beacon refuses settings when it takes them, which is the first change. (bench: 465 -> 380 us of a processor a set)
        if let settings = change.settings, beacons.count > 1 {
            for beacon in beacons { try await beacon.requireAcceptance(of: settings) }
        }
        if let position = change.position { try air.positioning(for: [position]) }
        if change.muting != nil { _ = try requireFaultInjection("mute a beacon") }
        guard change.isEnabled == true, change.battery != .full else { return }
        let flat = beacons.first { change.battery == .flat || roster[$0.identifier]?.hasFlatBattery == true }
        if let name = flat?.identifier.name {
            throw EmulatorError(
                .conflict, "the battery of \(name) is flat",
                hint: "replace it (beaconry ctl battery \(name) full)")
        }
    }

    /// Takes the label out of a change, since it is no setting of the devices.
    /// - Returns: `nil` if there is none, or a device has a setting of this name.
    /// - Throws: `EmulatorError` `.badProfile` for a text that is no label.
    private static func takeLabel(
        of change: inout BeaconChange, by beacons: [RunningBeacon]
    ) throws(EmulatorError) -> LabelChange? {
        guard let text = change.settings?[labelKey],
            !beacons.contains(where: { $0.status.settings.contains { $0.key == labelKey } })
        else { return nil }
        change.settings?[labelKey] = nil
        if change.settings?.isEmpty == true { change.settings = nil }
        do throws(ValueFault) {
            return try LabelChange(text)
        } catch {
            throw EmulatorError(.badProfile, "label: \(error.message)")
        }
    }

    private static let labelKey = "label"

    /// Sets the label of a beacon or receiver; `nil` removes it.
    /// - Returns: Whether it is another one.
    func setLabel(_ label: String?, of name: String) -> Bool { roster.setLabel(label, of: name) }

    /// Sets the label of beacons.
    /// - Returns: Those that had another one.
    private func setLabel(_ label: String?, of beacons: [RunningBeacon]) -> [BeaconIdentifier] {
        beacons.map(\.identifier).filter { beacon in
            guard setLabel(label, of: beacon.name) else { return false }
            events.post(.beacon(beacon, .labelled(label)))
            return true
        }
    }

    /// Changes settings of beacons. If a file cannot be replaced, the beacons that were changed before
    /// it stay changed, and the error names them.
    /// - Returns: The beacons whose settings changed.
    private func set(
        _ values: [String: String], of beacons: [RunningBeacon]
    ) async throws(EmulatorError) -> Set<BeaconIdentifier> {
        var changed: [BeaconIdentifier] = []
        do throws(EmulatorError) {
            if beacons.count > 1 { for beacon in beacons { try await beacon.prepare(values) } }
            for beacon in beacons {
                if try await beacon.set(values) { changed.append(beacon.identifier) }
            }
        } catch {
            for beacon in beacons { await beacon.cancelPreparation() }
            guard !changed.isEmpty else { throw error }
            throw EmulatorError(
                error.code, "\(error.message); changed before: \(Spelling.few(changed.map(\.name)))", hint: error.hint)
        }
        return Set(changed)
    }

    private func apply(_ change: BeaconChange, to beacon: RunningBeacon) async throws(EmulatorError) {
        if let position = change.position {
            // A beacon that is not on the radio yet is placed there later.
            _ = await (try air.positioning()).move(beacon.identifier.name, to: position)
            await beacon.move(.rest(position))
        }
        switch change.muting {
        case .on: await mute(beacon, for: nil)
        case .during(let duration): await mute(beacon, for: duration)
        case .off: await unmute(beacon)
        case nil: break
        }
        if let battery = change.battery { await setBattery(of: beacon, battery) }
        if let isEnabled = change.isEnabled {
            roster[beacon.identifier]?.overrideSchedule(by: isEnabled)
            refresh(beacon.identifier)
            await switchBeacon(beacon, on: isEnabled)
        }
    }

    /// Switches the device of a beacon on or off.
    func switchBeacon(_ beacon: RunningBeacon, on isOn: Bool) async {
        guard let status = await beacon.setEnabled(isOn) else { return }
        roster[beacon.identifier]?.switch(on: status.isEnabled)
        refresh(beacon.identifier)
        // A device without power has no connections.
        if !isOn { await disconnectAll(from: beacon.identifier) }
    }

    // MARK: - Muting

    private func mute(_ beacon: RunningBeacon, for duration: Duration?) async {
        let identifier = beacon.identifier
        await faultInjectingRadio?.setMuted(true, identifier)
        let unmute = duration.map { duration in
            Task { [weak self, runClock] in
                guard await runClock.sleep(for: duration) else { return }
                await self?.endMuting(of: identifier)
            }
        }
        roster[identifier]?.setMuted(true, until: unmute)
        refresh(identifier)
        events.post(.beacon(identifier, .muted(duration)))
    }

    /// Ends a muting whose time is over; the task is cancelled if another one has begun meanwhile.
    private func endMuting(of beacon: BeaconIdentifier) async {
        try? await exclusively(.named(beacon.name)) { beacons throws(EmulatorError) in
            if !Task.isCancelled { await unmute(beacons[0]) }
        }
    }

    private func unmute(_ beacon: RunningBeacon) async {
        let identifier = beacon.identifier
        guard let session = roster[identifier], session.isMuted else { return }
        session.setMuted(false)
        refresh(identifier)
        await faultInjectingRadio?.setMuted(false, identifier)
        events.post(.beacon(identifier, .unmuted))
    }

    // MARK: - Battery

    /// Sets the battery of a beacon: a flat one switches it off, a full one on, unless its schedule has it off. On the virtual
    /// air, connections end by the supervision timeout; other radios disconnect them.
    private func setBattery(of running: RunningBeacon, _ state: BatteryState) async {
        let beacon = running.identifier
        let isFlat = state == .flat
        guard let session = roster[beacon], session.hasFlatBattery != isFlat else { return }
        session.hasFlatBattery = isFlat
        let isOn = session.isToBeOn
        if !isFlat { session.switch(on: isOn) }
        events.post(.beacon(beacon, .battery(state)))
        refresh(beacon)
        if isFlat, takeOffTheAir(beacon, .none) {
            events.post(.beacon(beacon, .advertisingStopped(.radio("its battery is flat"))))
        }
        await faultInjectingRadio?.setPowered(!isFlat, beacon)
        _ = await running.setEnabled(isOn)
        if isFlat, faultInjectingRadio == nil { await disconnectAll(from: beacon) }
    }
}
