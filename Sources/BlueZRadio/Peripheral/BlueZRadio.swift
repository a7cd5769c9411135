// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
import BluetoothCore
import DBus
import HCI
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
/// is reported.
package actor BlueZRadio: PeripheralRadio, ClientRadio, PairingRadio {
    package nonisolated let name: String
    package nonisolated let events: AsyncStream<RadioEvent>
    private let continuation: AsyncStream<RadioEvent>.Continuation
    private let ledger: any RadioLedger
    private let capture: (any CaptureSink)?
    private let captureWriter = BtsnoopWriter(.monitor)
    private let openChannels: @Sendable () -> KernelChannels

    private var beacons: [HostedBeacon] = []
    private var attributes: AttributeResponder?

    private let access: DaemonAccess
    private var channels = KernelChannels.none
    /// What is registered on the adapter in use; `nil` while the radio is not attached.
    private var claim: AdapterClaim?
    /// Whether the next pass has to verify the attachment.
    private var isStale = true
    /// The last reported reason why the radio is not attached.
    private var trouble: RadioError?

    private var placement = AdvertisementPlacement()
    private var centrals = ConnectedCentrals()
    private var pairing = CentralPairing()

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
        self.capture = capture
        self.ledger = ledger
        self.openChannels = openChannels
        access = DaemonAccess(selector, rules: Self.signalRules, open: openBus)
        name = selector.description
        (events, continuation) = AsyncStream.makeStream()
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
        try startCapture()
        let capabilities = try await attachFirst(waits: waits)
        do {
            try await claim?.requireCapacity(for: beacons)
        } catch {
            await close()
            throw error
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
        } catch {
            self.beacons = former
            throw error
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
        if placement.want(advertisement, for: beacon) { wakeUp.yield() }
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
        continuation.finish()
    }

    // MARK: - Passes

    /// Requests a pass that verifies the attachment.
    private func verify() {
        isStale = true
        wakeUp.yield()
    }

    private func reconcile() async {
        guard !Task.isCancelled else { return }
        do {
            let wasAttached = claim != nil
            let verifies = isStale || !wasAttached
            isStale = false
            if verifies {
                let capabilities = try await attach()
                if !wasAttached { continuation.yield(.ready(capabilities)) }
                trouble = nil
            }
            try await place(isVerified: verifies)
        } catch {
            await lose(error)
        }
    }

    private func lose(_ error: RadioError) async {
        guard !Task.isCancelled else { return }
        let stopped = placement.placedBeacons
        await detach()
        if trouble != error { continuation.yield(.lost(error)) }
        trouble = error
        for beacon in stopped { continuation.yield(.stopped(beacon, reason: error.message)) }
    }

    private func attachFirst(waits: Bool) async throws(RadioError) -> RadioCapabilities {
        while true {
            do throws(RadioError) {
                return try await attach()
            } catch {
                guard waits, !Task.isCancelled else {
                    await close()
                    throw error
                }
                if trouble != error { continuation.yield(.lost(error)) }
                trouble = error
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Attaches to the daemon and the adapter, or verifies that the radio is attached to them.
    /// - Throws: `RadioError` that names what is missing.
    private func attach() async throws(RadioError) -> RadioCapabilities {
        let found = try await access.find(handler: busHandler)
        guard found.adapter.canAdvertise else {
            throw RadioError(
                .cannotCarry, "\(found.adapter.name) cannot advertise over Bluetooth Low Energy",
                hint: "use an adapter of Bluetooth 4.0 or newer")
        }
        if let claim {
            if claim.attachment.isSame(as: found) { return claim.capabilities }
            await detach()
        }
        access.settle(on: found.adapter)
        let claim = try await AdapterClaim.make(
            for: beacons, on: found, channels: channels, ledger: ledger, handlers: claimHandlers)
        for (beacon, warning) in claim.warnings { continuation.yield(.warning(beacon, warning)) }
        self.claim = claim
        return claim.capabilities
    }

    /// Releases the claim.
    private func detach() async {
        guard let claim else { return }
        self.claim = nil
        placement.reset()
        await claim.releaseBeacons()
        pairing.cancelQuestions()
        await claim.releaseAgent()
        for central in centrals.all { noteDisconnection(of: central) }
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
        for beacon in placement.noteLost(try await claim.advertiser.lostBeacons()) {
            continuation.yield(.stopped(beacon, reason: "its advertising instance was removed by another program"))
        }
        let withdrawn = placement.beginPass()
        for beacon in placement.placedBeacons where placement.beginRemoval(of: beacon, withdrawn: withdrawn) {
            await claim.advertiser.remove(beacon)
        }
        for beacon in placement.wantedBeacons {
            guard let attempt = placement.beginPlacing(beacon) else { continue }
            do throws(RadioError) {
                try await claim.advertiser.put(attempt.advertisement, for: beacon)
            } catch {
                guard isVerified else { return verify() }
                if placement.noteRefusal(error, of: attempt) { continuation.yield(.refused(beacon, error)) }
                continue
            }
            // The claim was released meanwhile, perhaps before this advertisement was on the adapter.
            guard self.claim != nil else { return await claim.advertiser.remove(beacon) }
            let patience = AdvertisementPlacement.patience(instancesOnAir: rules?.instancesOnAir ?? 1)
            placement.notePlaced(attempt, deadline: .now.advanced(by: patience))
            confirm()
        }
    }

    /// Reports the status of advertisements that were observed, or waited for until their deadline.
    private func confirm() {
        guard placement.nextDeadline != nil, let rules else { return }
        for (beacon, status) in placement.confirm(at: .now, by: rules, canReadBack: channels.monitor != nil) {
            continuation.yield(.advertising(beacon, status))
        }
        confirmationTimer?.cancel()
        confirmationTimer = placement.nextDeadline.map { deadline in
            Task { [weak self] in
                try? await Task.sleep(until: deadline, clock: .continuous)
                guard !Task.isCancelled else { return }
                await self?.confirm()
            }
        }
    }

    private var rules: AdvertisingRules? { claim?.rules(for: placement.wantedAdvertisements) }

    // MARK: - Signals of the bus

    private static let signalRules: [MatchRule] = {
        let properties = "org.freedesktop.DBus.Properties"
        return [
            MatchRule(
                sender: DBusConnection.busName, interface: DBusConnection.busName, member: "NameOwnerChanged",
                argument0: BlueZDaemon.busName),
            MatchRule(sender: BlueZDaemon.busName, interface: "org.freedesktop.DBus.ObjectManager"),
            MatchRule(
                sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: properties,
                member: "PropertiesChanged", argument0: BlueZAdapter.interface),
            MatchRule(
                sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: properties,
                member: "PropertiesChanged", argument0: DeviceProperties.interface),
        ]
    }()

    /// Added with the first link: the values of centrals' characteristics.
    private static let valueRule = MatchRule(
        sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged", argument0: RemoteDatabase.characteristicInterface)

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
        case .deviceChanged(let path, let changed, _): await noteDevice(path, changed)
        case .serviceChanged(let path, let isPresent):
            guard let device = path.parent else { return }
            centrals.link(at: device)?.noteService(at: path, isPresent: isPresent)
        case .valueChanged(let path, let value):
            guard let device = path.parent?.parent else { return }
            centrals.link(at: device)?.take(value, from: path)
        case .deviceAdded, .deviceRemoved, .deviceDisconnected: break
        }
    }

    private func noteDevice(_ path: ObjectPath, _ changed: [String: DBusValue]) async {
        guard let central = BlueZDevice.address(of: path)?.description else { return }
        if let identity = changed["Address"]?.stringValue, identity != central {
            centrals.noteIdentity(identity, of: central)
        }
        await notePairing(changed, of: path)
        // The kernel's events report connections; without them this does. bluetoothd does not always signal Connected.
        guard let isConnected = (changed["Connected"] ?? changed["ServicesResolved"])?.boolValue,
            channels.management == nil
        else { return }
        if !isConnected {
            noteDisconnection(of: central)
        } else if path.parent == claim?.adapter.path, solicitsCentrals {
            noteConnection(of: central, peer: nil)
        }
    }

    /// Whether a beacon solicits centrals with services of their own: then each connection may be from such a central,
    /// whether it uses the beacon's attributes or not.
    private var solicitsCentrals: Bool {
        placement.wantedAdvertisements.contains { !$0.advertisingData.solicitedServices.isEmpty }
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

    private func startCapture() throws(RadioError) {
        guard let capture else { return }
        guard channels.monitor != nil else {
            throw RadioError(
                .notPermitted, "capturing what passes an adapter needs CAP_NET_RAW",
                hint: "give beaconry the capability (see docs/adapters.md, \"Rights\"), or leave --capture out")
        }
        capture.append(captureWriter.header)
    }

    private func handleMonitorPacket(_ bytes: [UInt8]) {
        guard let packet = try? MonitorPacket(parsing: bytes) else { return }
        capture?.append(
            captureWriter.record(
                monitorCode: packet.kind, controllerIndex: packet.index, data: packet.data, time: .sinceUnixEpoch))
        guard packet.index == claim?.adapter.index else { return }
        if placement.observe(packet) { confirm() }
    }

    private func handle(_ indexed: ManagementChannel.IndexedEvent) async {
        let isOurs = indexed.index == claim?.adapter.index
        switch indexed.event {
        case .deviceConnected(let address, let type, let flags):
            // Flag bit 3: this host initiated the connection, so the peer is not a central.
            guard isOurs, flags & 0x08 == 0 else { return }
            noteConnection(of: address.description, peer: .init(address: address, type: type))
        case .deviceDisconnected(let address, _): if isOurs { noteDisconnection(of: address.description) }
        case .authenticationFailed(let address, _, let status):
            if isOurs { noteAuthenticationFailure(of: address, status: status) }
        case .advertisingRemoved(let instance):
            guard isOurs else { return }
            await (claim?.advertiser as? ManagementAdvertiser)?.noteRemoval(of: instance)
            verify()
        case .advertisingAdded, .indexAdded, .indexRemoved, .newSettings: verify()
        case .completed, .other: break
        }
    }

    // MARK: - Centrals

    private func noteConnection(of central: String, peer: ConnectedCentrals.Peer?) {
        guard let beacon = beacons.served, centrals.add(central, peer: peer) else { return }
        continuation.yield(.connected(beacon.identifier, central: central))
        if beacon.pairing?.asksOnConnection == true { requestPairing(of: central) }
    }

    /// - Parameter address: the name or the identity address of a central, or of a peer that is not a central.
    private func noteDisconnection(of address: String) {
        guard let beacon = beacons.served, let central = centrals.remove(address) else { return }
        continuation.yield(.disconnected(beacon.identifier, central: central))
    }

    private func respond(to request: AttributeRequest) async -> AttributeResponse {
        guard let attributes else { return .failure(.unlikely) }
        // Without the management interface, a central is known only once it uses an attribute.
        if channels.management == nil { noteConnection(of: request.central, peer: nil) }
        return await attributes(request).response
    }

    /// bluetoothd does not identify the subscriber; the subscription is attributed to a connected central.
    private func noteSubscription(
        to characteristic: CharacteristicIdentifier, of beacon: BeaconIdentifier, isSubscribed: Bool
    ) {
        continuation.yield(
            .subscribed(
                beacon, central: centrals.anyName ?? "unknown", characteristic, isSubscribed ? .notification : []))
    }
}

// MARK: - Pairing

extension BlueZRadio {
    private func answer(_ request: AgentRequest, of device: ObjectPath) async -> PairingAnswer? {
        guard let beacon = beacons.pairing, let central = BlueZDevice.address(of: device)?.description else {
            return nil
        }
        if channels.management == nil { noteConnection(of: central, peer: nil) }
        let events = CentralPairing.events(of: request)
            .map { RadioEvent.pairing(beacon.identifier, central: central, $0) }
        switch request {
        case .service, .pairing:
            for event in events { continuation.yield(event) }
            return .comparison(true)
        case .show:
            for event in events { continuation.yield(event) }
            return nil
        case .passkey, .comparison:
            for event in events.dropLast() { continuation.yield(event) }
            return await withCheckedContinuation { question in
                // First, since the answer may follow the event at once.
                pairing.ask(question, about: central)
                if let event = events.last { continuation.yield(event) }
            }
        }
    }

    private func cancelQuestions() {
        pairing.cancelQuestions()
    }

    package func answerPairing(_ answer: PairingAnswer, of central: String) async {
        if pairing.answer(answer, of: central) { return }
        guard answer == .cancel, let claim, let path = BlueZDevice.path(of: central, on: claim.adapter) else { return }
        _ = try? await claim.daemon.call(path, DeviceProperties.interface, "CancelPairing", timeout: .seconds(5))
    }

    package func requestSecurity(of central: String) async { requestPairing(of: central) }

    /// Requests pairing, and with that encryption. The result is reported by the device's properties, a failure by the
    /// kernel.
    private func requestPairing(of central: String) {
        guard let claim, let path = BlueZDevice.path(of: central, on: claim.adapter) else { return }
        // Ends with its reply, or with the connection to the bus.
        Task {
            _ = try? await claim.daemon.call(path, DeviceProperties.interface, "Pair", timeout: .seconds(120))
        }
    }

    private func notePairing(_ changed: [String: DBusValue], of path: ObjectPath) async {
        guard let beacon = beacons.pairing, let isPaired = changed["Paired"]?.boolValue, let claim,
            let central = BlueZDevice.address(of: path)?.description
        else { return }
        let properties = try? await claim.daemon.properties(DeviceProperties.interface, of: path)
        guard let event = pairing.note(isPaired: isPaired, properties) else { return }
        continuation.yield(.pairing(beacon.identifier, central: central, event))
    }

    private func noteAuthenticationFailure(of address: BluetoothAddress, status: UInt8) {
        guard let beacon = beacons.pairing else { return }
        continuation.yield(
            .pairing(
                beacon.identifier, central: address.description, .failed(PairingError(managementStatus: status))))
    }

    package func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) async -> Int {
        guard beacon == beacons.pairing?.identifier, let claim else { return 0 }
        var count = 0
        for device in pairing.bonds(of: peer) {
            guard let path = BlueZDevice.path(of: device.address.description, on: claim.adapter) else { continue }
            let reply = try? await claim.attachment.call("RemoveDevice", [.objectPath(path)], timeout: .seconds(10))
            guard reply != nil else { continue }
            if pairing.noteRemoved(device) {
                continuation.yield(.pairing(beacon, central: device.address.description, .forgotten(device)))
            }
            count += 1
        }
        return count
    }
}

// MARK: - Links to centrals

extension BlueZRadio: LinkOwner {
    /// The link to a central whose own attributes a beacon uses. bluetoothd discovers them when the central has connected.
    package func link(to central: String) async throws(RadioError) -> any RemoteLink {
        if let link = centrals.link(to: central) { return link }
        guard let claim, let (path, device) = await object(of: central, claim), centrals.contains(central),
            self.claim?.daemon.owner == claim.daemon.owner
        else {
            throw RadioError(.refused, "\(central) is not connected", hint: "wait until it is")
        }
        await access.subscribe(to: Self.valueRule, on: claim.daemon.connection, handler: busHandler)
        if let link = centrals.link(to: central) { return link }
        let link = BlueZRemoteLink(
            device, path, on: claim.attachment, database: RemoteDatabase(of: path, in: []), owner: self)
        centrals.add(link, to: central)
        return link
    }

    /// The object of a central. The kernel may report the central up to 5 s before bluetoothd has the object.
    private func object(of central: String, _ claim: AdapterClaim) async -> (ObjectPath, RemoteAddress)? {
        for _ in 0..<50 where centrals.contains(central) {
            for object in (try? await claim.daemon.objects()) ?? [] {
                guard let path = object.key.objectPathValue, path.parent == claim.adapter.path,
                    let values = object.value.dictionaryValue?[DeviceProperties.interface]?.dictionaryValue,
                    case let properties = DeviceProperties(values), properties.isConnected,
                    let device = properties.device
                else { continue }
                // A central that sent its identity when it paired keeps the path of its address before.
                if [device.address, BlueZDevice.address(of: path)].contains(BluetoothAddress(central)) {
                    return (path, device)
                }
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }

    func check(_ path: ObjectPath) async {
        guard let claim, let link = centrals.link(at: path), let loss = await claim.daemon.loss(of: path) else {
            return
        }
        link.end(loss.reason)
        if !loss.isKnown { verify() }
    }

    func drop(_ link: BlueZRemoteLink) {
        centrals.remove(link)
        link.end("this side ended it")
    }

    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError> {
        guard beacons.pairing != nil else {
            return .failure(.impossible("the profile has no pairing settings"))
        }
        return await link.pairAsPeripheral()
    }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) -> Bool { false }

    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) -> Bool { false }
}

// MARK: - Forecast

extension BlueZRadio {
    /// What an adapter would do with beacons. Nothing is advertised or registered.
    /// - Throws: `RadioError` when the adapter is not usable.
    package static func forecast(
        _ beacons: [HostedBeacon], on selector: AdapterSelector
    ) async throws(RadioError) -> RadioForecast {
        let radio = BlueZRadio(selector, ledger: NoLedger())
        let result: Result<RadioForecast, RadioError>
        do throws(RadioError) {
            result = .success(try await radio.forecast(beacons))
        } catch {
            result = .failure(error)
        }
        await radio.close()
        return try result.get()
    }

    private func forecast(_ beacons: [HostedBeacon]) async throws(RadioError) -> RadioForecast {
        openKernelChannels()
        // Without beacons: nothing is registered.
        let capabilities = try await attach()
        self.beacons = beacons
        for beacon in beacons { _ = placement.want(beacon.advertisement, for: beacon.identifier) }
        var obstacle: RadioError?
        do throws(RadioError) {
            try beacons.requireOneServer()
            try await claim?.requireCapacity(for: beacons)
        } catch {
            obstacle = error
        }
        var warnings: [BeaconIdentifier: [Warning]] = [:]
        for beacon in beacons {
            guard let rules, let advertisement = beacon.advertisement else { continue }
            warnings[beacon.identifier] =
                rules.status(of: advertisement, observation: nil, unknownBecause: "it is not on the air").warnings
        }
        return RadioForecast(
            capabilities: capabilities, fitting: try await claim?.fittingCount(of: beacons) ?? 0, obstacle: obstacle,
            warnings: warnings)
    }

    /// A forecast leaves nothing behind, so it has nothing to record.
    private struct NoLedger: RadioLedger {
        func record(_ entries: [String], under key: String) {}
        func takeLeftovers(under key: String) -> [String] { [] }
        func heldByOthers(under key: String) -> [String] { [] }
    }
}
