// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import NIOCore
import Radio
import VirtualRadio

/// The virtual air of a radio, with the servers that put other hosts on it.
///
/// It lives on the event loop of the radio.
final class VirtualAir {
    /// The maximum number of beacons, beyond practical use.
    static let capacity = 65_536
    /// The maximum number of receivers that are added while the air is open: each has a server.
    private static let addedLimit = 100

    /// Why the air is virtual; `nil` if it was requested.
    let reason: String?
    /// The seed of its random numbers: the one given, or a random one.
    let seed: UInt64
    private let options: VirtualAirOptions
    private let clock: LoopClock
    private let captures: PacketCaptures
    private var air: LiveAir?
    private var servers: [AirServer] = []
    /// The controllers of the servers.
    private var served: [ServedControllers] = []
    /// The servers by the names that they were given, as in `RadioCapabilities.receivers`.
    private var receivers: [String: String] = [:]
    private var kernelControllers: [KernelController] = []
    /// The receivers that were added while the air was open, by their names.
    private var added: [String: (server: AirServer, controllers: ServedControllers)] = [:]
    /// The names of receivers whose servers are about to listen.
    private var pending: Set<String> = []
    /// The addresses of servers in front of hosts of this process.
    private var announced: [String] = []
    /// The addresses of other hosts of this process, by their names on the air; some may have left.
    private var hosts: [String: BluetoothAddress] = [:]

    /// An air that is not open yet.
    init(_ options: VirtualAirOptions, reason: String?, clock: LoopClock, captures: PacketCaptures) {
        self.options = options
        self.reason = reason
        self.clock = clock
        self.captures = captures
        // Of 32 bits: JSON's numbers are exact up to 53 bits.
        seed = options.seed ?? UInt64(UInt32.random(in: 1...UInt32.max))
    }

    /// Begins the air, and serves controllers on it.
    /// - Parameter report: called with events on the air's event loop.
    /// - Throws: `RadioError` `.cannotServe` if a port is in use, or if the kernel does not take a controller.
    func open(report: @escaping @Sendable (RadioEvent) -> Void) async throws(RadioError) {
        guard self.air == nil else { return }
        let air = LiveAir(
            Air(
                AirConfiguration(
                    seed: seed, timing: options.timing, propagation: options.propagation),
                // In virtual time a run can be repeated with the seed that it reports.
                numbers: options.seed == nil && !(clock.loop is SimulatedEventLoop)
                    ? SystemRandomNumberGenerator() : nil),
            clock: clock, captures: captures)
        self.air = air
        if let replay = options.replay {
            air.onReplayEnd = { report(.replayEnded(packets: $0)) }
            air.replay(replay)
            if let warning = replay.warning { report(.warning(nil, warning)) }
        }
        for server in options.servers {
            let controllers = ServedControllers(server, on: air)
            served.append(controllers)
            let address: String
            switch server.transport {
            case .tcp(let host, let port):
                let server = try await AirServer.start(on: host, port: port, controllers: controllers, air: air) {
                    report(.host($0))
                }
                servers.append(server)
                address = server.name
                if !server.isLocal { report(.warning(nil, Self.exposed(server.name))) }
            case .kernel:
                let controller = try KernelController(air: air, controllers.take()) { report(.host($0)) }
                kernelControllers.append(controller)
                address = Self.name(of: controller)
            }
            if let name = controllers.name { receivers[name] = receivers[name] ?? address }
        }
    }

    private static func exposed(_ server: String) -> Warning {
        Warning(
            code: "air-exposed",
            message:
                "\(server) listens beyond this machine: every host that reaches it is on the air, and may connect to the "
                + "beacons and configure them",
            hint: "listen on tcp:127.0.0.1:PORT, or restrict access with a firewall")
    }

    /// Starts a host on a controller of its own.
    /// - Parameter beacon: the beacon of the controller, which determines its address, motion and power.
    func start(_ host: ControllerHost, for beacon: HostedBeacon? = nil) {
        guard let air else { return }
        let address = air.makePublicAddress()
        let configuration =
            beacon.map { ControllerConfiguration($0, spare: address) }
            ?? ControllerConfiguration(
                publicAddress: address, name: air.freeName(options.central.name), motion: options.central.motion)
        host.start(on: AirLink(air, configuration, user: host))
    }

