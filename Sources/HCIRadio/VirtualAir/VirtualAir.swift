// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import NIOCore
import Radio
import Space
import VirtualRadio

/// The virtual air of a radio, with the doors for hosts of other programs.
///
/// It lives on the event loop of the radio.
final class VirtualAir {
    /// The maximum number of beacons, beyond practical use.
    static let capacity = 65_536

    /// Why the air is virtual; `nil` if it was requested.
    let reason: String?
    /// The seed of its random numbers: the one given, or a random one.
    let seed: UInt64
    /// How the RSSI of a packet comes about, with the walls.
    private(set) var propagation: Propagation
    private let options: VirtualAirOptions
    private let clock: LoopClock
    private let captures: PacketCaptures
    private var air: LiveAir?
    /// Is called with the events of the open air.
    private var report: (@Sendable (RadioEvent) -> Void)?
    /// Where the controllers and the hosts of servers are.
    private let places: AirPlaces
    /// The record of what must be cleaned up after a crash; `nil` without one.
    private let ledger: (any RadioLedger)?
    /// The open doors, each with the controllers for its hosts; the doors of the options come first.
    private var entrances: [(door: any AirDoor, controllers: ServedControllers)] = []
    /// The names of the receivers that were added while the air was open.
    private var added: Set<String> = []
    /// The names of receivers whose doors are about to open.
    private var pending: Set<String> = []
    /// The addresses of servers that hosts of this process run, with the names of the hosts.
    private var announced: [(server: String, host: String)] = []
    /// Whether the beacons have power; without it none has a controller.
    private(set) var isPowered = true
    /// The hardware of beacons, which outlasts their controllers. One without an entry is on, at no position.
    private var hardware: [BeaconIdentifier: BeaconHardware] = [:]
    /// The addresses of other hosts of this process, by their names on the air; some may have left.
    private var hosts: [String: BluetoothAddress] = [:]

    /// An air that is not open yet.
    init(
        _ options: VirtualAirOptions, reason: String?, clock: LoopClock, captures: PacketCaptures, places: AirPlaces,
        ledger: (any RadioLedger)? = nil
    ) {
        self.places = places
        self.ledger = ledger
        self.options = options
        self.reason = reason
        self.clock = clock
        self.captures = captures
        seed = options.seed ?? VirtualAirOptions.randomSeed()
        propagation = options.propagation
    }

    /// Begins the air, and serves controllers on it.
    /// - Parameter report: called with events on the air's event loop.
    /// - Throws: `RadioError` `.cannotServe` if a port is in use, or if the kernel does not take a controller.
    func open(report: @escaping @Sendable (RadioEvent) -> Void) async throws(RadioError) {
        guard self.air == nil else { return }
        let air = LiveAir(
            Air(
                AirConfiguration(
                    seed: seed, timing: options.timing, propagation: propagation),
                // In virtual time a run can be repeated with the seed that it reports.
                numbers: options.seed == nil && !(clock.loop is SimulatedEventLoop)
                    ? SystemRandomNumberGenerator() : nil),
            clock: clock, captures: captures, places: places)
        self.air = air
        self.report = report
        var reported = Duration.zero
        air.onLostTime = { lost in
            // The first second, and then each time that it is twice as much.
            guard lost >= max(.seconds(1), reported * 2) else { return }
            reported = lost
            report(.warning(nil, Self.isLate(lost)))
        }
        if let replay = options.replay {
            air.onReplayEnd = { report(.replayEnded(packets: $0)) }
            air.replay(replay)
            for warning in replay.warnings { report(.warning(nil, warning)) }
        }
        DiscoveryFile.removeLeftovers(ledger)
        for server in options.servers {
            let door = try await open(server, on: air, report: report)
            if door.isExposed { report(.warning(nil, Self.exposed(door.address))) }
        }
    }

