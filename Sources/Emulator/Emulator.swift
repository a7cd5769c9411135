// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Devices
import Dispatch
package import Persistence
package import Profiles
package import Radio
import ServiceLifecycle

/// Profiles times radio: the beacons of an installation, running.
///
/// It owns the beacons and hands on what passes between them and the radio. It runs until it is told to stop, until the
/// time is over, or until something is wrong that may not be.
package actor Emulator: Service {
    /// What a run is made of.
    package struct Configuration: Sendable {
        /// Reads the profiles, at the start and on every reload.
        package var loadProfiles: @Sendable () throws(ProfileFaults) -> [Profile]
        /// Where settings are kept; `nil` keeps nothing.
        package var state: StateFolder?
        /// Whether persisted settings are forgotten first.
        package var resets: Bool
        /// Whether a difference between request and air is an error.
        package var isStrict: Bool
        /// Whether to wait for a radio that is not usable yet.
        package var waits: Bool
        /// How long to run, counted from the moment that every beacon is on the air; `nil` for ever.
        package var duration: Duration?
        /// A file that appears at that moment, and goes with the run.
        package var readyFile: String?

        /// A configuration; what is left out is not done.
        package init(
            loadProfiles: @escaping @Sendable () throws(ProfileFaults) -> [Profile], state: StateFolder? = nil,
            resets: Bool = false, isStrict: Bool = false, waits: Bool = false, duration: Duration? = nil,
            readyFile: String? = nil
        ) {
            self.loadProfiles = loadProfiles
            self.state = state
            self.resets = resets
            self.isStrict = isStrict
            self.waits = waits
            self.duration = duration
            self.readyFile = readyFile
        }
    }

    /// Everything that happens, for whoever listens.
    package nonisolated let events = EventHub()
    let configuration: Configuration
    let radio: any PeripheralRadio
    private let clock: any Clock<Duration>
    /// What tells devices the time.
    private let deviceClock: DeviceClock
    /// The beacons in the order of the profiles.
    var beacons: [RunningBeacon] = [] {
        didSet { directory.setBeacons(beacons) }
    }
    /// The beacons by name, for whoever is in a hurry.
    let directory = BeaconDirectory()
    /// Beacons that were on the air at least once since they were asked to be.
    private var onAir: Set<BeaconIdentifier> = []
    /// The centrals that are connected to each beacon.
    var centrals: [BeaconIdentifier: Set<String>] = [:]
    /// What is on the air for each beacon, or was last.
    private var reports: [BeaconIdentifier: AdvertisingStatus] = [:]
    /// What they want to be told.
    var subscriptions: [BeaconIdentifier: [Subscription: ClientCharacteristicConfiguration]] = [:]
    /// The bonds of all beacons.
    let vault: BondVault
    /// What pairings wait for, by the central's name.
    var questions: [String: PairingInquiry] = [:]
    /// What beacons ask of the centrals that are connected to them.
    private var conversations: [BeaconIdentifier: [Central: ClientConversation]] = [:]
    private var isReady = false
    /// How far the run is: a reload waits until it is up.
    private var phase = Phase.starting {
        didSet {
            for waiting in waitingForStart { waiting.resume() }
            waitingForStart = []
        }
    }
    /// Takes the names of the profiles after each reload, before its end is reported.
    private var reloadObserver: (@Sendable ([String]) async -> Void)?
    private var waitingForStart: [CheckedContinuation<Void, Never>] = []

    private enum Phase {
        /// The beacons are made and the radio is opened.
        case starting
        /// The beacons are on the radio.
        case up
        /// The radio is closed, or was never opened.
        case over
    }

    /// The last reload asked for; the next one waits for it.
    var lastReload: Task<Result<ReloadResult, EmulatorError>, Never>?
    /// Under way while beacons hand over to their successors; whoever wants a beacon waits for it.
    var handover: Task<Void, Never>? {
        get { directory.handover }
        set { directory.handover = newValue }
    }
    private let actions: AsyncStream<RunningBeacon.Action>
    private let action: AsyncStream<RunningBeacon.Action>.Continuation
    private let endings: AsyncStream<EmulatorError?>
    private let ending: AsyncStream<EmulatorError?>.Continuation

    /// An emulator of these profiles on this radio; nothing happens before `run()`.
    package init(
        _ configuration: Configuration, radio: any PeripheralRadio, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.configuration = configuration
        self.radio = radio
        self.clock = clock
        deviceClock = DeviceClock(clock)
        vault = BondVault { [events] in events.post($0) }
        (actions, action) = AsyncStream.makeStream()
        (endings, ending) = AsyncStream.makeStream()
    }

    /// Runs until shutdown, cancellation or the end of the duration.
    /// - Throws: `EmulatorError`; nothing is left on the radio then.
    package func run() async throws {
        defer {
            phase = .over
            events.finish()
        }
        // One that a killed run left behind would say that this one is ready.
        if let readyFile = configuration.readyFile { try? LocalFileSystem().remove(readyFile) }
        do {
            beacons = try makeBeacons(of: try await loadedProfiles())
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

    /// Ends the run as if its duration were over.
    package func stop() {
        ending.yield(nil)
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
        lastReload?.cancel()
        if failure == nil || isReady { events.post(EventRecord("stopping")) }
        for conversation in conversations.values.flatMap(\.values) { conversation.end() }
        await radio.close()
        if let readyFile = configuration.readyFile, isReady { try? LocalFileSystem().remove(readyFile) }
        return failure
    }

    private func openAndWait() async -> EmulatorError? {
        let opening = Task { [radio, configuration, directory, vault] () -> EmulatorError? in
            await (radio as? any BondStoringRadio)?.storeBonds(in: vault)
            do throws(RadioError) {
                let capabilities = try await radio.open(await self.plans(), waits: configuration.waits) {
                    directory.answer($0)
                }
                await self.noteOpened(capabilities)
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

    private func plans() async -> [HostedBeacon] {
        var plans: [HostedBeacon] = []
        for beacon in beacons { plans.append(await beacon.plan) }
        return plans
    }

    private func noteOpened(_ capabilities: RadioCapabilities) async {
        events.post(EventRecord(ready: capabilities))
        if !capabilities.canReadBack {
            let warning = Warning(
                code: "not-read-back",
                message: "without CAP_NET_RAW what the controller really radiates cannot be read back",
                hint: "give beaconry CAP_NET_RAW (see README, \"A real adapter\")")
            events.post(EventRecord(warning, device: nil))
        }
        for beacon in beacons { await beacon.powerOn() }
        if phase == .starting { phase = .up }
    }

    /// Has the names of the profiles handed over after each reload, before its end is reported.
    func observeReloads(_ observer: @escaping @Sendable ([String]) async -> Void) { reloadObserver = observer }

    func noteReload(of profiles: [Profile]) async { await reloadObserver?(profiles.map(\.name)) }

    /// Waits until the beacons are on the radio.
    /// - Throws: `EmulatorError` `.inputOutput` when the run is over, or ends before that.
    func untilUp() async throws(EmulatorError) {
        if phase == .starting { await withCheckedContinuation { waitingForStart.append($0) } }
        guard phase == .up else { throw EmulatorError(.inputOutput, "the run has ended") }
    }

    // MARK: - What passes between beacons and radio

    private func perform(_ action: RunningBeacon.Action) async {
        switch action {
        case .advertise(let beacon, let advertisement):
            if advertisement == nil, onAir.remove(beacon) != nil {
                var record = EventRecord("advertising-stopped", device: beacon.name)
                let isEnabled = await self.beacon(beacon)?.isEnabled ?? true
                let isConnected = !(centrals[beacon] ?? []).isEmpty
                record.reason = !isEnabled ? "disabled" : isConnected ? "a central is connected" : "as the beacon asks"
                events.post(record)
            }
            await radio.advertise(advertisement, for: beacon)
        case .notify(let beacon, let characteristic, let value, let central):
            await radio.notify(value, of: characteristic, on: beacon, to: central?.name)
        case .updateConnection(let central, let timing):
            await (radio as? any ConnectionUpdatingRadio)?.updateConnection(of: central.name, to: timing)
        case .ask(let beacon, let request, let central): conversation(of: beacon, with: central)?.ask(request)
        case .disconnect(let central): await radio.disconnect(central: central.name)
        case .post(let record): events.post(record)
        }
    }

    private func handle(_ event: RadioEvent) async {
        switch event {
        case .ready(let capabilities): events.post(EventRecord(ready: capabilities))
        case .lost(let error): events.post(EventRecord("radio-lost", error: error))
        case .advertising(let beacon, let report): note(report, of: beacon)
        case .stopped(let beacon, let reason):
            guard onAir.remove(beacon) != nil else { return }
            var record = EventRecord("advertising-stopped", device: beacon.name)
            record.reason = reason
            events.post(record)
        case .refused(let beacon, let error):
            if isReady {
                events.post(EventRecord("advertising-refused", device: beacon.name, error: error))
            } else {
                ending.yield(EmulatorError(error))
            }
        case .connected(let beacon, let central): await connect(beacon, central)
        case .disconnected(let beacon, let central): await disconnect(beacon, central)
        case .subscribed(let beacon, let central, let characteristic, let configuration):
            await subscribe(beacon, Subscription(central: central, characteristic: characteristic), configuration)
        case .refusedRequest(let request, let error):
            let name = beacon(request.beacon)?.name(of: request.characteristic)
            events.post(EventRecord(refused: request, error, name: name))
        case .pairing(let beacon, let central, let event): await note(event, of: beacon, central)
        case .connectionUpdated(let beacon, let central, let timing):
            await deliver(.connectionUpdated(Central(central), timing), to: beacon)
        case .host(let event): events.post(EventRecord(event))
        case .warning(let beacon, let warning): events.post(EventRecord(warning, device: beacon?.name))
        }
    }

    private func connect(_ beacon: BeaconIdentifier, _ central: String) async {
        var record = EventRecord("connected", device: beacon.name)
        record.central = central
        events.post(record)
        centrals[beacon, default: []].insert(central)
        await deliver(.connected(Central(central)), to: beacon)
    }

    private func disconnect(_ beacon: BeaconIdentifier, _ central: String) async {
        var record = EventRecord("disconnected", device: beacon.name)
        record.central = central
        events.post(record)
        centrals[beacon]?.remove(central)
        conversations[beacon]?.removeValue(forKey: Central(central))?.end()
        subscriptions[beacon] = subscriptions[beacon]?.filter { $0.key.central != central }
        questions[central] = nil
        await deliver(.disconnected(Central(central)), to: beacon)
    }

    /// What a beacon asks of a central goes here; `nil` when the central is gone.
    private func conversation(of beacon: BeaconIdentifier, with central: Central) -> ClientConversation? {
        guard centrals[beacon]?.contains(central.name) == true else { return nil }
        if let conversation = conversations[beacon]?[central] { return conversation }
        let conversation = ClientConversation(with: central, on: radio) { [weak self] input in
            await self?.deliver(input, to: beacon)
        }
        conversations[beacon, default: [:]][central] = conversation
        return conversation
    }

    private func deliver(_ input: DeviceInput, to beacon: BeaconIdentifier) async {
        await directory.route(to: beacon) { await $0.take(input) }
    }

    private func subscribe(
        _ beacon: BeaconIdentifier, _ subscription: Subscription, _ configuration: ClientCharacteristicConfiguration
    ) async {
        var record = EventRecord(configuration.isEmpty ? "unsubscribed" : "subscribed", device: beacon.name)
        record.central = subscription.central
        record.characteristic = subscription.characteristic.description
        record.characteristicName = self.beacon(beacon)?.name(of: subscription.characteristic)
        events.post(record)
        subscriptions[beacon, default: [:]][subscription] = configuration.isEmpty ? nil : configuration
        await deliver(
            .subscribed(Central(subscription.central), subscription.characteristic, configuration), to: beacon)
    }

    private func note(_ report: AdvertisingStatus, of beacon: BeaconIdentifier) {
        let isNew = onAir.insert(beacon).inserted
        reports[beacon] = report
        let event = isNew ? "advertising-started" : "advertising-changed"
        events.post(EventRecord(event, device: beacon.name, radio: radio.name, report: report))
        for warning in report.warnings { events.post(EventRecord(warning, device: beacon.name)) }
        if configuration.isStrict, !report.differences.isEmpty {
            let fields = AdvertisingField.allCases.filter(report.differences.contains).map(\.rawValue)
            let causes = report.warnings.map(\.message).joined(separator: "; ")
            ending.yield(
                EmulatorError(
                    .radio, "\(beacon) is not on the air as asked: \(fields.joined(separator: ", ")) (\(causes))",
                    hint: "see each warning's hint, or run without --strict"))
            return
        }
        checkReadiness()
    }

    /// Ready is when every beacon is on the air for the first time.
    func checkReadiness() {
        guard !isReady, onAir.count >= beacons.count, beacons.allSatisfy({ onAir.contains($0.identifier) }) else {
            return
        }
        isReady = true
        if let readyFile = configuration.readyFile {
            do throws(SystemError) {
                let files = LocalFileSystem()
                files.close(try files.create(readyFile))
            } catch {
                ending.yield(EmulatorError(.cannotCreate, "\(error)", hint: "choose another --ready-file"))
                return
            }
        }
        var record = EventRecord("ready")
        record.beacons = beacons.count
        events.post(record)
        guard let duration = configuration.duration else { return }
        Task { [clock, ending] in
            try? await clock.sleep(for: duration)
            ending.yield(nil)
        }
    }

    // MARK: - Beacons

    /// The beacon of this name.
    func beacon(_ identifier: BeaconIdentifier) -> RunningBeacon? {
        directory.beacon(identifier)
    }

    /// A beacon's status with what the radio reports of it.
    func completed(_ status: BeaconStatus) -> BeaconStatus {
        var status = status
        status.isOnAir = onAir.contains(status.identifier)
        status.effective = reports[status.identifier]?.effective
        status.centrals = centrals[status.identifier, default: []].sorted()
        return status
    }

    /// A beacon is in no profile any more.
    func forget(_ beacon: BeaconIdentifier) {
        centrals[beacon] = nil
        subscriptions[beacon] = nil
        reports[beacon] = nil
    }

    /// Reads the profiles on a thread of its own, so that a medium that does not answer blocks neither the beacons nor
    /// the end of the run.
    /// - Throws: `EmulatorError`; `.inputOutput` when the task is cancelled before they are read.
    func loadedProfiles() async throws(EmulatorError) -> [Profile] {
        let (results, result) = AsyncStream.makeStream(of: Result<[Profile], ProfileFaults>.self)
        DispatchQueue(label: "profiles").async { [load = configuration.loadProfiles] in
            do throws(ProfileFaults) {
                result.yield(.success(try load()))
            } catch {
                result.yield(.failure(error))
            }
            result.finish()
        }
        for await result in results {
            do throws(ProfileFaults) {
                return try result.get()
            } catch {
                throw EmulatorError(error)
            }
        }
        throw EmulatorError(.inputOutput, "the run ended before the profiles were read")
    }

    /// Beacons as their profiles have them. When one cannot be made, none is.
    func makeBeacons(of profiles: [Profile]) throws(EmulatorError) -> [RunningBeacon] {
        var made: [RunningBeacon] = []
        do throws(EmulatorError) {
            for (profile, beacon, identifier) in Self.identified(profiles) {
                made.append(try makeBeacon(beacon, of: profile.name, identifier))
            }
        } catch {
            for beacon in made { beacon.lock?.release() }
            throw error
        }
        return made
    }

    func makeBeacon(
        _ beacon: BeaconDefinition, of profile: String, _ identifier: BeaconIdentifier, lock: FileLock? = nil
    ) throws(EmulatorError) -> RunningBeacon {
        try RunningBeacon(
            beacon, of: profile, identifier: identifier, state: configuration.state, lock: lock, clock: deviceClock
        ) { [action] in action.yield($0) }
    }

    /// Every beacon with its name in this run: its id, or `PROFILE/ID` where two profiles share one.
    static func identified(_ profiles: [Profile]) -> [(Profile, BeaconDefinition, BeaconIdentifier)] {
        let all = profiles.flatMap { profile in profile.beacons.map { (profile, $0) } }
        let counts = Dictionary(all.map { ($0.1.id, 1) }, uniquingKeysWith: +)
        return all.map { profile, beacon in
            let isShared = counts[beacon.id, default: 1] > 1
            return (profile, beacon, BeaconIdentifier(isShared ? "\(profile.name)/\(beacon.id)" : beacon.id))
        }
    }
}
