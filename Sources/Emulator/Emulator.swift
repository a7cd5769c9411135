// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Concurrency
import Devices
package import Persistence
package import Profiles
package import Radio
import Space

/// The beacons of profiles, running on a radio.
///
/// The beacons are made and restored, the radio is opened with them, and they are up until the run is over
/// (`RunProgress`); a reload waits until they are up. The run becomes ready once: when every beacon that should be on the
/// air is on the air, and none is paused; `airSummary` is what is on the air at present. The run ends after `stop()`,
/// shutdown, the end of the duration, or an error; then the radio is closed.
///
/// Each beacon is an actor (`RunningBeacon`) with a session (`BeaconSession`) in the roster. Events of the radio go to the
/// sessions and through the directory to the beacons; actions of the beacons come back in order and go to the radio.
/// Requests of centrals do not use this actor: the radio calls the directory, which answers them. What control clients
/// request is in extensions, by its subject: beacons (`change`, `list`), reloads, pairing, faults, captures, scenarios; and
/// in `AirControl`.
package actor Emulator {
    /// The settings of a run.
    package struct Configuration: Sendable {
        /// The profiles of the start; `nil` to read them.
        package var profiles: [Profile]?
        /// Reads the profiles, on every reload and, without `profiles`, at the start.
        package var loadProfiles: ProfileLoader
        /// The folder for saved settings; `nil` saves nothing.
        package var state: StateFolder?
        /// Whether to remove saved settings first.
        package var resets: Bool
        /// Whether a difference between the requested and the effective advertisement is an error.
        package var isStrict: Bool
        /// Whether to wait for a radio that is not usable yet.
        package var waits: Bool
        /// The duration of the run, counted from `ready`; `nil` for no limit.
        package var duration: Duration?
        /// A file that exists while everything that should be on the air is on the air.
        package var readyFile: String?
        /// The time of day at the start of the run, since the Unix epoch, for schedules; `nil` for the machine's.
        package var epoch: Duration?
        /// The time of day of the run, which may be set during it; `nil` for the machine's.
        package var timeOfDay: TimeOfDay?
        /// Keeps the profiles that were read last, after their beacons are on the radio; `nil` keeps none. It returns why they
        /// could not be kept.
        package var keepProfiles: (@Sendable () -> Warning?)?
        /// The warning that `profiles` are the last good ones, because the profiles of the start cannot be read; `nil`
        /// if they can be read.
        package var lastGood: Warning?
        /// Whether the profiles are in memory, so that reading them needs no thread of its own.
        package var hasProfilesInMemory = false
        /// Whether the profiles are read again whenever their files change.
        package var watchesProfiles = false
        /// Makes a radio that receives on the adapter of the run, for a radio that only carries beacons; `nil` for none.
        package var makeCentral: (@Sendable () -> any CentralRadio)?
        /// The model of the virtual air for profiles.
        package var airModel: AirModelling = { Propagation(for: $0) }
        /// The walk on the bench; `nil` for none.
        package var bench: Bench?
        /// The time zone of schedules.
        package var utcOffset: Schedule.UTCOffset = LocalTime.offset

        /// Settings with their defaults.
        package init(
            profiles: [Profile]? = nil, loadProfiles: @escaping ProfileLoader,
            state: StateFolder? = nil,
            resets: Bool = false, isStrict: Bool = false, waits: Bool = false, duration: Duration? = nil,
            readyFile: String? = nil
        ) {
            self.profiles = profiles
            self.loadProfiles = loadProfiles
            self.state = state
            self.resets = resets
            self.isStrict = isStrict
            self.waits = waits
            self.duration = duration
            self.readyFile = readyFile
        }
    }

    /// The events of the run.
    package nonisolated let events = EventHub()
    /// What clients read and change on the virtual air.
    package nonisolated var air: AirControl { AirControl(placedRadio, directory, listeners) }
    let configuration: Configuration
    let radio: any PeripheralRadio
    let runClock: RunClock
    private nonisolated let executor = ActorExecutor.cooperative()
    let factory: BeaconFactory
    let vault: BondVault
    /// The beacons, and what is on the air.
    let roster: BeaconRoster
    /// Routes requests, inputs and commands to the beacons.
    let directory: BeaconDirectory
    /// The texts of the profiles, for clients.
    let profileTexts = ProfileTexts()
    let progress = RunProgress()
    /// The receivers of the profiles.
    let receivers = ServedReceivers()
    /// The physics and the walls of the virtual air.
    let airModel: AirModel
    let scenario: ScenarioPlayer
    /// The captures in memory.
    let captures = RunCaptures()
    /// The ends of overrides of paths.
    let linkTimers = LinkTimers()
    /// Runs while a schedule depends on the time of day.
    let timeOfDayTimer = TimeOfDayTimer()
    /// Receives the names of the profiles after each reload, before the reload is reported.
    private(set) var reloadObserver: (@Sendable ([String]) async -> Void)?
    /// The receivers that scan within the run.
    package nonisolated let listeners: ListeningReceivers
    /// Where the receivers and the beacons really are.
    package nonisolated let truth: AirTruth
    /// Reports the rooms of receivers; `nil` for a radio without positions.
    let roomWatch: RoomWatch?

    /// An emulator that has not started; call `run()`.
    package init(
        _ configuration: Configuration, radio: any PeripheralRadio, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.configuration = configuration
        self.radio = radio
        runClock = RunClock(clock, epoch: configuration.epoch, timeOfDay: configuration.timeOfDay)
        vault = BondVault { [events] in events.post(.beacon($0, $1)) }
        directory = BeaconDirectory(events: radio.events)
        let placed: any PeripheralRadio = configuration.bench?.air ?? radio
        let places = (placed as? any PositioningRadio)?.places
        truth = AirTruth(places)
        let listeners = ListeningReceivers(makeCentral: configuration.makeCentral, truth: truth) { [events] in
            events.post(.receiver($0, $1))
            // Its room comes after it.
            if case .added = $1 { places?.notify() }
        }
        self.listeners = listeners
        if let places {
            roomWatch = RoomWatch(places, runClock) {
                await listeners[$0]?.isAnnounced ?? true
            } post: { [events] in
                events.post(.receiver($0, $1))
            }
        } else {
            roomWatch = nil
        }
        factory = BeaconFactory(
            configuration, executor: executor, clock: runClock.timekeeper, counts: directory.counts)
        roster = BeaconRoster(radioName: radio.name, labels: events.labels)
        scenario = ScenarioPlayer(events: events)
        airModel = AirModel(configuration.airModel)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    /// Sets a function that receives the names of the profiles after each reload, before the reload is reported.
    package func observeReloads(_ observer: @escaping @Sendable ([String]) async -> Void) { reloadObserver = observer }

    // MARK: - Start and end

    /// Runs until `stop`, cancellation or the end of the duration.
    /// - Throws: `EmulatorError`; then nothing is left on the radio.
    package func run() async throws {
        defer {
            progress.begin(.over)
            events.finish()
        }
        // A file that a killed run has left would announce this run too early.
        try readyFile?.check()
        readyFile?.remove()
        if let lastGood = configuration.lastGood {
            roster.setLastGood(true)
            events.post(.warning(lastGood))
        }
        do {
            let profiles = if let first = configuration.profiles { first } else { try await factory.loadProfiles() }
            reportCutTexts(of: profiles)
            receivers.begin(with: profiles)
            airModel.begin(with: profiles)
            truth.setBuilding(Building(for: profiles))
            roster.begin(with: profiles)
            install(try await BeaconReplacement(of: [], by: profiles, keepsEqual: false, factory).next)
            progress.begin(.opening)
            for beacon in roster.beacons {
                try await beacon.restore(resets: configuration.resets)
                try openBonds(of: beacon, resets: configuration.resets)
            }
        } catch {
            for beacon in roster.beacons { beacon.lock?.release() }
            throw error
        }
        let failure = await runOnRadio()
        for beacon in roster.beacons { beacon.lock?.release() }
        if let failure { throw failure }
    }

    /// Ends the run as at the end of its duration.
    package func stop() { end() }

    /// Ends the run.
    private func end(_ failure: EmulatorError? = nil) { progress.endings.continuation.yield(failure) }

    /// Ends the waiting of requests for a run that does not begin any more; a run that has begun is not affected.
    package func giveUp() { if progress.phase == .making { progress.begin(.over) } }

    private func runOnRadio() async -> EmulatorError? {
        let radioEvents = Task { for await event in radio.events { await self.handle(event) } }
        let actionLoop = Task { for await action in factory.actions { await self.perform(action) } }
        let walking = Task { await self.walkOnBench() }
        defer {
            walking.cancel()
            radioEvents.cancel()
            actionLoop.cancel()
        }
        let failure = await openAndWait()
        progress.begin(.over)
        progress.lastChange?.cancel()
        timeOfDayTimer.cancel()
        linkTimers.cancel()
        if failure == nil || roster.isReady { events.post(.stopping) }
        roster.setRunning(false)
        announce()
        for session in roster.allSessions { session.end() }
        scenario.cancel()
        await roomWatch?.end()
        await listeners.removeAll()
        await configuration.bench?.air.close()
        await radio.close()
        for beacon in roster.beacons { await beacon.end() }
        return failure
    }

    private func openAndWait() async -> EmulatorError? {
        let opening = Task { [radio, configuration, directory, vault] () -> EmulatorError? in
            await (radio as? any BondStoringRadio)?.storeBonds(in: vault)
            do throws(RadioError) {
                let hosted = await Self.hosted(roster.beacons)
                let capabilities = try await radio.open(
                    configuration.bench == nil ? hosted : hosted.map(\.atRest), waits: configuration.waits
                ) { directory.answer($0) }
                try await configuration.bench?.open(hosted)
                await self.powerOn(capabilities)
                return nil
            } catch {
                return EmulatorError(error)
            }
        }
        let watching = Task { if let error = await opening.value { end(error) } }
        defer { watching.cancel() }
        for await reason in progress.endings.stream {
            opening.cancel()
            return reason
        }
        return nil
    }

    private func powerOn(_ capabilities: RadioCapabilities) async {
        listeners.note(capabilities)
        events.post(.radioReady(capabilities))
        roster.setRadioUp(true, name: capabilities.name)
        if !capabilities.canReadBack {
            events.post(
                .warning(
                    Warning(
                        code: "not-read-back",
                        message: "without CAP_NET_RAW what the controller really radiates cannot be read back, and its "
                            + "interruptions are not noticed",
                        hint: "give beaconry CAP_NET_RAW (see docs/adapters.md, \"Rights\")")))
        }
        warnOfMovement()
        warnOfBench(on: capabilities)
        // Before the beacons are on the air, so that they receive their first packets.
        await beginListening()
        await noteBuilding(of: roster.profiles)
        await powerOnBeacons()
        progress.begin(.up)
        roster.setRunning(progress.phase == .up)
        _ = roster.countAll()
        announce()
        if configuration.lastGood == nil { await keepProfiles() }
    }

    /// Switches on the beacons that the run begins with. They have been on before it, unless the profiles have a power cut: what is
    /// switched on later begins at once.
    private func powerOnBeacons() async {
        let isSpread = PowerOn(for: roster.profiles) == .spread
        await (radio as? any PhaseDrawingRadio)?.setDrawsPhases(isSpread)
        for beacon in roster.beacons { await powerOn(beacon) }
        // They advertise by actions, which are performed in order.
        factory.noteBegun()
    }

    /// Keeps the profiles that were read last, which have run now.
    func keepProfiles() async {
        guard let keep = configuration.keepProfiles else { return }
        if let warning = await LongWork.profiles.perform(keep) { events.post(.warning(warning)) }
    }

    /// Notes whether the profiles in use are the ones that ran last, since their files cannot be used.
    func setLastGood(_ isLastGood: Bool) {
        roster.setLastGood(isLastGood)
        announce()
    }

    /// Begins the schedule of a beacon, and switches the beacon on unless the schedule has it off.
    func powerOn(_ beacon: RunningBeacon) async {
        await beginSchedule(of: beacon)
        let isOn = roster[beacon.identifier]?.isToBeOn ?? true
        await beacon.powerOn(replacing: RunningBeacon.Handover(isEnabled: isOn))
    }

    /// Reports once that the radio has no positions, if a profile has receivers or beacons that move.
    func warnOfMovement() {
        guard (try? air.positioning()) == nil else { return }
        let movements = roster.beacons.compactMap(\.profile.movement)
        if let warning = receivers.warning(ofRadio: radio.name, movements) { events.post(.warning(warning)) }
    }

    // MARK: - On the air

    /// What should be on the air, and what is. A handover that is under way is finished first.
    package func airSummary() async -> AirSummary {
        await directory.handover?.value
        return roster.summary
    }

    /// Counts the state that a beacon has now, and announces what follows.
    func refresh(_ beacon: BeaconIdentifier) {
        if roster.count(beacon) { announce() }
    }

    /// Announces what has changed.
    private func announce() {
        for step in roster.announcements() {
            switch step {
            case .ready:
                guard createReadyFile() else { return }
                events.post(.ready(roster.summary))
                guard let duration = configuration.duration else { continue }
                Task { [runClock, ending = progress.endings.continuation] in
                    await runClock.sleep(for: duration)
                    ending.yield(nil)
                }
            case .complete: _ = createReadyFile()
            case .incomplete:
                readyFile?.remove()
            case .degraded: events.post(.degraded(roster.summary))
            case .recovered: events.post(.recovered(roster.summary))
            }
        }
    }

    /// - Returns: Whether the file exists, if it is requested; otherwise the run ends.
    private func createReadyFile() -> Bool {
        do throws(EmulatorError) {
            try readyFile?.create()
            return true
        } catch {
            end(error)
            return false
        }
    }

    private var readyFile: ReadyFile? { configuration.readyFile.map { ReadyFile(path: $0) } }

    /// Records whether the radio is usable, and its name.
    private func setRadioUp(_ isUp: Bool, name: String? = nil) {
        roster.setRadioUp(isUp, name: name)
        announce()
        progress.noteRadio()
    }

    // MARK: - Sessions

    /// The names of the beacons, in the order of the profiles.
    var names: [String] { roster.order.map(\.name) }

    /// Makes these the beacons of the run. Sessions of other beacons stay until `remove`.
    func install(_ beacons: [RunningBeacon]) {
        directory.setBeacons(beacons)
        if roster.install(beacons) { announce() }
    }

    /// Removes a beacon from the run, at once or when it is off the air.
    func remove(_ beacon: BeaconIdentifier) {
        listeners.forget(beacon: beacon.name)
        if roster.remove(beacon) { announce() }
    }

    /// - Parameter report: Why it is off the air.
    /// - Returns: Whether the beacon was on the air.
    func takeOffTheAir(_ beacon: BeaconIdentifier, _ report: AirReport) -> Bool {
        let wasOnAir = roster[beacon]?.stopAdvertising(report) == true
        refresh(beacon)
        roster.forgetIfGone(beacon)
        return wasOnAir
    }

    func centrals(of beacon: BeaconIdentifier) -> [String] { roster[beacon]?.centrals ?? [] }

    func disconnectAll(from beacon: BeaconIdentifier) async {
        for central in centrals(of: beacon) { await radio.disconnect(central: central) }
    }

    /// Beacons as a radio hosts them.
    static func hosted(_ beacons: [RunningBeacon]) async -> [HostedBeacon] {
        var hosted: [HostedBeacon] = []
        var pauses = LongWork.Pauses()
        for beacon in beacons {
            await pauses.step()
            hosted.append(await beacon.hosted)
        }
        return hosted
    }

    // MARK: - From the beacons to the radio

    private func perform(_ action: RunningBeacon.Action) async {
        switch action {
        case .switched(let beacon, let isOn, let advertises):
            roster[beacon]?.switch(on: isOn, advertises: advertises)
            refresh(beacon)
        case .advertise(let beacon, let advertisement):
            roster[beacon]?.request(advertisement != nil)
            if advertisement == nil, takeOffTheAir(beacon, .none) {
                let isEnabled = await directory.beacon(beacon)?.isEnabled ?? true
                let off: AdvertisingStop = roster[beacon]?.isScheduledOff == true ? .scheduled : .disabled
                let stop = !isEnabled ? off : centrals(of: beacon).isEmpty ? .device : .connected
                events.post(.beacon(beacon, .advertisingStopped(stop)))
            }
            refresh(beacon)
            await advertise(advertisement, for: beacon)
        case .notify(let beacon, let characteristic, let value, let central):
            await radio.notify(value, of: characteristic, on: beacon, to: central?.name)
        case .updateConnection(let central, let parameters):
            await (radio as? any ConnectionUpdatingRadio)?.updateConnection(of: central.name, to: parameters)
        case .ask(let beacon, let request, let central):
            let conversation = roster[beacon]?.conversation(with: central) {
                ClientConversation(with: central, on: radio) { [weak self] in await self?.deliver($0, to: beacon) }
            }
            conversation?.ask(request)
        case .disconnect(let central): await radio.disconnect(central: central.name)
        case .post(let beacon, let event): events.post(.beacon(beacon, event))
        case .begun: await (radio as? any PhaseDrawingRadio)?.setDrawsPhases(false)
        case .finish(let continuation): continuation.finish()
        }
    }

    // MARK: - From the radio to the beacons

    private func handle(_ event: RadioEvent) async {
        switch event {
        case .ready(let capabilities):
            events.post(.radioReady(capabilities))
            setRadioUp(true, name: capabilities.name)
        case .lost(let error):
            events.post(.radioLost(error))
            setRadioUp(false)
        case .advertising(let beacon, let status): take(status, of: beacon)
        case .stopped(let beacon, let reason):
            let stop = AdvertisingStop(radio: reason)
            guard takeOffTheAir(beacon, stop == .connected ? .paused : .stopped) else { return }
            events.post(.beacon(beacon, .advertisingStopped(stop)))
        case .refused(let beacon, let error):
            let isFirstReport = roster[beacon]?.hasReport == false
            _ = takeOffTheAir(beacon, .refused)
            // Before the run is ready, a first answer that no state of the radio will change ends it. A beacon that the radio
            // has carried, or that waits for the end of a condition, is tried again.
            if roster.isReady || error.isTemporary || !isFirstReport {
                events.post(.beacon(beacon, .advertisingRefused(error)))
            } else {
                end(EmulatorError(error))
            }
        case .connected(let beacon, let central):
            events.post(.beacon(beacon, .connected(central: central)))
            roster[beacon]?.connect(central)
            await deliver(.connected(Central(central)), to: beacon)
        case .disconnected(let beacon, let central):
            events.post(.beacon(beacon, .disconnected(central: central)))
            roster[beacon]?.disconnect(central)
            await deliver(.disconnected(Central(central)), to: beacon)
        case .subscribed(let beacon, let central, let characteristic, let configuration):
            let name = directory.beacon(beacon)?.name(of: characteristic)
            events.post(
                .beacon(
                    beacon,
                    .subscribed(
                        central: central, NamedCharacteristic(identifier: characteristic, name: name),
                        isOn: !configuration.isEmpty)))
            roster[beacon]?.subscribe(
                Subscription(central: central, characteristic: characteristic), configuration)
            await deliver(.subscribed(Central(central), characteristic, configuration), to: beacon)
        case .refusedRequest(let request, let error):
            let name = directory.beacon(request.beacon)?.name(of: request.characteristic)
            events.post(.beacon(request.beacon, .refused(request, error, name: name)))
        case .pairing(let beacon, let central, let event):
            events.post(.beacon(beacon, .pairing(central: central, event)))
            guard let answer = roster[beacon]?.take(event, from: central) else { return }
            await pairingRadio?.answerPairing(answer, of: central)
        case .connectionUpdated(let beacon, let central, let parameters):
            await deliver(.connectionUpdated(Central(central), parameters), to: beacon)
        case .host(let event): events.post(.host(event))
        case .replayEnded(let count): events.post(.replayEnded(packets: count))
        case .warning(let beacon, let warning):
            events.post(beacon.map { EmulatorEvent.beacon($0, .warning(warning)) } ?? .warning(warning))
        }
    }

    private func deliver(_ input: DeviceInput, to beacon: BeaconIdentifier) async {
        await directory.route(to: beacon) { await $0.take(input) }
    }

    private func take(_ status: AdvertisingStatus, of beacon: BeaconIdentifier) {
        guard let isNew = roster[beacon]?.advertise(status) else { return }
        // The receivers of a bench receive it from another address.
        if configuration.bench == nil { listeners.note(status.effective.address.value, of: beacon.name) }
        events.post(.beacon(beacon, .advertising(status, radio: roster.radioName, isNew: isNew)))
        for warning in status.warnings { events.post(.beacon(beacon, .warning(warning))) }
        if configuration.isStrict, !status.differences.isEmpty {
            let fields = AdvertisingField.allCases.filter(status.differences.contains).map(\.rawValue)
                .joined(separator: ", ")
            let causes = status.warnings.map(\.message).joined(separator: "; ")
            end(
                EmulatorError(
                    .radio, "\(beacon) advertises other values than requested: \(fields) (\(causes))",
                    hint: "see each warning's hint, or run without --strict"))
            return
        }
        refresh(beacon)
    }

    // MARK: - Time

    /// The time since the start of the run.
    var uptime: Duration { runClock.uptime }

    /// Waits until the uptime of the run is `time`.
    /// - Returns: `false` if the task was cancelled meanwhile.
    func sleep(until time: Duration) async -> Bool { await runClock.sleep(for: time - uptime) }

    /// Waits for a duration, on the clock of the run.
    /// - Returns: `false` if the task was cancelled meanwhile.
    package func sleep(for duration: Duration) async -> Bool { await runClock.sleep(for: duration) }

    /// The clock of the run.
    package var clockRecord: ClockRecord { runClock.record }

    /// Changes the clock of a run in virtual time; an advance returns when all that is due until then is done.
    /// - Throws: `EmulatorError` `.realTime` if the clock is the machine's, `.conflict` for an advance of a clock that
    ///   is not paused.
    package func changeClock(_ change: ClockChange) async throws(EmulatorError) -> ClockRecord {
        try await runClock.perform(change)
        return runClock.record
    }

    /// What the run has done so far, in numbers.
    package func metrics() async -> RunMetrics {
        RunMetrics(
            beacons: await list(), air: roster.summary, radio: await (radio as? any CountingRadio)?.counts(),
            requests: directory.counts.requests, flashWrites: directory.counts.flashWrites)
    }
}