    /// Opens the door of a server.
    private func open(
        _ server: VirtualAirOptions.Server, on air: LiveAir, report: @escaping @Sendable (RadioEvent) -> Void
    ) async throws(RadioError) -> any AirDoor {
        let entrance = AirEntrance(
            air: air, controllers: ServedControllers(server, on: air),
            receiver: { [weak self] in self?.controllers(of: $0).first }, writesDiscovery: server.writesDiscovery,
            ledger: ledger, report: report)
        let door = try await entrance.open(server.place)
        // The air may have ended meanwhile.
        guard self.air != nil else {
            await door.close()
            throw .closed
        }
        entrances.append((door, entrance.controllers))
        if let name = server.name { places.setServer(name, entrance.controllers.motion) }
        return door
    }

    private static func isLate(_ lost: Duration) -> Warning {
        Warning(
            code: "air-late",
            message:
                "this machine is too slow for the virtual air: \(lost.components.seconds) s of its time were left out so far, in "
                + "which nothing was sent",
            hint:
                "run fewer beacons or receivers, or longer intervals; with --rate max the air takes the time that it needs"
        )
    }

    private static func exposed(_ server: String) -> Warning {
        Warning(
            code: "air-exposed",
            message:
                "\(server) listens beyond this machine: every host that reaches it is on the air, and may connect to the "
                + "beacons and configure them",
            hint: "listen on 127.0.0.1 or unix:PATH, or restrict access with a firewall")
    }

    /// Starts the host of a beacon on a controller of its own, unless the beacon has no power.
    func start(_ host: ControllerHost, for beacon: HostedBeacon) {
        let hardware = hardware[beacon.identifier] ?? BeaconHardware()
        guard let air, isPowered, hardware.isPowered else { return }
        let configuration = ControllerConfiguration(
            beacon, motion: hardware.motion, spare: air.makePublicAddress())
        host.start(on: AirLink(air, configuration, user: host))
        if hardware.isMuted { air.setMuted(true, configuration.name) }
    }

    /// Starts the host of the central on a controller of its own.
    func start(_ host: ControllerHost) {
        start(host, receiver: options.central.name, motion: options.central.motion, hardware: options.central.hardware)
    }

    /// Starts the host of a receiver of this process on a controller of its own.
    func start(_ host: ControllerHost, listener name: String, motion: Motion?, hardware: ReceiverHardware) {
        guard let air else { return }
        // Beside the hosts of a server, which may have moved.
        let motion = name.serverOfHosts.flatMap { controllers(of: $0).first }.map(\.motion) ?? motion
        let configuration = ControllerConfiguration(
            publicAddress: air.makePublicAddress(), name: name, motion: motion, hardware: hardware)
        hosts[name] = configuration.publicAddress
        host.start(on: AirLink(air, configuration, user: host))
    }

    /// Forgets a receiver of this process, whose host has left.
    func forget(listener name: String) { hosts[name] = nil }

    /// Starts the host of a receiver on a controller of its own.
    /// - Parameters:
    ///   - name: its name on the air.
    ///   - motion: how it moves; `nil` is 1 m from every beacon.
    ///   - hardware: the hardware of its receiver.
    func start(_ host: ControllerHost, receiver name: String, motion: Motion?, hardware: ReceiverHardware) {
        guard let air else { return }
        let configuration = ControllerConfiguration(
            publicAddress: air.makePublicAddress(), name: air.freeName(name), motion: motion, hardware: hardware)
        host.start(on: AirLink(air, configuration, user: host))
    }

    /// Puts a host of this process on the air, with a controller of its own.
    /// - Throws: `RadioError` `.refused` if another such host has the address, or the air has ended.
    func join(_ host: AirHost, user: any ControllerLinkUser) throws(RadioError) -> any ControllerLink {
        guard let air else { throw .closed }
        let address = host.address ?? host.derivedAddress
        if let other = hosts.first(where: { $0.value == address && air.hasController(named: $0.key) })?.key {
            throw RadioError(
                .refused, "the address \(address) of \(host.name) is already the address of \(other)",
                hint: "give each host an address of its own")
        }
        let configuration = ControllerConfiguration(
            publicAddress: address, name: air.freeName(host.name), motion: host.motion, hardware: host.hardware)
        hosts[configuration.name] = address
        let link = AirLink(air, configuration, user: user)
        if let service = host.service, let report {
            link.reporter = HostReporter(configuration, transport: service, peer: host.name) { report(.host($0)) }
        }
        return link
    }

