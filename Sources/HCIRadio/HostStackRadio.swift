// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
import Concurrency
import HCI
package import HostStack
package import Radio
package import Space

/// What a radio with our own host stack consists of: a peripheral side, a central side, and their hosts.
///
/// All of it is used on the event loop of the radio, which is its executor: a controller's event and its consequences are
/// handled without a change of threads.
package final class RadioSides {
    let name: String
    let events: RadioEvents
    let hosts: ControllerHosts
    let captures: PacketCaptures
    let peripheral: PeripheralHost
    let central: CentralHost
    let timekeeper = Timekeeper(Simulation.clock)
    /// The configuration of hosts that are added from now on.
    private(set) var configuration: LEHostConfiguration
    /// The receivers on a virtual air.
    private var receivers: [HostIdentifier: CentralHost] = [:]
    /// The capabilities as a receiver; `nil` before the radio was opened as one.
    private(set) var receiving: ReceivingCapabilities?
    /// The callers of `untilReady`, by the host that each waits for.
    private var opening: [HostIdentifier: CheckedContinuation<Result<LEHostCapabilities, RadioError>, Never>] = [:]
    private(set) var isClosed = false

    /// The pause between two attempts to connect: long enough for the peer to notice the failure, and to advertise again.
    static let pauseBetweenAttempts = Duration.milliseconds(250)
    /// How long a central may take to encrypt: its user may have to confirm.
    static let securityTimeout = Duration.seconds(30)

    init(
        _ name: String, hosts: ControllerHosts, captures: PacketCaptures, air: VirtualAir? = nil,
        central: HostIdentifier, _ configuration: LEHostConfiguration, centralMTU: UInt16? = nil, events: RadioEvents
    ) {
        self.name = name
        self.hosts = hosts
        self.captures = captures
        self.configuration = configuration
        self.events = events
        peripheral = PeripheralHost(name, hosts: hosts, air: air, configuration, events: events)
        // The hosts of beacons have theirs by now.
        if let centralMTU { self.configuration.maximumTransmissionUnit = centralMTU }
        self.central = CentralHost(name, on: central, of: hosts, events: events)
    }

    /// Sets the position of hosts that are added from now on.
    func place(at position: Position) { configuration.position = position }

    /// The radio was opened as a receiver.
    func noteReceiving(_ capabilities: ReceivingCapabilities) { receiving = capabilities }

    /// Closes the radio to calls from now on.
    /// - Returns: whether it was open.
    func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }

    // MARK: - Receivers

    /// The receiver with this host.
    func receiver(_ host: HostIdentifier) -> CentralHost? { receivers[host] }

    /// Adds a receiver without a host.
    func addReceiver(_ name: String, on host: HostIdentifier) {
        receivers[host] = CentralHost(name, on: host, of: hosts, events: events)
    }

    /// Removes a receiver.
    /// - Returns: the receiver, for its end; `nil` if there is none with this host.
    func removeReceiver(_ host: HostIdentifier) -> CentralHost? { receivers.removeValue(forKey: host) }

    /// The central side with this host; `nil` if it is a beacon's.
    func side(of host: HostIdentifier) -> CentralHost? {
        if host == central.identifier { return central }
        return receivers.isEmpty ? nil : receivers[host]
    }

    func link(of connection: ConnectionIdentifier, on host: HostIdentifier) -> HCIRemoteLink? {
        if let link = side(of: host)?.link(of: connection) { return link }
        return peripheral.link(of: connection, on: host)
    }

    /// Starts a host, and waits until it is ready.
    func untilReady(
        _ host: HostIdentifier, _ start: () -> Void
    ) async -> Result<LEHostCapabilities, RadioError> {
        await withCheckedContinuation { continuation in
            opening[host] = continuation
            start()
        }
    }

    /// Whether a host is being opened.
    func isOpening(_ host: HostIdentifier) -> Bool { opening[host] != nil }

    func finishOpening(of host: HostIdentifier, _ result: Result<LEHostCapabilities, RadioError>) {
        opening.removeValue(forKey: host)?.resume(returning: result)
    }

    /// Ends everything but the links to controllers, which the radio closes afterwards.
    func end() {
        for host in opening.keys.sorted() { finishOpening(of: host, .failure(.closed)) }
        central.end(.closed)
        for (_, receiver) in receivers.sorted(by: { $0.key < $1.key }) { receiver.end(.closed) }
        peripheral.endLinks(RadioError.closed.message)
        central.state.finish()
    }
}

