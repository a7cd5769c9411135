// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import HCI

/// Emulated LE controllers within reach of each other, in virtual time.
///
/// Each controller speaks HCI with a host: `receive(_:from:)` takes what the host sends, `takeOutput(of:)` gives what
/// the controller answers. Time stands still until `advance(to:)` moves it. Nothing here waits, reads a clock or does
/// input and output; the same seed and the same calls give the same bytes.
///
/// Where it is simpler than a radio: an advertising event is one instant on all of its channels, so that a scanner
/// whose window is its interval hears each; nothing collides; packets cross or do not exist, but are never damaged; the
/// latency of peripherals is agreed and not used; resolvable private addresses pass as they are.
///
/// Intervals are the shortest that a host allows, of advertising and of connections.
package struct Air: Sendable {
    /// What was asked for at the start.
    package let configuration: AirConfiguration
    /// The current time.
    package internal(set) var now: AirTime = 0

    var timers = TimerQueue()
    var controllers: [Controller] = []
    var sets: [AdvertisingSet] = []
    var links: [Link] = []
    /// Those who listen now: few, and looked through at every advertising event.
    var scanners: [Scanner] = []
    var initiators: [Initiator] = []

    /// For the advertising delay.
    var delays: SeededGenerator
    /// For the noise of measured strengths.
    var noise: SeededGenerator
    /// For the hosts that ask for random numbers and key pairs.
    var numbers: any RandomNumberGenerator & Sendable

    private var announced: [Int] = []
    private var freeControllers: [Int] = []
    var freeSets: [Int] = []
    var freeLinks: [Int] = []

    /// An air without controllers.
    /// - Parameter numbers: where random numbers and keys of the controllers come from; `nil` for the seed. Keys of a seed
    ///   that is known are no secret.
    package init(
        _ configuration: AirConfiguration = AirConfiguration(),
        numbers: (any RandomNumberGenerator & Sendable)? = nil
    ) {
        self.configuration = configuration
        delays = SeededGenerator(seed: configuration.seed, stream: 1)
        noise = SeededGenerator(seed: configuration.seed, stream: 2)
        self.numbers = numbers ?? SeededGenerator(seed: configuration.seed, stream: 3)
    }
}

// MARK: - Controllers

extension Air {
    /// Puts a controller on the air; it does nothing until its host says so.
    package mutating func addController(_ configuration: ControllerConfiguration) -> ControllerIdentifier {
        guard let index = freeControllers.popLast() else {
            controllers.append(Controller(configuration, generation: 0))
            return ControllerIdentifier(index: controllers.count - 1, generation: 0)
        }
        let generation = controllers[index].generation &+ 1
        controllers[index] = Controller(configuration, generation: generation)
        return ControllerIdentifier(index: index, generation: generation)
    }

    /// Takes a controller away at once, as when its battery falls out: its peers notice by their supervision timeouts.
    package mutating func removeController(_ identifier: ControllerIdentifier) {
        guard let index = index(of: identifier) else { return }
        silence(index)
        controllers[index].isPresent = false
        controllers[index].outbox = Outbox()
        freeControllers.append(index)
    }

    /// Moves a controller; `nil` puts it one metre from everybody.
    package mutating func setPosition(_ position: Position?, of identifier: ControllerIdentifier) {
        guard let index = index(of: identifier) else { return }
        controllers[index].position = position
    }

    /// Where a controller is; `nil` when it has no place, or is gone.
    package func position(of identifier: ControllerIdentifier) -> Position? {
        index(of: identifier).flatMap { controllers[$0].position }
    }

    /// Changes what a controller's antenna adds, in dB.
    package mutating func setStrengthCorrection(_ decibels: Double, of identifier: ControllerIdentifier) {
        guard let index = index(of: identifier) else { return }
        controllers[index].strengthCorrection = decibels
    }

    /// How many advertising reports a host was too slow for.
    package func droppedReports(of identifier: ControllerIdentifier) -> UInt64 {
        index(of: identifier).map { controllers[$0].outbox.droppedReports } ?? 0
    }

    /// The place of a controller that is still there.
    func index(of identifier: ControllerIdentifier) -> Int? {
        guard controllers.indices.contains(identifier.index) else { return nil }
        let controller = controllers[identifier.index]
        return controller.isPresent && controller.generation == identifier.generation ? identifier.index : nil
    }

    /// Ends all that a controller does, without a word to anybody.
    mutating func silence(_ index: Int) {
        endTest(index)
        stopScanning(index)
        stopInitiating(index)
        for set in controllers[index].host.sets { discardSet(Int(set)) }
        for link in controllers[index].host.links { abandonLink(Int(link), from: index) }
        if let timer = controllers[index].host.scanTimer { timers.remove(timer) }
        controllers[index].host = HostState()
    }
}

// MARK: - Packets

