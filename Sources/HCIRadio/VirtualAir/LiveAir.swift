// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import NIOCore
import Radio
import Space
import VirtualRadio

/// The user of a controller on a live air; called on the air's event loop.
protocol AirDelegate: AnyObject {
    /// Its controller has packets: take any number of them with `LiveAir.takePacket(of:)`.
    func airHasPackets()
    /// The air has ended, and its controllers with it.
    func airEnded()
}

/// An air in the time of its radio: its virtual clock follows the clock of the event loop.
///
/// It lives on one event loop and is used only there: a packet to a controller, its consequences on the air, and the packets
/// to the other hosts that follow are handled without a change of threads.
///
/// On a machine that is too slow for the air, events are late: the air then advances in short steps, between which the loop does
/// other work. When they are later than `longestDelay`, the time on the air stands still instead, and is lost.
final class LiveAir {
    /// The minimum real time between wake-ups: events that are due in between happen together, late by this time at most.
    /// In a simulation each event happens at its time.
    private static let coalescing: AirTime = 200
    /// How far the air advances at once while it is late, in real time.
    private static let longestStep: AirTime = 20_000
    /// How late events may be, in real time.
    private static let longestDelay: AirTime = 1_000_000

    var loop: any EventLoop { clock.loop }
    private var air: Air
    private let captures: PacketCaptures
    private let clock: LoopClock
    /// The minimum time between wake-ups on the air.
    private let minimumPause: AirTime
    /// The time that the air has lost.
    private var lostTime: AirTime = 0 {
        didSet { places.setLostTime(Double(lostTime) * 1e-6) }
    }
    /// Where the controllers are, for other threads.
    let places: AirPlaces
    /// When the air began, since the Unix epoch: captures have the times of what happens on the air.
    private let epoch = Duration.sinceUnixEpoch
    /// A controller with its user.
    private struct Member {
        let identifier: ControllerIdentifier
        let name: String
        let address: BluetoothAddress
        let delegate: any AirDelegate
        /// What its host is; `nil` if it does not say.
        let kind: String?
    }

    /// The controllers with users, by their numbers.
    private var owned: [Member?] = []
    private var memberCount = 0
    /// The controllers by name.
    private var controllers: [String: ControllerIdentifier] = [:]
    /// The number of controllers with each public address.
    private var addresses: [BluetoothAddress: Int] = [:]
    private var wakeUp: (time: AirTime, task: Scheduled<Void>)?
    private var isSettling = false
    private var lastAddress: UInt32 = 0

    /// Called after each wake-up with the delay of the first event that was due, when all hosts have their packets.
    var onWakeUp: ((Duration) -> Void)?

    /// Called when the air has lost time, with all of it in real time.
    var onLostTime: ((Duration) -> Void)?

    /// Called when the last packet of a recording was sent, with the number of packets.
    var onReplayEnd: ((Int) -> Void)?

    /// An air without controllers.
    init(
        _ air: Air, clock: LoopClock, captures: PacketCaptures = PacketCaptures(),
        places: AirPlaces = AirPlaces { 0 }
    ) {
        self.air = air
        self.places = places
        self.clock = clock
        self.captures = captures
        minimumPause = clock.loop is SimulatedEventLoop ? 0 : AirTime(Double(Self.coalescing) * clock.rate)
    }

    /// Time on this air.
    private var now: AirTime { clock.nanoseconds / 1000 - lostTime }

    /// The time to which the air advances at once: the present, or one step while its events are late. In a simulation they never
    /// are.
    private func nextTime() -> AirTime {
        guard minimumPause > 0, let due = borrowAir({ $0.nextDeadline }), due < now else { return now }
        let delay = now - due - AirTime(Double(Self.longestDelay) * clock.rate)
        if delay > 0 {
            lostTime += delay
            onLostTime?(.microseconds(Int64(Double(lostTime) / clock.rate)))
        }
        return min(now, due + AirTime(Double(Self.longestStep) * clock.rate))
    }

    /// Advances the air towards the current time.
    ///
    /// With a capture it does so event by event: an event that is late on a busy machine is captured with its time on the
    /// air.
    private func catchUp() {
        let time = nextTime()
        if !captures.isEmpty, !isSettling {
            while let due = borrowAir({ $0.nextDeadline }), due < time {
                air.advance(to: due, of: time)
                deliver()
            }
        }
        air.advance(to: time)
        if let count = air.takeReplayEnd() { onReplayEnd?(count) }
    }

