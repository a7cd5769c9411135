// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Concurrency
import HCI
package import HostStack
import NIOCore
import NIOPosix
package import Radio
package import Space

/// A radio on a virtual air of its own, in the time of the current simulation, if there is one.
///
/// Every beacon has a controller of its own on the air, and so have the central, receivers of this process (`addListener`)
/// and other hosts (`addHost`). Foreign hosts join through servers (`VirtualAirOptions.servers`, `serveReceiver`).
package actor VirtualAirRadio: HostStackRadio {
    package nonisolated let name = RadioCapabilities.virtualName
    package nonisolated let events = RadioEvents()
    package let sides: RadioSides
    nonisolated private let loop: any EventLoop
    nonisolated private let airSeed: UInt64
    nonisolated private let airPlaces: AirPlaces
    private let air: VirtualAir
    /// The radios of other hosts on the air.
    private var added: [HCIRadio] = []
    private var listeners: [String: HostIdentifier] = [:]
    /// The number of the next listener: identifiers are not used again.
    private var nextListener = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - reason: why the air is virtual; `nil` if it was requested.
    ///   - capture: the sink of the HCI traffic, as a btsnoop file.
    ///   - ledger: the record of what must be cleaned up after a crash.
    package init(
        _ options: VirtualAirOptions, reason: String? = nil, capture: (any CaptureSink)? = nil,
        ledger: (any RadioLedger)? = nil
    ) {
        let loop: any EventLoop =
            Simulation.current.map(SimulatedEventLoop.init) ?? MultiThreadedEventLoopGroup.singleton.next()
        self.loop = loop
        let clock = LoopClock(loop, rate: options.rate)
        let captures = PacketCaptures(capture)
        let (rate, beginning) = (options.rate, clock.beginning)
        airPlaces = AirPlaces { Double((loop.now - beginning).nanoseconds) * 1e-9 * rate }
        let air = VirtualAir(
            options, reason: reason, clock: clock, captures: captures, places: airPlaces, ledger: ledger)
        self.air = air
        airSeed = air.seed
        // The air captures what passes between all hosts and controllers on it.
        let hosts = ControllerHosts(clock: clock, seed: Simulation.current == nil ? nil : air.seed)
        sides = RadioSides(
            "virtual", hosts: hosts, captures: captures, air: air, central: .central,
            LEHostConfiguration(maximumTransmissionUnit: 517), centralMTU: options.central.maximumTransmissionUnit,
            events: events)
    }

    /// The forecast for beacons: all fit, as requested.
    package static func forecast(_ beacons: [HostedBeacon]) -> RadioForecast {
        RadioForecast(
            capabilities: VirtualAir.capabilities(reason: nil, beacons: 0, servers: []),
            fitting: min(beacons.count, VirtualAir.capacity), obstacle: nil, warnings: [:])
    }

    // MARK: - Opening and closing

    package func openControllers(waits: Bool) async throws(RadioError) {
        try await air.open { [events] in events.yield($0) }
    }

    package func openCentralController(waits: Bool) async throws(RadioError) {
        try await openControllers(waits: waits)
        let central = sides.central
        guard sides.hosts[central.identifier] == nil else { return }
        let host = central.addHost(sides.configuration)
        _ = try await sides.untilReady(central.identifier) { air.start(host) }.get()
    }

    package func noteReady(_ controller: LEHostCapabilities) {}

    package func hint(for failure: LEHostFailure) -> String { failure.hint }

    package var hintAfterEnd: String { "see the reason" }

    /// The controllers of the air are in this process.
    package func lose(_ error: RadioError, of host: HostIdentifier) {}

    package func close() async {
        guard sides.close() else { return }
        for host in added { await host.close() }
        added = []
        sides.end()
        sides.hosts.removeAll()
        await air.close()
        // Links own their radio, and the responder may own an owner of the radio.
        sides.peripheral.releaseAll()
        sides.events.finish()
    }

    package var capabilities: RadioCapabilities { air.capabilities(beacons: sides.peripheral.count) }

    package var centralAddress: BluetoothAddress? { nil }

    /// Sets a function that is called after each wake-up of the air with the delay of the first event that was due.
    package func observeWakeUps(_ observe: @escaping @Sendable (Duration) -> Void) { air.observeWakeUps(observe) }

    /// Adds a server to the capabilities: one through which other programs use a host of this process.
    /// - Parameters:
    ///   - server: its address, `esphome:127.0.0.1:6053`.
    ///   - host: the name of its host.
    package func announce(_ server: String, of host: String) { air.announce(server, of: host) }

    // MARK: - Hosts of this process

    /// Adds a host, and opens the air if necessary.
    ///
    /// The host has one controller and one address. The radio that is returned is its central side, which is open, and its
    /// peripheral side, after `open(_:waits:attributes:)`; advertisements that request the address of the host are sent from
    /// it, others from addresses of their own. The returned radio ends with its own `close()`, or when this radio
    /// closes.
    /// - Throws: `RadioError` `.refused` if another host has the address; or if the air cannot be opened.
    package func addHost(_ host: AirHost) async throws(RadioError) -> HCIRadio {
        guard !sides.isClosed else { throw .closed }
        receiveNotices()
        try await openControllers(waits: false)
        // The radios share the executor.
        added.removeAll { radio in radio.assumeIsolated { $0.sides.isClosed } }
        let radio = HCIRadio(host, on: NIOLoopBound(air, eventLoop: loop), loop: loop)
        added.append(radio)
        _ = try await radio.openCentral(waits: false)
        return radio
    }

    // MARK: - The central

    package func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        try await openAsCentral(waits: waits)
    }

    package func states() -> AsyncStream<CentralRadioState> { sides.central.state.stream }

    package func scan(_ parameters: ScanParameters) throws(RadioError) -> AsyncStream<Sighting> {
        try sides.central.scan(parameters)
    }

    package func stopScanning() { sides.central.stopScanning() }

    package func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        try await connect(sides.central, to: device, timeout: timeout)
    }

    package func storeBonds(in store: any BondStore, as central: BeaconIdentifier) {
        sides.central.setStore(store, as: central)
    }

    package func setSecurityRequestHandler(_ handler: SecurityRequestHandler) {
        sides.central.setSecurityRequestHandler(handler)
    }

    package func forgetBond(with device: RemoteAddress) { sides.central.forgetBond(with: device) }
}

