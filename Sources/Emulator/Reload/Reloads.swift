// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import Devices
import Persistence
import Profiles
import Radio

// Changes of the profiles in use: a reload, a change by a client, and a reset. Each prepares a `BeaconReplacement`, then
// gives the beacons to the radio and swaps them in a handover.
extension Emulator {
    /// The result of a reload: beacons by name.
    package struct ReloadResult: Codable, Hashable, Sendable {
        /// New beacons.
        package var added: [String] = []
        /// Beacons whose definition has changed.
        package var changed: [String] = []
        /// Beacons that are in none of the profiles any more.
        package var removed: [String] = []
        /// Beacons whose definition is the same. They keep their state.
        package var kept: [String] = []
        /// Beacons with settings that were changed since the file was written, and stay in force, in the order of the profiles.
        package var keptSettings: [KeptSettings] = []
    }

    /// Settings of a beacon that were changed by a client or an app, so that those of its profile are not in force.
    package struct KeptSettings: Codable, Hashable, Sendable {
        /// A setting that differs.
        package struct Difference: Codable, Hashable, Sendable {
            /// The value in the profile.
            package let profile: String
            /// The value in force.
            package let present: String

            package init(profile: String, present: String) {
                self.profile = profile
                self.present = present
            }
        }

        /// The beacon.
        package let device: String
        /// The settings by their keys.
        package let settings: [String: Difference]

        package init(device: String, settings: [String: Difference]) {
            self.device = device
            self.settings = settings
        }

        /// The command after which those of the profile are in force.
        package var command: String { "beaconry ctl reset \(device)" }

        /// `door: major is 4711, and 1 in the profile`
        package var sentence: String {
            let parts = settings.sorted { $0.key < $1.key }.map { key, value in
                "\(key) is \(value.present), and \(value.profile) in the profile"
            }
            return "\(device): \(parts.joined(separator: "; "))"
        }
    }

    /// Reads the profiles again. Beacons whose definition is the same keep their state.
    /// - Throws: `EmulatorError`; then nothing has changed.
    package func reload() async throws(EmulatorError) -> ReloadResult {
        try await inOrder { emulator throws(EmulatorError) in
            do throws(EmulatorError) {
                let profiles = try await emulator.factory.loadProfiles()
                let result = try await emulator.replaceProfiles(by: profiles, areRead: true)
                await emulator.keepProfiles()
                return result
            } catch {
                await emulator.noteFailedReload(error)
                throw error
            }
        }
    }

    private func noteFailedReload(_ error: EmulatorError) {
        // The end of the run is no fault of the profile.
        guard progress.phase == .up else { return }
        let next = configuration.watchesProfiles ? "; it is read again when it is saved" : ", then reload"
        events.post(.reloadFailed(error.advising("fix the profile" + next)))
        // The next start could not use the profile either.
        if configuration.keepProfiles != nil { setLastGood(true) }
    }

    /// Replaces the profiles in use, until the next reload.
    /// - Parameter change: the next profiles, from those in use.
    /// - Throws: `EmulatorError`; then nothing has changed.
    func changeProfiles(
        _ change: @escaping @Sendable (isolated Emulator) async throws(EmulatorError) -> [Profile]
    ) async throws(EmulatorError) -> ReloadResult {
        try await changeProfiles(change) { _, result throws(EmulatorError) in result }
    }

    /// Replaces the profiles in use, until the next reload.
    /// - Parameters:
    ///   - change: the next profiles, from those in use.
    ///   - reply: what the client gets, before the next change of the profiles.
    /// - Throws: `EmulatorError`; then nothing has changed.
    func changeProfiles<Reply: Sendable>(
        _ change: @escaping @Sendable (isolated Emulator) async throws(EmulatorError) -> [Profile],
        reply: @escaping @Sendable (Emulator, ReloadResult) async throws(EmulatorError) -> Reply
    ) async throws(EmulatorError) -> Reply {
        try await inOrder { emulator throws(EmulatorError) in
            let profiles = try await change(emulator)
            return try await reply(emulator, try await emulator.replaceProfiles(by: profiles))
        }
    }

    /// Reads the profiles again, and starts all over: every beacon with the settings of its profile, without saved
    /// settings, bonds and connections; without overrides of links, which end with the beacons, added receivers and
    /// events in the journal; with the radio on.
    /// - Throws: `EmulatorError`; then nothing has changed, unless the radio refuses beacons that it had.
    package func reset() async throws(EmulatorError) -> ReloadResult {
        try await inOrder { emulator throws(EmulatorError) in
            let result = try await emulator.startOver(with: try await emulator.factory.loadProfiles())
            await emulator.keepProfiles()
            return result
        }
    }

