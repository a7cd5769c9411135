// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
public import Bluetooth
package import BluetoothCore
import Concurrency
import HCI
import HostStack
import NIOCore
import NIOPosix
public import Radio
import VirtualRadio

/// A radio with our own host stack: on a virtual air, where every beacon has a controller of its own, or on one controller
/// from elsewhere, where every beacon has an advertising set.
///
/// It consists of a peripheral side (`PeripheralHost`), a central side (`CentralHost`), their hosts (`ControllerHosts`) and
/// the virtual air, if there is one (`VirtualAir`). This actor opens and closes them, passes them the events of the hosts,
/// and waits for what takes time. All of it lives on one event loop: a controller's event and its consequences are handled
/// without a change of threads.
///
/// A controller is opened once, or every second until it is there. When it is lost, connections end, and it is opened again
/// every second until the radio is closed.
public actor HCIRadio: PeripheralRadio, ConnectionUpdatingRadio, ClientRadio, PairingRadio, BondStoringRadio,
    BondStoringCentralRadio, SecurityRequestRadio, ServingRadio, PlaceableCentralRadio
{
    public nonisolated let name: String
    package nonisolated let events: AsyncStream<RadioEvent>

    /// Where the controllers are.
    private enum Medium {
        case air(VirtualAir)
        case controller(ControllerSource)
    }

    nonisolated private let loop: any EventLoop
    private let continuation: AsyncStream<RadioEvent>.Continuation
    private let timekeeper = Timekeeper(Simulation.clock)
    /// Of hosts that are added from now on.
    private var configuration: LEHostConfiguration
    private let medium: Medium
    private let hosts: ControllerHosts
    private let captures: PacketCaptures
    private let peripheral: PeripheralHost
    private let central: CentralHost
    /// The radios of other hosts on the virtual air.
    private var added: [HCIRadio] = []
    /// The receivers on a virtual air.
    private var receivers: [HostIdentifier: CentralHost] = [:]
    private var receiverHosts: [String: HostIdentifier] = [:]
    /// The capabilities as a receiver; `nil` before the radio was opened as one.
    private var receiving: ReceivingCapabilities?
    /// What the controller reported; `nil` before it was ready.
    private var controller: LEHostCapabilities?
    /// What other runs use; `nil` for none.
    private let ledger: (any RadioLedger)?
    /// The latest link to the controller.
    private var link: (any ControllerLink)?
    /// Wait for their hosts to be ready.
    private var opening: [HostIdentifier: CheckedContinuation<Result<LEHostCapabilities, RadioError>, Never>] = [:]
    private var recovery: Task<Void, Never>?
    private var isClosed = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// A radio on a virtual air of its own, in the time of the current simulation, if there is one.
    /// - Parameters:
    ///   - reason: why the air is virtual; `nil` if it was requested.
    ///   - capture: the sink of the HCI traffic, as a btsnoop file.
    package init(
        virtual options: VirtualAirOptions, reason: String? = nil, capture: (any CaptureSink)? = nil
    ) {
        ledger = nil
        let loop: any EventLoop =
            Simulation.current.map(SimulatedEventLoop.init) ?? MultiThreadedEventLoopGroup.singleton.next()
        self.loop = loop
        let clock = LoopClock(loop, rate: options.rate)
        name = "virtual"
        (events, continuation) = AsyncStream.makeStream()
        configuration = LEHostConfiguration(maximumTransmissionUnit: 517)
        captures = PacketCaptures(capture)
        let air = VirtualAir(options, reason: reason, clock: clock, captures: captures)
        // The air captures what passes between all hosts and controllers on it.
        let hosts = ControllerHosts(clock: clock, seed: Simulation.current == nil ? nil : air.seed)
        medium = .air(air)
        self.hosts = hosts
        peripheral = PeripheralHost(name, hosts: hosts, air: air, configuration, events: continuation)
        central = CentralHost(name, on: .central, of: hosts, events: continuation)
        // The beacons have theirs by now.
        configuration.maximumTransmissionUnit = options.central.maximumTransmissionUnit
    }

    /// A radio on a controller from elsewhere.
    /// - Parameters:
    ///   - maximumTransmissionUnit: the ATT_MTU that it offers, 23 to 517 bytes.
    ///   - capture: the sink of the HCI traffic, as a btsnoop file.
    public init(
        _ transport: HCITransport, maximumTransmissionUnit: UInt16 = 517, capture: (any CaptureSink)? = nil
    ) {
        self.init(transport, maximumTransmissionUnit, capture, ledger: nil)
    }

    /// A radio on a controller from elsewhere, for beacons.
    package init(_ transport: HCITransport, _ resources: RadioResources) {
        self.init(transport, 517, resources.capture, ledger: resources.ledger)
    }

    private init(
        _ transport: HCITransport, _ maximumTransmissionUnit: UInt16, _ capture: (any CaptureSink)?,
        ledger: (any RadioLedger)?
    ) {
        self.ledger = ledger
        let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
        self.loop = loop
        name = "\(transport)"
        (events, continuation) = AsyncStream.makeStream()
        configuration = LEHostConfiguration(
            maximumTransmissionUnit: maximumTransmissionUnit, substituteAddress: .derived(from: "central/\(transport)"))
        captures = PacketCaptures(capture)
        let hosts = ControllerHosts(clock: LoopClock(loop), captures: captures)
        medium = .controller(.transport(transport))
        self.hosts = hosts
        peripheral = PeripheralHost(name, hosts: hosts, air: nil, configuration, events: continuation)
        central = CentralHost(name, on: .only, of: hosts, events: continuation)
    }

    /// A radio on a controller of its own on the virtual air of another radio, whose event loop it shares.
    private init(_ host: AirHost, on air: NIOLoopBound<VirtualAir>, loop: any EventLoop) {
        ledger = nil
        self.loop = loop
        name = host.name
        (events, continuation) = AsyncStream.makeStream()
        configuration = LEHostConfiguration(maximumTransmissionUnit: 517)
        // The air captures what passes between all hosts and controllers on it.
        captures = PacketCaptures()
        let hosts = ControllerHosts(clock: LoopClock(loop, rate: air.value.rate))
        medium = .controller(.air(air, host))
        self.hosts = hosts
        peripheral = PeripheralHost(name, hosts: hosts, air: nil, configuration, events: continuation)
        central = CentralHost(name, on: .only, of: hosts, events: continuation)
    }

    // MARK: - Opening and closing

    package func open(
        _ beacons: [HostedBeacon], waits: Bool,
        attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities {
        peripheral.setAttributes(attributes)
        receiveNotices()
        do throws(RadioError) {
            switch medium {
            case .air(let air): try await open(air)
            case .controller(let source): try await openController(source, waits: waits)
            }
            try replace(with: beacons)
        } catch {
            await close()
            throw error
        }
        return capabilities
    }

    public func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        if let receiving { return receiving }
        receiveNotices()
        do throws(RadioError) {
            switch medium {
            case .air(let air):
                try await open(air)
                try await openCentralHost(on: air)
            case .controller(let source): try await openController(source, waits: waits)
            }
        } catch {
            await close()
            throw error
        }
        central.state.set(.ready)
        let opened = ReceivingCapabilities(name: name, way: "our own host stack", address: ownAddress)
        receiving = opened
        return opened
    }

    package func place(at position: Position) { configuration.position = position }

    package var isPlaced: Bool {
        // Central and beacons have the same host on a controller, and hosts of their own on an air.
        hosts[central.identifier]?.read { $0.capabilities?.isAtPosition == true } ?? false
    }

    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        for host in added { await host.close() }
        added = []
        recovery?.cancel()
        for host in opening.keys.sorted() { opening.removeValue(forKey: host)?.resume(returning: .failure(.closed)) }
        central.end(.closed)
        for (_, receiver) in receivers.sorted(by: { $0.key < $1.key }) { receiver.end(.closed) }
        peripheral.endLinks(RadioError.closed.message)
        central.state.finish()
        // Other programs use the controller afterwards: nothing may stay on it.
        if case .controller(.transport) = medium { await peripheral.stopAll() }
        hosts.removeAll()
        await link?.restore()
        link = nil
        if case .air(let air) = medium { await air.close() }
        // Links own their radio, and the responder may own an owner of the radio.
        peripheral.releaseAll()
        continuation.finish()
    }

    private func receiveNotices() {
        hosts.onNotice = { [weak self] notice, host in
            // Hosts live on the event loop, which is this actor's executor.
            self?.assumeIsolated { $0.take(notice, of: host) }
        }
    }

    private func open(_ air: VirtualAir) async throws(RadioError) {
        try await air.open { [continuation] in _ = continuation.yield($0) }
    }

    private func openCentralHost(on air: VirtualAir) async throws(RadioError) {
        guard hosts[.central] == nil else { return }
        let host = central.addHost(configuration)
        _ = try await untilReady(.central) { air.start(host) }.get()
    }

    /// Adds a receiver to a virtual air, which it opens if necessary; it scans from now on until the radio is closed.
    /// - Parameters:
    ///   - receiver: its name on the air, by which it can be moved.
    ///   - motion: how it moves from the start of the air; `nil` is 1 m from every beacon.
    /// - Returns: what it receives.
    /// - Throws: `RadioError` `.unsupported` on other radios, or if the air cannot be opened.
    package func addReceiver(_ receiver: String, motion: Motion?) async throws(RadioError) -> AsyncStream<Sighting> {
        guard case .air(let air) = medium else {
            throw RadioError(.unsupported, "\(name) has no receivers", hint: "run on the virtual air (--radio virtual)")
        }
        receiveNotices()
        try await open(air)
        let identifier = HostIdentifier.receiver(receivers.count)
        let side = CentralHost(receiver, on: identifier, of: hosts, events: continuation)
        receivers[identifier] = side
        receiverHosts[receiver] = identifier
        let host = side.addHost(configuration)
        _ = try await untilReady(identifier) { air.start(host, receiver: receiver, motion: motion) }.get()
        return try side.scan(ScanParameters(isActive: false))
    }

    /// Adds a host to a virtual air, which it opens if necessary.
    ///
    /// The host has one controller and one address. The radio that is returned is its central side, which is open, and its
    /// peripheral side, after `open(_:waits:attributes:)`; advertisements that request the address of the host are sent from
    /// it, others from addresses of their own. It ends with its `close()`, or with that of this radio.
    /// - Throws: `RadioError` `.unsupported` on other radios, `.refused` if another host has the address; or if the air
    ///   cannot be opened.
    package func addHost(_ host: AirHost) async throws(RadioError) -> HCIRadio {
        guard case .air(let air) = medium else {
            throw RadioError(
                .unsupported, "\(name) has no other hosts", hint: "run on the virtual air (--radio virtual)")
        }
        guard !isClosed else { throw .closed }
        receiveNotices()
        try await open(air)
        // The radios share the executor.
        added.removeAll { radio in radio.assumeIsolated { $0.isClosed } }
        let radio = HCIRadio(host, on: NIOLoopBound(air, eventLoop: loop), loop: loop)
        added.append(radio)
        _ = try await radio.openCentral(waits: false)
        return radio
    }

    /// Adds a server to the capabilities: one through which other programs use a host of this process.
    /// - Parameters:
    ///   - server: its address, `esphome:127.0.0.1:6053`.
    ///   - host: the name of its host.
    package func announce(_ server: String, of host: String) {
        if case .air(let air) = medium { air.announce(server, of: host) }
    }

    private func openController(_ source: ControllerSource, waits: Bool) async throws(RadioError) {
        // Central and peripheral side have the same controller. When it is lost, it is opened again already.
        guard controller == nil else { return }
        var reported: RadioError?
        while true {
            do throws(RadioError) {
                controller = try await startHost(on: source)
                return
            } catch {
                guard waits, !isClosed, !Task.isCancelled else { throw error }
                if reported != error { continuation.yield(.lost(error)) }
                reported = error
                await timekeeper.sleep(for: .seconds(1))
            }
        }
    }

    /// Starts the host on a new link to the controller.
    private func startHost(on source: ControllerSource) async throws(RadioError) -> LEHostCapabilities {
        let host = central.addHost(configuration)
        let link = try await source.open(on: loop, user: host, known: controller?.address, ledger: ledger)
        self.link = link
        guard !isClosed else {
            link.close()
            await link.restore()
            throw .closed
        }
        let result = await untilReady(central.identifier) { host.start(on: link) }
        if case .failure = result { host.close() }
        return try result.get()
    }

    /// Starts a host, and waits until it is ready.
    private func untilReady(
        _ host: HostIdentifier, _ start: () -> Void
    ) async -> Result<LEHostCapabilities, RadioError> {
        await withCheckedContinuation { continuation in
            opening[host] = continuation
            start()
        }
    }

    /// Opens a lost controller again.
    private func recover(_ source: ControllerSource) {
        guard recovery == nil, !isClosed else { return }
        recovery = Task { [weak self, timekeeper] in
            while !Task.isCancelled {
                await timekeeper.sleep(for: .seconds(1))
                if await self?.reopen(source) ?? true { return }
            }
        }
    }

    /// - Returns: whether no other attempt is needed.
    private func reopen(_ source: ControllerSource) async -> Bool {
        guard !isClosed else { return true }
        guard (try? await startHost(on: source)) != nil else { return false }
        recovery = nil
        central.state.set(.ready)
        return true
    }

    // MARK: - Capabilities

    private var capabilities: RadioCapabilities {
        switch medium {
        case .air(let air): air.capabilities(beacons: peripheral.count)
        case .controller: controllerCapabilities
        }
    }

    /// The address of the controller, or the static random one in its place.
    private var ownAddress: BluetoothAddress? {
        controller.map { $0.address ?? configuration.substituteAddress }
    }

    private var controllerCapabilities: RadioCapabilities {
        let isExtended = controller?.hasExtendedAdvertising ?? false
        // One set a beacon, or turns of the only advertiser.
        let instances = controller.map { isExtended ? $0.advertisingSets : AdvertisingSetIdentifier.range.count } ?? 0
        return RadioCapabilities(
            name: name, way: "our own host stack",
            wayReason: controller?.summary(now: link?.newName) ?? "no controller",
            address: ownAddress, hasExtendedAdvertising: isExtended, instances: instances,
            freeInstances: max(0, instances - peripheral.count), sharesTime: !isExtended, canReadBack: true)
    }

    private static func obstacle(to count: Int, on radio: RadioCapabilities) -> RadioError? {
        guard count > radio.instances else { return nil }
        let places =
            radio.hasExtendedAdvertising
            ? "has \(radio.instances) advertising sets" : "alternates between \(radio.instances)"
        return RadioError(
            .cannotCarry, "\(radio.instances) of \(count) beacons fit on \(radio.name): its controller \(places)",
            hint: "run the first \(radio.instances) beacons here, and the others on another controller")
    }

    /// The forecast for beacons on a virtual air: all fit, as requested.
    package static func virtualForecast(_ beacons: [HostedBeacon]) -> RadioForecast {
        RadioForecast(
            capabilities: VirtualAir.capabilities(reason: nil, beacons: 0, servers: []),
            fitting: min(beacons.count, VirtualAir.capacity), obstacle: nil, warnings: [:])
    }

    /// The forecast for beacons on a controller, which is opened for its capabilities and released.
    package static func forecast(
        _ beacons: [HostedBeacon], on transport: HCITransport
    ) async throws(RadioError) -> RadioForecast {
        let radio = HCIRadio(transport)
        let capabilities = try await radio.open([], waits: false) { _ in .failure(.unlikely) }
        await radio.close()
        return RadioForecast(
            capabilities: capabilities, fitting: min(beacons.count, capabilities.instances),
            obstacle: obstacle(to: beacons.count, on: capabilities), warnings: [:])
    }

    /// Sets a function that is called after each wake-up of the virtual air with the delay of the first event that was due.
    package func observeWakeUps(_ observe: @escaping @Sendable (Duration) -> Void) {
        if case .air(let air) = medium { air.observeWakeUps(observe) }
    }

    // MARK: - Beacons and centrals

    package func replan(_ beacons: [HostedBeacon]) async throws(RadioError) { try replace(with: beacons) }

    private func replace(with beacons: [HostedBeacon]) throws(RadioError) {
        if let obstacle = Self.obstacle(to: beacons.count, on: capabilities) { throw obstacle }
        peripheral.replace(with: beacons)
    }

    package func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) {
        peripheral.advertise(advertisement, for: beacon)
    }

    package func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) {
        peripheral.notify(value, of: characteristic, on: beacon, to: central)
    }

    package func updateConnection(of central: String, to parameters: ConnectionParameters) {
        peripheral.updateConnection(of: central, to: parameters)
    }

    package func disconnect(central: String) { peripheral.disconnect(central) }

    package func link(to central: String) throws(RadioError) -> any RemoteLink {
        guard let link = peripheral.link(to: central) else {
            throw RadioError(.refused, "\(central) is not connected", hint: "wait until it is")
        }
        return link
    }

    package func storeBonds(in store: any BondStore) { peripheral.setStore(store) }

    package func answerPairing(_ answer: PairingAnswer, of central: String) {
        peripheral.answerPairing(answer, of: central)
    }

    package func requestSecurity(of central: String) { peripheral.requestSecurity(of: central) }

    package func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) -> Int {
        peripheral.forgetBonds(of: beacon, peer: peer)
    }

    // MARK: - Receiving and connecting

    public func states() -> AsyncStream<CentralRadioState> { central.state.stream }

    public func scan(_ parameters: ScanParameters) throws(RadioError) -> AsyncStream<Sighting> {
        try central.scan(parameters)
    }

    public func stopScanning() { central.stopScanning() }

    package func serve(_ attributes: ServedAttributes?) throws(RadioError) { try central.serve(attributes) }

    public func storeBonds(in store: any BondStore, as central: BeaconIdentifier) {
        self.central.setStore(store, as: central)
    }

    public func setSecurityRequestHandler(_ handler: SecurityRequestHandler) {
        central.setSecurityRequestHandler(handler)
    }

    public func forgetBond(with device: RemoteAddress) { central.forgetBond(with: device) }

    public func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        try await connect(central, to: device, timeout: timeout)
    }

    /// Connects a receiver on a virtual air to a device (see `CentralRadio.connect`).
    /// - Throws: `RadioError` `.refused` also if there is no receiver of this name.
    package func connect(
        receiver: String, to device: RemoteAddress, timeout: Duration
    ) async throws(RadioError) -> any RemoteLink {
        guard let side = receiverHosts[receiver].flatMap({ receivers[$0] }) else {
            throw RadioError(.refused, "there is no receiver \(receiver)", hint: "add it first")
        }
        return try await connect(side, to: device, timeout: timeout)
    }

    private func connect(
        _ side: CentralHost, to device: RemoteAddress, timeout: Duration
    ) async throws(RadioError) -> HCIRemoteLink {
        let deadline = timekeeper.now() + timeout
        while true {
            do throws(CentralHost.Failure) {
                return try await attempt(side, device, until: deadline)
            } catch {
                guard error.isWorthRepeating, timekeeper.now() + Self.pauseBetweenAttempts < deadline,
                    await timekeeper.sleep(for: Self.pauseBetweenAttempts)
                else { throw error.error }
            }
        }
    }

    /// Enough for a peer to notice that there is no connection, and to advertise again.
    private static let pauseBetweenAttempts = Duration.milliseconds(250)

    private func attempt(
        _ side: CentralHost, _ device: RemoteAddress, until deadline: Duration
    ) async throws(CentralHost.Failure) -> HCIRemoteLink {
        let timeout = deadline - timekeeper.now()
        let number: UInt64
        do throws(RadioError) {
            number = try side.reserveAttempt(to: device)
        } catch {
            throw CentralHost.Failure(error: error)
        }
        let host = side.identifier
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // By `self`, which makes these closures run on the event loop.
                self.side(of: host)?.connect(to: device, within: timeout, continuation)
                if Task.isCancelled { self.cancelAttempt(number, to: device, of: host) }
            }
        } onCancel: {
            Task { await self.cancelAttempt(number, to: device, of: host) }
        }
        let link = try result.get()
        try await confirm(link, until: deadline)
        return link
    }

    private func cancelAttempt(_ number: UInt64, to device: RemoteAddress, of host: HostIdentifier) {
        side(of: host)?.cancelAttempt(number, to: device)
    }

    /// The central side with this host; `nil` if it is a beacon's.
    private func side(of host: HostIdentifier) -> CentralHost? {
        if host == central.identifier { return central }
        return receivers.isEmpty ? nil : receivers[host]
    }

    /// Waits for the peer's first packet: a controller reports a connection before the peer has received a packet on it,
    /// and a little later that it could not be established (0x3E).
    private func confirm(_ link: HCIRemoteLink, until deadline: Duration) async throws(CentralHost.Failure) {
        let timer = Task {
            if await timekeeper.sleep(for: deadline - timekeeper.now()) { self.disconnect(link) }
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            // The MTU exchange, which other centrals begin with, too: what follows fits into fewer packets.
            await link.confirm()
        } onCancel: {
            Task { await self.disconnect(link) }
        }
        guard link.wasEstablished else {
            let error = RadioError(
                .refused, "the connection to \(link.device) could not be established (0x3E)",
                hint: "check that it is in range, and connect again")
            throw CentralHost.Failure(error: error, isWorthRepeating: true)
        }
        guard let reason = link.end else { return }
        throw CentralHost.Failure(
            error: RadioError(
                .refused, "the connection to \(link.device) was lost at once: \(reason)", hint: "connect again"))
    }

    // MARK: - Links

    /// Runs a procedure over a link.
    func perform(_ procedure: GATTProcedure, for link: HCIRemoteLink) async -> Result<GATTResult, RemoteError> {
        await withCheckedContinuation { continuation in
            guard let host = hosts[link.host] else { return link.wait(for: nil, continuation) }
            // The response may come before `change` returns: the link must wait for it by then.
            host.change({ $0.start(procedure, on: link.connection) }, then: { link.wait(for: $0, continuation) })
        }
    }

    /// Reads the RSSI of a link's peer.
    func readRSSI(for link: HCIRemoteLink) async -> Result<RSSI, RemoteError> {
        await withCheckedContinuation { continuation in
            link.waitForRSSI(continuation)
            hosts[link.host]?.change { $0.readRSSI(of: link.connection) }
        }
    }

    /// Encrypts a link of the central.
    func pair(
        _ settings: PairingSettings, over link: HCIRemoteLink, ask: @escaping CentralPairings.Asker
    ) async -> Result<LinkProtection, PairingError> {
        guard let side = side(of: link.host) else { return .failure(PairingError(.unsupported)) }
        if let obstacle = side.obstacleToPairing(link.connection) { return .failure(obstacle) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // By `self`, which makes these closures run on the event loop.
                self.side(of: link.host)?.pair(link.connection, settings, ask: ask, continuation)
                if Task.isCancelled { self.cancelPairing(over: link) }
            }
        } onCancel: {
            Task { await self.cancelPairing(over: link) }
        }
    }

    private func cancelPairing(over link: HCIRemoteLink) { side(of: link.host)?.cancelPairing(link.connection) }

    /// Requests that the central at the other end of a link encrypt it.
    func secure(_ link: HCIRemoteLink) async -> Result<Void, RemoteError> {
        do throws(RemoteError) {
            if try peripheral.secure(link) { return .success(()) }
        } catch {
            return .failure(error)
        }
        let timer = Task {
            guard await timekeeper.sleep(for: Self.securityTimeout) else { return }
            link.finishSecuring(.failure(.impossible("the central did not answer within \(Self.securityTimeout)")))
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            link.waitForSecurity(continuation)
            peripheral.requestSecurity(over: link)
        }
    }

    /// How long a central may take to encrypt: its user may have to confirm.
    private static let securityTimeout = Duration.seconds(30)

    /// Responds to a device's request.
    func respond(to request: ServedRequest, of link: HCIRemoteLink, _ response: AttributeResponse) {
        hosts[link.host]?.change { $0.respond(to: ATTToken(request.number), of: link.connection, with: response) }
    }

    /// Notifies a device of a value.
    /// - Returns: whether it is subscribed and accepts the value now.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier, over link: HCIRemoteLink) -> Bool {
        central.notify(value, of: characteristic, over: link)
    }

    /// Requests other connection parameters of a link's peer.
    func update(_ link: HCIRemoteLink, to parameters: ConnectionParameters) {
        hosts[link.host]?.change { $0.updateConnection(link.connection, to: parameters) }
    }

    /// Ends the connection of a link.
    func disconnect(_ link: HCIRemoteLink) { hosts[link.host]?.change { $0.disconnect(link.connection) } }

    private func link(of connection: ConnectionIdentifier, on host: HostIdentifier) -> HCIRemoteLink? {
        if let link = side(of: host)?.link(of: connection) { return link }
        return peripheral.link(of: connection, on: host)
    }

    // MARK: - Events of the hosts

    private func take(_ notice: ControllerHost.Notice, of host: HostIdentifier) {
        switch notice {
        case .event(let event): take(event, of: host)
        case .ended(let reason):
            let hint = if case .controller(let source) = medium { source.hintAfterEnd } else { "see the reason" }
            lose(RadioError(.noAdapter, "\(name) is gone: \(reason)", hint: hint), of: host)
        }
    }

    private func take(_ event: LEHostEvent, of host: HostIdentifier) {
        switch event {
        case .ready(let capabilities): finishOpening(of: host, .success(capabilities))
        case .failed(let failure):
            let source = if case .controller(let source) = medium { source } else { ControllerSource?.none }
            let hint = source?.hint(for: failure, of: controller) ?? failure.hint
            lose(RadioError(.refused, "\(name): \(failure)", hint: hint), of: host)
        case .completed(let connection, let token, let result):
            link(of: connection, on: host)?.complete(token, result)
        case .rssi(let connection, let result): link(of: connection, on: host)?.complete(result)
        case .notification(let connection, let handle, let value), .indication(let connection, let handle, let value):
            link(of: connection, on: host)?.yield(RemoteNotification(handle: handle, value: value))
        default:
            if let side = side(of: host), take(event, as: side) { return }
            takeAsPeripheral(event, of: host)
        }
    }

    /// - Returns: whether it was an event for a central side; on one controller, a beacon may have the same host.
    private func take(_ event: LEHostEvent, as side: CentralHost) -> Bool {
        switch side.take(event, for: self) {
        case .notForCentral: return false
        case .taken: break
        case .ask(let connection, let question, let ask):
            let host = side.identifier
            Task {
                let answer = await ask(question)
                self.side(of: host)?.answer(answer, to: question, on: connection)
            }
        case .securityRequested(let connection, let device, let handler):
            let host = side.identifier
            Task {
                let settings = await handler.settings(device)
                self.side(of: host)?.answerSecurityRequest(settings, on: connection, handler)
            }
        }
        return true
    }

    private func takeAsPeripheral(_ event: LEHostEvent, of host: HostIdentifier) {
        switch peripheral.take(event, of: host, for: self) {
        case .none: break
        case .wait(let request, let host, let response):
            Task { peripheral.respond(to: request, on: host, await response()) }
        }
    }

    private func finishOpening(of host: HostIdentifier, _ result: Result<LEHostCapabilities, RadioError>) {
        // Here rather than where the result is awaited: what the host advertises again must be reported after it.
        if recovery != nil, case .success(let found) = result {
            controller = found
            continuation.yield(.ready(capabilities))
        }
        opening.removeValue(forKey: host)?.resume(returning: result)
    }

    private func lose(_ error: RadioError, of host: HostIdentifier) {
        if opening[host] != nil { return finishOpening(of: host, .failure(error)) }
        guard !isClosed, case .controller(let source) = medium else { return }
        continuation.yield(.lost(error))
        central.end(error)
        peripheral.lose(error)
        hosts[host]?.close()
        recover(source)
    }
}