/// A radio with our own host stack: beacons and a central on controllers.
///
/// `HCIRadio` has one controller, from elsewhere or on the virtual air of another radio; `VirtualAirRadio` has an air, where
/// each beacon has a controller of its own. What they have in common is here; each opens its controllers and closes them.
package protocol HostStackRadio: Actor, ConnectionUpdatingRadio, ClientRadio, PairingRadio, BondStoringRadio,
    BondStoringCentralRadio, SecurityRequestRadio, ServingRadio, PlaceableCentralRadio, DirectCentralRadio,
    CapturingRadio
{
    var sides: RadioSides { get }
    /// The capabilities for beacons.
    var capabilities: RadioCapabilities { get }
    /// The address of the central; `nil` if it is not known.
    var centralAddress: BluetoothAddress? { get }

    /// Opens what beacons need.
    func openControllers(waits: Bool) async throws(RadioError)
    /// Opens the controller of the central.
    func openCentralController(waits: Bool) async throws(RadioError)
    /// Notes that the controller of a host is ready. Called before `untilReady` returns.
    func noteReady(_ controller: LEHostCapabilities)
    /// The hint of the error when a host has failed.
    func hint(for failure: LEHostFailure) -> String
    /// The hint of the error when the controller is lost.
    var hintAfterEnd: String { get }
    /// Notes that the controller of an open host is lost.
    func lose(_ error: RadioError, of host: HostIdentifier)
}

extension HostStackRadio {
    // MARK: - Opening

    package func open(
        _ beacons: [HostedBeacon], waits: Bool, attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities {
        sides.peripheral.setAttributes(attributes)
        receiveNotices()
        do throws(RadioError) {
            try await openControllers(waits: waits)
            try requireRoom(for: beacons)
            sides.peripheral.replace(with: beacons)
        } catch {
            await close()
            throw error
        }
        return capabilities
    }

    /// Opens the radio as a receiver; one that is open already returns its capabilities again.
    func openAsCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        if let receiving = sides.receiving { return receiving }
        receiveNotices()
        do throws(RadioError) {
            try await openCentralController(waits: waits)
        } catch {
            await close()
            throw error
        }
        let opened = ReceivingCapabilities(name: name, way: "our own host stack", address: centralAddress)
        sides.noteReceiving(opened)
        return opened
    }

    package func place(at position: Position) { sides.place(at: position) }

    package var isPlaced: Bool {
        // On one controller, the central and the beacons share a host; on a virtual air each has its own.
        sides.hosts[sides.central.identifier]?.read { $0.capabilities?.isAtPosition == true } ?? false
    }

    func receiveNotices() {
        sides.hosts.onNotice = { [weak self, weak sides] notice, host in
            // Most notices are these, which need nothing of the actor: its check would take as long as what follows.
            if case .event(.scanReport(let report, let identity)) = notice, let side = sides?.side(of: host) {
                return side.receive(report, identity: identity)
            }
            // Hosts live on the event loop, which is this actor's executor.
            self?.assumeIsolated { $0.take(notice, of: host) }
        }
    }

    package func beginCapture(_ sink: any CaptureSink) async -> Int { sides.captures.begin(sink) }

    package func endCapture(_ number: Int) async { sides.captures.end(number) }

    // MARK: - Beacons and their centrals

    package func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {
        try requireRoom(for: beacons)
        var replacement = sides.peripheral.replacement(by: beacons)
        // The run changes its beacons one change after the other; other work is done between the parts of a large one.
        while sides.peripheral.proceed(&replacement), !sides.isClosed { _ = await LongWork.pause() }
    }

    private func requireRoom(for beacons: [HostedBeacon]) throws(RadioError) {
        if let obstacle = capabilities.obstacle(to: beacons.count) { throw obstacle }
    }