    private func record(_ packet: HCIPacket, _ direction: CapturedPacket.Direction, _ identifier: ControllerIdentifier)
    {
        guard !captures.isEmpty else { return }
        captures.record(
            packet, direction, controller: identifier.number, time: epoch + .microseconds(borrowAir { $0.now }))
    }

    /// Borrows the air, which is large: reading the property would copy it.
    private func borrowAir<Result>(_ body: (inout Air) -> Result) -> Result { body(&air) }

    /// A public address that no other controller on this air has.
    func makePublicAddress() -> BluetoothAddress {
        lastAddress += 1
        let octets = [0x02, 0xBE, 0xAC] + [16, 8, 0].map { UInt8(truncatingIfNeeded: lastAddress >> $0) }
        guard let address = BluetoothAddress(octets: octets) else { preconditionFailure("six octets are an address") }
        return address
    }

    /// A name that no controller on this air has: this one, or this one with a number.
    func freeName(_ name: String) -> String {
        if controllers[name] == nil { return name }
        var number = 2
        while controllers["\(name)-\(number)"] != nil { number += 1 }
        return "\(name)-\(number)"
    }

    /// Whether a controller on this air has this name.
    func hasController(named name: String) -> Bool { controllers[name] != nil }

    /// Whether a controller on this air has this public address.
    func hasController(at address: BluetoothAddress) -> Bool { addresses[address] != nil }

    /// Puts a controller on the air.
    /// - Parameter kind: what its host is; `nil` if it does not say.
    func join(
        _ configuration: ControllerConfiguration, delegate: any AirDelegate, kind: String? = nil
    ) -> ControllerIdentifier {
        catchUp()
        let identifier = air.addController(configuration)
        controllers[configuration.name] = identifier
        while owned.count <= identifier.number { owned.append(nil) }
        owned[identifier.number] = Member(
            identifier: identifier, name: configuration.name, address: configuration.publicAddress, delegate: delegate,
            kind: kind)
        addresses[configuration.publicAddress, default: 0] += 1
        memberCount += 1
        places.set(configuration.motion, of: configuration.name, isBeacon: configuration.isOfBeacon)
        return identifier
    }

    /// The user of a controller; `nil` when it has left.
    private func delegate(of identifier: ControllerIdentifier) -> (any AirDelegate)? {
        member(identifier)?.delegate
    }

    /// A controller with its name and its user; `nil` when it has left.
    private func member(_ identifier: ControllerIdentifier) -> Member? {
        guard identifier.number < owned.count, let member = owned[identifier.number],
            member.identifier == identifier
        else { return nil }
        return member
    }

    /// The present time on this air in seconds since it began.
    var seconds: Double { Double(now) * 1e-6 }

    /// Changes how the controller of this name moves; `false` if there is none.
    func setMotion(_ motion: Motion?, of name: String) -> Bool {
        guard let identifier = controllers[name] else { return false }
        catchUp()
        air.setMotion(motion, of: identifier)
        places.setMotion(motion, of: name)
        return true
    }

    /// Replaces the hardware of the controller of this name; `false` if there is none.
    func setHardware(_ hardware: ReceiverHardware, of name: String) -> Bool {
        guard let identifier = controllers[name] else { return false }
        catchUp()
        air.setHardware(hardware, of: identifier)
        return true
    }

    /// The hardware of the controller of this name; `nil` if there is none.
    func hardware(of name: String) -> ReceiverHardware? { controllers[name].flatMap { air.hardware(of: $0) } }

    /// Begins or ends the time in which beacons get a phase (see `Air.setDrawsPhases`).
    func setDrawsPhases(_ drawsPhases: Bool) { air.setDrawsPhases(drawsPhases) }

    /// Replaces the model of the RSSI from now on.
    func setPropagation(_ propagation: Propagation) {
        catchUp()
        air.setPropagation(propagation)
    }

    /// How the controller of this name moves; `nil` if there is none, or it has no position.
    func motion(of name: String) -> Motion? {
        controllers[name].flatMap { identifier in borrowAir { $0.motion(of: identifier) } }
    }

    /// The present position of the controller of this name; `nil` if there is none, or it has none.
    func position(of name: String) -> Position? {
        guard let identifier = controllers[name] else { return nil }
        catchUp()
        return air.position(of: identifier)
    }