    /// Adds a server in front of a host of this process to the capabilities.
    func announce(_ server: String, of host: String) { announced.append((server, host)) }

    /// The address of the server of each receiver, by its name; the first if several have it.
    private var receivers: [String: String] {
        let served = entrances.compactMap { door, controllers in controllers.name.map { ($0, door.address) } }
        return Dictionary(served + announced.map { ($0.host, $0.server) }) { first, _ in first }
    }

    /// Seconds on the air in a second of real time.
    var rate: Double { options.rate }

    /// Whether another definition of a beacon needs another controller; a motion can be changed.
    func needsNewController(_ former: HostedBeacon, _ new: HostedBeacon) -> Bool {
        former.site.measuredPower != new.site.measuredPower
            || former.site.scanResponsePower != new.site.scanResponsePower
            || former.site.transmitPower != new.site.transmitPower
            || (hardware[new.identifier]?.motion == nil) != (new.site.motion == nil) || former.address != new.address
    }

    /// Takes how a beacon moves from its definition, which has its latest move, for its next controller.
    func place(_ beacon: HostedBeacon) {
        guard beacon.site.motion != hardware[beacon.identifier]?.motion else { return }
        hardware[beacon.identifier, default: BeaconHardware()].motion = beacon.site.motion
    }

    /// The same, and moves the beacon if it has a controller.
    func setMotion(of beacon: HostedBeacon) {
        let former = hardware[beacon.identifier]?.motion
        place(beacon)
        guard let motion = beacon.site.motion, motion != former else { return }
        _ = air?.setMotion(motion, of: beacon.identifier.name)
    }

    /// Moves a beacon or a host, and the hosts of a receiver; `false` if nothing on the air has this name.
    /// - Parameter isBeacon: whether it is the name of a beacon, which may have no power.
    func move(_ name: String, _ motion: Motion, isBeacon: Bool) -> Bool {
        if isBeacon { hardware[BeaconIdentifier(name), default: BeaconHardware()].motion = motion }
        let isReceiver = setMotion(motion, ofReceiver: name)
        let isOnAir = air?.setMotion(motion, of: name) ?? false
        _ = air?.setMotion(motion, of: name.besideHosts)
        return isOnAir || isReceiver || isBeacon
    }

    // MARK: - The hardware of beacons

    /// Mutes a beacon, or ends that.
    func setMuted(_ isMuted: Bool, _ beacon: BeaconIdentifier) {
        hardware[beacon, default: BeaconHardware()].isMuted = isMuted
        air?.setMuted(isMuted, beacon.name)
    }

    /// Lets the next connections to a beacon fail. A beacon that loses its power loses this.
    func setFault(_ fault: ConnectionFault, _ beacon: BeaconIdentifier) { air?.setFault(fault, of: beacon.name) }

    /// The number of connections to a beacon that will fail.
    func failingConnections(to beacon: BeaconIdentifier) -> Int { air?.failingConnections(of: beacon.name) ?? 0 }

    /// Cuts or restores the power of a beacon, for its next controller.
    /// - Returns: whether that is a change.
    func setPowered(_ isPowered: Bool, _ beacon: BeaconIdentifier) -> Bool {
        guard isPowered != hardware[beacon]?.isPowered ?? true else { return false }
        hardware[beacon, default: BeaconHardware()].isPowered = isPowered
        return true
    }

    /// Cuts or restores the power of all beacons, for their next controllers.
    func setPowered(_ isPowered: Bool) { self.isPowered = isPowered }

    /// Forgets a beacon that is not there any more.
    func forget(_ beacon: BeaconIdentifier) { hardware[beacon] = nil }

    /// A path through places from now on; `nil` if the air has ended, or without places.
    func path(through places: [Position], over duration: Duration) -> Motion? {
        air.flatMap { Motion.Path(through: places, from: $0.seconds, over: duration) }.map(Motion.path)
    }