// MARK: - Positions

extension HCIRadio: PositioningRadio {
    package func move(_ name: String, to position: Position) async -> Bool {
        guard case .air(let air) = medium else { return false }
        // A beacon without power has no controller on the air; it is there when it gets one.
        let isBeacon = peripheral.noteMotion(.rest(position), of: BeaconIdentifier(name))
        return air.move(name, .rest(position)) || isBeacon
    }

    package func walk(_ name: String, through places: [Position], over duration: Duration) async -> Motion? {
        guard case .air(let air) = medium, let motion = air.path(through: places, over: duration) else { return nil }
        let isBeacon = peripheral.noteMotion(motion, of: BeaconIdentifier(name))
        return air.move(name, motion) || isBeacon ? motion : nil
    }

    package func serveReceiver(_ name: String, motion: Motion?) async throws(RadioError) -> AirReceiver {
        guard case .air(let air) = medium else {
            throw RadioError(
                .unsupported, "\(self.name) has no receivers", hint: "run on the virtual air (--radio virtual)")
        }
        return try await air.addReceiver(name, motion: motion) { [continuation] in _ = continuation.yield($0) }
    }

    package func removeReceiver(_ name: String) async -> AirReceiver? {
        if case .air(let air) = medium { await air.removeReceiver(name) } else { nil }
    }

