// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Concurrency
import HCI
package import HostStack
import NIOCore
import NIOPosix
public import Radio

/// A radio with our own host stack on one controller: one from elsewhere, or one of its own on the virtual air of another
/// radio. Every beacon has an advertising set.
///
/// The controller is opened once, or every second until it is there. When it is lost, connections end, and it is opened
/// again every second until the radio is closed.
public actor HCIRadio: HostStackRadio {
    public nonisolated let name: String
    package nonisolated let events = RadioEvents()
    package let sides: RadioSides
    nonisolated private let loop: any EventLoop
    private let source: ControllerSource
    /// What the controller reported; `nil` before it was ready.
    private var controller: LEHostCapabilities?
    /// What other runs use; `nil` for none.
    private let ledger: (any RadioLedger)?
    /// The latest link to the controller.
    private var link: (any ControllerLink)?
    /// Why the controller was lost; `nil` while it is there.
    private var loss: RadioError?
    private var recovery: Task<Void, Never>?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// A radio on a controller from elsewhere.
    /// - Parameters:
    ///   - maximumTransmissionUnit: the ATT_MTU that it offers, 23 to 517 bytes.
    ///   - capture: the sink of the HCI traffic, as a btsnoop file.
    public init(
        _ transport: HCITransport, maximumTransmissionUnit: UInt16 = 517, capture: (any CaptureSink)? = nil
    ) {
        self.init(transport, maximumTransmissionUnit, capture, ledger: nil)
    }

    /// A radio on a controller that may take this time to reply to a command, at least 2 s.
    package init(_ transport: HCITransport, commandTimeout: Duration) {
        self.init(transport, 517, nil, ledger: nil, commandTimeout: commandTimeout)
    }

    /// A radio on a controller from elsewhere, for beacons.
    package init(_ transport: HCITransport, _ resources: RadioResources) {
        self.init(transport, 517, resources.capture, ledger: resources.ledger)
    }

    private init(
        _ transport: HCITransport, _ maximumTransmissionUnit: UInt16, _ capture: (any CaptureSink)?,
        ledger: (any RadioLedger)?, commandTimeout: Duration = .seconds(5)
    ) {
        let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let captures = PacketCaptures(capture)
        self.init(
            "\(transport)", .transport(transport), loop,
            ControllerHosts(clock: LoopClock(loop), captures: captures), captures,
            LEHostConfiguration(
                commandTimeout: commandTimeout, maximumTransmissionUnit: maximumTransmissionUnit,
                substituteAddress: .derived(from: "central/\(transport)")),
            ledger: ledger)
    }

    /// A radio on a controller of its own on the virtual air of another radio, whose event loop it shares.
    init(_ host: AirHost, on air: NIOLoopBound<VirtualAir>, loop: any EventLoop) {
        var configuration = LEHostConfiguration(maximumTransmissionUnit: 517)
        configuration.hasOneIdentity = host.hasOneIdentity
        // The air captures what passes between all hosts and controllers on it.
        self.init(
            host.name, .air(air, host), loop, ControllerHosts(clock: LoopClock(loop, rate: air.value.rate)),
            PacketCaptures(), configuration, ledger: nil)
    }

    private init(
        _ name: String, _ source: ControllerSource, _ loop: any EventLoop, _ hosts: ControllerHosts,
        _ captures: PacketCaptures, _ configuration: LEHostConfiguration, ledger: (any RadioLedger)?
    ) {
        self.name = name
        self.source = source
        self.loop = loop
        self.ledger = ledger
        sides = RadioSides(
            name, hosts: hosts, captures: captures, central: .only, configuration, events: events)
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
            obstacle: capabilities.obstacle(to: beacons.count), warnings: [:])
    }

    // MARK: - The controller

    package func openControllers(waits: Bool) async throws(RadioError) {
        var reported: RadioError?
        while true {
            do throws(RadioError) {
                // Central and peripheral side have the same controller. When it is lost, `recover` opens it again.
                if loss == nil, controller == nil { controller = try await startHost() }
                guard let loss else { return }
                throw loss
            } catch {
                guard waits, !sides.isClosed, !Task.isCancelled else { throw error }
                if loss == nil, reported != error { sides.events.yield(.lost(error)) }
                reported = error
                await sides.timekeeper.sleep(for: .seconds(1))
            }
        }
    }

    package func openCentralController(waits: Bool) async throws(RadioError) {
        try await openControllers(waits: waits)
    }

    /// Starts the host on a new link to the controller.
    private func startHost() async throws(RadioError) -> LEHostCapabilities {
        let central = sides.central
        let host = central.addHost(sides.configuration)
        let link = try await source.open(
            on: loop, user: host, known: controller?.address, ledger: ledger,
            timeout: sides.configuration.commandTimeout)
        self.link = link
        guard !sides.isClosed else {
            link.close()
            await link.restore()
            throw .closed
        }
        let result = await sides.untilReady(central.identifier) { host.start(on: link) }
        if case .failure = result { host.close() }
        return try result.get()
    }

    package func noteReady(_ found: LEHostCapabilities) {
        guard loss != nil else { return }
        // Before anything that follows, such as another loss.
        (controller, loss, recovery) = (found, nil, nil)
        sides.events.yield(.ready(capabilities))
    }

    package func hint(for failure: LEHostFailure) -> String { source.hint(for: failure, of: controller) }

    package var hintAfterEnd: String { source.hintAfterEnd }

    package func lose(_ error: RadioError, of host: HostIdentifier) {
        loss = error
        sides.events.yield(.lost(error))
        sides.central.end(error)
        sides.peripheral.lose(error)
        sides.hosts[host]?.close()
        recover()
    }

    /// Opens a lost controller again.
    private func recover() {
        guard recovery == nil, !sides.isClosed else { return }
        recovery = Task { [weak self, timekeeper = sides.timekeeper] in
            while !Task.isCancelled {
                await timekeeper.sleep(for: .seconds(1))
                if await self?.reopen() ?? true { return }
            }
        }
    }

    /// - Returns: whether no other attempt is needed.
    private func reopen() async -> Bool {
        guard !sides.isClosed else { return true }
        return (try? await startHost()) != nil
    }

    public func close() async {
        guard sides.close() else { return }
        recovery?.cancel()
        sides.end()
        // Other programs use the controller afterwards: nothing may stay on it.
        if case .transport = source { await sides.peripheral.stopAll() }
        sides.hosts.removeAll()
        await link?.restore()
        link = nil
        // Links own their radio, and the responder may own an owner of the radio.
        sides.peripheral.releaseAll()
        sides.events.finish()
    }

    // MARK: - Capabilities

    package var centralAddress: BluetoothAddress? {
        // The address of the controller, or the static random one in its place.
        controller.map { $0.address ?? sides.configuration.substituteAddress }
    }

    package var capabilities: RadioCapabilities {
        let isExtended = controller?.hasExtendedAdvertising ?? false
        // One set a beacon, or turns of the only advertiser.
        let instances = controller.map { isExtended ? $0.advertisingSets : AdvertisingSetIdentifier.range.count } ?? 0
        return RadioCapabilities(
            name: name, way: "our own host stack",
            wayReason: controller?.summary(now: link?.newName) ?? "no controller",
            address: centralAddress, hasExtendedAdvertising: isExtended, instances: instances,
            freeInstances: max(0, instances - sides.peripheral.count), sharesTime: !isExtended, canReadBack: true)
    }

    // MARK: - The central

    public func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        try await openAsCentral(waits: waits)
    }

    public func states() -> AsyncStream<CentralRadioState> { sides.central.state.stream }

    public func scan(_ parameters: ScanParameters) throws(RadioError) -> AsyncStream<Sighting> {
        try sides.central.scan(parameters)
    }

    public func stopScanning() { sides.central.stopScanning() }

    public func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        try await connect(sides.central, to: device, timeout: timeout)
    }

    public func storeBonds(in store: any BondStore, as central: BeaconIdentifier) {
        sides.central.setStore(store, as: central)
    }

    public func setSecurityRequestHandler(_ handler: SecurityRequestHandler) {
        sides.central.setSecurityRequestHandler(handler)
    }

    public func forgetBond(with device: RemoteAddress) { sides.central.forgetBond(with: device) }
}

extension HCIRadio: ReasonedDisconnectionRadio {
    package func disconnect(central: String, reason: DisconnectionReason) async throws(RadioError) {
        guard !reason.isLoss else {
            throw RadioError(
                .unsupported, "\(name) cannot lose connections on purpose (\(reason.rawValue))",
                hint: "choose another --reason, or run on the virtual air (--radio virtual)")
        }
        sides.peripheral.disconnect(central, reason: HCIStatus(reason))
    }
}
