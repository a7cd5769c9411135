// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI
package import Space

/// Emulated LE controllers in range of each other, in virtual time.
///
/// Each controller exchanges HCI packets with a host: `receive(_:from:)` takes a packet of the host, and
/// `takeOutput(of:)` returns a packet for it. Time advances only by `advance(to:)`. The air never waits, reads a clock or
/// does input and output; the same seed and the same calls give the same bytes.
///
/// Simplifications: unless packets collide (`Propagation.capture`), an advertising event takes place at one instant on all
/// of its channels, so a scanner whose window equals its interval receives every event unless the packet is lost. Scan
/// requests, scan responses and packets of connections do not collide, and packets of connections are never damaged;
/// resolvable private addresses are not resolved. Intervals of advertising and of connections are the shortest that a host
/// allows.
///
/// The air is made of parts with private state; it wires them and runs their timers:
/// - `controllers` (in `AirContext`): identity, settings and outbox of each controller,
/// - `medium`: which receivers a packet reaches, and with what RSSI,
/// - `advertising`, `scanners`, `initiators`, `links`, `tests`: the states of the link layer,
/// - `classic`: BR/EDR, on controllers that have it,
/// - `replay`: a recording that is sent again,
/// - `cryptography`: random numbers and key pairs.
///
/// A controller has the same index in all parts. Each part's command handlers are in its file; `CommandTable` lists them.
package struct Air: Sendable {
    var context: AirContext
    var medium: Medium
    var advertising = AdvertisingSets()
    var scanners = Scanners()
    var initiators = Initiators()
    var links = Links()
    var tests = DirectTests()
    var classic = ClassicRadios()
    var replay = Replay()
    var cryptography: Cryptography
    /// The controllers that nothing is received from.
    private var muted: Set<Int> = []
    private var faults = ConnectionFaults()

    /// An air without controllers.
    /// - Parameter numbers: the source of the controllers' random numbers and keys; `nil` derives them from the seed. Keys
    ///   that are derived from a known seed are not secret.
    package init(
        _ configuration: AirConfiguration = AirConfiguration(),
        numbers: (any RandomNumberGenerator & Sendable)? = nil
    ) {
        context = AirContext(configuration)
        medium = Medium(configuration.propagation, seed: configuration.seed)
        cryptography = Cryptography(numbers: numbers)
    }

    /// The configuration that the air was created with.
    package var configuration: AirConfiguration { context.configuration }
    /// The current time.
    package var now: AirTime { context.now }
}

/// What all parts of an air share: the configuration, the time, the timers, and the controllers with their hosts.
struct AirContext: Sendable {
    let configuration: AirConfiguration
    private(set) var now: AirTime = 0
    /// The time until which timers run.
    private(set) var limit: AirTime = 0
    var timers = TimerQueue()
    /// The timer of commands and events that characters delay; `nil` before the first.
    var characterTimer: TimerIdentifier?
    var controllers: Controllers

    init(_ configuration: AirConfiguration) {
        self.configuration = configuration
        controllers = Controllers(reportLimit: configuration.reportLimit, packetLimit: configuration.packetLimit)
    }

    /// Sets the time until which timers run.
    mutating func setLimit(_ time: AirTime) { limit = time }

    /// Moves the time forward; it never goes back.
    mutating func advance(to time: AirTime) {
        now = max(now, time)
        controllers.characters.now = now
    }
}

// MARK: - Controllers

extension Air {
    /// Adds a controller; it is inactive until its host sends commands.
    package mutating func addController(_ configuration: ControllerConfiguration) -> ControllerIdentifier {
        let identifier = context.controllers.add(configuration)
        medium.addController(identifier.index, configuration)
        advertising.addController(
            identifier.index, Draws(seed: context.configuration.seed, configuration.name, "advertising delays"),
            isOfBeacon: configuration.isOfBeacon)
        scanners.addController(identifier.index)
        links.addController(identifier.index)
        tests.addController(identifier.index)
        classic.addController(identifier.index, isDualMode: configuration.character.hasClassicRadio)
        cryptography.addController(
            identifier.index, Draws(seed: context.configuration.seed, configuration.name, "cryptography"))
        return identifier
    }

    /// Removes a controller at once, as if its battery fell out: its peers notice by their supervision timeouts.
    package mutating func removeController(_ identifier: ControllerIdentifier) {
        guard let index = context.controllers.index(of: identifier) else { return }
        muted.remove(index)
        faults.remove(index)
        reset(index)
        context.controllers.remove(index)
    }

