// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Devices
import Profiles
import Radio

// What can be changed while it runs: by the control socket, and by SIGHUP.

extension Emulator {
    /// What a reload did.
    public struct ReloadResult: Codable, Hashable, Sendable {
        /// Beacons that are new.
        public var added: [String] = []
        /// Beacons whose entry in the profile is another one.
        public var changed: [String] = []
        /// Beacons that are gone.
        public var removed: [String] = []
        /// Beacons that go on as they were, with whatever was set meanwhile.
        public var kept: [String] = []
    }

    /// All beacons in the order of the profiles.
    public func list() async -> [BeaconStatus] {
        var statuses: [BeaconStatus] = []
        for beacon in beacons { statuses.append(await beacon.status) }
        return statuses
    }

    /// One beacon.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    public func show(_ name: String) async throws(EmulatorError) -> BeaconStatus {
        await (try await running(name)).status
    }

    /// Changes settings, all or none, as the profile would have them.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.badProfile` for a text that is no value, `.refusedSetting`, or
    ///   `.inputOutput` when they could not be made durable.
    public func set(_ name: String, _ values: [String: String]) async throws(EmulatorError) -> BeaconStatus {
        let beacon = try await running(name)
        let present = await beacon.status
        let own = present.ownSettings
        var settings: [DeviceSetting] = []
        for (key, text) in values.sorted(by: { $0.key < $1.key }) {
            guard own.contains(key) || ValueText.settingKeys.contains(key) else {
                let keys = present.settings.map(\.key).joined(separator: ", ")
                let known = keys.isEmpty ? ", nor any other" : "; settings are \(keys)"
                throw EmulatorError(.badProfile, "\(name): there is no setting \"\(key)\"\(known)")
            }
            do throws(ValueFault) {
                settings.append(own.contains(key) ? .named(key, text) : try ValueText.setting(key, text))
            } catch {
                throw EmulatorError(.badProfile, "\(name): \(key): \(error.message)")
            }
        }
        switch await beacon.handle(.set(settings)) {
        case .refused(let sentence): throw EmulatorError(.refusedSetting, "\(name): \(sentence)")
        case .notDurable(let error):
            throw EmulatorError(
                .inputOutput, "\(name): the new settings could not be made durable (\(error)), so the old ones stay",
                cure: "make room in the state folder, or check its medium")
        default: return await beacon.status
        }
    }

    /// Has a beacon do something.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.refusedSetting` when it does not do it.
    public func perform(_ command: DeviceCommand, on name: String) async throws(EmulatorError) -> BeaconStatus {
        let beacon = try await running(name)
        if case .refused(let sentence) = await beacon.handle(.perform(command)) {
            throw EmulatorError(.refusedSetting, "\(name): \(sentence)")
        }
        return await beacon.status
    }

    /// Switches a beacon on or off.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    public func setEnabled(_ name: String, _ enabled: Bool) async throws(EmulatorError) -> BeaconStatus {
        let beacon = try await running(name)
        await beacon.setEnabled(enabled)
        // Power that goes takes its connections with it.
        if !enabled { await disconnectAll(from: beacon.identifier) }
        return await beacon.status
    }

    /// Reads the profiles again. Beacons whose entry did not change go on as they are.
    /// - Throws: `EmulatorError` with what is wrong; everything goes on as it was then.
    public func reload() async throws(EmulatorError) -> ReloadResult {
        let reload = Task { [lastReload] () -> Result<ReloadResult, EmulatorError> in
            _ = await lastReload?.value
            do throws(EmulatorError) {
                return .success(try await self.reloadNow())
            } catch {
                return .failure(error)
            }
        }
        lastReload = reload
        return try await reload.value.get()
    }

    private func reloadNow() async throws(EmulatorError) -> ReloadResult {
        do throws(EmulatorError) {
            let result = try await exchange(for: try loadedProfiles())
            var record = EventRecord("reloaded")
            record.beacons = beacons.count
            events.post(record)
            return result
        } catch {
            var record = EventRecord("reload-failed")
            record.message = error.message
            record.cure = error.cure.isEmpty ? "fix the profile, then reload" : error.cure
            record.faults = error.faults.isEmpty ? nil : error.faults.map(ErrorRecord.init)
            events.post(record)
            throw error
        }
    }

    private func exchange(for profiles: [Profile]) async throws(EmulatorError) -> ReloadResult {
        var next: [RunningBeacon] = []
        var fresh: [(beacon: RunningBeacon, predecessor: RunningBeacon?)] = []
        do {
            for (profile, entry, identifier) in Self.identified(profiles) {
                let present = beacons.first { $0.profileName == profile.name && $0.profile.id == entry.id }
                if let present, present.profile == entry, present.identifier == identifier {
                    next.append(present)
                    continue
                }
                let beacon = try makeBeacon(entry, of: profile.name, identifier, lock: present?.lock)
                fresh.append((beacon, present))
                next.append(beacon)
                try await beacon.restore(resets: false)
                try openBonds(of: beacon, resets: false)
            }
            var plans: [PlannedBeacon] = []
            for beacon in next { plans.append(await beacon.plan) }
            try await replan(plans)
        } catch {
            for (beacon, predecessor) in fresh where predecessor?.lock !== beacon.lock { beacon.lock?.release() }
            throw error
        }
        return await take(next, fresh)
    }

    private func take(
        _ next: [RunningBeacon], _ fresh: [(beacon: RunningBeacon, predecessor: RunningBeacon?)]
    ) async -> ReloadResult {
        let old = beacons
        let handover = Task {
            for (beacon, predecessor) in fresh {
                await predecessor?.retire()
                await beacon.catchUp()
            }
            // Whoever waits for this finds the successors.
            beacons = next
            self.handover = nil
        }
        self.handover = handover
        await handover.value
        var result = ReloadResult()
        let locks = next.compactMap(\.lock)
        for gone in old where !next.contains(where: { $0 === gone }) {
            if !next.contains(where: { $0.identifier == gone.identifier }) {
                await gone.setEnabled(false)
                await disconnectAll(from: gone.identifier)
                centrals[gone.identifier] = nil
                subscriptions[gone.identifier] = nil
                result.removed.append(gone.identifier.name)
            }
            if let lock = gone.lock, !locks.contains(where: { $0 === lock }) { lock.release() }
        }
        for (beacon, predecessor) in fresh {
            if let predecessor, predecessor.identifier == beacon.identifier {
                // Who was switched off stays so.
                await beacon.setEnabled(await predecessor.isEnabled)
                let onAir = await predecessor.wanted
                await beacon.powerOn(
                    replacing: onAir, connected: centrals[beacon.identifier, default: []],
                    subscriptions: subscriptions[beacon.identifier, default: [:]])
                result.changed.append(beacon.identifier.name)
            } else {
                await beacon.powerOn()
                result.added.append(beacon.identifier.name)
            }
        }
        checkReadiness()
        let freshNames = Set(fresh.map(\.beacon.identifier))
        result.kept = next.map(\.identifier).filter { !freshNames.contains($0) }.map(\.name)
        return result
    }

    private func replan(_ plans: [PlannedBeacon]) async throws(EmulatorError) {
        do throws(RadioError) {
            try await radio.replan(plans)
        } catch {
            throw EmulatorError(error)
        }
    }

    private func disconnectAll(from beacon: BeaconIdentifier) async {
        for central in centrals[beacon, default: []].sorted() { await radio.disconnect(central: central) }
    }

    /// The beacon of this name.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    func running(_ name: String) async throws(EmulatorError) -> RunningBeacon {
        await handover?.value
        guard let beacon = beacon(BeaconIdentifier(name)) else {
            let names = beacons.map(\.identifier.name).joined(separator: ", ")
            throw EmulatorError(.unknownBeacon, "there is no beacon \"\(name)\"", cure: "beacons are \(names)")
        }
        return beacon
    }
}