    /// All controllers, in the order in which they joined.
    func members() -> [AirMember] {
        catchUp()
        return controllers.sorted { $0.value.number < $1.value.number }.map { name, identifier in
            AirMember(
                name: name, position: air.position(of: identifier), motion: air.motion(of: identifier),
                isScanActive: air.activeScan(of: identifier), kind: member(identifier)?.kind)
        }
    }

    /// What has happened on the air so far.
    func counts() -> RadioCounts {
        catchUp()
        let reports = air.reports
        return RadioCounts(
            advertisingEvents: air.advertisingEvents,
            advertisingEventsByName: controllers.mapValues { air.advertisingEvents(of: $0) },
            delays: air.advertisingDelays, reportsQueued: reports.queued, reportsDropped: reports.dropped)
    }

    /// The paths from all that advertise to all that scan, or to one that scans.
    func paths(to name: String?) -> [AirPath] {
        catchUp()
        let members = controllers.sorted { $0.value.number < $1.value.number }
        var paths: [AirPath] = []
        for (receiver, to) in members where name ?? receiver == receiver && air.activeScan(of: to) != nil {
            for (transmitter, from) in members {
                guard let path = air.path(from: from, to: to) else { continue }
                paths.append(
                    AirPath(
                        from: transmitter, to: receiver, distance: path.distance, meanRSSI: path.meanRSSI,
                        lastRSSI: path.lastRSSI.map { RSSI(Int8($0.rounded())) },
                        loss: path.packets > 0 ? Double(path.lostPackets) / Double(path.packets) : nil,
                        override: path.override, isMuted: air.isMuted(from)))
            }
        }
        return paths
    }

    /// The mean RSSI in dBm, 1 m away, of everything that advertises, by its name.
    func levelsAtOneMetre() -> [String: Double] {
        catchUp()
        return controllers.compactMapValues { air.levelAtOneMetre(of: $0) }
    }

    /// Overrides the path between two controllers by their names; `nil` removes the override.
    /// - Returns: the name that no controller has; `nil` if both have been found.
    func overrideLink(_ one: String, _ other: String, _ override: LinkOverride?) -> String? {
        guard let first = controllers[one] else { return one }
        guard let second = controllers[other] else { return other }
        catchUp()
        air.setOverride(override, between: first, and: second)
        return nil
    }

    /// Mutes the controller of this name, or ends that; a name that is not on the air is ignored.
    func setMuted(_ isMuted: Bool, _ name: String) {
        guard let identifier = controllers[name] else { return }
        catchUp()
        air.setMuted(isMuted, identifier)
        settle()
    }

    /// Lets the next connections to the controller of this name fail; a name that is not on the air is ignored.
    func setFault(_ fault: ConnectionFault, of name: String) {
        guard let identifier = controllers[name] else { return }
        catchUp()
        air.setFault(fault, HCIStatus(fault.reason), of: identifier)
        settle()
    }

    /// The number of connections to the controller of this name that will fail.
    func failingConnections(of name: String) -> Int {
        guard let identifier = controllers[name] else { return 0 }
        catchUp()
        return air.failingConnections(of: identifier)
    }

    /// Ends connections of the controller of this name (see `Air.endConnections`).
    /// - Parameter peer: the name or the address of the other end; `nil` for all connections.
    /// - Returns: the addresses of the other ends; `nil` if no controller has the name.
    func endConnections(of name: String, with peer: String?, _ reason: HCIStatus) -> [BluetoothAddress]? {
        guard let identifier = controllers[name] else { return nil }
        guard let peers = peers(named: peer) else { return [] }
        catchUp()
        let ended = air.endConnections(of: identifier, with: peers, reason)
        settle()
        return ended
    }

    private func peers(named name: String?) -> Air.Peers? {
        guard let name else { return .all }
        if let identifier = controllers[name] { return .controller(identifier) }
        return BluetoothAddress(name).map { .address($0) }
    }

    /// Sends a recording again (see `Air.replay`). Each advertiser has a controller, whose name is the advertiser's address.
    func replay(_ recording: AirReplay) {
        catchUp()
        var advertisers: [RemoteAddress: ControllerIdentifier] = [:]
        for device in recording.advertisers {
            let configuration = ControllerConfiguration(
                publicAddress: device.address, name: freeName(device.address.description), isOfBeacon: true)
            let identifier = air.addController(configuration)
            controllers[configuration.name] = identifier
            advertisers[device] = identifier
        }
        air.replay(recording.packets { advertisers[$0] }, loops: recording.loops)
        settle()
    }