    /// Begins or ends a time in which the sets that beacons enable are taken for ones that have been on for long: the first event
    /// comes at a phase that the seed and the name of the controller draw, uniform in the interval. Otherwise it comes within 10 ms.
    package mutating func setDrawsPhases(_ drawsPhases: Bool) { advertising.drawsPhases = drawsPhases }

    /// Changes how a controller moves; without a motion it is one metre from all others.
    package mutating func setMotion(_ motion: Motion?, of identifier: ControllerIdentifier) {
        guard let index = context.controllers.index(of: identifier) else { return }
        medium.setMotion(motion, of: index)
    }

    /// Replaces the hardware of a controller from now on.
    package mutating func setHardware(_ hardware: ReceiverHardware, of identifier: ControllerIdentifier) {
        guard let index = context.controllers.index(of: identifier) else { return }
        medium.setHardware(hardware, of: index)
    }

    /// The hardware of a controller; `nil` if it was removed.
    package func hardware(of identifier: ControllerIdentifier) -> ReceiverHardware? {
        context.controllers.index(of: identifier).map { medium.hardware(of: $0) }
    }

    /// Replaces the model of the RSSI from now on. With the same seed, the same changes at the same times have the same result.
    package mutating func setPropagation(_ propagation: Propagation) { medium.setPropagation(propagation) }

    /// The present position of a controller; `nil` if it has none or was removed.
    package func position(of identifier: ControllerIdentifier) -> Position? {
        context.controllers.index(of: identifier).flatMap { medium.position(of: $0, at: now) }
    }

    /// How a controller moves; `nil` if it has no position or was removed.
    package func motion(of identifier: ControllerIdentifier) -> Motion? {
        context.controllers.index(of: identifier).flatMap { medium.motion(of: $0) }
    }

    /// The path from an advertiser to a scanner; `nil` unless the one advertises and the other scans.
    package mutating func path(from transmitter: ControllerIdentifier, to receiver: ControllerIdentifier) -> PathStatus?
    {
        guard let from = context.controllers.index(of: transmitter), let to = context.controllers.index(of: receiver),
            from != to, scanners.isScanning(to), let power = advertising.transmitPower(of: from)
        else { return nil }
        return medium.path(from: from, power: power, to: to, at: now)
    }

    /// The mean RSSI in dBm that a controller's advertising has 1 m away; `nil` if it does not advertise.
    package func levelAtOneMetre(of identifier: ControllerIdentifier) -> Double? {
        guard let index = context.controllers.index(of: identifier), let power = advertising.transmitPower(of: index)
        else { return nil }
        return medium.levelAtOneMetre(of: index, power: power)
    }

    /// Overrides the path between two controllers, in both directions, until one of them is removed or the override ends;
    /// `nil` removes the override.
    package mutating func setOverride(
        _ override: LinkOverride?, between one: ControllerIdentifier, and other: ControllerIdentifier
    ) {
        guard let one = context.controllers.index(of: one), let other = context.controllers.index(of: other) else {
            return
        }
        medium.setOverride(override, of: one, other, now: now)
    }

    /// Changes the RSSI offset of a controller, in dB.
    package mutating func setRSSIOffset(_ decibels: Double, of identifier: ControllerIdentifier) {
        guard let index = context.controllers.index(of: identifier) else { return }
        medium.setRSSIOffset(decibels, of: index)
    }

    /// Mutes a controller, as if its antenna were broken: its advertising events and the packets of its connections reach
    /// no receiver, which its host does not notice. A peer loses a connection after the supervision timeout, and the
    /// controller itself after another one; a connection that is left when the controller is not muted any more continues.
    /// Scan and connection requests of a muted controller are not affected.
    package mutating func setMuted(_ isMuted: Bool, _ identifier: ControllerIdentifier) {
        guard let index = context.controllers.index(of: identifier), muted.contains(index) != isMuted else { return }
        if isMuted {
            muted.insert(index)
            links.silence(index, &context)
        } else {
            muted.remove(index)
            links.endSilence(of: index, &context)
        }
    }

    /// Whether a controller is muted.
    package func isMuted(_ identifier: ControllerIdentifier) -> Bool {
        context.controllers.index(of: identifier).map(muted.contains) ?? false
    }

    func isMuted(_ controller: Int) -> Bool { muted.contains(controller) }

    /// Lets the next connections to a controller fail, instead of those that were set to fail before. It advertises meanwhile, and
    /// after an established connection has ended its host decides, as after any other.
    /// - Parameter reason: that of the fault, as the central gets it.
    package mutating func setFault(_ fault: ConnectionFault, _ reason: HCIStatus, of identifier: ControllerIdentifier) {
        guard let index = context.controllers.index(of: identifier) else { return }
        faults.set(fault, reason, of: index)
    }