// MARK: - Receivers of this process

extension VirtualAirRadio: ListeningRadio {
    /// The maximum number of receivers of this process.
    private static let listenerLimit = 1000

    package nonisolated var seed: UInt64 { airSeed }

    package func addListener(
        _ name: String, motion: Motion?, hardware: ReceiverHardware
    ) async throws(RadioError) {
        guard !sides.isClosed else { throw .closed }
        receiveNotices()
        try await openControllers(waits: false)
        guard !air.hasName(name), listeners[name] == nil else { throw .taken(name) }
        guard listeners.count < Self.listenerLimit else {
            throw RadioError(
                .refused, "\(Self.listenerLimit) receivers listen on this air already",
                hint: "remove those that are not needed")
        }
        let identifier = HostIdentifier.receiver(nextListener)
        nextListener += 1
        listeners[name] = identifier
        sides.addReceiver(name, on: identifier)
        // The host is part of this radio's state in the closure only: Swift 6.2 does not see that a local one is.
        let outcome = await sides.untilReady(identifier) {
            if let host = sides.receiver(identifier)?.addHost(sides.configuration) {
                air.start(host, listener: name, motion: motion, hardware: hardware)
            }
        }
        if case .failure(let error) = outcome {
            removeListener(name)
            throw error
        }
    }

    private func side(of listener: String) throws(RadioError) -> CentralHost {
        guard let side = listeners[listener].flatMap(sides.receiver) else {
            throw RadioError(.refused, "there is no receiver \(listener)", hint: "add it first")
        }
        return side
    }

    package func scan(_ parameters: ScanParameters, as listener: String) throws(RadioError) -> AsyncStream<Sighting> {
        try side(of: listener).scan(parameters)
    }

    package func scan(_ parameters: ScanParameters, as listener: String, to sink: SightingSink) throws(RadioError) {
        try side(of: listener).scan(parameters, to: sink)
    }

    package func stopScanning(as listener: String) { try? side(of: listener).stopScanning() }

    package func connect(
        to device: RemoteAddress, as listener: String, timeout: Duration
    ) async throws(RadioError) -> any RemoteLink {
        try await connect(try side(of: listener), to: device, timeout: timeout)
    }