    package func namedReceivers() async -> [AirReceiver] {
        if case .air(let air) = medium { air.namedReceivers() } else { [] }
    }

    package func setMotion(_ motion: Motion?, ofReceiver receiver: String) async -> Bool {
        if case .air(let air) = medium { air.setMotion(motion, ofReceiver: receiver) } else { false }
    }

    package func position(of name: String) async -> Position? {
        if case .air(let air) = medium { air.position(of: name) } else { nil }
    }

    package func members() async -> [AirMember] {
        if case .air(let air) = medium { air.members() } else { [] }
    }

    package func paths() async -> [AirPath] {
        if case .air(let air) = medium { air.paths() } else { [] }
    }

    package func propagation() async -> Propagation {
        if case .air(let air) = medium { air.propagation } else { Propagation() }
    }

    package func levelsAtOneMetre() async -> [String: Double] {
        if case .air(let air) = medium { air.levelsAtOneMetre() } else { [:] }
    }

    package func overrideLink(_ one: String, _ other: String, _ override: LinkOverride?) async -> String? {
        if case .air(let air) = medium { air.overrideLink(one, other, override) } else { one }
    }
}

extension HCIRadio: CapturingRadio {
    package func beginCapture(_ sink: any CaptureSink) async -> Int { captures.begin(sink) }