    /// The number of connections to a controller that will fail.
    package func failingConnections(of identifier: ControllerIdentifier) -> Int {
        context.controllers.index(of: identifier).map { faults.remaining(of: $0) } ?? 0
    }

    /// Which connections of a controller end.
    package enum Peers: Hashable, Sendable {
        /// All of them.
        case all
        /// Those with a controller.
        case controller(ControllerIdentifier)
        /// Those with a device address.
        case address(BluetoothAddress)
    }

    /// Ends connections of a controller now: with a loss (`.connectionTimeout`, `.connectionTerminatedMICFailure`) both ends
    /// get this reason; with any other reason, it is as if the host of the controller had ended them.
    /// - Returns: the addresses of the peers.
    package mutating func endConnections(
        of identifier: ControllerIdentifier, with peers: Peers, _ reason: HCIStatus
    ) -> [BluetoothAddress] {
        guard let index = context.controllers.index(of: identifier) else { return [] }
        let ended = links.end(of: index, reason, &context) { controller, address in
            switch peers {
            case .all: true
            case .controller(let peer): controller == peer.index
            case .address(let peer): address.address == peer
            }
        }
        scheduleHeldItems()
        return ended.map(\.address)
    }

    /// The number of advertising reports that were dropped because the host was too slow.
    package func droppedReports(of identifier: ControllerIdentifier) -> UInt64 {
        context.controllers.index(of: identifier).map { context.controllers.droppedReports(of: $0) } ?? 0
    }

    /// The number of advertising events so far, also of controllers that have been removed.
    package var advertisingEvents: UInt64 { advertising.events }

    /// The number of advertising events of a controller so far; 0 for one that was removed.
    package func advertisingEvents(of identifier: ControllerIdentifier) -> UInt64 {
        context.controllers.index(of: identifier).map { advertising.events(of: $0) } ?? 0
    }

    /// How late advertising events were (see `advance(to:of:)`).
    package var advertisingDelays: DurationHistogram { advertising.lateness }

    /// The number of advertising reports so far that were queued for hosts, and of those that were dropped since, also of
    /// controllers that have been removed.
    package var reports: (queued: UInt64, dropped: UInt64) { context.controllers.reports }

    /// Whether a controller's scan is active; `nil` if it does not scan.
    package func activeScan(of identifier: ControllerIdentifier) -> Bool? {
        context.controllers.index(of: identifier).flatMap { scanners.isActive($0) }
    }

    /// Ends all activities of a controller without notifying its peers, and restores the settings of a reset.
    mutating func reset(_ controller: Int) {
        tests.end(controller, at: context.now)
        scanners.reset(controller, &context)
        initiators.stop(controller)
        advertising.reset(controller, &context)
        links.reset(controller, &context)
        classic.reset(controller, &context)
        cryptography.reset(controller)
        context.controllers.reset(controller)
    }

    /// Whether a controller neither advertises, scans, initiates, inquires, pages, has connections nor runs a test.
    func isIdle(_ controller: Int) -> Bool {
        !links.hasLinks(controller) && !tests.isRunning(controller) && !scanners.isScanning(controller)
            && !initiators.isInitiating(controller) && !advertising.isAdvertising(controller)
            && !classic.isActive(controller)
    }
}

// MARK: - Packets

extension Air {
    /// Whether a host may send more. Otherwise its owner must not read from it until output has been taken.
    package func canAccept(from identifier: ControllerIdentifier) -> Bool {
        guard let index = context.controllers.index(of: identifier) else { return false }
        return context.controllers.hasRoom(index)
    }

    /// Processes a packet of a host, at the current time.
    ///
    /// - Returns: whether the packet was accepted; `false` while `canAccept(from:)` is false, and for a removed controller.
    @discardableResult
    package mutating func receive(_ packet: HCIPacket, from identifier: ControllerIdentifier) -> Bool {
        guard let index = context.controllers.index(of: identifier), context.controllers.hasRoom(index) else {
            return false
        }
        switch packet {
        case .command(let command):
            perform(command, by: index)
            if replay.isWaiting { beginReplayIfScanning() }
            scheduleHeldItems()
        case .acl(let data): links.receive(data, from: index, &context)
        // A controller ignores events, and has no synchronous or isochronous channels.
        case .event, .synchronous, .isochronous: break
        }
        runTimers(until: now)
        return true
    }