    /// Changes how the hosts of a receiver move; `false` if no server and no host of this process has this name.
    func setMotion(_ motion: Motion?, ofReceiver receiver: String) -> Bool {
        let controllers = controllers(of: receiver)
        for each in controllers { each.setMotion(motion) }
        let isHost = hosts[receiver] != nil && air?.setMotion(motion, of: receiver) == true
        _ = air?.setMotion(motion, of: receiver.besideHosts)
        return !controllers.isEmpty || isHost
    }

    /// Replaces the hardware of a receiver; `false` if no server and no host of this process has this name.
    func setHardware(_ hardware: ReceiverHardware, ofReceiver receiver: String) -> Bool {
        let controllers = controllers(of: receiver)
        for each in controllers { each.setHardware(hardware) }
        let isHost = hosts[receiver] != nil && air?.setHardware(hardware, of: receiver) == true
        return !controllers.isEmpty || isHost
    }

    /// The controllers of the doors with this name.
    private func controllers(of receiver: String) -> [ServedControllers] {
        entrances.map(\.controllers).filter { $0.name == receiver }
    }

    // MARK: - Receivers

    /// Adds a receiver: a server of its own, at a free port of 127.0.0.1.
    /// - Parameter report: called with events of its hosts on the air's event loop.
    /// - Throws: `RadioError` `.refused` if something on the air has the name, `.unsupported` in virtual time, or
    ///   `.cannotServe`.
    func addReceiver(
        _ name: String, motion: Motion?, hardware: ReceiverHardware, report: @escaping @Sendable (RadioEvent) -> Void
    ) async throws(RadioError) -> AirReceiver {
        guard let air else { throw .closed }
        guard !(air.loop is SimulatedEventLoop) else {
            throw RadioError(
                .unsupported, "hosts of other processes have clocks of their own, which virtual time does not control",
                hint:
                    "start the run without --rate, or with a number and a server (--rate 10 --hci-server tcp:127.0.0.1:0)"
            )
        }
        guard added.count + pending.count < VirtualAirOptions.addedReceivers else {
            throw RadioError(
                .refused, "\(VirtualAirOptions.addedReceivers) receivers were added to this air already",
                hint: "remove those that are not needed (beaconry ctl receiver remove NAME)", isTemporary: true)
        }
        guard !hasName(name), pending.insert(name).inserted else { throw .taken(name) }
        defer { pending.remove(name) }
        var server = VirtualAirOptions.Server.local(name: name, motion: motion)
        server.hardware = hardware
        let door = try await open(server, on: air, report: report)
        added.insert(name)
        return AirReceiver(
            name: name, server: door.address, hosts: [], position: motion?.position(atSeconds: air.seconds),
            hardware: hardware)
    }

    /// Whether something on the air has a name, or will have it.
    func hasName(_ name: String) -> Bool {
        air?.hasController(named: name) == true || receivers[name] != nil || pending.contains(name)
    }

    /// Removes a receiver that was added while the air was open; `nil` if there is none.
    func removeReceiver(_ name: String) async -> AirReceiver? {
        guard added.remove(name) != nil, let index = entrances.lastIndex(where: { $0.controllers.name == name }) else {
            return nil
        }
        let (door, controllers) = entrances.remove(at: index)
        let receiver = AirReceiver(
            name: name, server: door.address, hosts: controllers.hosts, position: controllers.position,
            hardware: controllers.hardware)
        await door.close()
        controllers.removeHosts()
        places.setServer(name, nil)
        return receiver
    }

    /// The servers with names, in the order of their names.
    func namedReceivers() -> [AirReceiver] {
        receivers.sorted { $0.key < $1.key }.map { name, server in
            let controllers = controllers(of: name)
            let isHost = hosts[name] != nil && air?.hasController(named: name) == true
            return AirReceiver(
                name: name, server: server, hosts: isHost ? [name] : controllers.flatMap(\.hosts).sorted(),
                position: isHost ? air?.position(of: name) : controllers.first?.position,
                hardware: (isHost ? air?.hardware(of: name) : controllers.first?.hardware) ?? ReceiverHardware())
        }
    }

    /// The present position of a beacon or a host; `nil` if nothing on the air has this name, or it has none.
    func position(of name: String) -> Position? { air?.position(of: name) }

    /// Everything on the air, but for receivers beside the hosts of servers.
    func members() -> [AirMember] { (air?.members() ?? []).filter { $0.name.serverOfHosts == nil } }