extension Air {
    /// Whether a host may send more. When it may not, its owner reads nothing from it until output has been taken.
    package func canAccept(from identifier: ControllerIdentifier) -> Bool {
        guard let index = index(of: identifier) else { return false }
        return hasRoom(index)
    }

    /// Whether a controller's scan is active; `nil` when it does not scan.
    package func activeScan(of identifier: ControllerIdentifier) -> Bool? {
        guard let index = index(of: identifier) else { return nil }
        return scanners.first { $0.controller == index }?.parameters.isActive
    }

    /// Takes a packet of a host, at the current time.
    ///
    /// - Returns: whether it was taken: not while `canAccept(from:)` is false, nor from a controller that is gone.
    @discardableResult
    package mutating func receive(_ packet: HCIPacket, from identifier: ControllerIdentifier) -> Bool {
        guard let index = index(of: identifier), hasRoom(index) else { return false }
        switch packet {
        case .command(let command): perform(command, by: index)
        case .acl(let data): receiveData(data, from: index)
        // A controller has no use for events, and these have neither voice nor isochronous channels.
        case .event, .synchronous, .isochronous: break
        }
        runTimers(until: now)
        return true
    }

    /// The next packet for a host.
    package mutating func takeOutput(of identifier: ControllerIdentifier) -> HCIPacket? {
        guard let index = index(of: identifier) else { return nil }
        let packet = controllers[index].outbox.popFirst(isBusy: !controllers[index].host.links.isEmpty)
        if controllers[index].isAwaited, hasRoom(index) {
            controllers[index].isAwaited = false
            for link in controllers[index].host.links { scheduleLink(Int(link)) }
        }
        return packet
    }

    /// The controllers that were given output since the last call.
    package mutating func takeControllersWithOutput() -> [ControllerIdentifier] {
        guard !announced.isEmpty else { return [] }
        var identifiers: [ControllerIdentifier] = []
        identifiers.reserveCapacity(announced.count)
        for index in announced where controllers[index].isAnnounced {
            controllers[index].isAnnounced = false
            let generation = controllers[index].generation
            if controllers[index].isPresent {
                identifiers.append(ControllerIdentifier(index: index, generation: generation))
            }
        }
        announced.removeAll(keepingCapacity: true)
        return identifiers
    }

    func hasRoom(_ index: Int) -> Bool {
        controllers[index].outbox.undroppableCount < configuration.packetLimit
    }

    /// Gives a host a packet.
    mutating func send(_ packet: HCIPacket, to index: Int) {
        controllers[index].outbox.append(packet)
        announce(index)
    }

    /// Gives a host an advertising report.
    mutating func sendReport(_ parameters: [UInt8], to index: Int) {
        let event = HCIEventPacket(code: HCIEventPacket.lowEnergyMetaCode, parameters: parameters)
        controllers[index].outbox.appendReport(event, limit: configuration.reportLimit)
        announce(index)
    }

    private mutating func announce(_ index: Int) {
        guard !controllers[index].isAnnounced else { return }
        controllers[index].isAnnounced = true
        announced.append(index)
    }

    /// Gives a host an event, if it wants it.
    mutating func emit<Event: HCIEvent>(_ event: Event, to index: Int) {
        guard controllers[index].host.masks.allows(event: Event.eventCode) else { return }
        send(.event(HCIEventPacket(event)), to: index)
    }

    /// Gives a host an LE event, if it wants it.
    mutating func emit<Event: LEMetaEvent>(_ event: Event, to index: Int) {
        guard controllers[index].host.masks.allows(lowEnergy: Event.subeventCode) else { return }
        send(.event(HCIEventPacket(event)), to: index)
    }
}

// MARK: - Time

extension Air {
    /// When something happens next; `nil` when nothing will unless a host says so.
    package var nextDeadline: AirTime? { timers.firstDeadline }

    /// Lets time pass, and all happen that is due until then, in order. Time does not go back.
    package mutating func advance(to time: AirTime) {
        runTimers(until: time)
        now = max(now, time)
    }

    private mutating func runTimers(until limit: AirTime) {
        while let (deadline, owner) = timers.popFirst(notAfter: limit) {
            now = max(now, deadline)
            switch owner {
            case .advertisingSet(let set): runAdvertisingEvent(Int(set))
            case .link(let link): runLink(Int(link))
            case .scanTimeout(let controller): endScan(Int(controller))
            }
        }
    }
}

// MARK: - Strength

extension Air {
    /// What a controller measures of another's signal, in dBm.
    mutating func strength(of transmitter: Int, transmitting power: Int8, at receiver: Int) -> Int8 {
        var distance = 1.0
        if let from = controllers[transmitter].position, let to = controllers[receiver].position {
            distance = from.distance(to: to)
        }
        let correction = controllers[transmitter].strengthCorrection + controllers[receiver].strengthCorrection
        return configuration.pathLoss.receivedStrength(
            transmitted: power, distance: distance, correction: correction, generator: &noise)
    }
}