    /// Starts the host of a receiver on a controller of its own.
    /// - Parameters:
    ///   - name: its name on the air.
    ///   - motion: how it moves; `nil` is 1 m from every beacon.
    func start(_ host: ControllerHost, receiver name: String, motion: Motion?) {
        guard let air else { return }
        let configuration = ControllerConfiguration(
            publicAddress: air.makePublicAddress(), name: air.freeName(name), motion: motion)
        host.start(on: AirLink(air, configuration, user: host))
    }

    /// Puts a host of this process on the air, with a controller of its own.
    /// - Throws: `RadioError` `.refused` if another such host has the address, or the air has ended.
    func join(_ host: AirHost, user: any ControllerLinkUser) throws(RadioError) -> any ControllerLink {
        guard let air else { throw .closed }
        let address = host.address ?? host.derivedAddress
        if let other = hosts.first(where: { $0.value == address && air.hasController(named: $0.key) })?.key {
            throw RadioError(
                .refused, "the address \(address) of \(host.name) is that of \(other) already",
                hint: "give each host an address of its own")
        }
        let configuration = ControllerConfiguration(
            publicAddress: address, name: air.freeName(host.name), motion: host.motion, carrying: host.carrying)
        hosts[configuration.name] = address
        return AirLink(air, configuration, user: user)
    }

    /// Adds a server in front of a host of this process to the capabilities.
    func announce(_ server: String, of host: String) {
        announced.append(server)
        receivers[host] = receivers[host] ?? server
    }

    /// Seconds on the air in a second of real time.
    var rate: Double { options.rate }

    /// Whether two definitions of a beacon need different controllers; a motion can be changed.
    static func needsNewController(_ former: HostedBeacon, _ new: HostedBeacon) -> Bool {
        former.site.measuredPower != new.site.measuredPower || former.site.transmitPower != new.site.transmitPower
            || (former.site.motion == nil) != (new.site.motion == nil) || former.address != new.address
    }

    /// Changes how a beacon or a host moves; `false` if nothing on the air has this name.
    func setMotion(_ motion: Motion?, of name: String) -> Bool { air?.setMotion(motion, of: name) ?? false }

    /// Moves a beacon or a host, and the hosts of a receiver; `false` if nothing on the air has this name.
    func move(_ name: String, _ motion: Motion) -> Bool {
        let isReceiver = setMotion(motion, ofReceiver: name)
        return setMotion(motion, of: name) || isReceiver
    }

    /// A path through places from now on; `nil` if the air has ended, or without places.
    func path(through places: [Position], over duration: Duration) -> Motion? {
        air.flatMap { Motion.Path(through: places, from: $0.seconds, over: duration) }.map(Motion.path)
    }

    /// Changes how the hosts of a receiver move; `false` if no server and no host of this process has this name.
    func setMotion(_ motion: Motion?, ofReceiver receiver: String) -> Bool {
        let controllers = namedControllers.filter { $0.name == receiver }
        for each in controllers { each.setMotion(motion) }
        let isHost = hosts[receiver] != nil && air?.setMotion(motion, of: receiver) == true
        return !controllers.isEmpty || isHost
    }

    private var namedControllers: [ServedControllers] {
        (served + added.values.map(\.controllers)).filter { $0.name != nil }
    }

    // MARK: - Receivers

    /// Adds a receiver: a server of its own, at a free port of 127.0.0.1.
    /// - Parameter report: called with events of its hosts on the air's event loop.
    /// - Throws: `RadioError` `.refused` if something on the air has the name, `.unsupported` in virtual time, or
    ///   `.cannotServe`.
    func addReceiver(
        _ name: String, motion: Motion?, report: @escaping @Sendable (RadioEvent) -> Void
    ) async throws(RadioError) -> AirReceiver {
        guard let air else { throw .closed }
        guard !(air.loop is SimulatedEventLoop) else {
            throw RadioError(
                .unsupported, "hosts of other processes have clocks of their own, which virtual time does not control",
                hint:
                    "start the run without --rate, or with a number and a server (--rate 10 --hci-server tcp:127.0.0.1:0)"
            )
        }
        guard added.count + pending.count < Self.addedLimit else {
            throw RadioError(
                .refused, "\(Self.addedLimit) receivers were added to this air already",
                hint: "remove those that are not needed (beaconry ctl receiver remove NAME)")
        }
        guard !air.hasController(named: name), receivers[name] == nil, pending.insert(name).inserted else {
            throw RadioError(
                .refused, "something on the air is named \"\(name)\" already", hint: "give the receiver another name")
        }
        defer { pending.remove(name) }
        let controllers = ServedControllers(.tcp(host: "127.0.0.1", port: 0, name: name, motion: motion), on: air)
        let server = try await AirServer.start(on: "127.0.0.1", port: 0, controllers: controllers, air: air) {
            report(.host($0))
        }
        // The air may have ended meanwhile.
        guard self.air != nil else {
            await server.close()
            throw .closed
        }
        added[name] = (server, controllers)
        receivers[name] = server.name
        return AirReceiver(name: name, server: server.name, hosts: [], position: controllers.position)
    }

