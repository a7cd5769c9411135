// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Concurrency
import Devices
import Persistence
import Profiles
import Radio
import Space
import Synchronization

/// The device of a running beacon, and its flash.
///
/// A beacon is made switched off; `restore` reads its flash, and `powerOn` starts it. It can be disabled and enabled.
/// On a reload it may be retired: it takes no inputs any more, which go to its successor.
///
/// Each input is handled completely before the next one: the device changes, the new settings are saved, and only then
/// the change counts. If they cannot be saved, the device stays as it was. Actions for the radio are passed on in
/// order.
actor RunningBeacon {
    /// An action that the emulator performs for a beacon.
    indirect enum Action: Sendable {
        case switched(BeaconIdentifier, isOn: Bool, advertises: Bool)
        case advertise(BeaconIdentifier, Advertisement?)
        case notify(BeaconIdentifier, CharacteristicIdentifier, value: [UInt8], to: Central?)
        case updateConnection(Central, ConnectionParameters)
        case ask(BeaconIdentifier, ClientRequest, of: Central)
        case disconnect(Central)
        case post(BeaconIdentifier, BeaconEvent)
        /// All beacons that the run begins with have been switched on.
        case begun
        /// Finishes the stream: the actions before it are performed.
        case finish(AsyncStream<Void>.Continuation)
    }

    /// The answer to an input.
    enum Answer: Hashable, Sendable {
        case done
        case rejected(ATTError)
        case refused(String)
        case notSaved(SystemError)
    }

    nonisolated let identifier: BeaconIdentifier
    nonisolated let profile: BeaconDefinition
    nonisolated let profileName: String
    private let executor: ActorExecutor
    private nonisolated let clock: Timekeeper
    private let counts: RunCounts
    /// The file of its settings; `nil` if they are not saved.
    nonisolated let flash: FlashFile?
    /// The lock of the settings; on a reload the successor takes it over.
    nonisolated let lock: FileLock?
    private let perform: @Sendable (Action) -> Void
    /// What is changed by this actor only, and read without waiting for the actor, which may wait for a disk.
    private struct State {
        /// The device with saved settings.
        var device: any Device
        var isEnabled = true
        /// How it moves on an emulated air; `nil` is 1 m from every receiver.
        var motion: Motion?
    }

    private nonisolated let state: Mutex<State>
    /// The latest advertisement of the device.
    private var advertisement: Advertisement?
    /// The address of the present step of its rotation; `nil` for the address of the device.
    private var rotatedAddress: BluetoothAddress?
    /// The timer of the device's next deadline.
    private var wakeUp: (deadline: Duration, task: Task<Void, Never>)?
    /// Whether a successor has taken over the settings, and takes all inputs.
    private var isRetired = false
    /// The centrals that the device knows to be connected.
    private var connected: Set<Central> = []
    /// While the beacon starts, advertisements are not passed on.
    private var isStarting = false
    /// The settings that are written beside the file.
    private var prepared: FlashImage?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    /// A beacon with the settings of its profile, switched off.
    /// - Parameter shared: The executor of a beacon without flash, which never blocks: the emulator's executor, so that
    ///   emulator and beacon call each other without a change of threads. A beacon that writes files has a queue of its
    ///   own.
    /// - Throws: `EmulatorError` `.cannotCreate` if the lock of its settings cannot be acquired.
    init(
        _ profile: BeaconDefinition, of profileName: String, identifier: BeaconIdentifier, state: StateFolder?,
        lock inherited: FileLock? = nil,
        executor shared: ActorExecutor = .cooperative(), clock: Timekeeper,
        counts: RunCounts = RunCounts(),
        perform: @escaping @Sendable (Action) -> Void
    ) throws(EmulatorError) {
        self.profile = profile
        self.profileName = profileName
        self.identifier = identifier
        self.perform = perform
        self.clock = clock
        self.counts = counts
        let device: any Device = profile.device
        self.state = Mutex(State(device: device, motion: profile.movement?.motion))
        if let state, device.savesSettings || profile.pairing != nil {
            do throws(PersistenceError) {
                lock = if let inherited { inherited } else { try state.lock(profile: profileName, beacon: profile.id) }
            } catch {
                throw EmulatorError(error)
            }
        } else {
            lock = nil
        }
        if let state, device.savesSettings {
            flash = state.flash(profile: profileName, beacon: profile.id, kind: type(of: device).kind)
            executor = .queue("beacon \(identifier)")
        } else {
            executor = shared
            flash = nil
        }
    }

    private nonisolated var device: any Device { state.withLock(\.device) }
    private(set) var isEnabled: Bool {
        get { state.withLock(\.isEnabled) }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// The beacon as a radio hosts it.
    var hosted: HostedBeacon {
        var site = BeaconSite(profile)
        site.motion = state.withLock(\.motion)
        var hosted = HostedBeacon(device, identifier: identifier, key: "\(profileName)/\(profile.id)", site: site)
        hosted.pairing = profile.pairing
        return hosted
    }

    /// Restores the saved settings, or removes them.
    /// - Throws: `EmulatorError` `.inputOutput` if the file exists and cannot be read.
    func restore(resets: Bool) throws(EmulatorError) {
        guard let flash else { return }
        do throws(SystemError) {
            if resets, try flash.erase() {
                post(.settingsReset(file: flash.path))
            }
            switch try flash.load() {
            case .absent: break
            case .damaged(let reason): try setAside(flash, reason)
            case .image(let image): try restore(image, flash)
            }
        } catch {
            throw EmulatorError(
                .inputOutput, "\(error)", hint: StateFolder.hint(for: error, saving: flash.path))
        }
    }

    private func restore(_ image: FlashImage, _ flash: FlashFile) throws(SystemError) {
        let factory = device.settings
        do throws(FlashFault) {
            try restoreDevice(from: image)
        } catch {
            return try setAside(flash, "\"\(error.name)\" is missing or out of range")
        }
        guard device.settings != factory else { return }
        post(.settingsRestored(file: flash.path, reset: flash.resetCommand))
    }

    private func setAside(_ flash: FlashFile, _ reason: String) throws(SystemError) {
        let newPath = try flash.setAside()
        let warning = Warning(
            code: "settings-damaged",
            message:
                "\(flash.path) could not be used (\(reason)): the beacon starts with its profile's values, and the "
                + "file was renamed to \(newPath)",
            hint: "examine that file, and remove it if it is of no use")
        post(.warning(warning))
    }

    /// What a retired beacon hands over to its successor, beside the saved settings.
    struct Handover: Sendable {
        /// Whether the beacon was switched on.
        var isEnabled = true
        /// The advertisement on the air.
        var advertisement: Advertisement?
    }

    /// Ends the beacon. It has handled all earlier inputs, and its successor takes the later ones.
    func retire() -> Handover {
        isRetired = true
        stopTimer()
        return Handover(isEnabled: isEnabled, advertisement: advertisement)
    }

    /// Reads the settings again that the predecessor saved after this beacon was made.
    func reloadSettings() {
        // Errors were reported by `restore`; the values that it read are used.
        guard let flash, case .image(let image) = try? flash.load() else { return }
        try? restoreDevice(from: image)
    }

    private func restoreDevice(from image: FlashImage) throws(FlashFault) {
        var restored = device
        try restored.restore(from: image)
        save(restored)
    }

    private func save(_ device: any Device) { state.withLock { $0.device = device } }

    /// Switches the beacon on, which starts advertising.
    /// - Parameters:
    ///   - handover: The state of the predecessor; if that was switched off, so is this beacon.
    ///   - centrals: The centrals that are connected already.
    ///   - subscriptions: Their subscriptions.
    func powerOn(
        replacing handover: Handover = Handover(), centrals: [String] = [],
        subscriptions: [Subscription: ClientCharacteristicConfiguration] = [:]
    ) async {
        isEnabled = handover.isEnabled
        guard isEnabled else {
            perform(.switched(identifier, isOn: false, advertises: false))
            // The schedule of the new profile has it off.
            if handover.advertisement != nil { perform(.advertise(identifier, nil)) }
            return
        }
        isStarting = true
        connected.formUnion(centrals.map { Central($0) })
        await handle(.poweredOn)
        for central in centrals { await handle(.connected(Central(central))) }
        for (subscription, configuration) in subscriptions {
            await handle(
                .subscribed(Central(subscription.central), subscription.characteristic, configuration))
        }
        isStarting = false
        let first = advertisement
        advertisement = handover.advertisement
        perform(.switched(identifier, isOn: true, advertises: first != nil))
        advertise(first)
    }

    /// Takes a step of its rotation before it is switched on.
    func prepare(_ rotation: Rotation, step: Int) async {
        isStarting = true
        _ = await rotate(rotation, step: step)
        isStarting = false
        advertisement = nil
    }

    /// Notes that it was moved, which ended its former motion.
    func move(_ motion: Motion) { state.withLock { $0.motion = motion } }

    /// Returns when the inputs so far are handled, and their settings saved.
    func settle() {}

    /// Ends the timer, at the end of the run.
    func end() { stopTimer() }

    /// Takes the beacon off the air for good: it is in none of the profiles any more.
    func remove() {
        isEnabled = false
        stopTimer()
        guard advertisement != nil else { return }
        advertisement = nil
        perform(.advertise(identifier, nil))
    }

    // MARK: - Settings, changed between handovers: the beacon is not retired

    /// Checks that settings can be changed; keys and values are the same as in profiles.
    /// - Throws: `EmulatorError` `.badProfile` for an unknown key or a text that is no value, `.refusedSetting` if the device
    ///   refuses a value.
    func requireAcceptance(of values: [String: String]) throws(EmulatorError) { _ = try trial(of: values) }

    /// Writes changed settings to the medium, beside the file, so that `set` needs no more room. A change of other settings
    /// meanwhile replaces them.
    /// - Throws: as `set`.
    func prepare(_ values: [String: String]) throws(EmulatorError) {
        guard let flash, let image = try trial(of: values) else { return }
        do throws(SystemError) {
            try flash.prepare(image)
            prepared = image
        } catch {
            throw notSaved(error)
        }
    }

    /// Removes what `prepare` has written.
    func cancelPreparation() {
        if prepared.take() != nil { flash?.cancelPrepared() }
    }

    /// Changes settings, all or none; keys and values are the same as in profiles.
    /// - Returns: Whether a setting has another value now.
    /// - Throws: as `requireAcceptance`, and `EmulatorError` `.inputOutput` if the settings could not be saved.
    func set(_ values: [String: String]) async throws(EmulatorError) -> Bool {
        assert(!isRetired)
        let before = device.settings
        let changes = try checked(values)
        switch await handle(.set(changes)) {
        case .refused(let sentence): throw EmulatorError(.refusedSetting, "\(identifier): \(sentence)")
        case .notSaved(let error): throw notSaved(error)
        default: return device.settings != before
        }
    }

    /// - Returns: The settings to save; `nil` if none changes, or for a device that saves none.
    private func trial(of values: [String: String]) throws(EmulatorError) -> FlashImage? {
        let changes = try checked(values)
        var changed = device
        let response = changed.handle(.set(changes), at: clock.deviceTime)
        if case .refused(let sentence) = response.reply {
            throw EmulatorError(.refusedSetting, "\(identifier): \(sentence)")
        }
        return changed.settings == device.settings ? nil : response.flash
    }

    private func notSaved(_ error: SystemError) -> EmulatorError {
        EmulatorError(
            .inputOutput, "\(identifier): the new settings could not be saved (\(error)), so the old ones stay",
            hint: "make room in the state folder, or check its medium")
    }

    /// Checks that there are settings of these keys, and that the texts are values of the common ones. Ranges, and settings
    /// of one kind of device, are checked by the device.
    private func checked(_ values: [String: String]) throws(EmulatorError) -> [SettingChange] {
        let changes = values.sorted { $0.key < $1.key }.map { SettingChange($0.key, $0.value) }
        let present = device.settings
        for change in changes {
            guard let setting = DeviceRegistry.commonSetting(change.key) else {
                if present.contains(where: { $0.key == change.key }) { continue }
                let problem = "\(identifier): there is no setting \"\(change.key)\""
                let keys = present.map(\.key)
                throw EmulatorError(
                    .badProfile,
                    keys.isEmpty
                        ? "\(problem), and no other" : Spelling.unknown(problem, change.key, "settings", keys))
            }
            do throws(ValueFault) {
                _ = try setting.value(change.text)
            } catch {
                throw EmulatorError(.badProfile, "\(identifier): \(change.key): \(error.message)")
            }
        }
        return changes
    }

    // MARK: - Commands and inputs, routed by `BeaconDirectory`; a retired beacon returns nil

    /// Switches the beacon on or off.
    func setEnabled(_ enabled: Bool) async -> BeaconStatus? {
        guard !isRetired else { return nil }
        guard enabled != isEnabled else { return status }
        isEnabled = enabled
        if enabled {
            await powerOn()
        } else {
            perform(.switched(identifier, isOn: false, advertises: false))
            stopTimer()
            advertise(nil)
        }
        return status
    }

    /// Takes a step of its rotation.
    func rotate(_ rotation: Rotation, step: Int) async -> Void? {
        guard !isRetired else { return nil }
        rotatedAddress = rotation.address(ofStep: step, beacon: "\(profileName)/\(profile.id)")
        // The profile was checked, so the device takes the values.
        if !rotation.settings.isEmpty { _ = try? await set(rotation.values(ofStep: step)) }
        if advertisement != nil { advertise(advertisement) }
        return ()
    }

    /// Performs a command of the device, after checking its arguments.
    func perform(_ command: DeviceCommand) async -> Result<BeaconStatus, EmulatorError>? {
        guard !isRetired else { return nil }
        do throws(DeviceCommandFault) {
            try device.commands.first { $0.name == command.name }?.check(command)
        } catch {
            return .failure(EmulatorError(.badProfile, error.problem, hint: error.hint))
        }
        if case .refused(let sentence) = await handle(.perform(command)) {
            return .failure(EmulatorError(.refusedSetting, "\(identifier): \(sentence)"))
        }
        return .success(status)
    }

    /// Takes an input of the radio. A central that the predecessor handed over is connected only once.
    func take(_ input: DeviceInput) async -> Void? {
        guard !isRetired else { return nil }
        switch input {
        case .connected(let central): guard connected.insert(central).inserted else { return () }
        case .disconnected(let central): guard connected.remove(central) != nil else { return () }
        default: break
        }
        await handle(input)
        return ()
    }

    /// Handles one input.
    @discardableResult
    func handle(_ input: DeviceInput) async -> Answer? {
        var changed = device
        let response = changed.handle(input, at: clock.deviceTime)
        // Settings that do not change are not saved again.
        var isWritten = true
        if case .set = input { isWritten = changed.settings != device.settings }
        if let image = response.flash, isWritten, let error = persist(image) { return .notSaved(error) }
        save(changed)
        wakeAtDeadline()
        if response.delay > .zero { await clock.sleep(for: response.delay) }
        for effect in response.effects {
            switch effect {
            case .advertise(let advertisement): if isEnabled, !isRetired { advertise(advertisement) }
            case .notify(let characteristic, let value, let central):
                if isEnabled, !isRetired { perform(.notify(identifier, characteristic, value: value, to: central)) }
            case .request(let request, let central):
                if isEnabled, !isRetired { perform(.ask(identifier, request, of: central)) }
            case .report(let report): post(.report(report))
            case .updateConnection(let central, let parameters): perform(.updateConnection(central, parameters))
            case .disconnect(let central): perform(.disconnect(central))
            case .warn(let warning): post(.warning(warning))
            }
        }
        if response.repliesLast { await actionsPerformed() }
        return switch response.reply {
        case .done: .done
        case .rejected(let error): .rejected(error)
        case .refused(let sentence): .refused(sentence)
        case nil: nil
        }
    }

    /// Waits until the radio has performed all actions so far.
    private func actionsPerformed() async {
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        perform(.finish(continuation))
        for await _ in end {}
    }

    private func wakeAtDeadline() {
        guard isEnabled, !isRetired, let deadline = device.nextDeadline else { return stopTimer() }
        guard wakeUp?.deadline != deadline else { return }
        stopTimer()
        let task = Task { [weak self, clock] in
            await clock.sleep(for: deadline - clock.now())
            guard !Task.isCancelled else { return }
            await self?.wake()
        }
        wakeUp = (deadline, task)
    }

    private func wake() async {
        wakeUp = nil
        guard isEnabled, !isRetired else { return }
        await handle(.timePassed)
    }

    private func stopTimer() {
        wakeUp?.task.cancel()
        wakeUp = nil
    }

    /// The name of a characteristic in the profile; `nil` if it has none.
    nonisolated func name(of characteristic: CharacteristicIdentifier) -> String? {
        state.withLock { $0.device.name(of: characteristic) }
    }

    /// Answers a read request at once; `nil` for other requests, and for reads that are delayed or counted.
    nonisolated func read(_ request: AttributeRequest) -> AttributeResponse? {
        guard case .read(let offset) = request.operation else { return nil }
        let result = device.read(request.characteristic, offset: offset, at: clock.deviceTime)
        guard result.delay == .zero, !result.isCounted else { return nil }
        return response(to: request, result)
    }

    private nonisolated func response(to request: AttributeRequest, _ result: ReadResult) -> AttributeResponse {
        switch result.value {
        case .success(let value): .success(value)
        case .failure(let error): refuse(request, error)
        }
    }

    private nonisolated func refuse(_ request: AttributeRequest, _ error: ATTError) -> AttributeResponse {
        post(.refused(request, error, name: name(of: request.characteristic)))
        return .failure(error)
    }

    /// Answers a request, and reports writes.
    func answer(_ request: AttributeRequest) async -> AttributeResponse? {
        guard !isRetired else { return nil }
        let answer: Answer?
        switch request.operation {
        case .read(let offset):
            let result = device.read(request.characteristic, offset: offset, at: clock.deviceTime)
            if result.isCounted { await handle(.readAnswered(request.characteristic)) }
            if result.delay > .zero { await clock.sleep(for: result.delay) }
            return response(to: request, result)
        case .write(let offset, let value):
            let before = device.settings
            answer = await handle(.wrote(request.characteristic, offset: offset, value: value))
            if answer == .done {
                let characteristic = NamedCharacteristic(
                    identifier: request.characteristic, name: name(of: request.characteristic))
                post(
                    .written(
                        central: request.central, characteristic, value: value,
                        settings: settings(written: characteristic, since: before)))
            }
        }
        switch answer {
        case .done: return .success([])
        case .rejected(let error): return refuse(request, error)
        case .notSaved: return refuse(request, .insufficientResources)
        case .refused, nil: return refuse(request, .unlikely)
        }
    }

    /// The settings that a write has changed, and the one with the characteristic's name.
    private func settings(
        written characteristic: NamedCharacteristic, since before: [SettingValue]
    ) -> [String: String] {
        let changed = zip(device.settings, before).filter { $0 != $1 || $0.key == characteristic.name }.map(\.0)
        return Dictionary(changed.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 })
    }

    /// The settings that differ from those of the profile; `nil` if none does. What its schedule changes does not count.
    nonisolated var keptSettings: Emulator.KeptSettings? {
        let scheduled = Set(profile.schedule?.rotation?.settings.map(\.key) ?? [])
        let declared = Dictionary(profile.device.settings.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 })
        var differences: [String: Emulator.KeptSettings.Difference] = [:]
        for setting in device.settings where !scheduled.contains(setting.key) {
            guard let own = declared[setting.key], own != setting.text else { continue }
            differences[setting.key] = .init(profile: own, present: setting.text)
        }
        guard !differences.isEmpty else { return nil }
        return Emulator.KeptSettings(device: identifier.name, settings: differences)
    }

    /// The status without the values that the radio reports.
    nonisolated var status: BeaconStatus {
        let (device, isEnabled, motion) = state.withLock { ($0.device, $0.isEnabled, $0.motion) }
        return BeaconStatus(
            identifier: identifier, name: profile.device.advertisedName, profile: profileName,
            kind: profile.device.kind, isEnabled: isEnabled, settings: device.settings,
            presentValues: device.presentValues(at: clock.deviceTime),
            services: device.services.map(\.uuid.description), keepsSettings: flash != nil,
            motion: motion, position: motion?.position(at: .zero))
    }

    /// Saves settings.
    /// - Returns: The error; `nil` on success, and without flash.
    private func persist(_ image: FlashImage) -> SystemError? {
        guard let flash else { return nil }
        let start = ContinuousClock.now
        do throws(SystemError) {
            if prepared.take() == image { try flash.storePrepared() } else { try flash.store(image) }
            counts.noteFlashWrite(ContinuousClock.now - start)
        } catch {
            let warning = Warning(
                code: "persist-failed",
                message: "the new settings could not be saved (\(error)): the old ones stay, and the central gets the "
                    + "ATT error 0x11 (bluetoothd makes it 0x0E)",
                hint: "make room in the state folder, or check its medium")
            post(.warning(warning))
            return error
        }
        post(.settingsSaved(file: flash.path))
        return nil
    }

    private func advertise(_ requested: Advertisement?) {
        var new = requested
        if let rotatedAddress { new?.address = rotatedAddress }
        guard new != advertisement else { return }
        advertisement = new
        guard !isStarting else { return }
        perform(.advertise(identifier, new))
    }

    private nonisolated func post(_ event: BeaconEvent) { perform(.post(identifier, event)) }
}

extension Rotation {
    /// The address of a step; `nil` if it does not change.
    /// - Parameter beacon: `PROFILE/ID`, from which random addresses follow: they are the same in every run.
    fileprivate func address(ofStep number: Int, beacon: String) -> BluetoothAddress? {
        switch addresses {
        case .fixed: nil
        case .list(let list): BluetoothAddress(list[number % list.count])
        case .random: .derived(from: "\(beacon)/\(number)")
        }
    }
}