    package func endCapture(_ number: Int) async { captures.end(number) }
}

extension HCIRadio: CountingRadio {
    package func counts() async -> RadioCounts? {
        if case .air(let air) = medium { air.counts() } else { nil }
    }
}

// MARK: - Faults

extension HCIRadio: FaultInjectingRadio {
    package nonisolated var injectsFaults: Bool { name == "virtual" }

    package func endConnections(
        of name: String, with peer: String?, _ reason: DisconnectionReason
    ) async -> [String]? {
        guard case .air(let air) = medium else { return nil }
        return air.endConnections(of: name, with: peer, HCIStatus(reason))?.map(\.description)
    }

    package func setMuted(_ isMuted: Bool, _ beacon: BeaconIdentifier) async {
        peripheral.setMuted(isMuted, beacon)
    }

    package func setPowered(_ isPowered: Bool, _ beacon: BeaconIdentifier) async {
        peripheral.setPowered(isPowered, beacon)
    }

    package func setPowered(_ isPowered: Bool) async {
        guard case .air = medium, !isClosed, isPowered != peripheral.isPowered else { return }
        if isPowered {
            continuation.yield(.ready(capabilities))
            peripheral.powerOn()
        } else {
            let error = RadioError(
                .poweredOff, "the radio was switched off", hint: "switch it on again (beaconry ctl radio on)")
            continuation.yield(.lost(error))
            peripheral.powerOff(error)
        }
    }
}

extension HCIRadio: ReasonedDisconnectionRadio {
    package func disconnect(central: String, reason: DisconnectionReason) async throws(RadioError) {
        guard !reason.isLoss else {
            throw RadioError(
                .unsupported, "\(name) cannot lose connections on purpose (\(reason.rawValue))",
                hint: "choose another --reason, or run on the virtual air (--radio virtual)")
        }
        peripheral.disconnect(central, reason: HCIStatus(reason))
    }
}