    /// Performs a change of the profiles, or of names that beacons may have, after those before it, when the beacons are on
    /// the radio.
    func inOrder<Outcome: Sendable>(
        _ change: @escaping @Sendable (Emulator) async throws(EmulatorError) -> Outcome
    ) async throws(EmulatorError) -> Outcome {
        let lastChange = progress.lastChange
        let task = Task { () -> Result<Outcome, EmulatorError> in
            await withTaskCancellationHandler {
                await lastChange?.value
            } onCancel: {
                lastChange?.cancel()
            }
            do throws(EmulatorError) {
                await progress.until(.up)
                guard progress.phase == .up else { throw EmulatorError(.inputOutput, "the run has ended") }
                return .success(try await change(self))
            } catch {
                return .failure(error)
            }
        }
        progress.lastChange = Task {
            await withTaskCancellationHandler {
                _ = await task.value
            } onCancel: {
                task.cancel()
            }
        }
        return try await task.value.get()
    }

    // MARK: - Reload

    /// - Parameter areRead: Whether the profiles were read from their files.
    private func replaceProfiles(
        by profiles: [Profile], areRead: Bool = false
    ) async throws(EmulatorError) -> ReloadResult {
        let names = BeaconFactory.identified(profiles).map(\.2.name)
        let present = Set(self.names)
        try await air.requireNoReceiver(named: names.filter { !present.contains($0) })
        var result = try await replaceBeacons(by: profiles)
        let former = events.labels.all
        await adopt(profiles, areRead: areRead)
        let labelled = Set(result.kept.filter { former[$0] != events.labels[$0] })
        result.changed += result.kept.filter(labelled.contains)
        result.kept.removeAll(where: labelled.contains)
        let beacons = roster.beacons
        result.keptSettings = await LongWork.profiles.perform { beacons.compactMap(\.keptSettings) }
        if areRead, let warning = Self.warning(of: result.keptSettings) { events.post(.warning(warning)) }
        return result
    }

    /// The number of beacons that a warning names.
    private static let namedBeacons = 3

    /// The warning that the settings of a file that was read again are not in force; `nil` if they are.
    private static func warning(of kept: [KeptSettings]) -> Warning? {
        guard let first = kept.first else { return nil }
        let more = kept.count > namedBeacons ? "; and of \(kept.count - namedBeacons) more beacons" : ""
        return Warning(
            code: "settings-kept",
            message: "settings that were changed since stay in force: "
                + kept.prefix(namedBeacons).map(\.sentence).joined(separator: "; ") + more,
            hint: "none needed; \(first.command) restores those of the profile"
                + (kept.count > 1 ? ", of each beacon or of all that match a pattern" : ""))
    }

    /// Posts a warning for each text that a comment has cut.
    func reportCutTexts(of profiles: [Profile]) {
        for cut in profiles.flatMap(\.cutTexts) { events.post(.warning(cut.warning)) }
    }

    /// Takes the profiles of beacons that are on the radio now.
    /// - Parameters:
    ///   - areRead: Whether they were read from their files.
    ///   - startsOver: Whether the changes of clients end.
    private func adopt(_ profiles: [Profile], areRead: Bool, startsOver: Bool = false) async {
        roster.adopt(profiles)
        if areRead {
            setLastGood(false)
            reportCutTexts(of: profiles)
        }
        await replaceReceivers(by: profiles.flatMap(\.receivers))
        await reloadObserver?(profiles.map(\.name))
        await reloadPhysics(profiles, startsOver: startsOver)
        events.post(.reloaded(beacons: roster.order.count))
    }

    /// Applies the receivers of a reload.
    private func replaceReceivers(by next: [ReceiverDefinition]) async {
        warnOfMovement()
        await replaceListeners(by: next)
        warnOfMissingReceiver()
        guard let radio = try? air.positioning() else { return }
        if let warning = await receivers.replace(by: next, on: radio) { events.post(.warning(warning)) }
    }

    /// Removes the saved settings of beacons, which start again with those of their profiles; bonds stay.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.unknownProfile`, `.inputOutput` if saved settings cannot be removed, or as
    ///   `reload`.
    package func resetSettings(of selection: BeaconSelection) async throws(EmulatorError) -> ReloadResult {
        try await inOrder { emulator throws(EmulatorError) in
            try await emulator.resetSettings(of: try await emulator.selected(selection).map(\.identifier))
        }
    }