    package func removeListener(_ name: String) {
        guard let identifier = listeners.removeValue(forKey: name) else { return }
        let error = RadioError(.refused, "the receiver \(name) was removed", hint: "add it again")
        sides.removeReceiver(identifier)?.end(error)
        sides.finishOpening(of: identifier, .failure(error))
        sides.hosts.remove(identifier)
        air.forget(listener: name)
    }
}

// MARK: - Positions

extension VirtualAirRadio: PositioningRadio {
    package nonisolated var places: AirPlaces? { airPlaces }

    package func move(_ name: String, to position: Position) async -> Bool {
        air.move(name, .rest(position), isBeacon: sides.peripheral.has(BeaconIdentifier(name)))
    }

    package func walk(_ name: String, through places: [Position], over duration: Duration) async -> Motion? {
        guard let motion = air.path(through: places, over: duration) else { return nil }
        return air.move(name, motion, isBeacon: sides.peripheral.has(BeaconIdentifier(name))) ? motion : nil
    }

    package func serveReceiver(
        _ name: String, motion: Motion?, hardware: ReceiverHardware
    ) async throws(RadioError) -> AirReceiver {
        try await air.addReceiver(name, motion: motion, hardware: hardware) { [events] in events.yield($0) }
    }

    package func removeReceiver(_ name: String) async -> AirReceiver? { await air.removeReceiver(name) }

    package func namedReceivers() async -> [AirReceiver] { air.namedReceivers() }

    package func setMotion(_ motion: Motion?, ofReceiver receiver: String) async -> Bool {
        air.setMotion(motion, ofReceiver: receiver)
    }

    package func setHardware(_ hardware: ReceiverHardware, ofReceiver receiver: String) async -> Bool {
        air.setHardware(hardware, ofReceiver: receiver)
    }

    package func position(of name: String) async -> Position? { air.position(of: name) }

    package func members() async -> [AirMember] { air.members() }

    package func paths(to receiver: String?) async -> [AirPath] { air.paths(to: receiver) }

    package func propagation() async -> Propagation { air.propagation }

    package func setPropagation(_ propagation: Propagation) async { air.setPropagation(propagation) }

    package func levelsAtOneMetre() async -> [String: Double] { air.levelsAtOneMetre() }

    package func overrideLink(_ one: String, _ other: String, _ override: LinkOverride?) async -> String? {
        air.overrideLink(one, other, override)
    }
}

extension VirtualAirRadio: PhaseDrawingRadio {
    package func setDrawsPhases(_ drawsPhases: Bool) async { air.setDrawsPhases(drawsPhases) }
}

extension VirtualAirRadio: CountingRadio {
    package func counts() async -> RadioCounts? { air.counts() }
}

// MARK: - Faults

extension VirtualAirRadio: FaultInjectingRadio {
    package func endConnections(
        of name: String, with peer: String?, _ reason: DisconnectionReason
    ) async -> [String]? {
        air.endConnections(of: name, with: peer, HCIStatus(reason))?.map(\.description)
    }

    package func setMuted(_ isMuted: Bool, _ beacon: BeaconIdentifier) async {
        if sides.peripheral.has(beacon) { air.setMuted(isMuted, beacon) }
    }

    package func setFault(_ fault: ConnectionFault, _ beacon: BeaconIdentifier) async {
        if sides.peripheral.has(beacon) { air.setFault(fault, beacon) }
    }

    package func failingConnections(to beacon: BeaconIdentifier) async -> Int { air.failingConnections(to: beacon) }

    package func setPowered(_ isPowered: Bool, _ beacon: BeaconIdentifier) async {
        sides.peripheral.setPowered(isPowered, beacon)
    }

    package func setPowered(_ isPowered: Bool) async {
        guard !sides.isClosed, isPowered != air.isPowered else { return }
        air.setPowered(isPowered)
        if isPowered {
            sides.events.yield(.ready(capabilities))
            sides.peripheral.powerOn()
        } else {
            let error = RadioError(
                .poweredOff, "the radio was switched off", hint: "switch it on again (beaconry ctl radio on)")
            sides.events.yield(.lost(error))
            sides.peripheral.powerOff(error)
        }
    }
}