    package func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) {
        sides.peripheral.advertise(advertisement, for: beacon)
    }

    package func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) {
        sides.peripheral.notify(value, of: characteristic, on: beacon, to: central)
    }

    package func updateConnection(of central: String, to parameters: ConnectionParameters) {
        sides.peripheral.updateConnection(of: central, to: parameters)
    }

    package func disconnect(central: String) { sides.peripheral.disconnect(central) }

    package func link(to central: String) throws(RadioError) -> any RemoteLink {
        guard let link = sides.peripheral.link(to: central) else {
            throw RadioError(.refused, "\(central) is not connected", hint: "wait until it is")
        }
        return link
    }

    package func storeBonds(in store: any BondStore) { sides.peripheral.setStore(store) }

    package func answerPairing(_ answer: PairingAnswer, of central: String) {
        sides.peripheral.answerPairing(answer, of: central)
    }

    package func requestSecurity(of central: String) { sides.peripheral.requestSecurity(of: central) }

    package func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) -> Int {
        sides.peripheral.forgetBonds(of: beacon, peer: peer)
    }

    package func scan(_ parameters: ScanParameters, to sink: SightingSink) throws(RadioError) {
        try sides.central.scan(parameters, to: sink)
    }

    package func serve(_ attributes: ServedAttributes?) throws(RadioError) { try sides.central.serve(attributes) }

    // MARK: - Connecting

    /// Connects a central side to a device (see `CentralRadio.connect`).
    func connect(
        _ side: CentralHost, to device: RemoteAddress, timeout: Duration
    ) async throws(RadioError) -> HCIRemoteLink {
        let deadline = sides.timekeeper.now() + timeout
        while true {
            do throws(CentralHost.Failure) {
                return try await attempt(side, device, until: deadline)
            } catch {
                guard error.isWorthRepeating, sides.timekeeper.now() + RadioSides.pauseBetweenAttempts < deadline,
                    await sides.timekeeper.sleep(for: RadioSides.pauseBetweenAttempts)
                else { throw error.error }
            }
        }
    }

    private func attempt(
        _ side: CentralHost, _ device: RemoteAddress, until deadline: Duration
    ) async throws(CentralHost.Failure) -> HCIRemoteLink {
        let timeout = deadline - sides.timekeeper.now()
        let number: UInt64
        do throws(RadioError) {
            number = try side.reserveAttempt(to: device)
        } catch {
            throw CentralHost.Failure(error: error)
        }
        let host = side.identifier
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // With `self`, the closures are isolated to this actor, and run on the event loop.
                self.sides.side(of: host)?.connect(to: device, within: timeout, continuation)
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
        sides.side(of: host)?.cancelAttempt(number, to: device)
    }

    /// Waits for the peer's first packet: a controller reports a connection before the peer has received a packet on it,
    /// and a little later that it could not be established (0x3E).
    private func confirm(_ link: HCIRemoteLink, until deadline: Duration) async throws(CentralHost.Failure) {
        let timer = Task {
            if await sides.timekeeper.sleep(for: deadline - sides.timekeeper.now()) { self.disconnect(link) }
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            // Exchanges the MTU first, as other centrals do, so that later values need fewer packets.
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
            guard let host = sides.hosts[link.host] else { return link.wait(for: nil, continuation) }
            // The response may come before `change` returns: the link must wait for it by then.
            host.change({ $0.start(procedure, on: link.connection) }, then: { link.wait(for: $0, continuation) })
        }
    }

    /// Reads the RSSI of a link's peer.
    func readRSSI(for link: HCIRemoteLink) async -> Result<RSSI, RemoteError> {
        await withCheckedContinuation { continuation in
            link.waitForRSSI(continuation)
            sides.hosts[link.host]?.change { $0.readRSSI(of: link.connection) }
        }
    }

    /// Encrypts a link of the central.
    func pair(
        _ settings: PairingSettings, over link: HCIRemoteLink, ask: @escaping CentralPairings.Asker
    ) async -> Result<LinkProtection, PairingError> {
        guard let side = sides.side(of: link.host) else { return .failure(PairingError(.unsupported)) }
        if let obstacle = side.obstacleToPairing(link.connection) { return .failure(obstacle) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // With `self`, the closures are isolated to this actor, and run on the event loop.
                self.sides.side(of: link.host)?.pair(link.connection, settings, ask: ask, continuation)
                if Task.isCancelled { self.cancelPairing(over: link) }
            }
        } onCancel: {
            Task { await self.cancelPairing(over: link) }
        }
    }

    /// Whether the central has a bond with the device at the other end of a link.
    func isBonded(link: HCIRemoteLink) -> Bool { sides.side(of: link.host)?.isBonded(link.connection) ?? false }

    private func cancelPairing(over link: HCIRemoteLink) { sides.side(of: link.host)?.cancelPairing(link.connection) }

    /// Requests that the central at the other end of a link encrypt it.
    func secure(_ link: HCIRemoteLink) async -> Result<Void, RemoteError> {
        do throws(RemoteError) {
            if try sides.peripheral.secure(link) { return .success(()) }
        } catch {
            return .failure(error)
        }
        let timer = Task {
            let timeout = RadioSides.securityTimeout
            guard await sides.timekeeper.sleep(for: timeout) else { return }
            link.finishSecuring(.failure(.impossible("the central did not answer within \(timeout)")))
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            link.waitForSecurity(continuation)
            sides.peripheral.requestSecurity(over: link)
        }
    }

    /// Responds to a device's request.
    func respond(to request: ServedRequest, of link: HCIRemoteLink, _ response: AttributeResponse) {
        sides.hosts[link.host]?.change { $0.respond(to: ATTToken(request.number), of: link.connection, with: response) }
    }

    /// Notifies a device of a value.
    /// - Returns: whether it is subscribed and accepts the value now.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier, over link: HCIRemoteLink) -> Bool {
        sides.central.notify(value, of: characteristic, over: link)
    }

    /// Requests other connection parameters of a link's peer.
    func update(_ link: HCIRemoteLink, to parameters: ConnectionParameters) {
        sides.hosts[link.host]?.change { $0.updateConnection(link.connection, to: parameters) }
    }

    /// Ends the connection of a link.
    func disconnect(_ link: HCIRemoteLink, _ reason: HCIStatus = .remoteUserTerminatedConnection) {
        sides.hosts[link.host]?.change { $0.disconnect(link.connection, reason: reason) }
    }

    // MARK: - Events of the hosts

    private func take(_ notice: ControllerHost.Notice, of host: HostIdentifier) {
        switch notice {
        case .event(let event): take(event, of: host)
        case .ended(let reason):
            end(RadioError(.noAdapter, "\(name) is gone: \(reason)", hint: hintAfterEnd), of: host)
        }
    }

    private func take(_ event: LEHostEvent, of host: HostIdentifier) {
        switch event {
        case .ready(let capabilities):
            // Not by the caller of `untilReady`: this must be reported before the advertisements that the host resumes.
            noteReady(capabilities)
            sides.side(of: host)?.state.set(.ready)
            sides.finishOpening(of: host, .success(capabilities))
        case .failed(let failure):
            end(RadioError(.refused, "\(name): \(failure)", hint: hint(for: failure)), of: host)
        case .completed(let connection, let token, let result):
            sides.link(of: connection, on: host)?.complete(token, result)
        case .rssi(let connection, let result): sides.link(of: connection, on: host)?.complete(result)
        case .notification(let connection, let handle, let value), .indication(let connection, let handle, let value):
            sides.link(of: connection, on: host)?.yield(RemoteNotification(handle: handle, value: value))
        default:
            if let side = sides.side(of: host), take(event, as: side) { return }
            takeAsPeripheral(event, of: host)
        }
    }

    private func end(_ error: RadioError, of host: HostIdentifier) {
        if sides.isOpening(host) { return sides.finishOpening(of: host, .failure(error)) }
        if !sides.isClosed { lose(error, of: host) }
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
                self.sides.side(of: host)?.answer(answer, to: question, on: connection)
            }
        case .securityRequested(let connection, let device, let handler):
            let host = side.identifier
            Task {
                let settings = await handler.settings(device)
                self.sides.side(of: host)?.answerSecurityRequest(settings, on: connection, handler)
            }
        }
        return true
    }

    private func takeAsPeripheral(_ event: LEHostEvent, of host: HostIdentifier) {
        switch sides.peripheral.take(event, of: host, for: self) {
        case .none: break
        case .wait(let request, let host, let response):
            Task { sides.peripheral.respond(to: request, on: host, await response()) }
        }
    }
}

extension RadioCapabilities {
    /// Why this number of beacons does not fit; `nil` if they do.
    func obstacle(to count: Int) -> RadioError? {
        guard count > instances else { return nil }
        let places = hasExtendedAdvertising ? "has \(instances) advertising sets" : "alternates between \(instances)"
        return RadioError(
            .cannotCarry, "\(instances) of \(count) beacons fit on \(name): its controller \(places)",
            hint: "run the first \(instances) beacons here, and the others on another controller")
    }
}