    /// Removes a receiver that was added while the air was open; `nil` if there is none.
    func removeReceiver(_ name: String) async -> AirReceiver? {
        guard let (server, controllers) = added.removeValue(forKey: name) else { return nil }
        let receiver = AirReceiver(
            name: name, server: server.name, hosts: controllers.hosts, position: controllers.position)
        receivers[name] = nil
        await server.close()
        controllers.removeHosts()
        return receiver
    }

    /// The servers with names, in the order of their names.
    func namedReceivers() -> [AirReceiver] {
        receivers.sorted { $0.key < $1.key }.map { name, server in
            let controllers = namedControllers.filter { $0.name == name }
            let isHost = hosts[name] != nil && air?.hasController(named: name) == true
            return AirReceiver(
                name: name, server: server, hosts: isHost ? [name] : controllers.flatMap(\.hosts).sorted(),
                position: isHost ? air?.position(of: name) : controllers.first?.position)
        }
    }

    /// The present position of a beacon or a host; `nil` if nothing on the air has this name, or it has none.
    func position(of name: String) -> Position? { air?.position(of: name) }

    private static func name(of controller: KernelController) -> String { "vhci:hci\(controller.index)" }

    /// Everything on the air.
    func members() -> [AirMember] { air?.members() ?? [] }

    /// What has happened on the air so far; `nil` while it is not open.
    func counts() -> RadioCounts? { air?.counts() }

    /// The paths from all that advertise to all that scan.
    func paths() -> [AirPath] { air?.paths() ?? [] }

    /// How the RSSI of a packet comes about, with the walls.
    var propagation: Propagation { options.propagation }

    /// The mean RSSI in dBm, 1 m away, of everything that advertises, by its name.
    func levelsAtOneMetre() -> [String: Double] { air?.levelsAtOneMetre() ?? [:] }

    /// Overrides the path between a beacon and a host; `nil` removes the override.
    /// - Returns: the name that nothing on the air has; `nil` if both have been found.
    func overrideLink(_ one: String, _ other: String, _ override: LinkOverride?) -> String? {
        guard let air else { return one }
        return air.overrideLink(one, other, override)
    }

    /// Mutes what has this name on the air, or ends that.
    func setMuted(_ isMuted: Bool, _ name: String) { air?.setMuted(isMuted, name) }

    /// Ends connections (see `LiveAir.endConnections`).
    func endConnections(of name: String, with peer: String?, _ reason: HCIStatus) -> [BluetoothAddress]? {
        air?.endConnections(of: name, with: peer, reason)
    }

    /// The capabilities of the radio with this number of beacons.
    func capabilities(beacons: Int) -> RadioCapabilities {
        let names =
            servers.map(\.name) + kernelControllers.map(Self.name) + announced
            + added.sorted { $0.key < $1.key }.map(\.value.server.name)
        return Self.capabilities(
            reason: reason, beacons: beacons, servers: names, receivers: receivers, seed: seed)
    }

    /// The capabilities of a radio on a virtual air.
    static func capabilities(
        reason: String?, beacons: Int, servers: [String], receivers: [String: String] = [:], seed: UInt64? = nil
    ) -> RadioCapabilities {
        RadioCapabilities(
            name: "virtual", way: "controllers of our own on a virtual air", wayReason: reason ?? "as asked",
            address: nil, hasExtendedAdvertising: true, instances: capacity, freeInstances: capacity - beacons,
            sharesTime: false, canReadBack: true, servers: servers, receivers: receivers, seed: seed)
    }

    /// Sets a function that is called after each wake-up with the delay of the first event that was due.
    func observeWakeUps(_ observe: @escaping @Sendable (Duration) -> Void) { air?.onWakeUp = observe }

    /// Closes the servers, then ends the air.
    func close() async {
        for server in servers { await server.close() }
        for (server, _) in added.values { await server.close() }
        for controller in kernelControllers { controller.close() }
        air?.close()
        air = nil
        served = []
        added = [:]
        hosts = [:]
    }
}