    /// What has happened on the air so far; `nil` while it is not open.
    func counts() -> RadioCounts? { air?.counts() }

    /// The paths from all that advertise to all that scan.
    func paths(to receiver: String?) -> [AirPath] {
        guard let air else { return [] }
        let paths = air.paths(to: receiver)
        // A receiver beside the hosts of a server has their name, where no host scans.
        let scanners = Set(paths.map(\.receiver))
        let beside = receiver.map { air.paths(to: $0.besideHosts) } ?? paths.filter { $0.receiver.serverOfHosts != nil }
        return paths.filter { $0.receiver.serverOfHosts == nil }
            + beside.compactMap { path in
                path.receiver.serverOfHosts.flatMap { scanners.contains($0) ? nil : path.received(as: $0) }
            }
    }

    /// Begins or ends the time in which beacons get a phase (see `Air.setDrawsPhases`).
    func setDrawsPhases(_ drawsPhases: Bool) { air?.setDrawsPhases(drawsPhases) }

    /// Replaces the model of the RSSI from now on.
    func setPropagation(_ propagation: Propagation) {
        self.propagation = propagation
        air?.setPropagation(propagation)
    }

    /// The mean RSSI in dBm, 1 m away, of everything that advertises, by its name.
    func levelsAtOneMetre() -> [String: Double] { air?.levelsAtOneMetre() ?? [:] }

    /// Overrides the path between a beacon and a host; `nil` removes the override.
    /// - Returns: the name that nothing on the air has; `nil` if both have been found.
    func overrideLink(_ one: String, _ other: String, _ override: LinkOverride?) -> String? {
        guard let air else { return one }
        let missing = air.overrideLink(one, other, override)
        // The receiver beside the hosts has the same path.
        let ends = [(one.besideHosts, other), (one, other.besideHosts)]
        let hasBeside = ends.contains { air.overrideLink($0, $1, override) == nil }
        return hasBeside ? nil : missing
    }

    /// Ends connections (see `LiveAir.endConnections`).
    func endConnections(of name: String, with peer: String?, _ reason: HCIStatus) -> [BluetoothAddress]? {
        air?.endConnections(of: name, with: peer, reason)
    }

    /// The capabilities of the radio with this number of beacons.
    func capabilities(beacons: Int) -> RadioCapabilities {
        Self.capabilities(
            reason: reason, beacons: beacons, servers: entrances.map(\.door.address) + announced.map(\.server),
            receivers: receivers, seed: seed)
    }

    /// The capabilities of a radio on a virtual air.
    static func capabilities(
        reason: String?, beacons: Int, servers: [String], receivers: [String: String] = [:], seed: UInt64? = nil
    ) -> RadioCapabilities {
        RadioCapabilities(
            name: RadioCapabilities.virtualName, way: "controllers of our own on a virtual air",
            wayReason: reason ?? "as asked",
            address: nil, hasExtendedAdvertising: true, instances: capacity, freeInstances: capacity - beacons,
            sharesTime: false, canReadBack: true, servers: servers, receivers: receivers, seed: seed)
    }

    /// Sets a function that is called after each wake-up with the delay of the first event that was due.
    func observeWakeUps(_ observe: @escaping @Sendable (Duration) -> Void) { air?.onWakeUp = observe }

    /// Closes the doors, then ends the air.
    func close() async {
        // Doors that are about to open find that the air has ended.
        let (ending, doors) = (air, entrances.map(\.door))
        air = nil
        entrances = []
        for door in doors { await door.close() }
        ending?.close()
        added = []
        hosts = [:]
    }
}

/// The hardware of a beacon, with and without a controller.
private struct BeaconHardware {
    var isPowered = true
    /// Whether nothing that it sends is received.
    var isMuted = false
    /// How it moves; `nil` is 1 m from every receiver.
    var motion: Motion?
}

extension RadioError {
    /// The name of a receiver belongs to something else on the air.
    static func taken(_ name: String) -> RadioError {
        RadioError(
            .refused, "something on the air is named \"\(name)\" already", hint: "give the receiver another name")
    }
}
