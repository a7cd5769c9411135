// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
import DBus
import HCI
import KernelBluetooth
package import Radio

/// A peripheral radio that shares an adapter of this machine with bluetoothd.
///
/// The radio reconciles. One loop makes passes, each of which verifies the attachment and then places advertisements:
///
/// * *Not attached*: a pass finds the daemon and the adapter and makes an `AdapterClaim`; on success the radio reports
///   `.ready`, else `.lost` with the reason, once.
/// * *Attached*: a pass brings the advertisements on the adapter in line with those that are wanted. If the daemon or the
///   adapter has changed, the claim is released and a new one is made.
///
/// A pass is requested by `advertise`, by signals of the bus and events of the kernel, and every 2 s in case a signal was
/// missed. A pass that only `advertise` requested does not verify the attachment first, since no signal gave a reason to.
/// If the adapter then refuses an advertisement, another pass verifies the attachment and tries again before the refusal
/// is reported. A refusal by something that the observed controller does has that as its cause.
///
/// If bluetoothd does not answer, beacons that do not need it stay on an adapter that is used through the management
/// interface; the beacon with services is removed until it answers.
///
/// With the monitor channel, an `AirSupervisor` compares what is on the air with what should be: it has the radio report
/// what has changed, and request passes that place an advertisement again. Without it, connectable advertisements are
/// placed again whenever a central has disconnected.
package actor BlueZRadio: PeripheralRadio, ClientRadio, PairingRadio {
    package nonisolated let name: String
    package nonisolated let events = RadioEvents()
    nonisolated let changes = DeviceChanges()
    private let ledger: any RadioLedger
    private let capture: MonitorCapture?
    private let openChannels: @Sendable () -> KernelChannels

    private var beacons: [HostedBeacon] = []
    private var attributes: AttributeResponder?

    private let access: DaemonAccess
    private var channels = KernelChannels.none
    /// What is registered on the adapter in use; `nil` while the radio is not attached.
    private var claim: AdapterClaim?
    /// Whether the next pass has to verify the attachment.
    private var isStale = true
    /// Why the next pass has to release the claim, whatever bluetoothd reports then.
    private var loss: RadioError?
    /// Why bluetoothd cannot be used at present, although the claim is kept.
    private var silence: RadioError?
    /// The last reported reason why the radio is not attached.
    private var trouble: RadioError?

    private var placement = AdvertisementPlacement()
    private var supervisor = AirSupervisor()
    /// The advertising instances of other programs.
    private var foreign = ForeignInstances()
    /// The placed beacons that were reported as stopped because of a scan, without the monitor channel.
    private var obscured: Set<BeaconIdentifier> = []
    private let centrals: ServedCentrals

    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private var passes: Task<Void, Never>?
    private var tasks: [Task<Void, Never>] = []
    private var confirmationTimer: Task<Void, Never>?

    /// Makes a radio on the selected adapter; it has no effect before `open`.
    /// - Parameter capture: receives the traffic of the monitor channel as a btsnoop file; requires CAP_NET_RAW.
    package init(_ selector: AdapterSelector, ledger: any RadioLedger, capture: (any CaptureSink)? = nil) {
        self.init(
            selector, ledger: ledger, capture: capture, openBus: BlueZDaemon.systemBus,
            openChannels: KernelChannels.open)
    }

    /// Makes a radio on another bus, or with other channels, for tests.
    init(
        _ selector: AdapterSelector, ledger: any RadioLedger, capture: (any CaptureSink)? = nil,
        openBus: @escaping DaemonAccess.Opener, openChannels: @escaping @Sendable () -> KernelChannels
    ) {
        self.capture = capture.map(MonitorCapture.init)
        self.ledger = ledger
        self.openChannels = openChannels
        access = DaemonAccess(selector, rules: BlueZSignal.rules, open: openBus)
        centrals = ServedCentrals(events: events, changes: changes)
        name = selector.description
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func open(
        _ beacons: [HostedBeacon], waits: Bool,
        attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities {
        self.beacons = beacons
        self.attributes = attributes
        try beacons.requireOneServer()
        openKernelChannels()
        try capture?.begin(isPermitted: channels.monitor != nil)
        let capabilities = try await attachFirst(waits: waits)
        do throws(RadioError) {
            try await claim?.requireCapacity(for: beacons)
        } catch  where !error.isTemporary {
            await close()
            throw error
        } catch {
            // The beacons without an instance are refused one by one.
        }
        passes = Task { [weak self, wakeUps] in
            for await _ in wakeUps { await self?.reconcile() }
        }
        tasks.append(
            Task { [weak self] in
                while !Task.isCancelled {
                    await self?.verify()
                    try? await Task.sleep(for: .seconds(2))
                }
            })
        return capabilities
    }

    package func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {
        try beacons.requireOneServer()
        let former = self.beacons
        self.beacons = beacons
        do throws(RadioError) {
            try await claim?.requireCapacity(for: beacons)
        } catch  where !error.isTemporary {
            self.beacons = former
            throw error
        } catch {
            // As in `open`.
        }
        let served = beacons.served
        let servedBefore = former.served
        if served?.identifier != servedBefore?.identifier || served?.services != servedBefore?.services
            || beacons.map(\.pairing) != former.map(\.pairing)
        {
            await detach()
        }
        verify()
    }

    package func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) {
        guard placement.want(advertisement, for: beacon) else { return }
        supervisor.release(beacon)
        obscured.remove(beacon)
        wakeUp.yield()
    }

    package func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) async {
        guard let claim, beacons.served?.identifier == beacon else { return }
        await claim.notify(value, of: characteristic)
    }

    package func disconnect(central: String) async {
        guard let claim else { return }
        if let management = channels.management, let peer = centrals.peer(central) {
            var parameters = peer.address.serialized()
            parameters.append(peer.type)
            // An error means that the peer has disconnected already.
            _ = try? await management.command(.disconnect, index: claim.adapter.index, parameters: parameters)
        } else if let path = BlueZDevice.path(of: central, on: claim.adapter) {
            _ = try? await claim.daemon.connection.call(
                BlueZDaemon.busName, path, DeviceProperties.interface, "Disconnect", timeout: .seconds(5))
        }
    }

    package func close() async {
        for task in tasks { task.cancel() }
        confirmationTimer?.cancel()
        access.stopDelivery()
        wakeUp.finish()
        // A pass that is under way must not place again what is removed here.
        passes?.cancel()
        await passes?.value
        await detach()
        await access.close()
        await channels.close()
        events.finish()
    }

    // MARK: - Passes

    /// Requests a pass that verifies the attachment.
    func verify() {
        isStale = true
        wakeUp.yield()
    }

    private func reconcile() async {
        guard !Task.isCancelled else { return }
        if let loss {
            self.loss = nil
            await lose(loss)
        }
        do {
            let wasAttached = claim != nil
            let verifies = isStale || !wasAttached
            isStale = false
            if verifies {
                let capabilities = try await attach()
                if !wasAttached { events.yield(.ready(capabilities)) }
                trouble = nil
            }
            if verifies { silence = nil }
            try await place(isVerified: verifies)
        } catch {
            if error == BlueZDaemon.hanging, claim?.isIndependent == true {
                await goOnWithoutDaemon(error)
            } else {
                await lose(error)
            }
        }
    }

    private func lose(_ error: RadioError) async {
        guard !Task.isCancelled else { return }
        // Reported first: a daemon that does not answer delays the removal.
        let stopped = claim == nil ? [] : placement.carriedBeacons
        if trouble != error { events.yield(.lost(error)) }
        trouble = error
        for beacon in stopped { events.yield(.stopped(beacon, reason: error.message)) }
        await detach()
    }

    /// Removes the beacon with services, whose requests bluetoothd does not answer, and goes on with the others.
    private func goOnWithoutDaemon(_ error: RadioError) async {
        guard !Task.isCancelled else { return }
        if silence == nil {
            events.yield(.warning(nil, Warning(code: "daemon-hangs", message: error.message, hint: error.hint)))
        }
        silence = error
        if let served = beacons.served?.identifier, let claim, placement.placedBeacons.contains(served) {
            supervisor.release(served)
            for beacon in placement.noteLost([served]) { events.yield(.stopped(beacon, reason: error.message)) }
            await claim.advertiser.remove(served)
        }
        do throws(RadioError) {
            try await place(isVerified: true)
        } catch {
            await lose(error)
        }
    }

    private func attachFirst(waits: Bool) async throws(RadioError) -> RadioCapabilities {
        while true {
            do throws(RadioError) {
                return try await attach()
            } catch {
                guard waits || error.isTemporary, !Task.isCancelled else {
                    await close()
                    throw error
                }
                if trouble != error { events.yield(.lost(error)) }
                trouble = error
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Attaches to the daemon and the adapter, or verifies that the radio is attached to them.
    /// - Throws: `RadioError` that names what is missing.
    private func attach() async throws(RadioError) -> RadioCapabilities {
        let found = try await access.find(handler: busHandler)
        try found.requireAdvertising()
        access.settle(on: found.adapter)
        if let claim {
            if claim.attachment.isSame(as: found) {
                let foreignCount = await claim.foreignCount(on: found.adapter)
                self.claim?.isDiscoverable = found.adapter.isDiscoverable
                self.claim?.isDiscovering = found.adapter.isDiscovering
                self.claim?.foreignCount = foreignCount
                noteDiscovery()
                confirm()
                return claim.capabilities
            }
            await detach()
        }
        let claim = try await AdapterClaim.make(
            for: beacons, on: found, channels: channels, ledger: ledger, handlers: claimHandlers)
        for (beacon, warning) in claim.warnings { events.yield(.warning(beacon, warning)) }
        self.claim = claim
        noteDiscovery()
        return claim.capabilities
    }

    /// Releases the claim.
    private func detach() async {
        guard let claim else { return }
        self.claim = nil
        placement.reset()
        supervisor.reset()
        obscured = []
        await claim.releaseBeacons()
        centrals.cancelQuestions()
        await claim.releaseAgent()
        centrals.noteDetachment()
    }

    private var claimHandlers: AdapterClaim.Handlers {
        AdapterClaim.Handlers(
            respond: { [weak self] in await self?.respond(to: $0) ?? .failure(.unlikely) },
            noteSubscription: { [weak self] in await self?.noteSubscription(to: $0, of: $1, isSubscribed: $2) },
            answerPairing: { [weak self] in await self?.answer($0, of: $1) },
            cancelPairing: { [weak self] in await self?.cancelQuestions() },
            noteRelease: { [weak self] in Task { await self?.verify() } })
    }

    // MARK: - Placement

    /// Removes advertisements that are not wanted, and places those that are.
    /// - Parameter isVerified: whether the attachment was verified in this pass; a refusal is reported only then.
    /// - Throws: `RadioError` when the adapter does not answer.
    private func place(isVerified: Bool) async throws(RadioError) {
        guard let claim else { return }
        let losses = await claim.advertiser.lostBeacons()
        for beacon in placement.noteLost(Set(losses.keys)) {
            supervisor.release(beacon)
            events.yield(.stopped(beacon, reason: (losses[beacon] ?? .removed).clause))
        }
        if self.claim?.obstacle != nil, !claim.adapter.isExtended {
            // Of the instances on a legacy controller the kernel sends none any more; sets stay enabled.
            for beacon in placement.placedBeacons { await claim.advertiser.remove(beacon) }
            placement.reset()
            supervisor.reset()
        }
        let withdrawn = placement.beginPass()
        for beacon in placement.placedBeacons where placement.beginRemoval(of: beacon, withdrawn: withdrawn) {
            await claim.advertiser.remove(beacon)
        }
        for beacon in placement.wantedBeacons {
            guard let attempt = placement.beginPlacing(beacon) else { continue }
            do throws(RadioError) {
                if let error = refusal(of: attempt) {
                    // The advertisement before must not stay on the adapter.
                    await claim.advertiser.remove(beacon)
                    throw error
                }
                try await claim.advertiser.put(attempt.advertisement, for: beacon, refreshes: attempt.isRestoration)
                await reportReplacedInstances(of: claim, for: beacon)
            } catch {
                await reportReplacedInstances(of: claim, for: beacon)
                guard isVerified, loss == nil else { return verify() }
                supervisor.release(beacon)
                let refusal = explained(error, attempt)
                if placement.noteRefusal(refusal, of: attempt) { events.yield(.refused(beacon, refusal)) }
                continue
            }
            // The claim was released meanwhile, perhaps before this advertisement was on the adapter.
            guard self.claim != nil else { return await claim.advertiser.remove(beacon) }
            placement.notePlaced(
                attempt, deadline: .now.advanced(by: rules?.patience ?? .zero), settings: rules?.settings ?? .init())
            confirm()
        }
    }

    /// Reports the instances of other programs that a beacon has replaced.
    private func reportReplacedInstances(of claim: AdapterClaim, for beacon: BeaconIdentifier) async {
        for instance in await claim.advertiser.replacedInstances() {
            let rules = claim.rules(for: placement.wantedAdvertisements, foreign)
            events.yield(.warning(beacon, rules.replacement(of: instance)))
        }
    }

    /// Why an advertisement is not given to the adapter.
    private func refusal(of attempt: AdvertisementPlacement.Attempt) -> RadioError? {
        if let silence, attempt.beacon == beacons.served?.identifier { return silence }
        return claim?.obstacle ?? rules?.refusal(of: attempt.advertisement, for: attempt.beacon)
    }

    /// A refusal with what the controller does meanwhile as its cause, if that explains it.
    private func explained(_ error: RadioError, _ attempt: AdvertisementPlacement.Attempt) -> RadioError {
        guard error.code == .refused, let obstacle, obstacle.affects(attempt.advertisement) else {
            return error
        }
        let warning = obstacle.warning(at: place)
        return RadioError(
            .refused, "\(attempt.beacon) is not on the air: \(warning.message)", hint: warning.hint,
            isTemporary: obstacle.mayPass)
    }

    /// What keeps the controller from advertising. Without the monitor channel only a scan is known, from bluetoothd.
    private var obstacle: ControllerActivity.Obstacle? {
        guard channels.monitor == nil else { return placement.controller.activity.obstacle }
        guard let claim, claim.isDiscovering, !claim.adapter.isExtended else { return nil }
        return .scan(.program)
    }

    /// Takes from bluetoothd whether a program scans with the adapter.
    ///
    /// Without the monitor channel nothing else is known of the air: beacons that a legacy controller does not advertise
    /// during a scan are off it until the scan has ended.
    private func noteDiscovery() {
        guard let claim else { return }
        guard channels.monitor == nil else {
            if placement.note(isDiscovering: claim.isDiscovering) { confirm() }
            return
        }
        guard let obstacle else {
            for beacon in obscured { placement.resume(beacon) }
            obscured = []
            return
        }
        for beacon in placement.placedBeacons {
            guard let advertisement = placement.wanted[beacon], obstacle.affects(advertisement),
                obscured.insert(beacon).inserted
            else { continue }
            events.yield(.warning(beacon, obstacle.warning(at: place)))
            events.yield(
                .stopped(
                    beacon,
                    reason:
                        "\(obstacle.reason), and without CAP_NET_RAW it is not known when the controller advertises it"
                ))
        }
    }

    /// Reports the status of advertisements that were observed, or waited for until their deadline, and what has changed
    /// on the air since.
    private func confirm() {
        guard let rules else { return }
        let now = ContinuousClock.now
        let results = placement.confirm(at: now, by: rules, canReadBack: channels.monitor != nil)
        for confirmation in results.confirmations where !obscured.contains(confirmation.beacon) {
            events.yield(.advertising(confirmation.beacon, confirmation.status))
            guard let sequence = confirmation.sequence else { continue }
            supervisor.supervise(confirmation.beacon, confirmation.status, after: sequence, at: now)
        }
        if let obstacle {
            for beacon in results.obstructed { events.yield(.warning(beacon, obstacle.warning(at: place))) }
        }
        for beacon in results.unexplained { events.yield(.warning(beacon, rules.notObserved)) }
        if results.restores { wakeUp.yield() }
        for action in supervisor.check(at: now, placement.controller, by: rules) { perform(action) }
        confirmationTimer?.cancel()
        confirmationTimer = [placement.nextDeadline, supervisor.nextDeadline].compactMap { $0 }.min().map { deadline in
            Task { [weak self] in
                try? await Task.sleep(until: deadline, clock: .continuous)
                guard !Task.isCancelled else { return }
                await self?.confirm()
            }
        }
    }

    private func perform(_ action: AirSupervisor.Action) {
        switch action {
        case .report(let beacon, let status): events.yield(.advertising(beacon, status))
        case .warn(let beacon, let warning): events.yield(.warning(beacon, warning))
        case .stop(let beacon, let reason): events.yield(.stopped(beacon, reason: reason))
        case .restore(let beacon): if placement.restore(beacon) { wakeUp.yield() }
        }
    }

    /// Places connectable advertisements again: a connection may have ended them, and only the monitor channel shows whether
    /// the kernel has enabled them again.
    private func restoreAfterDisconnection() {
        guard channels.monitor == nil else { return }
        let connectable = placement.wanted.filter(\.value.pdu.isConnectable).keys.filter { placement.restore($0) }
        if !connectable.isEmpty { wakeUp.yield() }
    }

    /// The first placed beacon that centrals can connect to, and whether that is requested; `nil` if there is none.
    private var connectableBeacon: (BeaconIdentifier, isRequested: Bool)? {
        let placed = placement.placedBeacons
        if let beacon = placed.first(where: { placement.wanted[$0]?.pdu.isConnectable == true }) {
            return (beacon, true)
        }
        guard rules?.settings.isConnectable == true else { return nil }
        return placed.first.map { ($0, false) }
    }

    /// The adapter, as hints name it.
    private var place: Fault.Place { rules?.place ?? Fault.Place() }

    private var rules: AdvertisingRules? { claim?.rules(for: placement.wantedAdvertisements, foreign) }

    // MARK: - Signals of the bus

    private var busHandler: DaemonAccess.Handler { { [weak self] in await self?.handle($0) } }

    private func handle(_ event: DaemonAccess.Event) async {
        switch event {
        case .closed(let connection): if access.forget(connection) { verify() }
        case .signal(let message): for signal in BlueZSignal.parse(message) { await handle(signal) }
        }
    }

    private func handle(_ signal: BlueZSignal) async {
        switch signal {
        case .daemonChanged, .adapterChanged: verify()
        case .deviceChanged(let path, let changed, _):
            changes.note(path)
            await noteDevice(path, changed)
        case .serviceChanged(let path, let isPresent):
            guard let device = path.parent else { return }
            centrals.link(at: device)?.noteService(at: path, isPresent: isPresent)
        case .valueChanged(let path, let value):
            guard let device = path.parent?.parent else { return }
            centrals.link(at: device)?.take(value, from: path)
        case .deviceAdded(let path, _), .deviceRemoved(let path), .deviceDisconnected(let path, _),
            .characteristicChanged(let path):
            changes.note(path)
        }
    }

    private func noteDevice(_ path: ObjectPath, _ changed: [String: DBusValue]) async {
        guard let central = BlueZDevice.address(of: path)?.description else { return }
        if let identity = changed["Address"]?.stringValue, identity != central {
            centrals.noteIdentity(identity, of: central)
        }
        await centrals.notePairing(changed, of: path, centralContext)
        // The kernel's events report connections; without them this does. bluetoothd does not always signal Connected.
        guard let isConnected = (changed["Connected"] ?? changed["ServicesResolved"])?.boolValue,
            channels.management == nil
        else { return }
        if !isConnected {
            centrals.noteDisconnection(of: central)
            if path.parent == claim?.adapter.path { restoreAfterDisconnection() }
        } else if path.parent == claim?.adapter.path, solicitsCentrals {
            centrals.noteConnection(of: central, peer: nil, centralContext)
        }
    }

    /// Whether a beacon solicits centrals with services of their own: then each connection may be from such a central,
    /// whether it uses the beacon's attributes or not.
    private var solicitsCentrals: Bool {
        placement.wantedAdvertisements.contains { !$0.advertisingData.solicitedServices.isEmpty }
    }

    // MARK: - Centrals

    private var centralContext: ServedCentrals.Context {
        ServedCentrals.Context(
            beacons: beacons, claim: claim, reportsConnections: channels.management != nil,
            connectable: beacons.served == nil ? connectableBeacon : nil)
    }

    private func respond(to request: AttributeRequest) async -> AttributeResponse {
        guard let attributes else { return .failure(.unlikely) }
        if channels.management == nil { centrals.noteConnection(of: request.central, peer: nil, centralContext) }
        return await attributes(request).response
    }

    private func noteSubscription(
        to characteristic: CharacteristicIdentifier, of beacon: BeaconIdentifier, isSubscribed: Bool
    ) {
        centrals.noteSubscription(to: characteristic, of: beacon, isSubscribed: isSubscribed)
    }

    private func cancelQuestions() { centrals.cancelQuestions() }

    private func answer(_ request: AgentRequest, of device: ObjectPath) async -> PairingAnswer? {
        await centrals.answer(request, of: device, centralContext)
    }

    package func answerPairing(_ answer: PairingAnswer, of central: String) async {
        await centrals.answerPairing(answer, of: central, centralContext)
    }

    package func requestSecurity(of central: String) async { centrals.requestPairing(of: central, centralContext) }

    package func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) async -> Int {
        await centrals.forgetBonds(of: beacon, peer: peer, centralContext)
    }

    package func link(to central: String) async throws(RadioError) -> any RemoteLink {
        if let link = centrals.link(to: central) { return link }
        guard let attachment = claim?.attachment,
            let (path, device) = await centrals.object(of: central, on: attachment),
            claim?.daemon.owner == attachment.daemon.owner
        else {
            throw RadioError(.refused, "\(central) is not connected", hint: "wait until it is")
        }
        await access.subscribe(to: BlueZSignal.valueRule, on: attachment.daemon.connection, handler: busHandler)
        return centrals.makeLink(to: central, at: path, device, on: attachment, owner: self)
    }

    // MARK: - The kernel's channels

    private func openKernelChannels() {
        channels = openChannels()
        if let management = channels.management {
            tasks.append(
                Task { [weak self, events = management.events] in
                    for await event in events { await self?.handle(event) }
                })
        }
        if let monitor = channels.monitor {
            tasks.append(
                Task { [weak self, packets = monitor.packets] in
                    for await packet in packets { await self?.handleMonitorPacket(packet) }
                })
        }
    }

    private func handleMonitorPacket(_ bytes: [UInt8]) async {
        guard let packet = try? MonitorPacket(parsing: bytes) else { return }
        capture?.append(packet)
        guard packet.index == claim?.adapter.index else { return }
        if let advertiser = claim?.advertiser as? ManagementAdvertiser,
            let instance = foreign.observe(packet, isOurs: advertiser.additions.contains)
        {
            await advertiser.noteLoss(.taken, of: instance)
            verify()
        }
        if placement.observe(packet) { confirm() }
    }

    private func handle(_ indexed: ManagementChannel.IndexedEvent) async {
        let isOurs = indexed.index == claim?.adapter.index
        switch indexed.event {
        case .deviceConnected(let address, let type, let flags):
            // Flag bit 3: this host initiated the connection, so the peer is not a central.
            guard isOurs, flags & 0x08 == 0 else { return }
            centrals.noteConnection(
                of: address.description, peer: .init(address: address, type: type), centralContext)
        case .deviceDisconnected(let address, _):
            guard isOurs else { return }
            centrals.noteDisconnection(of: address.description)
            restoreAfterDisconnection()
        case .newSettings(let settings):
            if isOurs { take(AdapterSettings(rawValue: settings)) }
            verify()
        case .authenticationFailed(let address, _, let status):
            if isOurs { centrals.noteAuthenticationFailure(of: address, status: status, centralContext) }
        case .advertisingRemoved(let instance):
            guard isOurs else { return }
            foreign.noteRemoval(of: instance)
            await (claim?.advertiser as? ManagementAdvertiser)?.noteLoss(.removed, of: instance)
            verify()
        case .advertisingAdded(let instance):
            if isOurs { await (claim?.advertiser as? ManagementAdvertiser)?.noteAddition(of: instance) }
            verify()
        case .indexAdded, .indexRemoved: verify()
        case .completed, .other: break
        }
    }

    /// Takes the kernel's settings of the adapter in use. That it is powered off ends the claim, even if it is powered on
    /// again before bluetoothd reports it: the kernel restores instances without their data then.
    ///
    /// When its own advertising is switched off, the kernel disables all sets, and enables one of them again
    /// (Linux 6.12, `set_adv_sync` and `set_advertising_complete`). When the adapter is not connectable any more, it corrects the
    /// PDU type of one set only (`hci_set_connectable_sync`).
    private func take(_ settings: AdapterSettings) {
        guard let claim else { return }
        let wasConnectable = claim.settings?.contains(.connectable) == true
        self.claim?.settings = settings
        guard settings.contains(.powered) else {
            loss = .notPowered(claim.adapter.name)
            return
        }
        if claim.adapter.isExtended {
            let hasOwnAdvertisingEnded = claim.obstacle != nil && !settings.contains(.advertising)
            let isLessConnectable = wasConnectable && !settings.contains(.connectable)
            for (beacon, advertisement) in placement.wanted
            where hasOwnAdvertisingEnded || isLessConnectable && !advertisement.pdu.isConnectable {
                _ = placement.restore(beacon)
            }
        }
        confirm()
    }
}

extension BlueZRadio: LinkOwner {
    func check(_ path: ObjectPath) async {
        guard let claim, let link = centrals.link(at: path), let loss = await claim.daemon.loss(of: path) else {
            return
        }
        link.end(loss.reason)
        if !loss.isKnown { verify() }
    }

    func drop(_ link: BlueZRemoteLink) { centrals.drop(link) }

    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError> {
        guard beacons.pairing != nil else {
            return .failure(.impossible("the profile has no pairing settings"))
        }
        return await link.pairAsPeripheral()
    }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) -> Bool { false }

    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) -> Bool { false }
}