    private func resetSettings(of beacons: [BeaconIdentifier]) async throws(EmulatorError) -> ReloadResult {
        try await replaceBeacons(by: roster.profiles, resetting: Set(beacons))
    }

    /// - Parameter reset: beacons whose saved settings are removed.
    private func replaceBeacons(
        by profiles: [Profile], resetting reset: Set<BeaconIdentifier> = []
    ) async throws(EmulatorError) -> ReloadResult {
        let replacement = try await BeaconReplacement(
            of: roster.beacons, by: profiles, keepsEqual: true, renewing: reset, factory)
        do throws(EmulatorError) {
            var pauses = LongWork.Pauses()
            for (beacon, _) in replacement.fresh {
                await pauses.step()
                try await beacon.restore(resets: reset.contains(beacon.identifier))
                try openBonds(of: beacon, resets: false)
            }
            guard !replacement.handedOver.isEmpty || replacement.next.map(\.identifier) != roster.order else {
                return ReloadResult(kept: names)
            }
            return try await handOver(replacement) { emulator throws(EmulatorError) in
                do throws(RadioError) {
                    try await emulator.replan(await Self.hosted(replacement.next))
                } catch {
                    throw EmulatorError(error)
                }
                return await emulator.swap(replacement)
            }
        } catch {
            replacement.cancel()
            throw error
        }
    }

    /// Gives the radio new attribute tables, and replaces beacons. Their requests and commands wait meanwhile, and so do all
    /// changes, so that none reaches a device with another table, or one that is being replaced.
    /// - Throws: what the exchange throws.
    private func handOver(
        _ replacement: BeaconReplacement,
        _ exchange: @escaping @Sendable (isolated Emulator) async throws(EmulatorError) -> ReloadResult
    ) async throws(EmulatorError) -> ReloadResult {
        let task = Task { () -> Result<ReloadResult, EmulatorError> in
            defer { directory.endHandover() }
            await directory.beginHandover(of: replacement.handedOver)
            do throws(EmulatorError) {
                return .success(try await exchange(self))
            } catch {
                return .failure(error)
            }
        }
        directory.announceHandover(Task { _ = await task.value })
        return try await task.value.get()
    }

    /// Replaces the beacons. At the end of the handover the new beacons are switched on. Other work goes on meanwhile; what concerns
    /// the beacons waits for the end of the handover.
    private func swap(_ replacement: BeaconReplacement) async -> ReloadResult {
        var result = ReloadResult()
        var handovers: [BeaconIdentifier: RunningBeacon.Handover] = [:]
        var pauses = LongWork.Pauses()
        for beacon in replacement.gone {
            await pauses.step()
            handovers[beacon.identifier] = await beacon.retire()
        }
        for (beacon, _) in replacement.fresh {
            await pauses.step()
            await beacon.reloadSettings()
        }
        install(replacement.next)
        let names = Set(roster.order)
        for beacon in replacement.gone where !names.contains(beacon.identifier) {
            await pauses.step()
            await beacon.remove()
            await disconnectAll(from: beacon.identifier)
            remove(beacon.identifier)
            result.removed.append(beacon.identifier.name)
        }
        replacement.releaseFormerLocks()
        for (beacon, predecessor) in replacement.fresh {
            await pauses.step()
            // The end of the run does not wait for beacons that it would switch off.
            guard progress.phase == .up else { break }
            let identifier = beacon.identifier
            let hadSchedule = roster[identifier]?.hasSchedule == true
            await beginSchedule(of: beacon)
            guard let session = roster[identifier] else { preconditionFailure("\(identifier) is not installed") }
            if let predecessor, predecessor.identifier == identifier {
                var handover = handovers[identifier] ?? RunningBeacon.Handover()
                if hadSchedule || session.hasSchedule { handover.isEnabled = session.isToBeOn }
                if !handover.isEnabled { await disconnectAll(from: identifier) }
                await beacon.powerOn(
                    replacing: handover, centrals: session.centrals, subscriptions: session.subscriptions)
                result.changed.append(identifier.name)
            } else {
                await beacon.powerOn(replacing: RunningBeacon.Handover(isEnabled: session.isToBeOn))
                result.added.append(identifier.name)
            }
        }
        let fresh = Set(replacement.fresh.map(\.beacon.identifier))
        result.kept = roster.order.filter { !fresh.contains($0) }.map(\.name)
        return result
    }

    // MARK: - Reset

