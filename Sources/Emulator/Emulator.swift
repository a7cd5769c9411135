// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore
import Concurrency
package import Devices
package import Persistence
package import Profiles
package import Radio
import ServiceLifecycle

/// The beacons of profiles, running on a radio.
///
/// The emulator is starting, up, or over. While it starts, the beacons are made and restored, and the radio is opened
/// with them; a reload waits until it is up. It is ready, once, when every beacon is on the air; `airSummary` is what is on the
/// air at present. It is over after `stop()`, shutdown, the end of the duration, or an error, and then takes everything off the
/// air.
///
/// Each beacon is an actor (`RunningBeacon`) with a session here (`BeaconSession`). Events of the radio go to the
/// sessions and through the directory to the beacons; actions of the beacons come back in order and go to the radio.
/// Requests of centrals pass by this actor: the directory answers them.
package actor Emulator: Service {
    /// The settings of a run.
    package struct Configuration: Sendable {
        /// The profiles of the start; `nil` to read them.
        package var profiles: [Profile]?
        /// Reads the profiles, on every reload and, without `profiles`, at the start.
        package var loadProfiles: @Sendable () throws(ProfileFaults) -> [Profile]
        /// The folder for saved settings; `nil` saves nothing.
        package var state: StateFolder?
        /// Whether to remove saved settings first.
        package var resets: Bool
        /// Whether a difference between the requested and the effective advertisement is an error.
        package var isStrict: Bool
        /// Whether to wait for a radio that is not usable yet.
        package var waits: Bool
        /// The duration of the run, from the moment when every beacon is on the air; `nil` for no limit.
        package var duration: Duration?
        /// A file that exists while everything that should be on the air is on the air.
        package var readyFile: String?
        /// The time of day at the start of the run, since the Unix epoch, for schedules; `nil` for that of the machine.
        package var epoch: Duration?
        /// Whether the profiles are in memory, so that reading them needs no thread of its own.
        package var hasProfilesInMemory = false
        /// Whether the profiles are read again whenever their files change.
        package var watchesProfiles = false
        /// The time zone of schedules.
        package var utcOffset: Schedule.UTCOffset = LocalTime.offset

        /// Settings with their defaults.
        package init(
            profiles: [Profile]? = nil, loadProfiles: @escaping @Sendable () throws(ProfileFaults) -> [Profile],
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
    }

    private enum Phase {
        /// The beacons are made and the radio is opened.
        case starting
        /// The beacons are on the radio.
        case up
        /// The radio is closed, or was never opened.
        case over
    }

    /// The events of the run.
    package nonisolated let events = EventHub()
    private let configuration: Configuration
    let radio: any PeripheralRadio
    /// The name that the radio reported last: an adapter may get another number.
    private var radioInUse: String
    private let clock: any Clock<Duration>
    private let runClock: RunClock
    private nonisolated let executor: any SerialExecutor = Simulation.current ?? QueueExecutor(label: "emulator")
    private let timekeeper: Timekeeper
    /// The time of day at which the timekeeper started, since the Unix epoch.
    private let epoch: Duration
    private let factory: BeaconFactory
    private let vault: BondVault

    /// The sessions of the beacons, and of removed beacons that are still on the air.
    private var sessions: [BeaconIdentifier: BeaconSession] = [:]
    /// The beacons in the order of the profiles.
    private var order: [BeaconIdentifier] = []
    /// The profiles in use, without their beacons, which the sessions have.
    private var profilesWithoutBeacons: [Profile] = []
    /// The number of times that the profiles in use were replaced.
    private(set) var revision = 0
    /// Routes requests, inputs and commands to the beacons.
    let directory: BeaconDirectory
    private let counts: RunCounts
    /// The states of the beacons, counted, and what is announced of them.
    private var readiness = RunReadiness()
    private var waitingForRadio: [CheckedContinuation<Void, Never>] = []
    /// The changes between handovers that are under way, and the handover that waits for their end.
    private var changesUnderWay = 0
    private var waitingForChanges: CheckedContinuation<Void, Never>?
    /// The model of the virtual air that the profiles had at the start.
    private var model = Propagation()
    private var receivers = ServedReceivers()
    /// The scenario whose changes are performed, or the last one.
    var scenario: RunningScenario?
    /// The captures in memory.
    var captures = RunCaptures()
    /// The tasks that end the muting of beacons.
    private var unmuting: [BeaconIdentifier: Task<Void, Never>] = [:]
    /// The schedules of beacons, and the tasks that wait for their next changes.
    private var schedules: [BeaconIdentifier: BeaconSchedule] = [:]
    private var scheduleTimers: [BeaconIdentifier: Task<Void, Never>] = [:]

    private var phase = Phase.starting {
        didSet {
            for waiting in waitingForStart + waitingForRadio { waiting.resume() }
            waitingForStart = []
            waitingForRadio = []
        }
    }
    private var waitingForStart: [CheckedContinuation<Void, Never>] = []
    /// Whether the beacons are made, which requests about them wait for.
    private var hasBeacons = false {
        didSet {
            for waiting in waitingForBeacons { waiting.resume() }
            waitingForBeacons = []
        }
    }
    private var waitingForBeacons: [CheckedContinuation<Void, Never>] = []
    /// The latest reload, or another change in order; the next one waits for it.
    private var lastChange: Task<Void, Never>?
    private var reloadObserver: (@Sendable ([String]) async -> Void)?

    private let actions: AsyncStream<RunningBeacon.Action>
    private let endings: AsyncStream<EmulatorError?>
    private let ending: AsyncStream<EmulatorError?>.Continuation

    /// An emulator that has not started; call `run()`.
    package init(
        _ configuration: Configuration, radio: any PeripheralRadio, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.configuration = configuration
        self.radio = radio
        radioInUse = radio.name
        self.clock = clock
        runClock = RunClock(clock)
        vault = BondVault { [events] in events.post(.beacon($0, $1)) }
        let (actions, action) = AsyncStream.makeStream(of: RunningBeacon.Action.self)
        self.actions = actions
        timekeeper = Timekeeper(clock)
        epoch = configuration.epoch ?? .sinceUnixEpoch
        let counts = RunCounts()
        self.counts = counts
        directory = BeaconDirectory(counts: counts)
        factory = BeaconFactory(configuration, clock: timekeeper, counts: counts) { action.yield($0) }
        (endings, ending) = AsyncStream.makeStream()
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    // MARK: - Start and end

    /// Runs until shutdown, cancellation or the end of the duration.
    /// - Throws: `EmulatorError`; then nothing is left on the radio.
    package func run() async throws {
        defer {
            phase = .over
            hasBeacons = true
            events.finish()
        }
        // A file that a killed run has left would announce this run too early.
        if let readyFile = configuration.readyFile { try? LocalFileSystem().remove(readyFile) }
        do {
            let profiles = if let first = configuration.profiles { first } else { try await factory.loadProfiles() }
            model = Propagation(for: profiles)
            profilesWithoutBeacons = profiles.map { $0.with([]) }
            install(try factory.makeBeacons(of: profiles))
            hasBeacons = true
            receivers = ServedReceivers(profiles)
            for beacon in beacons {
                try await beacon.restore(resets: configuration.resets)
                try openBonds(of: beacon, resets: configuration.resets)
            }
        } catch {
            for beacon in beacons { beacon.lock?.release() }
            throw error
        }
        let failure = await runOnRadio()
        for beacon in beacons { beacon.lock?.release() }
        if let failure { throw failure }
    }

    /// Ends the run as at the end of its duration.
    package func stop() { ending.yield(nil) }

    /// Refuses the requests that wait for a run which does not begin any more; a run that has begun is not affected.
    package func giveUp() {
        guard !hasBeacons else { return }
        phase = .over
        hasBeacons = true
    }

    private func runOnRadio() async -> EmulatorError? {
        let radioEvents = Task { for await event in radio.events { await self.handle(event) } }
        let actionLoop = Task { for await action in actions { await self.perform(action) } }
        defer {
            radioEvents.cancel()
            actionLoop.cancel()
        }
        let stopping = Task {
            try? await gracefulShutdown()
            ending.yield(nil)
        }
        defer { stopping.cancel() }
        let failure = await openAndWait()
        phase = .over
        lastChange?.cancel()
        if failure == nil || readiness.isReady { events.post(.stopping) }
        readiness.setRunning(false)
        announce()
        for identifier in sessions.keys.sorted() { sessions[identifier]?.endConversations() }
        scenario?.task?.cancel()
        for task in unmuting.values { task.cancel() }
        for task in scheduleTimers.values { task.cancel() }
        await radio.close()
        for beacon in beacons { await beacon.end() }
        return failure
    }

    private func openAndWait() async -> EmulatorError? {
        let opening = Task { [radio, configuration, directory, vault] () -> EmulatorError? in
            await (radio as? any BondStoringRadio)?.storeBonds(in: vault)
            do throws(RadioError) {
                let capabilities = try await radio.open(
                    await self.hostedBeacons(), waits: configuration.waits
                ) { directory.answer($0) }
                await self.powerOn(capabilities)
                return nil
            } catch {
                return EmulatorError(error)
            }
        }
        let watching = Task { [ending] in
            if let error = await opening.value { ending.yield(error) }
        }
        defer { watching.cancel() }
        for await reason in endings {
            opening.cancel()
            return reason
        }
        return nil
    }

    private func powerOn(_ capabilities: RadioCapabilities) async {
        radioInUse = capabilities.name
        events.post(.radioReady(capabilities))
        readiness.setRadioUp(true)
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
        for beacon in beacons {
            await beginSchedule(of: beacon)
            await beacon.powerOn(replacing: RunningBeacon.Handover(isEnabled: isToBeOn(beacon.identifier)))
        }
        if phase == .starting { phase = .up }
        readiness.setRunning(phase == .up)
        for beacon in order { _ = count(beacon) }
        announce()
    }

    /// Waits until the beacons are on the radio.
    /// - Throws: `EmulatorError` `.inputOutput` if the run is over, or ends before that.
    private func untilUp() async throws(EmulatorError) {
        if phase == .starting { await withCheckedContinuation { waitingForStart.append($0) } }
        guard phase == .up else { throw EmulatorError(.inputOutput, "the run has ended") }
    }

    private func untilMade() async {
        if !hasBeacons { await withCheckedContinuation { waitingForBeacons.append($0) } }
    }

    // MARK: - On the air

    /// What should be on the air, and what is. A handover that is under way is finished first.
    package func airSummary() async -> AirSummary {
        await directory.handover?.value
        return presentSummary
    }

    private var presentSummary: AirSummary {
        readiness.summary.named(
            order.lazy.compactMap { [sessions] name in sessions[name]?.countedState.map { (name, $0) } })
    }

    /// The state of a beacon: the only place that decides it.
    private func airState(of beacon: BeaconIdentifier, _ session: BeaconSession, isEnabled: Bool) -> AirState {
        AirConditions(
            isEnabled: isEnabled, isScheduledOff: schedules[beacon]?.isScheduledOff == true,
            hasFlatBattery: session.hasFlatBattery, isMuted: session.isMuted, isRequested: session.isRequested,
            isRadioUp: readiness.summary.isRadioUp, report: session.report
        ).state
    }

    /// Counts the state that a beacon has now, and announces what follows.
    private func refresh(_ beacon: BeaconIdentifier) {
        if count(beacon) { announce() }
    }

    /// - Returns: Whether the state has changed.
    private func count(_ beacon: BeaconIdentifier) -> Bool {
        guard let session = sessions[beacon] else { return false }
        let state = session.isRemoved ? nil : airState(of: beacon, session, isEnabled: session.isEnabled)
        guard state != session.countedState else { return false }
        sessions[beacon]?.countedState = state
        readiness.move(from: session.countedState, to: state)
        return true
    }

    /// Announces what has changed.
    private func announce() {
        for step in readiness.next() {
            switch step {
            case .ready:
                guard createReadyFile() else { return }
                events.post(.ready(beacons: order.count))
                guard let duration = configuration.duration else { return }
                Task { [clock, ending] in
                    try? await clock.sleep(for: duration)
                    ending.yield(nil)
                }
            case .complete: _ = createReadyFile()
            case .incomplete:
                if let readyFile = configuration.readyFile { try? LocalFileSystem().remove(readyFile) }
            case .degraded: events.post(.degraded(presentSummary))
            case .recovered: events.post(.recovered(presentSummary))
            }
        }
    }

    /// - Returns: Whether the file exists, if it is requested; otherwise the run ends.
    private func createReadyFile() -> Bool {
        guard let readyFile = configuration.readyFile else { return true }
        do throws(SystemError) {
            let files = LocalFileSystem()
            files.close(try files.create(readyFile))
            return true
        } catch {
            ending.yield(EmulatorError(.cannotCreate, "\(error)", hint: "choose another --ready-file"))
            return false
        }
    }

    /// Takes that the radio is usable, or is not any more.
    private func setRadioUp(_ isUp: Bool) {
        readiness.setRadioUp(isUp)
        for beacon in sessions.keys {
            if isUp { sessions[beacon]?.expectReport() }
            _ = count(beacon)
        }
        announce()
        for waiting in waitingForRadio { waiting.resume() }
        waitingForRadio = []
    }

    // MARK: - Sessions

    /// The profiles in use.
    var profiles: [Profile] {
        let definitions = Dictionary(grouping: beacons, by: \.profileName).mapValues { $0.map(\.profile) }
        return profilesWithoutBeacons.map { $0.with(definitions[$0.name] ?? []) }
    }

    /// The beacons in the order of the profiles.
    private var beacons: [RunningBeacon] { order.compactMap { sessions[$0]?.beacon } }

    /// Makes these the beacons of the run. Sessions of other beacons stay until `remove`.
    private func install(_ beacons: [RunningBeacon]) {
        for beacon in beacons {
            sessions[beacon.identifier, default: BeaconSession(beacon)].replace(with: beacon)
        }
        order = beacons.map(\.identifier)
        directory.setBeacons(beacons)
        for beacon in order { refresh(beacon) }
    }

    /// Removes a session from the run, at once or when it is off the air.
    private func remove(_ beacon: BeaconIdentifier) {
        unmuting.removeValue(forKey: beacon)?.cancel()
        scheduleTimers.removeValue(forKey: beacon)?.cancel()
        schedules[beacon] = nil
        sessions[beacon]?.remove()
        refresh(beacon)
        forgetIfGone(beacon)
    }

    private func forgetIfGone(_ beacon: BeaconIdentifier) {
        guard let session = sessions[beacon], session.isRemoved, !session.isOnAir else { return }
        sessions[beacon] = nil
    }

    /// - Parameter report: Why it is off the air.
    /// - Returns: Whether the beacon was on the air.
    private func takeOffTheAir(_ beacon: BeaconIdentifier, _ report: AirReport) -> Bool {
        let wasOnAir = sessions[beacon]?.stopAdvertising(report) == true
        refresh(beacon)
        forgetIfGone(beacon)
        return wasOnAir
    }

    private func centrals(of beacon: BeaconIdentifier) -> [String] { sessions[beacon]?.centrals ?? [] }

    private func disconnectAll(from beacon: BeaconIdentifier) async {
        for central in centrals(of: beacon) { await radio.disconnect(central: central) }
    }

    private func hostedBeacons() async -> [HostedBeacon] { await Self.hosted(beacons) }

    /// Beacons as a radio hosts them.
    private static func hosted(_ beacons: [RunningBeacon]) async -> [HostedBeacon] {
        var hosted: [HostedBeacon] = []
        for beacon in beacons { hosted.append(await beacon.hosted) }
        return hosted
    }

    // MARK: - From the beacons to the radio

    private func perform(_ action: RunningBeacon.Action) async {
        switch action {
        case .switched(let beacon, let isOn, let advertises):
            sessions[beacon]?.switch(on: isOn, advertises: advertises)
            refresh(beacon)
        case .advertise(let beacon, let advertisement):
            sessions[beacon]?.request(advertisement != nil)
            if advertisement == nil, takeOffTheAir(beacon, .none) {
                let isEnabled = await directory.beacon(beacon)?.isEnabled ?? true
                let off: AdvertisingStop = schedules[beacon]?.isScheduledOff == true ? .scheduled : .disabled
                let stop = !isEnabled ? off : centrals(of: beacon).isEmpty ? .device : .connected
                events.post(.beacon(beacon, .advertisingStopped(stop)))
            }
            refresh(beacon)
            await radio.advertise(advertisement, for: beacon)
        case .notify(let beacon, let characteristic, let value, let central):
            await radio.notify(value, of: characteristic, on: beacon, to: central?.name)
        case .updateConnection(let central, let parameters):
            await (radio as? any ConnectionUpdatingRadio)?.updateConnection(of: central.name, to: parameters)
        case .ask(let beacon, let request, let central):
            let conversation = sessions[beacon]?.conversation(with: central) {
                ClientConversation(with: central, on: radio) { [weak self] in await self?.deliver($0, to: beacon) }
            }
            conversation?.ask(request)
        case .disconnect(let central): await radio.disconnect(central: central.name)
        case .post(let beacon, let event): events.post(.beacon(beacon, event))
        }
    }

    // MARK: - From the radio to the beacons

    private func handle(_ event: RadioEvent) async {
        switch event {
        case .ready(let capabilities):
            radioInUse = capabilities.name
            events.post(.radioReady(capabilities))
            setRadioUp(true)
        case .lost(let error):
            events.post(.radioLost(error))
            setRadioUp(false)
        case .advertising(let beacon, let status): take(status, of: beacon)
        case .stopped(let beacon, let reason):
            let stop = AdvertisingStop(radio: reason)
            guard takeOffTheAir(beacon, stop == .connected ? .paused : .stopped) else { return }
            events.post(.beacon(beacon, .advertisingStopped(stop)))
        case .refused(let beacon, let error):
            _ = takeOffTheAir(beacon, .refused)
            if readiness.isReady {
                events.post(.beacon(beacon, .advertisingRefused(error)))
            } else {
                ending.yield(EmulatorError(error))
            }
        case .connected(let beacon, let central):
            events.post(.beacon(beacon, .connected(central: central)))
            sessions[beacon]?.connect(central)
            await deliver(.connected(Central(central)), to: beacon)
        case .disconnected(let beacon, let central):
            events.post(.beacon(beacon, .disconnected(central: central)))
            sessions[beacon]?.disconnect(central)
            await deliver(.disconnected(Central(central)), to: beacon)
        case .subscribed(let beacon, let central, let characteristic, let configuration):
            let name = directory.beacon(beacon)?.name(of: characteristic)
            events.post(
                .beacon(
                    beacon,
                    .subscribed(
                        central: central, NamedCharacteristic(identifier: characteristic, name: name),
                        isOn: !configuration.isEmpty)))
            sessions[beacon]?.subscribe(
                Subscription(central: central, characteristic: characteristic), configuration)
            await deliver(.subscribed(Central(central), characteristic, configuration), to: beacon)
        case .refusedRequest(let request, let error):
            let name = directory.beacon(request.beacon)?.name(of: request.characteristic)
            events.post(.beacon(request.beacon, .refused(request, error, name: name)))
        case .pairing(let beacon, let central, let event):
            events.post(.beacon(beacon, .pairing(central: central, event)))
            guard let answer = sessions[beacon]?.take(event, from: central) else { return }
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
        guard let isNew = sessions[beacon]?.advertise(status) else { return }
        events.post(.beacon(beacon, .advertising(status, radio: radioInUse, isNew: isNew)))
        for warning in status.warnings { events.post(.beacon(beacon, .warning(warning))) }
        if configuration.isStrict, !status.differences.isEmpty {
            let fields = AdvertisingField.allCases.filter(status.differences.contains).map(\.rawValue)
            let causes = status.warnings.map(\.message).joined(separator: "; ")
            ending.yield(
                EmulatorError(
                    .radio, "\(beacon) is not on the air as asked: \(fields.joined(separator: ", ")) (\(causes))",
                    hint: "see each warning's hint, or run without --strict"))
            return
        }
        refresh(beacon)
    }

    // MARK: - Commands

    /// All beacons in the order of the profiles.
    package func list() async -> [BeaconStatus] { await statuses(of: nil) }

    /// The beacons of a profile, in its order.
    /// - Parameter profile: `nil`, or any name in a run of one profile, selects all.
    /// - Throws: `EmulatorError` `.unknownProfile` if the run has several profiles, and none of this name.
    package func list(of profile: String?) async throws(EmulatorError) -> [BeaconStatus] {
        let beacons = await statuses(of: profile)
        if beacons.isEmpty, let profile { _ = try await profileRecord(profile) }
        return beacons
    }

    private func statuses(of profile: String?) async -> [BeaconStatus] {
        await untilMade()
        await directory.handover?.value
        let beacons = beacons
        let hasOneProfile = Set(beacons.map(\.profileName)).count == 1
        var statuses: [BeaconStatus] = []
        for beacon in beacons where hasOneProfile || profile == nil || beacon.profileName == profile {
            statuses.append(await completed(beacon.status))
        }
        return statuses
    }

    /// One beacon.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func show(_ name: String) async throws(EmulatorError) -> BeaconStatus {
        await completed(try await running(name).status)
    }

    /// Changes settings, all or none; keys and values are those of profiles.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.badProfile` for an invalid value, `.refusedSetting`, or
    ///   `.inputOutput` if the settings could not be saved.
    package func set(_ name: String, _ values: [String: String]) async throws(EmulatorError) -> BeaconStatus {
        await completed(try await command(name) { await $0.set(values) }.get())
    }

    /// Performs a command of a device.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.badProfile` for arguments that are missing or wrong, or `.refusedSetting`
    ///   if the device refuses it.
    package func perform(_ command: DeviceCommand, on name: String) async throws(EmulatorError) -> BeaconStatus {
        await completed(try await self.command(name) { await $0.perform(command) }.get())
    }

    /// Switches a beacon on or off.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func setEnabled(_ name: String, _ enabled: Bool) async throws(EmulatorError) -> BeaconStatus {
        let beacon = try await running(name).identifier
        guard !enabled || sessions[beacon]?.hasFlatBattery != true else {
            throw EmulatorError(
                .conflict, "the battery of \(name) is flat",
                hint: "replace it (beaconry ctl battery \(name) full)")
        }
        schedules[beacon]?.override(by: enabled)
        refresh(beacon)
        return await completed(try await switchBeacon(name, on: enabled))
    }

    private func switchBeacon(_ name: String, on isOn: Bool) async throws(EmulatorError) -> BeaconStatus {
        let status = try await command(name) { await $0.setEnabled(isOn) }
        sessions[status.identifier]?.switch(on: status.isEnabled)
        refresh(status.identifier)
        // A device without power has no connections.
        if !isOn { await disconnectAll(from: status.identifier) }
        return status
    }

    // MARK: - Schedules

    private var scheduleTime: ScheduleTime {
        let uptime = timekeeper.now()
        return ScheduleTime(uptime: uptime, sinceUnixEpoch: epoch + uptime)
    }

    /// Whether a beacon is on unless the user switches it.
    private func isToBeOn(_ beacon: BeaconIdentifier) -> Bool {
        sessions[beacon]?.hasFlatBattery != true && schedules[beacon]?.isOn ?? true
    }

    /// Follows the schedule of a beacon, which is switched on afterwards. The same schedule as before is continued.
    private func beginSchedule(of beacon: RunningBeacon) async {
        let identifier = beacon.identifier
        scheduleTimers.removeValue(forKey: identifier)?.cancel()
        guard let schedule = beacon.profile.schedule else {
            schedules[identifier] = nil
            return
        }
        if schedules[identifier]?.schedule == schedule {
            _ = schedules[identifier]?.advance(to: scheduleTime)
        } else {
            schedules[identifier] = BeaconSchedule(schedule, at: scheduleTime, configuration.utcOffset)
        }
        awaitChange(of: identifier)
        refresh(identifier)
        if let (rotation, step) = schedules[identifier]?.rotation { await beacon.prepare(rotation, step: step) }
    }

    private func awaitChange(of beacon: BeaconIdentifier) {
        guard let deadline = schedules[beacon]?.deadline else { return }
        let time = deadline - timekeeper.now()
        scheduleTimers[beacon] = Task { [weak self, timekeeper] in
            guard await timekeeper.sleep(for: time) else { return }
            await self?.advanceSchedule(of: beacon)
        }
    }

    private func advanceSchedule(of beacon: BeaconIdentifier) async {
        guard phase == .up, let change = schedules[beacon]?.advance(to: scheduleTime) else { return }
        awaitChange(of: beacon)
        refresh(beacon)
        if change.step != nil, let (rotation, step) = schedules[beacon]?.rotation {
            await directory.route(to: beacon) { await $0.rotate(rotation, step: step) }
        }
        guard let isOn = change.isOn, sessions[beacon]?.hasFlatBattery != true else { return }
        // A reload may have removed it meanwhile.
        _ = try? await switchBeacon(beacon.name, on: isOn)
    }

    /// Moves a beacon or a host on the virtual air, and ends its motion.
    /// - Throws: `EmulatorError` `.unknownBeacon` if nothing on the air has this name, or `.unsupported` if the radio has
    ///   no positions.
    package func move(_ name: String, to position: Position) async throws(EmulatorError) {
        let radio = try positioningRadio()
        try Self.check([position])
        try await betweenHandovers { () async throws(EmulatorError) in
            guard await radio.move(name, to: position) else { throw Self.unknownOnAir(name) }
            await directory.beacon(BeaconIdentifier(name))?.move(.rest(position))
        }
    }

    /// - Throws: `EmulatorError` `.badProfile` for a position farther away than 10 km on an axis.
    private static func check(_ positions: [Position]) throws(EmulatorError) {
        let numbers = positions.flatMap { [$0.x, $0.y, $0.z] }
        guard numbers.allSatisfy({ $0.isFinite && abs($0) <= 10_000 }) else {
            throw EmulatorError(.badProfile, "positions have two or three numbers of metres from -10000 to 10000")
        }
    }

    /// Makes a change of both the radio and a beacon when no handover is under way, which would give the radio the former
    /// state again, or give the change to a beacon that a reset has made; a handover waits for the end. The change must not
    /// wait for a handover.
    private func betweenHandovers<Outcome>(
        _ change: () async throws(EmulatorError) -> Outcome
    ) async throws(EmulatorError) -> Outcome {
        while let handover = directory.handover { await handover.value }
        changesUnderWay += 1
        defer {
            changesUnderWay -= 1
            if changesUnderWay == 0 {
                waitingForChanges?.resume()
                waitingForChanges = nil
            }
        }
        return try await change()
    }

    private func untilChanged() async {
        guard changesUnderWay > 0 else { return }
        await withCheckedContinuation { waitingForChanges = $0 }
    }

    /// Moves a beacon, a host or a receiver on the virtual air through places at one speed, and ends its former motion.
    /// - Throws: `EmulatorError` `.unknownBeacon` if nothing on the air has this name, or `.unsupported` if the radio has
    ///   no positions.
    package func walk(
        _ name: String, through places: [Position], over duration: Duration
    ) async throws(EmulatorError) {
        let radio = try positioningRadio()
        try Self.check(places)
        try await betweenHandovers { () async throws(EmulatorError) in
            guard let motion = await radio.walk(name, through: places, over: duration) else {
                throw Self.unknownOnAir(name)
            }
            await directory.beacon(BeaconIdentifier(name))?.move(motion)
        }
    }

    /// Adds a receiver to the virtual air: a server with this name at a free port of 127.0.0.1.
    /// - Parameter position: where its hosts are; `nil` is 1 m from every beacon.
    /// - Throws: `EmulatorError` `.conflict` if something has the name, `.unsupported` in virtual time, or if the radio has no
    ///   positions; `.cannotCreate` if the server cannot listen.
    package func addReceiver(_ name: String, at position: Position?) async throws(EmulatorError) -> AirReceiver {
        let radio = try positioningRadio()
        // In order with the changes of the profiles, so that no beacon gets the name meanwhile.
        return try await inOrder { emulator throws(EmulatorError) in
            guard emulator.directory.beacon(BeaconIdentifier(name)) == nil else {
                throw EmulatorError(
                    .conflict, "a beacon is named \"\(name)\" already", hint: "give the receiver another name")
            }
            do throws(RadioError) {
                return try await radio.serveReceiver(name, motion: position.map(Motion.rest))
            } catch {
                switch error.code {
                case .refused: throw EmulatorError(.conflict, error.message, hint: error.hint)
                default: throw EmulatorError(error)
                }
            }
        }
    }

    /// Removes a receiver that was added during the run, and its hosts from the virtual air.
    /// - Throws: `EmulatorError` `.unknownBeacon` if no receiver has the name, `.conflict` if it was there from the
    ///   start, or `.unsupported` if the radio has no positions.
    package func removeReceiver(_ name: String) async throws(EmulatorError) -> AirReceiver {
        let radio = try positioningRadio()
        if let removed = await radio.removeReceiver(name) { return removed }
        if await radio.namedReceivers().contains(where: { $0.name == name }) {
            throw EmulatorError(
                .conflict, "the receiver \"\(name)\" is there from the start to the end of the run",
                hint: "only receivers that were added during the run can be removed")
        }
        throw EmulatorError(
            .unknownBeacon, "there is no receiver \"\(name)\"", hint: "beaconry ctl receiver list shows the receivers")
    }

    /// The receivers with a server, whether or not hosts are connected to it.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func servedReceivers() async throws(EmulatorError) -> [AirReceiver] {
        await (try positioningRadio()).namedReceivers()
    }

    private static func unknownOnAir(_ name: String) -> EmulatorError {
        EmulatorError(
            .unknownBeacon, "nothing on the air is named \"\(name)\"",
            hint:
                "beaconry ctl list shows the beacons, beaconry ctl receiver list the receivers, and beaconry ctl links the "
                + "hosts that scan")
    }

    /// Overrides the path between a beacon and a host on the virtual air, in both directions; `nil` removes the override.
    /// - Throws: `EmulatorError` `.unknownBeacon` if nothing on the air has one of the names, or both are the same, or `.unsupported` if the radio has no positions.
    package func overrideLink(
        from one: String, to other: String, _ override: LinkOverride?
    ) async throws(EmulatorError) {
        guard one != other else {
            throw EmulatorError(
                .unknownBeacon, "there is no link from \(one) to itself", hint: "beaconry ctl links shows the links")
        }
        if let unknown = await (try positioningRadio()).overrideLink(one, other, override) {
            throw Self.unknownOnAir(unknown)
        }
    }

    /// The hosts on the virtual air: everything there that is no beacon of this run.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func receivers() async throws(EmulatorError) -> [AirMember] {
        await (try positioningRadio()).members().filter { directory.beacon(BeaconIdentifier($0.name)) == nil }
    }

    /// The paths from everything that advertises to everything that scans.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func paths() async throws(EmulatorError) -> [AirPath] { await (try positioningRadio()).paths() }

    /// The virtual air: its physics, its walls, and the level of each beacon.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func airRecord() async throws(EmulatorError) -> AirRecord {
        let radio = try positioningRadio()
        return AirRecord(await radio.propagation(), levels: await radio.levelsAtOneMetre())
    }

    /// What the run has done so far, in numbers.
    package func metrics() async -> RunMetrics {
        RunMetrics(
            beacons: await list(), air: presentSummary, radio: await (radio as? any CountingRadio)?.counts(),
            requests: counts.requests,
            flashWrites: counts.flashWrites)
    }

    private func positioningRadio() throws(EmulatorError) -> any PositioningRadio {
        if let radio = radio as? any PositioningRadio, radio.name == "virtual" { return radio }
        throw EmulatorError(
            .unsupported, "\(radio.name) has no positions", hint: "run on the virtual air (--radio virtual)")
    }

    /// Reports once that the radio has no positions, if a profile has receivers or beacons that move.
    private func warnOfMovement() {
        guard (try? positioningRadio()) == nil else { return }
        let movements = beacons.compactMap(\.profile.movement)
        if let warning = receivers.warning(ofRadio: radio.name, movements) { events.post(.warning(warning)) }
    }

    /// Applies the receivers of a reload.
    private func replaceReceivers(by next: [ReceiverDefinition]) async {
        warnOfMovement()
        guard let radio = try? positioningRadio() else { return }
        var replaced = receivers
        let warning = await replaced.replace(by: next, on: radio)
        receivers = replaced
        if let warning { events.post(.warning(warning)) }
    }

    // MARK: - Time

    /// The time since the start of the run.
    var uptime: Duration { timekeeper.now() }

    /// Waits until a time of the run.
    /// - Returns: `false` if the task was cancelled meanwhile.
    func sleep(until time: Duration) async -> Bool { await timekeeper.sleep(for: time - timekeeper.now()) }

    /// Waits for a time of the run.
    /// - Returns: `false` if the task was cancelled meanwhile.
    package func sleep(for duration: Duration) async -> Bool { await timekeeper.sleep(for: duration) }

    /// The clock of the run.
    package var clockRecord: ClockRecord { runClock.record }

    /// Changes the clock of a run in virtual time; an advance returns when all that is due until then is done.
    /// - Throws: `EmulatorError` `.badProfile` in real time, or to advance a clock that is not paused.
    package func changeClock(_ change: ClockChange) async throws(EmulatorError) -> ClockRecord {
        try await runClock.perform(change)
        return runClock.record
    }

    // MARK: - Faults

    /// Ends connections of a beacon, or of a host on the virtual air.
    /// - Parameter peer: The address of the other end, or its name on the virtual air; `nil` for all connections.
    /// - Returns: The addresses of the other ends, at least one.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.unknownPeer` if there is no such connection, or `.radio` if the radio
    ///   cannot give this reason.
    package func disconnect(
        _ name: String, from peer: String?, _ reason: DisconnectionReason
    ) async throws(EmulatorError) -> [String] {
        await directory.handover(of: BeaconIdentifier(name))?.value
        let ended: [String]
        if let radio = faultInjectingRadio {
            // Two connections of a central have names with a number.
            let address = peer?.split(separator: "#").first.map { String($0) }
            if let found = await radio.endConnections(of: name, with: address, reason) {
                ended = found
            } else if directory.beacon(BeaconIdentifier(name)) != nil {
                ended = []
            } else {
                throw Self.unknownOnAir(name)
            }
        } else {
            let connected = centrals(of: try await running(name).identifier)
            ended = connected.filter { peer == nil || $0 == peer || $0.lowercased() == peer?.lowercased() }
            for central in ended { try await disconnect(central: central, reason) }
        }
        guard ended.isEmpty else { return ended }
        throw EmulatorError(
            .unknownPeer, "\(name) has no connection" + (peer.map { " with \($0)" } ?? ""),
            hint: "beaconry ctl show \(name) lists its centrals")
    }

    private func disconnect(central: String, _ reason: DisconnectionReason) async throws(EmulatorError) {
        if let radio = radio as? any ReasonedDisconnectionRadio {
            do throws(RadioError) {
                try await radio.disconnect(central: central, reason: reason)
            } catch {
                throw EmulatorError(error)
            }
        } else if reason == .remoteUser {
            await radio.disconnect(central: central)
        } else {
            throw EmulatorError(
                RadioError(
                    .unsupported, "\(radio.name) ends connections with the reason remote-user only",
                    hint: "leave out --reason, or run on the virtual air (--radio virtual)"))
        }
    }

    /// Mutes a beacon: nothing that it sends is received, which its device does not notice.
    /// - Parameter duration: How long; `nil` until `unmute`.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.radio` if the radio has no emulated air.
    package func mute(_ name: String, for duration: Duration?) async throws(EmulatorError) -> BeaconStatus {
        try await betweenHandovers { () async throws(EmulatorError) in
            let beacon = try present(name)
            let identifier = beacon.identifier
            await (try requireFaultInjection("mute a beacon")).setMuted(true, identifier)
            unmuting.removeValue(forKey: identifier)?.cancel()
            sessions[identifier]?.isMuted = true
            refresh(identifier)
            events.post(.beacon(identifier, .muted(duration)))
            if let duration {
                unmuting[identifier] = Task { [weak self, clock] in
                    try? await clock.sleep(for: duration)
                    if !Task.isCancelled { try? await self?.unmute(identifier) }
                }
            }
            return await completed(await beacon.status)
        }
    }

    /// Ends the muting of a beacon.
    /// - Throws: as `mute`.
    package func unmute(_ name: String) async throws(EmulatorError) -> BeaconStatus {
        let beacon = try await running(name)
        _ = try requireFaultInjection("mute a beacon")
        try await unmute(beacon.identifier)
        return await completed(await beacon.status)
    }

    private func unmute(_ beacon: BeaconIdentifier) async throws(EmulatorError) {
        try await betweenHandovers { () async throws(EmulatorError) in
            unmuting.removeValue(forKey: beacon)?.cancel()
            guard sessions[beacon]?.isMuted == true else { return }
            sessions[beacon]?.isMuted = false
            refresh(beacon)
            await faultInjectingRadio?.setMuted(false, beacon)
            events.post(.beacon(beacon, .unmuted))
        }
    }

    /// Makes the battery of a beacon flat, which switches it off, or full, which switches it on. On the virtual air, centrals
    /// lose their connections by the supervision timeout; other radios end them.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func setBattery(_ name: String, _ state: BatteryState) async throws(EmulatorError) -> BeaconStatus {
        try await betweenHandovers { () async throws(EmulatorError) in
            let running = try present(name)
            let beacon = running.identifier
            let isFlat = state == .flat
            if sessions[beacon]?.hasFlatBattery != isFlat {
                sessions[beacon]?.hasFlatBattery = isFlat
                let isOn = isToBeOn(beacon)
                if !isFlat { sessions[beacon]?.switch(on: isOn) }
                events.post(.beacon(beacon, .battery(state)))
                refresh(beacon)
                if isFlat, takeOffTheAir(beacon, .none) {
                    events.post(.beacon(beacon, .advertisingStopped(.radio("its battery is flat"))))
                }
                await faultInjectingRadio?.setPowered(!isFlat, beacon)
                _ = await running.setEnabled(isOn)
                if isFlat, faultInjectingRadio == nil { await disconnectAll(from: beacon) }
            }
            return await completed(await running.status)
        }
    }

    /// Removes the radio, or brings it back.
    /// - Throws: `EmulatorError` `.radio` if the radio has no emulated air.
    package func setRadio(_ power: RadioPower) async throws(EmulatorError) {
        await (try requireFaultInjection("be switched off here")).setPowered(power == .on)
        // The radio reports it in an event: a request after this one must have the new state.
        while phase == .up, readiness.summary.isRadioUp != (power == .on) {
            await withCheckedContinuation { waitingForRadio.append($0) }
        }
    }

    private var faultInjectingRadio: (any FaultInjectingRadio)? {
        guard let radio = radio as? any FaultInjectingRadio, radio.injectsFaults else { return nil }
        return radio
    }

    /// - Parameter action: The verb phrase of the message.
    private func requireFaultInjection(_ action: String) throws(EmulatorError) -> any FaultInjectingRadio {
        if let radio = faultInjectingRadio { return radio }
        throw EmulatorError(
            RadioError(
                .unsupported, "\(radio.name) cannot \(action)", hint: "run on the virtual air (--radio virtual)"))
    }

    /// Routes a command to the beacon with this name.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    private func command<Outcome: Sendable>(
        _ name: String, _ body: (RunningBeacon) async -> Outcome?
    ) async throws(EmulatorError) -> Outcome {
        guard let outcome = await directory.route(to: BeaconIdentifier(name), body) else { throw unknown(name) }
        return outcome
    }

    /// The beacon with this name.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    private func running(_ name: String) async throws(EmulatorError) -> RunningBeacon {
        await untilMade()
        await directory.handover(of: BeaconIdentifier(name))?.value
        return try present(name)
    }

    /// The beacon with this name at this moment.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    private func present(_ name: String) throws(EmulatorError) -> RunningBeacon {
        guard let beacon = directory.beacon(BeaconIdentifier(name)) else { throw unknown(name) }
        return beacon
    }

    /// The names of the beacons, in the order of the profiles.
    var names: [String] { order.map(\.name) }

    /// The error for the name of no beacon.
    func unknown(_ name: String) -> EmulatorError {
        EmulatorError(
            .unknownBeacon, "there is no beacon \"\(name)\"", hint: Spelling.hint(name, "beacons", names))
    }

    /// A status with what the radio reports.
    private func completed(_ status: BeaconStatus) async -> BeaconStatus {
        var status = status
        status.schedule = schedules[status.identifier]?.status
        if status.motion?.isMoving == true,
            let position = await (try? positioningRadio())?.position(of: status.identifier.name)
        {
            status.position = position
        }
        guard let session = sessions[status.identifier] else { return status }
        status = session.completed(status)
        status.airState = airState(of: status.identifier, session, isEnabled: status.isEnabled)
        return status
    }

    // MARK: - Pairing

    private var pairingRadio: (any PairingRadio)? { radio as? any PairingRadio }

    /// Reads a beacon's saved bonds.
    /// - Throws: `EmulatorError` `.inputOutput` if the file exists and cannot be read.
    private func openBonds(of beacon: RunningBeacon, resets: Bool) throws(EmulatorError) {
        guard beacon.profile.pairing != nil else { return }
        let file = configuration.state?.bonds(profile: beacon.profileName, beacon: beacon.profile.id)
        do throws(SystemError) {
            try vault.open(beacon.identifier, file, resets: resets)
        } catch {
            throw EmulatorError(
                .inputOutput, "\(error)", hint: "check the state folder, or use another one (--state DIR)")
        }
    }

    /// The bonds of a beacon, or of all beacons.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func bonds(of name: String?) async throws(EmulatorError) -> [(beacon: String, peer: PairedPeer)] {
        var beacons = order
        if let name { beacons = [try await running(name).identifier] }
        return beacons.flatMap { beacon in
            vault.secrets(of: beacon).bonds.map { (beacon.name, $0.peer) }
        }
    }

    /// Removes the bonds of a beacon with the peers of an identity address, or all its bonds.
    /// - Returns: The number of removed bonds.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.unknownPeer` if it has no bond with this address.
    package func forgetBonds(of name: String, address: BluetoothAddress?) async throws(EmulatorError) -> Int {
        guard let address else { return try await forgetBonds(of: name, peer: nil) }
        let known = try await bonds(of: name).map(\.peer.address)
        guard known.contains(where: { $0.address == address }) else {
            let names = known.map(\.address.description).joined(separator: ", ")
            throw EmulatorError(
                .unknownPeer,
                "\(name) has no bond with \(address)" + (known.isEmpty ? ", and no other bonds" : ""),
                hint: known.isEmpty ? "see beaconry ctl bonds" : "beaconry ctl bonds lists its bonds: \(names)")
        }
        var count = 0
        for peer in known where peer.address == address { count += try await forgetBonds(of: name, peer: peer) }
        return count
    }

    /// Removes the bond of a beacon with a peer, or all its bonds.
    /// - Returns: The number of removed bonds.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func forgetBonds(of name: String, peer: RemoteAddress?) async throws(EmulatorError) -> Int {
        await pairingRadio?.forgetBonds(of: try await running(name).identifier, peer: peer) ?? 0
    }

    /// Answers a pairing that waits for the user.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.conflict` if no pairing waits for such an answer.
    package func answerPairing(_ answer: PairingAnswer, of name: String) async throws(EmulatorError) {
        let beacon = try await running(name).identifier
        guard let central = sessions[beacon]?.answer(answer) else {
            throw EmulatorError(
                .conflict, "\(name) does not wait for that", hint: "see its events for what it asks (ctl events)")
        }
        await pairingRadio?.answerPairing(answer, of: central)
    }

    /// Asks the connected centrals of a beacon for encryption, and with that to pair.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.conflict` if the beacon does not pair or has no centrals.
    package func requestSecurity(of name: String) async throws(EmulatorError) {
        let beacon = try await running(name)
        guard beacon.profile.pairing != nil else {
            throw EmulatorError(
                .conflict, "\(name) does not pair", hint: "give it a pairing section in its profile")
        }
        let connected = centrals(of: beacon.identifier)
        guard !connected.isEmpty else {
            throw EmulatorError(.conflict, "no central is connected to \(name)", hint: "connect first")
        }
        for central in connected { await pairingRadio?.requestSecurity(of: central) }
    }

    // MARK: - Reload

    /// Sets a function that receives the names of the profiles after each reload, before the reload is reported.
    package func observeReloads(_ observer: @escaping @Sendable ([String]) async -> Void) { reloadObserver = observer }

    /// Reads the profiles again. Beacons whose definition is the same keep their state.
    /// - Throws: `EmulatorError`; then nothing has changed.
    package func reload() async throws(EmulatorError) -> ReloadResult {
        try await inOrder { emulator throws(EmulatorError) in
            do throws(EmulatorError) {
                let profiles = try await emulator.factory.loadProfiles()
                try await emulator.requireNoReceiver(amongBeaconsOf: profiles)
                return try await emulator.replaceProfiles(by: profiles)
            } catch {
                let next =
                    emulator.configuration.watchesProfiles ? "; it is read again when it is saved" : ", then reload"
                // The end of the run is no fault of the profile.
                if await emulator.phase == .up {
                    emulator.events.post(.reloadFailed(error.advising("fix the profile" + next)))
                }
                throw error
            }
        }
    }

    /// Replaces the profiles in use, until the next reload.
    /// - Parameter change: the next profiles, from those in use.
    /// - Throws: `EmulatorError`; then nothing has changed.
    func changeProfiles(
        _ change: @escaping @Sendable (isolated Emulator) throws(EmulatorError) -> [Profile]
    ) async throws(EmulatorError) -> ReloadResult {
        try await changeProfiles(change) { _, result throws(EmulatorError) in result }
    }

    /// Replaces the profiles in use, until the next reload.
    /// - Parameters:
    ///   - change: the next profiles, from those in use.
    ///   - reply: what the client gets, before the next change of the profiles.
    /// - Throws: `EmulatorError`; then nothing has changed.
    func changeProfiles<Reply: Sendable>(
        _ change: @escaping @Sendable (isolated Emulator) throws(EmulatorError) -> [Profile],
        reply: @escaping @Sendable (Emulator, ReloadResult) async throws(EmulatorError) -> Reply
    ) async throws(EmulatorError) -> Reply {
        try await inOrder { emulator throws(EmulatorError) in
            let profiles = try await change(emulator)
            try await emulator.requireNoReceiver(amongBeaconsOf: profiles)
            return try await reply(emulator, try await emulator.replaceProfiles(by: profiles))
        }
    }

    /// - Throws: `EmulatorError` `.conflict` if a beacon that is new has the name of a receiver.
    private func requireNoReceiver(amongBeaconsOf profiles: [Profile]) async throws(EmulatorError) {
        guard let radio = try? positioningRadio() else { return }
        let receivers = Set(await radio.namedReceivers().map(\.name)).subtracting(names)
        if let taken = BeaconFactory.identified(profiles).first(where: { receivers.contains($0.2.name) })?.2.name {
            throw EmulatorError(
                .conflict, "a receiver is named \"\(taken)\" already",
                hint: "give the beacon another id, or remove the receiver (beaconry ctl receiver remove \(taken))")
        }
    }

    /// Reads the profiles again, and starts all over: every beacon as its profile has it, without saved settings, bonds and
    /// connections; without overrides of links, which end with the beacons, added receivers and events in the journal; with
    /// the radio on.
    /// - Throws: `EmulatorError`; then nothing has changed, unless the radio refuses beacons that it had.
    package func reset() async throws(EmulatorError) -> ReloadResult {
        try await inOrder { emulator throws(EmulatorError) in try await emulator.startOver() }
    }

    private func startOver() async throws(EmulatorError) -> ReloadResult {
        let profiles = try await factory.loadProfiles()
        let fresh = try makeSuccessors(of: profiles)
        let result: ReloadResult
        do throws(EmulatorError) {
            result = try await handOver(beacons + fresh.map(\.beacon)) { emulator throws(EmulatorError) in
                try await emulator.restartBeacons(as: fresh.map(\.beacon))
            }
        } catch {
            Self.releaseLocks(of: fresh)
            throw error
        }
        await adopt(profiles)
        if let radio = try? positioningRadio() {
            // Those that are there from the start cannot be removed.
            for receiver in await radio.namedReceivers() { _ = await radio.removeReceiver(receiver.name) }
            for receiver in profiles.flatMap(\.receivers) {
                _ = await radio.setMotion(receiver.movement?.motion, ofReceiver: receiver.id)
            }
        }
        events.clearJournal()
        return result
    }

    /// Replaces all beacons by those of a reset, which have the settings of their profiles.
    /// - Throws: `EmulatorError` if saved state cannot be removed, or the radio cannot carry the beacons; then nothing has
    ///   changed.
    private func restartBeacons(as next: [RunningBeacon]) async throws(EmulatorError) -> ReloadResult {
        let former = beacons
        var reset = StateReset()
        let hosted = await Self.hosted(next)
        do throws(EmulatorError) {
            for beacon in former { await beacon.settle() }
            let files = (former + next).flatMap(savedFiles).map { ($0.path, $0) }
            for file in Dictionary(files, uniquingKeysWith: { first, _ in first }).values {
                do throws(SystemError) {
                    try reset.begin(file)
                } catch {
                    throw EmulatorError(
                        .inputOutput, "nothing was reset, because saved state cannot be removed (\(error))",
                        hint: "make the state folder writable, or check its medium")
                }
            }
            do throws(RadioError) {
                try await radio.replan(hosted)
            } catch {
                throw EmulatorError(error)
            }
        } catch {
            reset.cancel()
            throw error
        }
        // From here on, nothing is refused.
        await faultInjectingRadio?.setPowered(true)
        for beacon in former {
            _ = await beacon.retire()
            await beacon.remove()
            await disconnectAll(from: beacon.identifier)
            if !vault.secrets(of: beacon.identifier).bonds.isEmpty {
                _ = await pairingRadio?.forgetBonds(of: beacon.identifier, peer: nil)
            }
            vault.clear(beacon.identifier)
            remove(beacon.identifier)
        }
        // Without beacons, the radio forgets what belonged to them, such as overrides of links.
        try? await radio.replan([])
        let paths = Set(reset.paths)
        for error in reset.finish() { events.post(.warning(Self.notReset(error))) }
        for beacon in next {
            if let flash = beacon.flash, paths.contains(flash.path) {
                events.post(.beacon(beacon.identifier, .settingsReset(file: flash.path)))
            }
            if let bonds = bondFile(of: beacon), paths.contains(bonds.path) {
                events.post(.beacon(beacon.identifier, .bondsReset(file: bonds.path)))
            }
            // The file is removed, so there is nothing to read.
            try? openBonds(of: beacon, resets: false)
        }
        install(next)
        do throws(RadioError) {
            try await radio.replan(hosted)
        } catch {
            // It carried them a moment ago; the radio reports what is wrong now.
            events.post(.warning(Warning(code: "reset-refused", message: error.message, hint: error.hint)))
        }
        let locks = Set(next.compactMap(\.lock).map(ObjectIdentifier.init))
        for case let lock? in former.map(\.lock) where !locks.contains(ObjectIdentifier(lock)) { lock.release() }
        for beacon in next {
            await beginSchedule(of: beacon)
            await beacon.powerOn(replacing: RunningBeacon.Handover(isEnabled: isToBeOn(beacon.identifier)))
        }
        return ReloadResult(added: next.map(\.identifier.name))
    }

    private static func notReset(_ error: SystemError) -> Warning {
        Warning(
            code: "reset-incomplete", message: "saved state could not be removed (\(error)): the next run may find it",
            hint: "remove it when this run has ended (beaconry reset)")
    }

    /// The files of the settings and the bonds of a beacon.
    private func savedFiles(of beacon: RunningBeacon) -> [AtomicFile] {
        [beacon.flash?.file, bondFile(of: beacon)?.file].compactMap(\.self)
    }

    private func bondFile(of beacon: RunningBeacon) -> BondFile? {
        guard beacon.profile.pairing != nil else { return nil }
        return configuration.state?.bonds(profile: beacon.profileName, beacon: beacon.profile.id)
    }

    /// Performs a change of the profiles, or of names that beacons may have, after those before it, when the beacons are on
    /// the radio.
    private func inOrder<Outcome: Sendable>(
        _ change: @escaping @Sendable (Emulator) async throws(EmulatorError) -> Outcome
    ) async throws(EmulatorError) -> Outcome {
        let task = Task { [lastChange] () -> Result<Outcome, EmulatorError> in
            await withTaskCancellationHandler {
                await lastChange?.value
            } onCancel: {
                lastChange?.cancel()
            }
            do throws(EmulatorError) {
                try await self.untilUp()
                return .success(try await change(self))
            } catch {
                return .failure(error)
            }
        }
        lastChange = Task {
            await withTaskCancellationHandler {
                _ = await task.value
            } onCancel: {
                task.cancel()
            }
        }
        return try await task.value.get()
    }

    private func replaceProfiles(by profiles: [Profile]) async throws(EmulatorError) -> ReloadResult {
        let result = try await replaceBeacons(by: profiles)
        await adopt(profiles)
        return result
    }

    /// Takes the profiles of beacons that are on the radio now.
    private func adopt(_ profiles: [Profile]) async {
        profilesWithoutBeacons = profiles.map { $0.with([]) }
        revision += 1
        await replaceReceivers(by: profiles.flatMap(\.receivers))
        await reloadObserver?(profiles.map(\.name))
        if radio is any PositioningRadio, radio.name == "virtual", Propagation(for: profiles) != model {
            events.post(.warning(Self.changedModel))
        }
        events.post(.reloaded(beacons: order.count))
    }

    private static let changedModel = Warning(
        code: "physics-unchanged",
        message: "the profiles have other physics or walls than at the start of the run, which the air still has",
        hint: "stop the run and start it again")

    /// A beacon that a reload has made, and the beacon with the same profile and id before.
    private typealias FreshBeacon = (beacon: RunningBeacon, predecessor: RunningBeacon?)

    /// Makes beacons of profiles, all of them new. Those of the run hand their locks over.
    /// - Throws: `EmulatorError` `.cannotCreate` if a lock cannot be acquired; then none is.
    private func makeSuccessors(of profiles: [Profile]) throws(EmulatorError) -> [FreshBeacon] {
        let present = beaconsByPath
        var fresh: [FreshBeacon] = []
        do throws(EmulatorError) {
            for (profile, definition, identifier) in BeaconFactory.identified(profiles) {
                let predecessor = present["\(profile.name)/\(definition.id)"]
                let beacon = try factory.makeBeacon(definition, of: profile.name, identifier, lock: predecessor?.lock)
                fresh.append((beacon, predecessor))
            }
        } catch {
            Self.releaseLocks(of: fresh)
            throw error
        }
        return fresh
    }

    /// The beacons by `PROFILE/ID`.
    private var beaconsByPath: [String: RunningBeacon] {
        Dictionary(
            beacons.map { ("\($0.profileName)/\($0.profile.id)", $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func releaseLocks(of fresh: [FreshBeacon]) {
        for (beacon, predecessor) in fresh where predecessor?.lock !== beacon.lock { beacon.lock?.release() }
    }

    private func replaceBeacons(by profiles: [Profile]) async throws(EmulatorError) -> ReloadResult {
        var next: [RunningBeacon] = []
        var fresh: [FreshBeacon] = []
        let present = beaconsByPath
        do {
            for (profile, definition, identifier) in BeaconFactory.identified(profiles) {
                let predecessor = present["\(profile.name)/\(definition.id)"]
                if let predecessor, predecessor.profile == definition, predecessor.identifier == identifier {
                    next.append(predecessor)
                    continue
                }
                let beacon = try factory.makeBeacon(
                    definition, of: profile.name, identifier, lock: predecessor?.lock)
                fresh.append((beacon, predecessor))
                next.append(beacon)
                try await beacon.restore(resets: false)
                try openBonds(of: beacon, resets: false)
            }
            let kept = Set(next.map(ObjectIdentifier.init))
            let gone = beacons.filter { !kept.contains(ObjectIdentifier($0)) }
            guard !gone.isEmpty || !fresh.isEmpty || next.map(\.identifier) != order else {
                return ReloadResult(kept: names)
            }
            return try await handOver(gone + fresh.map(\.beacon)) { [next, fresh] emulator throws(EmulatorError) in
                do throws(RadioError) {
                    try await emulator.radio.replan(await Self.hosted(next))
                } catch {
                    throw EmulatorError(error)
                }
                return await emulator.exchangeBeacons(gone, for: next, fresh)
            }
        } catch {
            Self.releaseLocks(of: fresh)
            throw error
        }
    }

    /// Gives the radio new attribute tables, and replaces beacons. Their requests and commands wait meanwhile, and so do all
    /// moves and faults, so that none reaches a device with another table, or one that is being replaced.
    /// - Parameter beacons: Those that are replaced, removed or added.
    /// - Throws: what the exchange throws.
    private func handOver(
        _ beacons: [RunningBeacon],
        _ exchange: @escaping @Sendable (isolated Emulator) async throws(EmulatorError) -> ReloadResult
    ) async throws(EmulatorError) -> ReloadResult {
        let task = Task { () -> Result<ReloadResult, EmulatorError> in
            defer { directory.endHandover() }
            await untilChanged()
            do throws(EmulatorError) {
                return .success(try await exchange(self))
            } catch {
                return .failure(error)
            }
        }
        directory.beginHandover(of: Set(beacons.map(\.identifier)), Task { _ = await task.value })
        return try await task.value.get()
    }

    /// Replaces the beacons. At the end of the handover the new beacons are switched on.
    private func exchangeBeacons(
        _ gone: [RunningBeacon], for next: [RunningBeacon], _ fresh: [FreshBeacon]
    ) async -> ReloadResult {
        var result = ReloadResult()
        var handovers: [BeaconIdentifier: RunningBeacon.Handover] = [:]
        for beacon in gone { handovers[beacon.identifier] = await beacon.retire() }
        for (beacon, _) in fresh { await beacon.reloadSettings() }
        install(next)
        let names = Set(order)
        let locks = Set(next.compactMap(\.lock).map(ObjectIdentifier.init))
        for beacon in gone {
            if !names.contains(beacon.identifier) {
                await beacon.remove()
                await disconnectAll(from: beacon.identifier)
                remove(beacon.identifier)
                result.removed.append(beacon.identifier.name)
            }
            if let lock = beacon.lock, !locks.contains(ObjectIdentifier(lock)) { lock.release() }
        }
        for (beacon, predecessor) in fresh {
            let identifier = beacon.identifier
            let hadSchedule = schedules[identifier] != nil
            await beginSchedule(of: beacon)
            if let predecessor, predecessor.identifier == identifier {
                var handover = handovers[identifier] ?? RunningBeacon.Handover()
                if hadSchedule || schedules[identifier] != nil { handover.isEnabled = isToBeOn(identifier) }
                if !handover.isEnabled { await disconnectAll(from: identifier) }
                await beacon.powerOn(
                    replacing: handover,
                    centrals: centrals(of: beacon.identifier),
                    subscriptions: sessions[beacon.identifier]?.subscriptions ?? [:])
                result.changed.append(beacon.identifier.name)
            } else {
                await beacon.powerOn(replacing: RunningBeacon.Handover(isEnabled: isToBeOn(identifier)))
                result.added.append(beacon.identifier.name)
            }
        }
        let freshNames = Set(fresh.map(\.beacon.identifier))
        result.kept = next.map(\.identifier).filter { !freshNames.contains($0) }.map(\.name)
        return result
    }
}
