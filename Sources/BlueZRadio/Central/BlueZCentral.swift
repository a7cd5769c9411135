// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Concurrency
import DBus
import KernelBluetooth
public import Radio

/// A central radio that shares an adapter of this machine with bluetoothd.
///
/// Sightings come from the kernel's monitor channel where this process may use it (CAP_NET_RAW), else from bluetoothd,
/// which reports less; `openCentral` returns the limits. Connections and attributes always go through bluetoothd.
///
/// The radio is *open* from `openCentral` to `close`, and while it is open either *attached* to a daemon and an adapter or
/// *unavailable*. One loop attaches, and attaches again when the daemon or the adapter was lost; another loop starts and
/// stops discovery (`CentralScanner`). Both are woken by signals of the bus, and periodically in case a signal was missed.
public actor BlueZCentral: CentralRadio, BondingCentralRadio, WarningCentralRadio, ServingRadio, LinkOwner {
    public nonisolated let name: String
    package nonisolated let scanWarnings: AsyncStream<Warning>
    nonisolated let changes = DeviceChanges()

    private let access: DaemonAccess
    /// The daemon and adapter in use; `nil` while the radio is not usable.
    private var attachment: AdapterAttachment?
    private let state = ObservedState(CentralRadioState.unavailable(notOpen))
    private var isClosed = false

    private let scanner: CentralScanner
    private let links: CentralLinks
    private let server: CentralServer
    private let connectingAgent = ConnectingAgent()

    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private var loops: [Task<Void, Never>] = []
    private var timer: Task<Void, Never>?
    /// Counts the seconds since the radio was opened.
    private var ticks = 0

    /// Makes a central on the selected adapter; it has no effect before `openCentral`.
    public init(_ selector: AdapterSelector) {
        self.init(selector, openBus: BlueZDaemon.systemBus, openMonitor: BluetoothSocket.openMonitor)
    }

    /// Makes a central on another bus, or without the monitor channel, for tests.
    init(
        _ selector: AdapterSelector, openBus: @escaping DaemonAccess.Opener,
        openMonitor: @escaping @Sendable () -> BluetoothSocket?
    ) {
        scanner = CentralScanner(openMonitor: openMonitor)
        scanWarnings = scanner.warnings
        access = DaemonAccess(selector, rules: Self.signalRules, open: openBus)
        name = selector.description
        let links = CentralLinks()
        self.links = links
        server = CentralServer(links: links)
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    public func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        guard loops.isEmpty else { return await capabilities() }
        while true {
            do throws(RadioError) {
                try await attach()
                break
            } catch {
                guard waits, !Task.isCancelled, !isClosed else {
                    await close()
                    throw error
                }
                state.set(.unavailable(error))
                try? await Task.sleep(for: .seconds(1))
            }
        }
        guard loops.isEmpty else { return await capabilities() }
        loops.append(Task { [weak self, wakeUps] in for await _ in wakeUps { await self?.reconcile() } })
        loops.append(
            Task { [weak self, wakeUps = scanner.wakeUps] in
                for await _ in wakeUps { await self?.reconcileDiscovery() }
            })
        loops.append(
            Task { [weak self, events = scanner.monitorEvents] in
                for await event in events { await self?.note(event) }
            })
        scanner.startLoop()
        timer = Task { [weak self] in
            while !Task.isCancelled {
                await self?.tick()
                try? await Task.sleep(for: .seconds(1))
            }
        }
        return await capabilities()
    }

    private func capabilities() async -> ReceivingCapabilities {
        let passive = await attachment?.passiveScanSupport() ?? .missing
        let mayMonitor = ProcessRights.current.rawNetwork && BluetoothSocket.canOpen(.monitor)
        return ReceivingCapabilities(
            name: attachment.map { "bluez:\($0.adapter.name)" } ?? name,
            way: mayMonitor ? "monitor channel" : "D-Bus", address: attachment?.adapter.address,
            limits: ReceivingCapabilities.limitsUnderBlueZ(mayMonitor: mayMonitor, passive: passive))
    }

    public func states() -> AsyncStream<CentralRadioState> { state.stream }

    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        scanner.close()
        timer?.cancel()
        access.stopDelivery()
        wakeUp.finish()
        await withTaskGroup { group in
            for link in links.all { group.addTask { await link.disconnect() } }
        }
        // The last round of the loop stops discovery.
        await scanner.settle()
        scanner.endLoop()
        for loop in loops { await loop.value }
        if let attachment { await server.close(on: attachment) }
        loseAll(Self.closed)
        await access.close()
        state.finish()
    }

    static let notOpen = RadioError(.refused, "the radio is not open", hint: "open it first")
    static let closed = RadioError(.refused, "the radio was closed", hint: "open another one")

    // MARK: - Attachment

    /// Attaches to the daemon and the adapter, or verifies that the radio is attached to them.
    /// - Throws: `RadioError` that names what is missing.
    private func attach() async throws(RadioError) {
        if isClosed { throw Self.closed }
        if let attachment, await attachment.isUsable() { return }
        let found = try await access.find(handler: { [weak self] in await self?.handle($0) })
        if isClosed { throw Self.closed }
        if let attachment, !attachment.isSame(as: found) {
            loseAll(RadioError(.noDaemon, "bluetoothd was restarted", hint: "scan and connect again"))
        }
        access.settle(on: found.adapter)
        if !server.isRegistered { try await server.register(on: found, handlers: serverHandlers) }
        attachment = found
        scanner.attach(to: found)
        state.set(.ready)
    }

    private func reconcile() async {
        guard !isClosed else { return }
        do throws(RadioError) {
            try await attach()
        } catch {
            guard !isClosed else { return }
            loseAll(error)
        }
    }

    private func reconcileDiscovery() async {
        await scanner.reconcile()
    }

    private func note(_ event: PassiveScanMonitors.Event) async {
        await scanner.note(event)
    }

    /// Ends all that depends on the daemon and the adapter.
    private func loseAll(_ error: RadioError) {
        attachment = nil
        server.forget()
        state.set(.unavailable(error))
        scanner.detach()
        links.endAll(error.message)
    }

    private func tick() async {
        scanner.tick()
        ticks += 1
        guard ticks.isMultiple(of: 2) else { return }
        wakeUp.yield()
        for path in links.paths { await check(path) }
    }

    /// The daemon and the adapter.
    /// - Throws: `RadioError` with the reason why the radio is not usable.
    func usable() throws(RadioError) -> AdapterAttachment {
        if isClosed { throw Self.closed }
        if let attachment { return attachment }
        if case .unavailable(let error) = state.value { throw error }
        throw Self.notOpen
    }

    /// Whether the radio is still attached to this daemon and adapter.
    func isAttached(to attachment: AdapterAttachment) -> Bool { self.attachment?.isSame(as: attachment) == true }

    // MARK: - Signals of the bus

    private static let signalRules = [
        MatchRule(
            sender: DBusConnection.busName, interface: DBusConnection.busName, member: "NameOwnerChanged",
            argument0: BlueZDaemon.busName),
        // One subscription for all of bluetoothd's signals, which keeps their order.
        MatchRule(sender: BlueZDaemon.busName),
    ]

    private func handle(_ event: DaemonAccess.Event) {
        switch event {
        case .closed(let connection): if access.forget(connection) { wakeUp.yield() }
        case .signal(let message): for signal in BlueZSignal.parse(message) { handle(signal) }
        }
    }

    private func handle(_ signal: BlueZSignal) {
        switch signal {
        case .daemonChanged: wakeUp.yield()
        case .adapterChanged(let properties):
            if properties.isEmpty || properties.contains("Powered") { wakeUp.yield() }
        case .deviceAdded(let path, let properties):
            scanner.noteAdded(path, properties)
            changes.note(path)
        case .deviceChanged(let path, let changed, let invalidated):
            changes.note(path)
            scanner.noteChanged(path, changed, invalidated: invalidated)
            if changed["Connected"]?.boolValue == false { links.end(path, "the connection was lost") }
        case .deviceRemoved(let path):
            scanner.noteRemoved(path)
            links.end(path, "bluetoothd has removed the device")
            changes.note(path)
        case .deviceDisconnected(let path, let reason):
            links[path]?.note(reason: reason)
            changes.note(path)
        case .serviceChanged(let path, let isPresent):
            guard let device = path.parent else { return }
            links[device]?.noteService(at: path, isPresent: isPresent)
        case .valueChanged(let path, let value):
            guard let device = path.parent?.parent else { return }
            links[device]?.take(value, from: path)
        case .characteristicChanged(let path): changes.note(path)
        }
    }

    // MARK: - Scanning

    /// Scans. bluetoothd chooses interval and window.
    ///
    /// A passive scan uses the advertisement monitors of bluetoothd, which are experimental.
    ///
    /// - Throws: `RadioError`: `.unsupported` for a passive scan of a bluetoothd without monitors.
    public func scan(_ settings: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
        try await scanner.start(settings, on: try usable())
    }

    public func stopScanning() async {
        scanner.endScan()
        await scanner.settle()
    }

    // MARK: - Connections

    /// Connects to a device, and waits until bluetoothd has discovered its services. A device that bluetoothd does not know
    /// is searched for first. An existing connection of bluetoothd to the device is adopted.
    public func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        let attachment = try usable()
        guard let path = BlueZDevice.path(of: device.address.description, on: attachment.adapter) else {
            throw RadioError(.refused, "\(device) cannot be connected to", hint: "check the address")
        }
        guard links.beginConnecting(path) else {
            throw RadioError(
                .refused, "\(device) is connected, or being connected to, already", hint: "use that connection")
        }
        defer {
            links.endConnecting(path)
            changes.note(path)
        }
        await server.renew(on: attachment, handlers: serverHandlers)
        let attempt = ConnectionAttempt(device, path, attachment, for: self)
        if let link = await attempt.run(timeout: timeout) { return link }
        await attempt.abandon()
        throw await attempt.error(timeout: timeout)
    }

    /// Runs a function while discovery searches for its device.
    func searching<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        scanner.beginSearch()
        let result = await body()
        scanner.endSearch()
        return result
    }

    /// Runs a function while discovery is paused.
    func withoutDiscovery<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        await scanner.beginPause()
        let result = await body()
        scanner.endPause()
        return result
    }

    /// Runs a connection attempt while an agent with input and output is registered.
    func withInputAndOutput(
        of daemon: BlueZDaemon, _ connect: @Sendable () async throws(DBusError) -> Void
    ) async throws(DBusError) {
        try await connectingAgent.whileRegistered(with: daemon, connect)
    }

    /// Makes the link to a device that has connected.
    /// - Returns: `nil` if the radio or the connection was lost meanwhile.
    func adopt(_ device: RemoteAddress, _ path: ObjectPath, _ attachment: AdapterAttachment) async -> BlueZRemoteLink? {
        guard let objects = try? await attachment.daemon.objects(),
            self.attachment?.daemon.owner == attachment.daemon.owner
        else { return nil }
        links.add(
            BlueZRemoteLink(
                device, path, on: attachment, database: RemoteDatabase(of: path, in: objects), owner: self))
        changes.note(path)
        // The connection may have ended before the link could receive the signal.
        await check(path)
        return links[path]
    }

    func check(_ path: ObjectPath) async {
        guard let attachment, links[path] != nil, let loss = await attachment.daemon.loss(of: path) else { return }
        links.end(path, loss.reason)
        if !loss.isKnown { wakeUp.yield() }
    }

    func drop(_ link: BlueZRemoteLink) {
        links.remove(link)
        link.end("this side ended it")
    }

    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError> {
        .failure(.impossible("this side is the central: call pair"))
    }

    /// Removes the bond with a device from bluetoothd, with everything that bluetoothd stored about the device.
    public func forgetBond(with device: RemoteAddress) async {
        guard let attachment, let path = BlueZDevice.path(of: device.address.description, on: attachment.adapter),
            let known = try? await attachment.daemon.properties(DeviceProperties.interface, of: path),
            known["Paired"]?.boolValue == true
        else { return }
        _ = try? await attachment.call("RemoveDevice", [.objectPath(path)], timeout: .seconds(10))
    }

    // MARK: - Serving

    /// Has bluetoothd serve attributes. The name in generic access stays the adapter's name.
    package func serve(_ attributes: ServedAttributes?) async throws(RadioError) {
        try await server.serve(attributes, on: try usable(), handlers: serverHandlers)
    }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async -> Bool {
        guard let attachment else { return false }
        return await server.notify(value, of: characteristic, on: attachment)
    }

    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) -> Bool {
        server.answerPairings(by: answer)
    }

    private var serverHandlers: CentralServer.Handlers {
        CentralServer.Handlers(
            respond: { [weak self] characteristic, device, operation in
                await self?.respond(to: device, characteristic, operation) ?? .failure(.unlikely)
            },
            noteSubscription: { [weak self] in await self?.noteSubscription(to: $0, isSubscribed: $1) },
            answerPairing: { [weak self] in await self?.answer($0, of: $1) })
    }

    private func noteSubscription(to characteristic: CharacteristicIdentifier, isSubscribed: Bool) {
        links.note(characteristic, isSubscribed: isSubscribed)
    }

    private func answer(_ request: AgentRequest, of device: ObjectPath) async -> PairingAnswer? {
        await server.answer(request, of: device)
    }

    private func respond(
        to device: ObjectPath?, _ characteristic: CharacteristicIdentifier, _ operation: AttributeRequest.Operation
    ) async -> AttributeResponse {
        guard let device, let link = await link(to: device) else { return .failure(.unlikely) }
        return await link.conversation.ask(characteristic, operation)
    }

    /// The link to a device. A device may send a request up to 10 s before its connection is known here.
    private func link(to device: ObjectPath) async -> BlueZRemoteLink? {
        let found = await changes.first(of: device, within: .seconds(10)) { () async -> BlueZRemoteLink?? in
            if let link = links[device] { return link }
            return links.isConnecting(device) && !isClosed ? nil : .some(nil)
        }
        return found ?? nil
    }
}
