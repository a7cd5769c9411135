// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import Persistence
import Profiles
import Radio

// What can be changed while it runs: by the control socket, and by SIGHUP.

extension Emulator {
    /// What a reload did.
    package struct ReloadResult: Codable, Hashable, Sendable {
        /// Beacons that are new.
        package var added: [String] = []
        /// Beacons whose entry in the profile is another one.
        package var changed: [String] = []
        /// Beacons that are gone.
        package var removed: [String] = []
        /// Beacons that go on as they were, with whatever was set meanwhile.
        package var kept: [String] = []
    }

    /// All beacons in the order of the profiles.
    /// - Parameter profile: the profile whose beacons are wanted; `nil` for all, as is the name of a run's only profile.
    package func list(of profile: String? = nil) async -> [BeaconStatus] {
        await handover?.value
        let isOne = Set(beacons.map(\.profileName)).count == 1
        var statuses: [BeaconStatus] = []
        for beacon in beacons where isOne || profile == nil || beacon.profileName == profile {
            statuses.append(completed(await beacon.status))
        }
        return statuses
    }

    /// One beacon.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func show(_ name: String) async throws(EmulatorError) -> BeaconStatus {
        completed(await (try await running(name)).status)
    }

    /// Changes settings, all or none, as the profile would have them.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.badProfile` for a text that is no value, `.refusedSetting`, or
    ///   `.inputOutput` when they could not be made durable.
    package func set(_ name: String, _ values: [String: String]) async throws(EmulatorError) -> BeaconStatus {
        completed(try await command(name) { await $0.set(values) }.get())
    }

    /// Has a beacon do something.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.refusedSetting` when it does not do it.
    package func perform(_ command: DeviceCommand, on name: String) async throws(EmulatorError) -> BeaconStatus {
        completed(try await self.command(name) { await $0.perform(command) }.get())
    }

    /// Switches a beacon on or off.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func setEnabled(_ name: String, _ enabled: Bool) async throws(EmulatorError) -> BeaconStatus {
        let status = try await command(name) { await $0.setEnabled(enabled) }
        // Power that goes takes its connections with it.
        if !enabled { await disconnectAll(from: status.identifier) }
        return completed(status)
    }

    /// Routes a command to the living beacon of this name.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    private func command<Outcome: Sendable>(
        _ name: String, _ body: (RunningBeacon) async -> Outcome?
    ) async throws(EmulatorError) -> Outcome {
        guard let outcome = await directory.route(to: BeaconIdentifier(name), body) else { throw unknown(name) }
        return outcome
    }

    /// Reads the profiles again. Beacons whose entry did not change go on as they are.
    /// - Throws: `EmulatorError` with what is wrong; everything goes on as it was then.
    package func reload() async throws(EmulatorError) -> ReloadResult {
        let reload = Task { [lastReload] () -> Result<ReloadResult, EmulatorError> in
            await withTaskCancellationHandler {
                _ = await lastReload?.value
            } onCancel: {
                lastReload?.cancel()
            }
            do throws(EmulatorError) {
                try await self.untilUp()
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
            let profiles = try await loadedProfiles()
            let result = try await exchange(for: profiles)
            await noteReload(of: profiles)
            var record = EventRecord("reloaded")
            record.beacons = beacons.count
            events.post(record)
            return result
        } catch {
            var record = EventRecord("reload-failed")
            record.message = error.message
            record.hint = error.hint.isEmpty ? "fix the profile, then reload" : error.hint
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
            let result = try await handOver(to: next, fresh)
            checkReadiness()
            return result
        } catch {
            for (beacon, predecessor) in fresh where predecessor?.lock !== beacon.lock { beacon.lock?.release() }
            throw error
        }
    }

    /// Gives the radio the new attribute tables and has the successors answer for them. Requests and commands wait
    /// meanwhile, so that none meets a device of another table, or one that is being replaced.
    /// - Throws: `EmulatorError` when the radio cannot carry them; everything is as before then.
    private func handOver(
        to next: [RunningBeacon], _ fresh: [(beacon: RunningBeacon, predecessor: RunningBeacon?)]
    ) async throws(EmulatorError) -> ReloadResult {
        var plans: [HostedBeacon] = []
        for beacon in next { plans.append(await beacon.plan) }
        let exchange = Task { [plans] () -> Result<ReloadResult, EmulatorError> in
            defer { self.handover = nil }
            do throws(EmulatorError) {
                try await replan(plans)
            } catch {
                return .failure(error)
            }
            return .success(await replace(with: next, fresh))
        }
        handover = Task { _ = await exchange.value }
        return try await exchange.value.get()
    }

    /// Puts beacons in the places of others. Whoever waits for its end finds the successors, switched on as they will be.
    private func replace(
        with next: [RunningBeacon], _ fresh: [(beacon: RunningBeacon, predecessor: RunningBeacon?)]
    ) async -> ReloadResult {
        var result = ReloadResult()
        let gone = beacons.filter { old in !next.contains { $0 === old } }
        var legacies: [BeaconIdentifier: RunningBeacon.Legacy] = [:]
        for beacon in gone { legacies[beacon.identifier] = await beacon.retire() }
        for (beacon, _) in fresh { await beacon.catchUp() }
        beacons = next
        let locks = next.compactMap(\.lock)
        for beacon in gone {
            if !next.contains(where: { $0.identifier == beacon.identifier }) {
                await beacon.remove()
                await disconnectAll(from: beacon.identifier)
                forget(beacon.identifier)
                result.removed.append(beacon.identifier.name)
            }
            if let lock = beacon.lock, !locks.contains(where: { $0 === lock }) { lock.release() }
        }
        for (beacon, predecessor) in fresh {
            if let predecessor, predecessor.identifier == beacon.identifier {
                await beacon.powerOn(
                    replacing: legacies[beacon.identifier] ?? RunningBeacon.Legacy(),
                    connected: centrals[beacon.identifier, default: []],
                    subscriptions: subscriptions[beacon.identifier, default: [:]])
                result.changed.append(beacon.identifier.name)
            } else {
                await beacon.powerOn()
                result.added.append(beacon.identifier.name)
            }
        }
        let freshNames = Set(fresh.map(\.beacon.identifier))
        result.kept = next.map(\.identifier).filter { !freshNames.contains($0) }.map(\.name)
        return result
    }

    private func replan(_ plans: [HostedBeacon]) async throws(EmulatorError) {
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
        guard let beacon = beacon(BeaconIdentifier(name)) else { throw unknown(name) }
        return beacon
    }

    private func unknown(_ name: String) -> EmulatorError {
        let names = beacons.map(\.identifier.name).joined(separator: ", ")
        return EmulatorError(.unknownBeacon, "there is no beacon \"\(name)\"", hint: "beacons are \(names)")
    }
}