    /// Takes the next packet for a host.
    package mutating func takeOutput(of identifier: ControllerIdentifier) -> HCIPacket? {
        guard let index = context.controllers.index(of: identifier) else { return nil }
        let packet = context.controllers.takeOutput(of: index, isBusy: links.hasLinks(index))
        if context.controllers.takeAwaitedRoom(of: index) { links.scheduleAll(of: index, &context) }
        return packet
    }

    /// The controllers that were given output since the last call.
    package mutating func takeControllersWithOutput() -> [ControllerIdentifier] {
        context.controllers.takeControllersWithOutput()
    }
}

// MARK: - Time

extension Air {
    /// The time of the next timer; `nil` if nothing happens until a host sends a packet.
    package var nextDeadline: AirTime? { context.timers.firstDeadline }

    /// Lets time pass and runs all timers that are due until then, in order. Time does not go back.
    /// - Parameter present: the time up to which the caller will advance the air before it waits; what happens earlier on the air is
    ///   late. `nil` is `time`.
    package mutating func advance(to time: AirTime, of present: AirTime? = nil) {
        context.setLimit(present ?? time)
        runTimers(until: time)
        context.advance(to: time)
    }

    private mutating func runTimers(until limit: AirTime) {
        while let (deadline, owner) = context.timers.popFirst(notAfter: limit) {
            context.advance(to: deadline)
            switch owner {
            case .advertisingSet(let set): runAdvertisingEvent(Int(set))
            case .link(let link): links.run(Int(link), &context)
            case .scanTimeout(let controller): scanners.expire(Int(controller), &context)
            case .inquiry(let controller): classic.endInquiry(Int(controller), &context)
            case .page(let controller): classic.endPage(Int(controller), &context)
            case .chain(let chain): runChain(Int(chain))
            case .replay: runReplay()
            case .heldItems:
                releaseHeldItems()
                if replay.isWaiting { beginReplayIfScanning() }
            }
            scheduleHeldItems()
        }
    }

    /// Ends a PDU of a chain that scanners receive.
    private mutating func runChain(_ chain: Int) {
        let muted = muted
        scanners.endPDU(of: chain, &medium, &context) { muted.contains($0) }
    }

    /// Runs one advertising event of an enabled set: scanners report it, an initiator may connect, else the next event is
    /// scheduled.
    private mutating func runAdvertisingEvent(_ set: Int) {
        // An event that began where packets collided ends as it began.
        if medium.hasCollisions || advertising[set].pdu != nil { return runPDU(of: set) }
        guard advertising.beginEvent(set, &context), !connectsAfterEvent(of: set) else { return }
        advertising.endEvent(set, &context)
    }

    /// Where packets collide, ends the PDU of an enabled set that is sent now, and begins the next PDU of the event; after
    /// the last one, the next event is scheduled.
    private mutating func runPDU(of set: Int) {
        if advertising[set].pdu != nil {
            if connectsAfterEvent(of: set) { return }
        } else if !advertising.beginEvent(set, &context) {
            return
        }
        guard let next = advertising.beginPDU(set, &context) else { return advertising.endEvent(set, &context) }
        if !muted.contains(advertising[set].controller) { medium.transmit(next, now: now) }
    }

    /// Delivers an advertising event to scanners and initiators; whether an initiator connected.
    private mutating func connectsAfterEvent(of set: Int) -> Bool {
        // Nothing that a muted controller sends is received.
        if !muted.isEmpty, muted.contains(advertising[set].controller) { return false }
        if !scanners.isEmpty {
            scanners.receive(advertising[set].event, of: set, &advertising, &medium, &context)
        }
        return !initiators.isEmpty && advertising[set].isConnectable && connectInitiator(to: set)
    }

    /// Connects an initiator that receives an advertising event; whether one did.
    ///
    /// A legacy advertiser does not answer a CONNECT_IND that it refuses: the initiator gets a link that is lost.
    private mutating func connectInitiator(to set: Int) -> Bool {
        while let initiator = initiators.takeRequest(to: set, &advertising, &medium, &links, &context) {
            let peripheral = advertising[set].controller
            guard advertising.acceptsConnection(from: initiator.ownAddress, to: set, context.controllers),
                links.canAdd(to: peripheral)
            else {
                links.addRefused(central: initiator, peripheral, advertising[set].address, &context)
                continue
            }
            let fault = faults.take(peripheral)
            if fault?.phase == .establishment {
                links.addRefused(central: initiator, peripheral, advertising[set].address, &context)
                continue
            }
            advertising.stop(set, &context)
            let handle = links.add(central: initiator, peripheral, advertising[set].address, &context)
            advertising.noteConnection(of: set, handle: handle, &context)
            if let fault { links.fail(handle, of: peripheral, fault, &context) }
            return true
        }
        return false
    }
}