    private func startOver(with profiles: [Profile]) async throws(EmulatorError) -> ReloadResult {
        let replacement = try await BeaconReplacement(of: roster.beacons, by: profiles, keepsEqual: false, factory)
        let result: ReloadResult
        do throws(EmulatorError) {
            result = try await handOver(replacement) { emulator throws(EmulatorError) in
                try await emulator.restart(replacement)
            }
        } catch {
            replacement.cancel()
            throw error
        }
        linkTimers.cancel()
        for listener in listeners.all { await listeners.remove(listener.name) }
        await adopt(profiles, areRead: true, startsOver: true)
        for removed in await air.resetReceivers(to: profiles.flatMap(\.receivers)) {
            events.post(.receiver(removed, .removed))
        }
        events.clearJournal()
        return result
    }

    /// Replaces all beacons by the beacons of a reset, which have the settings of their profiles.
    /// - Throws: `EmulatorError` if saved state cannot be removed, or the radio cannot carry the beacons; then nothing has
    ///   changed.
    private func restart(_ replacement: BeaconReplacement) async throws(EmulatorError) -> ReloadResult {
        let (former, next) = (replacement.gone, replacement.next)
        let hosted = await Self.hosted(next)
        var reset = StateReset()
        do throws(EmulatorError) {
            for beacon in former { await beacon.settle() }
            try begin(&reset, of: former + next)
            do throws(RadioError) {
                try await replan(hosted)
            } catch {
                throw EmulatorError(error)
            }
        } catch {
            reset.cancel()
            throw error
        }
        // From here on, nothing is refused.
        await faultInjectingRadio?.setPowered(true)
        for beacon in former { await discard(beacon) }
        // Without beacons, the radio forgets what belonged to them, such as overrides of links.
        try? await replan([])
        finish(reset, for: next)
        install(next)
        do throws(RadioError) {
            try await replan(hosted)
        } catch {
            // It carried them a moment ago; the radio reports what is wrong now.
            events.post(.warning(Warning(code: "reset-refused", message: error.message, hint: error.hint)))
        }
        replacement.releaseFormerLocks()
        for beacon in next { await powerOn(beacon) }
        return ReloadResult(added: next.map(\.identifier.name))
    }

    /// Takes a beacon off the air for good, with its connections and bonds.
    private func discard(_ beacon: RunningBeacon) async {
        _ = await beacon.retire()
        await beacon.remove()
        await disconnectAll(from: beacon.identifier)
        if !vault.secrets(of: beacon.identifier).bonds.isEmpty {
            _ = await pairingRadio?.forgetBonds(of: beacon.identifier, peer: nil)
        }
        vault.clear(beacon.identifier)
        remove(beacon.identifier)
    }

    /// Prepares the removal of the saved settings and bonds of beacons.
    private func begin(_ reset: inout StateReset, of beacons: [RunningBeacon]) throws(EmulatorError) {
        let files = beacons.flatMap(savedFiles).map { ($0.path, $0) }
        for file in Dictionary(files, uniquingKeysWith: { first, _ in first }).values {
            do throws(SystemError) {
                try reset.begin(file)
            } catch {
                throw EmulatorError(
                    .inputOutput, "nothing was reset, because saved state cannot be removed (\(error))",
                    hint: "make the state folder writable, or check its medium")
            }
        }
    }

    /// Removes what was saved, and reports it.
    private func finish(_ reset: StateReset, for beacons: [RunningBeacon]) {
        let paths = Set(reset.paths)
        for error in reset.finish() { events.post(.warning(notReset(error))) }
        for beacon in beacons {
            if let flash = beacon.flash, paths.contains(flash.path) {
                events.post(.beacon(beacon.identifier, .settingsReset(file: flash.path)))
            }
            if let bonds = bondFile(of: beacon), paths.contains(bonds.path) {
                events.post(.beacon(beacon.identifier, .bondsReset(file: bonds.path)))
            }
            // The file is removed, so there is nothing to read.
            try? openBonds(of: beacon, resets: false)
        }
    }

    private func notReset(_ error: SystemError) -> Warning {
        let command = configuration.state?.resetCommand(of: roster.profileNames.joined(separator: " "))
        return Warning(
            code: "reset-incomplete", message: "saved state could not be removed (\(error)): the next run may find it",
            hint: "remove it when this run has ended" + (command.map { " (\($0))" } ?? ""))
    }

    /// The files of the settings and the bonds of a beacon.
    private func savedFiles(of beacon: RunningBeacon) -> [AtomicFile] {
        [beacon.flash?.file, bondFile(of: beacon)?.file].compactMap(\.self)
    }

    private func bondFile(of beacon: RunningBeacon) -> BondFile? {
        guard beacon.profile.pairing != nil else { return nil }
        return configuration.state?.bonds(profile: beacon.profileName, beacon: beacon.profile.id)
    }
}