    /// Removes a controller from the air, as if it lost its power: its peers notice by their supervision timeouts.
    func leave(_ identifier: ControllerIdentifier) {
        guard let member = member(identifier) else { return }
        owned[identifier.number] = nil
        memberCount -= 1
        catchUp()
        air.removeController(identifier)
        controllers[member.name] = nil
        let others = addresses[member.address, default: 1] - 1
        addresses[member.address] = others == 0 ? nil : others
        places.remove(member.name)
        settle()
    }

    /// Removes the controller of this name from the air, as if it lost its power, and ends the connection to its host.
    func remove(_ name: String) {
        guard let identifier = controllers[name], let user = delegate(of: identifier) else { return }
        leave(identifier)
        user.airEnded()
    }

    /// Ends the air, and with it all controllers on it.
    func close() {
        let leaving = owned.compactMap { $0?.delegate }
        owned = []
        memberCount = 0
        wakeUp?.task.cancel()
        wakeUp = nil
        for delegate in leaving { delegate.airEnded() }
    }

    /// Whether a controller accepts more packets of its host now; if not, it does so after its own were taken.
    func canAccept(from identifier: ControllerIdentifier) -> Bool { borrowAir { $0.canAccept(from: identifier) } }

    /// Whether a controller's scan is active; `nil` when it does not scan.
    func activeScan(of identifier: ControllerIdentifier) -> Bool? { borrowAir { $0.activeScan(of: identifier) } }

    /// Passes a host's packet to its controller.
    func receive(_ packet: HCIPacket, from identifier: ControllerIdentifier) {
        guard delegate(of: identifier) != nil else { return }
        if !isSettling { catchUp() }
        record(packet, .hostToController, identifier)
        air.receive(packet, from: identifier)
        noteMove(by: packet, of: identifier)
        settle()
    }

    /// A host may move itself, by a command of ours.
    private func noteMove(by packet: HCIPacket, of identifier: ControllerIdentifier) {
        guard case .command(let command) = packet, command.opcode == VendorSetPosition.opcode,
            let name = member(identifier)?.name
        else { return }
        places.setMotion(borrowAir { $0.motion(of: identifier) }, of: name)
    }

    /// Delivers packets to a host that accepts them again; its peers may continue.
    func resume(_ identifier: ControllerIdentifier) {
        delegate(of: identifier)?.airHasPackets()
        settle()
    }

    /// The next packet of a controller to its host.
    func takePacket(of identifier: ControllerIdentifier) -> HCIPacket? {
        let packet = air.takeOutput(of: identifier)
        if let packet { record(packet, .controllerToHost, identifier) }
        return packet
    }

    /// Delivers packets until no controller has any, then schedules the next wake-up.
    private func settle() {
        guard !isSettling else { return }
        deliver()
        scheduleWakeUp()
    }

    private func deliver() {
        isSettling = true
        while true {
            let controllers = air.takeControllersWithOutput()
            guard !controllers.isEmpty else { break }
            for identifier in controllers { delegate(of: identifier)?.airHasPackets() }
        }
        isSettling = false
    }

    private func scheduleWakeUp() {
        guard memberCount > 0, let deadline = borrowAir({ $0.nextDeadline }) else { return }
        let time = max(deadline, now + minimumPause)
        if let wakeUp {
            guard time < wakeUp.time else { return }
            wakeUp.task.cancel()
        }
        let bound = NIOLoopBound(self, eventLoop: loop)
        let task = clock.schedule(at: (time + lostTime) * 1000) { bound.value.wake() }
        wakeUp = (time, task)
    }

    private func wake() {
        wakeUp = nil
        repeat {
            let due = borrowAir { $0.nextDeadline }
            catchUp()
            deliver()
            if let onWakeUp, let due, due <= now { onWakeUp(.microseconds(now - due)) }
        } while passesToNextDeadline()
        scheduleWakeUp()
    }

    /// Lets the time pass to the next event on the air, if nothing else of the simulation happens until then.
    private func passesToNextDeadline() -> Bool {
        guard memberCount > 0, let deadline = borrowAir({ $0.nextDeadline }) else { return false }
        return clock.pass(to: (deadline + lostTime) * 1000)
    }
}
