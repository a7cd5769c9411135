// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices
import Persistence
import Profiles
import Radio
import Synchronization

/// What a central wants to be told of one of a beacon's characteristics, by name.
struct Subscription: Hashable, Sendable {
    let central: String
    let characteristic: CharacteristicIdentifier
}

/// One beacon while it runs: its device, its flash, and whether it is switched on.
///
/// An input is taken and answered in one go: the device changes, the change is made durable, and only then it counts. If
/// it cannot be made durable, the device is as it was. What is to be done outside is handed on in order.
actor RunningBeacon {
    /// What is to be done for a beacon, outside of it.
    indirect enum Action: Sendable {
        case advertise(BeaconIdentifier, Advertisement?)
        case notify(BeaconIdentifier, CharacteristicIdentifier, value: [UInt8], to: Central?)
        case updateConnection(Central, ConnectionParameters)
        case ask(BeaconIdentifier, ClientRequest, of: Central)
        case disconnect(Central)
        case post(EventRecord)
    }

    /// How an input was answered; `nil` where the input asks nothing.
    enum Answer: Hashable, Sendable {
        case done
        case rejected(ATTError)
        case refused(String)
        case notDurable(SystemError)
    }

    nonisolated let identifier: BeaconIdentifier
    nonisolated let profile: BeaconDefinition
    nonisolated let profileName: String
    private let executor: QueueExecutor
    private nonisolated let clock: DeviceClock
    private let flash: FlashFile?
    /// The lock of its settings, which its successor takes over on a reload.
    nonisolated let lock: FileLock?
    private let perform: @Sendable (Action) -> Void
    /// The device as it counts; changed here only, read without waiting for what is being made durable.
    private nonisolated let settled: Mutex<any Device>
    private(set) var isEnabled = true
    /// What it has last asked for.
    private(set) var wanted: Advertisement?
    /// What wakes the device next, and when.
    private var wakeUp: (deadline: Duration, task: Task<Void, Never>)?
    /// Whether another has its settings, and takes its centrals' requests and its owner's commands.
    private var isRetired = false
    /// The centrals that its device has as connected.
    private var connected: Set<Central> = []
    /// While it starts, what it wants is only noted.
    private var isStarting = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A beacon as its profile has it, switched off; `powerOn` follows.
    init(
        _ profile: BeaconDefinition, of profileName: String, identifier: BeaconIdentifier, state: StateFolder?,
        lock inherited: FileLock? = nil, clock: DeviceClock, perform: @escaping @Sendable (Action) -> Void
    ) throws(EmulatorError) {
        self.profile = profile
        self.profileName = profileName
        self.identifier = identifier
        self.perform = perform
        self.clock = clock
        let device = profile.device.makeDevice()
        settled = Mutex(device)
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
            executor = QueueExecutor(label: "beacon \(identifier)")
        } else {
            executor = .shared
            flash = nil
        }
    }

    private var device: any Device {
        get { settled.withLock { $0 } }
        set { settled.withLock { $0 = newValue } }
    }

    /// What the radio must know before the beacon can run.
    var plan: HostedBeacon {
        var plan = HostedBeacon(
            device, identifier: identifier, key: "\(profileName)/\(profile.id)", site: BeaconSite(profile))
        plan.pairing = profile.pairing
        return plan
    }

    /// Takes over what flash holds, or forgets it.
    /// - Throws: `EmulatorError` `.inputOutput` when the file is there and cannot be read.
    func restore(resets: Bool) throws(EmulatorError) {
        guard let flash else { return }
        do throws(SystemError) {
            if resets, try flash.erase() {
                post("settings-reset") { $0.file = flash.path }
            }
            switch try flash.load() {
            case .absent: break
            case .damaged(let reason): try setAside(flash, reason)
            case .image(let image): try restore(image, flash)
            }
        } catch {
            throw EmulatorError(
                .inputOutput, "\(error)", hint: "check the state folder, or use another one (--state DIR)")
        }
    }

    private func restore(_ image: FlashImage, _ flash: FlashFile) throws(SystemError) {
        let factory = device.settings
        do throws(FlashFault) {
            try device.restore(from: image)
        } catch {
            return try setAside(flash, "\"\(error.name)\" is missing or out of range")
        }
        guard device.settings != factory else { return }
        post("settings-restored") {
            $0.file = flash.path
            $0.message = "persisted settings win over the profile's values"
            $0.hint = "beaconry reset \(profileName)/\(profile.id) goes back to the profile"
        }
    }

    private func setAside(_ flash: FlashFile, _ reason: String) throws(SystemError) {
        let kept = try flash.setAside()
        let warning = Warning(
            code: "settings-damaged",
            message: "\(flash.path) could not be used (\(reason)): the beacon starts on its profile's values, and the "
                + "file is kept as \(kept)",
            hint: "look into that file, and remove it when it is of no use")
        perform(.post(EventRecord(warning, device: identifier.name)))
    }

    /// What a successor takes over beside the settings.
    struct Legacy: Sendable {
        /// Whether it was switched on.
        var isEnabled = true
        /// What is on the air for it.
        var onAir: Advertisement?
    }

    /// Takes nothing any more: what came before is done by now, and the rest is its successor's.
    func retire() -> Legacy {
        isRetired = true
        stopWaking()
        return Legacy(isEnabled: isEnabled, onAir: wanted)
    }

    /// Settles what was written while this beacon was made to take another one's place.
    func catchUp() {
        // Damage and trouble were told a moment ago; the values from then are good enough.
        guard let flash, case .image(let image) = try? flash.load() else { return }
        try? device.restore(from: image)
    }

    /// Switches the beacon on: it says what it advertises.
    /// - Parameters:
    ///   - legacy: what it takes over from the beacon in whose place it comes; one that was off stays so.
    ///   - centrals: who is connected to it already.
    ///   - subscriptions: what they want to be told.
    func powerOn(
        replacing legacy: Legacy = Legacy(), connected centrals: Set<String> = [],
        subscriptions: [Subscription: ClientCharacteristicConfiguration] = [:]
    ) async {
        isEnabled = legacy.isEnabled
        guard isEnabled else { return }
        isStarting = true
        connected.formUnion(centrals.map { Central($0) })
        await handle(.poweredOn)
        for central in centrals.sorted() { await handle(.connected(Central(central))) }
        for (subscription, configuration) in subscriptions {
            await handle(
                .subscribed(Central(subscription.central), subscription.characteristic, configuration))
        }
        isStarting = false
        let first = wanted
        wanted = legacy.onAir
        advertise(first)
    }

    /// Takes the beacon off the air for good: it is in no profile any more.
    func remove() {
        isEnabled = false
        stopWaking()
        guard wanted != nil else { return }
        wanted = nil
        perform(.advertise(identifier, nil))
    }

    // MARK: - Commands and inputs, which `BeaconDirectory` routes; each returns nil when the successor is to be asked

    /// Switches the beacon on or off, as if power came or went.
    func setEnabled(_ enabled: Bool) async -> BeaconStatus? {
        guard !isRetired else { return nil }
        guard enabled != isEnabled else { return status }
        isEnabled = enabled
        if enabled {
            await powerOn()
        } else {
            stopWaking()
            advertise(nil)
        }
        return status
    }

    /// Changes settings, all or none, as the profile would have them.
    func set(_ values: [String: String]) async -> Result<BeaconStatus, EmulatorError>? {
        guard !isRetired else { return nil }
        let parsed: [DeviceSetting]
        do throws(EmulatorError) {
            parsed = try settings(values)
        } catch {
            return .failure(error)
        }
        let before = device.settings
        switch await handle(.set(parsed)) {
        case .refused(let sentence):
            return .failure(EmulatorError(.refusedSetting, "\(identifier): \(sentence)"))
        case .notDurable(let error):
            return .failure(
                EmulatorError(
                    .inputOutput,
                    "\(identifier): the new settings could not be made durable (\(error)), so the old ones stay",
                    hint: "make room in the state folder, or check its medium"))
        default:
            var status = self.status
            status.isChanged = status.settings != before
            return .success(status)
        }
    }

    private func settings(_ values: [String: String]) throws(EmulatorError) -> [DeviceSetting] {
        let present = status
        let own = present.ownSettings
        var settings: [DeviceSetting] = []
        for (key, text) in values.sorted(by: { $0.key < $1.key }) {
            guard own.contains(key) || ValueText.settingKeys.contains(key) else {
                let keys = present.settings.map(\.key).joined(separator: ", ")
                let known = keys.isEmpty ? ", nor any other" : "; settings are \(keys)"
                throw EmulatorError(.badProfile, "\(identifier): there is no setting \"\(key)\"\(known)")
            }
            do throws(ValueFault) {
                settings.append(own.contains(key) ? .named(key, text) : try ValueText.setting(key, text))
            } catch {
                throw EmulatorError(.badProfile, "\(identifier): \(key): \(error.message)")
            }
        }
        return settings
    }

    /// Does what its owner asks of its device.
    func perform(_ command: DeviceCommand) async -> Result<BeaconStatus, EmulatorError>? {
        guard !isRetired else { return nil }
        if case .refused(let sentence) = await handle(.perform(command)) {
            return .failure(EmulatorError(.refusedSetting, "\(identifier): \(sentence)"))
        }
        return .success(status)
    }

    /// Takes what comes from the radio. A central that its predecessor handed over comes only once.
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

    /// Takes one input.
    @discardableResult
    func handle(_ input: DeviceInput) async -> Answer? {
        var changed = device
        let response = changed.handle(input, at: clock.now)
        // Settings that do not change are not written again.
        var isWritten = true
        if case .set = input { isWritten = changed.settings != device.settings }
        if let image = response.flash, isWritten, let error = persist(image) { return .notDurable(error) }
        device = changed
        wakeAtDeadline()
        if response.delay > .zero { try? await clock.sleep(for: response.delay) }
        for effect in response.effects {
            switch effect {
            case .advertise(let advertisement): if isEnabled, !isRetired { advertise(advertisement) }
            case .notify(let characteristic, let value, let central):
                if isEnabled, !isRetired { perform(.notify(identifier, characteristic, value: value, to: central)) }
            case .request(let request, let central):
                if isEnabled, !isRetired { perform(.ask(identifier, request, of: central)) }
            case .report(let report): perform(.post(EventRecord(report, device: identifier.name)))
            case .updateConnection(let central, let timing): perform(.updateConnection(central, timing))
            case .disconnect(let central): perform(.disconnect(central))
            case .warn(let warning): perform(.post(EventRecord(warning, device: identifier.name)))
            }
        }
        return switch response.reply {
        case .done: .done
        case .rejected(let error): .rejected(error)
        case .refused(let sentence): .refused(sentence)
        case nil: nil
        }
    }

    private func wakeAtDeadline() {
        guard isEnabled, !isRetired, let deadline = device.nextDeadline else { return stopWaking() }
        guard wakeUp?.deadline != deadline else { return }
        stopWaking()
        let task = Task { [weak self, clock] in
            try? await clock.sleep(for: deadline - clock.now.uptime)
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

    private func stopWaking() {
        wakeUp?.task.cancel()
        wakeUp = nil
    }

    /// The name that the profile gives a characteristic; `nil` where it gives none.
    nonisolated func name(of characteristic: CharacteristicIdentifier) -> String? {
        settled.withLock { $0.name(of: characteristic) }
    }

    /// What a central reads; `nil` when it writes, or when the read is delayed or counted.
    nonisolated func read(_ request: AttributeRequest) -> AttributeResponse? {
        guard case .read(let offset) = request.operation else { return nil }
        let device = settled.withLock { $0 }
        let result = device.read(request.characteristic, offset: offset, at: clock.now)
        guard result.delay == .zero, !result.isCounted else { return nil }
        switch result.value {
        case .success(let value): return .success(value)
        case .failure(let error): return refuse(request, error)
        }
    }

    /// Refuses a request, and reports it.
    private nonisolated func refuse(_ request: AttributeRequest, _ error: ATTError) -> AttributeResponse {
        perform(.post(EventRecord(refused: request, error, name: name(of: request.characteristic))))
        return .failure(error)
    }

    /// Answers a central, and tells of what it wrote; `nil` when its successor is to be asked.
    func answer(_ request: AttributeRequest) async -> AttributeResponse? {
        guard !isRetired else { return nil }
        let answer: Answer?
        switch request.operation {
        case .read(let offset):
            let result = device.read(request.characteristic, offset: offset, at: clock.now)
            if result.isCounted { await handle(.readAnswered(request.characteristic)) }
            if result.delay > .zero { try? await clock.sleep(for: result.delay) }
            switch result.value {
            case .success(let value): return .success(value)
            case .failure(let error): return refuse(request, error)
            }
        case .write(let offset, let value):
            let before = device.settings
            answer = await handle(.wrote(request.characteristic, offset: offset, value: value))
            if answer == .done {
                let decoded = decoded(request.characteristic, since: before)
                post("written") {
                    $0.decoded = decoded.isEmpty ? nil : decoded
                    $0.central = request.central
                    $0.characteristic = request.characteristic.description
                    $0.characteristicName = name(of: request.characteristic)
                    $0.value = Hexadecimal.string(value)
                }
            }
        }
        switch answer {
        case .done: return .success([])
        case .rejected(let error): return refuse(request, error)
        case .notDurable: return refuse(request, .insufficientResources)
        case .refused, nil: return refuse(request, .unlikely)
        }
    }

    /// What was written to a characteristic as settings have it: the one of its name, and all that changed with it.
    private func decoded(
        _ characteristic: CharacteristicIdentifier, since before: [DeviceSetting]
    ) -> [String: String] {
        let name = name(of: characteristic)
        let changed = zip(device.settings, before).filter { $0 != $1 || $0.key == name }.map(\.0)
        return Dictionary(changed.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 })
    }

    /// The settings in the profile's vocabulary.
    var status: BeaconStatus {
        BeaconStatus(
            identifier: identifier, name: profile.device.advertisedName, profile: profileName,
            kind: profile.device.kind, isEnabled: isEnabled, settings: device.settings,
            presentValues: device.presentValues(at: clock.now),
            services: device.services.map(\.uuid.description), keepsSettings: flash != nil,
            position: profile.position)
    }

    /// - Returns: why the settings could not be made durable; `nil` when they were.
    private func persist(_ image: FlashImage) -> SystemError? {
        guard let flash else { return nil }
        do throws(SystemError) {
            try flash.store(image)
        } catch {
            let warning = Warning(
                code: "persist-failed",
                message: "the new settings could not be made durable (\(error)): the old ones stay, and the central is "
                    + "told so (ATT error 0x11; bluetoothd makes it 0x0E)",
                hint: "make room in the state folder, or check its medium")
            perform(.post(EventRecord(warning, device: identifier.name)))
            return error
        }
        post("persisted") { $0.file = flash.path }
        return nil
    }

    private func advertise(_ advertisement: Advertisement?) {
        guard advertisement != wanted else { return }
        wanted = advertisement
        guard !isStarting else { return }
        perform(.advertise(identifier, advertisement))
    }

    private func post(_ event: String, _ fill: (inout EventRecord) -> Void) {
        var record = EventRecord(event, device: identifier.name)
        fill(&record)
        perform(.post(record))
    }
}

extension DeviceSetting {
    /// The value as people write it for `ctl set`.
    fileprivate var text: String {
        switch self {
        case .uuid(let value): "\(value)"
        case .major(let value), .minor(let value): "\(value)"
        case .measuredPower(let value): "\(value.decibelMilliwatts)"
        case .interval(let value): "\(value.count)ticks"
        case .transmitPower(let value): value.map { "\($0.decibelMilliwatts)" } ?? "default"
        case .named(_, let text): text
        }
    }
}
