// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// The characters of those controllers that have one.
///
/// An air consults them in three places: `decide` before a command is executed (`Air.perform`), `replace` before an event is
/// queued (`Controllers.send`), and `interval` when the next advertising event is scheduled. Commands and events that are
/// late are held here; a timer of the air takes them when they are due.
struct Characters: Sendable {
    /// The states of controllers with a character, by their indices.
    private var states: [Int: CharacterState] = [:]
    /// The time of the air.
    var now: AirTime = 0
    /// Whether something is held that was not when the timer was set.
    private(set) var needsTimer = false

    mutating func add(_ character: ControllerCharacter, to controller: Int) {
        // What a controller is from the start needs no state.
        let needsState = character.deviations.contains { !$0.deviation.isStatic }
        states[controller] = needsState ? CharacterState(character, since: now) : nil
    }

    mutating func remove(from controller: Int) { states[controller] = nil }

    /// Whether a controller has a character.
    @inline(__always) func contains(_ controller: Int) -> Bool { !states.isEmpty && states[controller] != nil }

    /// The number of commands and events that a controller holds.
    func heldCount(of controller: Int) -> Int { states.isEmpty ? 0 : states[controller]?.held.count ?? 0 }

    /// What becomes of a command of a controller's host.
    /// - Parameter isDelayed: whether the command was held already.
    mutating func decide(
        _ packet: HCICommandPacket, of controller: Int, _ activity: ControllerStates, isDelayed: Bool
    ) -> CharacterState.Decision {
        defer { needsTimer = true }
        return states[controller]?.decide(packet, activity, isDelayed: isDelayed, now: now) ?? .execute(packet)
    }

    /// The events that a controller sends now in place of an event.
    mutating func replace(_ event: HCIEventPacket, of controller: Int) -> [HCIEventPacket] {
        defer { needsTimer = true }
        return states[controller]?.replace(event, now: now) ?? [event]
    }

    /// The interval on the air, of an interval of the host in microseconds.
    @inline(__always) func interval(_ interval: Int64, of controller: Int) -> Int64 {
        states.isEmpty ? interval : states[controller]?.interval(interval, now: now) ?? interval
    }

    /// Drops the events that a controller holds, because it was reset.
    mutating func reset(_ controller: Int) { states[controller]?.reset() }

    /// Ends the failure of a controller, which has restarted.
    mutating func endHang(of controller: Int) { states[controller]?.endHang() }

    /// The time when the first held item is due; `nil` if nothing is held.
    mutating func takeDeadline() -> AirTime? {
        needsTimer = false
        return states.values.compactMap { $0.held.first?.time }.min()
    }

    /// Takes an item that is due now; `nil` if there is none.
    mutating func takeDue() -> (controller: Int, item: CharacterState.Item)? {
        needsTimer = true
        let due = states.compactMap { controller, state in state.held.first.map { ($0.time, controller) } }
        guard let (time, controller) = due.min(by: <), time <= now else { return nil }
        return states[controller]?.takeFirst().map { (controller: controller, item: $0) }
    }
}

/// The character of one controller, with what it has to remember.
struct CharacterState: Sendable {
    /// What becomes of a command.
    enum Decision {
        /// It is not executed, or later.
        case ignore
        case refuse(HCIStatus)
        /// A command is executed after events; it may count as one of a style.
        case execute(HCICommandPacket, after: [any LEMetaEvent] = [], settlesStyle: Bool = true)
    }

    /// What is held until its time.
    enum Item: Sendable {
        case command(HCICommandPacket)
        case event(HCIEventPacket)
        /// A Hardware Error event; whether the controller restarts.
        case hardwareError(restarts: Bool)

        fileprivate var isEvent: Bool {
            if case .event = self { return true }
            return false
        }
    }

    private struct Part: Sendable {
        let period: Range<AirTime>
        var deviation: Deviation
        /// The number of commands since it applies, if it is a hang.
        var commands = 0
    }

    private var parts: [Part]
    /// When the controller joined.
    private let start: AirTime
    /// In the order of their times; items with equal times in the order in which they came.
    private(set) var held: [(time: AirTime, item: Item)] = []

    init(_ character: ControllerCharacter, since start: AirTime) {
        parts = character.deviations.map { Part(period: $0.period, deviation: $0.deviation) }
        self.start = start
    }

    private func isActive(_ part: Part, _ now: AirTime) -> Bool { part.period.contains(now - start) }

    mutating func decide(
        _ packet: HCICommandPacket, _ activity: ControllerStates, isDelayed: Bool, now: AirTime
    ) -> Decision {
        if !isDelayed, let delay = delay(of: packet, now) {
            hold(.command(packet), until: now + delay)
            return .ignore
        }
        if isHung(now) { return .ignore }
        var command = packet
        var events: [any LEMetaEvent] = []
        var settlesStyle = true
        for part in parts where isActive(part, now) {
            switch part.deviation.command?(command, activity) {
            case nil: break
            case .ignore: return .ignore
            case .refuse(let status): return .refuse(status)
            case .replace(let other): command = other
            case .precede(let more): events += more
            case .executeInAnyStyle: settlesStyle = false
            }
        }
        return .execute(command, after: events, settlesStyle: settlesStyle)
    }

    private func delay(of packet: HCICommandPacket, _ now: AirTime) -> AirTime? {
        parts.lazy.filter { isActive($0, now) }.compactMap { $0.deviation.delay?(packet) }.max()
    }

    /// Counts a command; whether the controller does not answer it, because it hangs.
    private mutating func isHung(_ now: AirTime) -> Bool {
        var isHung = false
        for index in parts.indices where isActive(parts[index], now) {
            guard let hang = parts[index].deviation.hang else { continue }
            parts[index].commands += 1
            guard parts[index].commands > hang.commands else { continue }
            isHung = true
            guard parts[index].commands == hang.commands + 1, hang.ending != .never else { continue }
            hold(.hardwareError(restarts: hang.ending == .error), until: now + Hang.timeToError)
        }
        return isHung
    }

    mutating func endHang() {
        for index in parts.indices { parts[index].deviation.hang = nil }
    }

    mutating func replace(_ event: HCIEventPacket, now: AirTime) -> [HCIEventPacket] {
        var events = [event]
        for part in parts where isActive(part, now) {
            guard let replacement = part.deviation.event else { continue }
            var next: [HCIEventPacket] = []
            for event in events {
                for replaced in replacement(event) ?? [ReplacedEvent(event: event)] {
                    guard let delay = replaced.delay else {
                        next.append(replaced.event)
                        continue
                    }
                    hold(.event(replaced.event), until: now + delay)
                }
            }
            events = next
        }
        return events
    }

    func interval(_ interval: Int64, now: AirTime) -> Int64 {
        parts.reduce(interval) { interval, part in
            guard let factor = part.deviation.intervalFactor, isActive(part, now) else { return interval }
            return Int64(Double(interval) * factor)
        }
    }

    private mutating func hold(_ item: Item, until time: AirTime) {
        let place = held.firstIndex { $0.time > time } ?? held.count
        held.insert((time, item), at: place)
    }

    fileprivate mutating func takeFirst() -> Item? { held.isEmpty ? nil : held.removeFirst().item }

    mutating func reset() { held.removeAll { $0.item.isEvent } }
}

// MARK: - Execution

extension Air {
    /// Executes and answers a command as the character of the controller has it.
    mutating func performInCharacter(_ packet: HCICommandPacket, by controller: Int, isDelayed: Bool = false) {
        let present = activity(of: controller)
        switch context.controllers.characters.decide(packet, of: controller, present, isDelayed: isDelayed) {
        case .ignore: break
        case .refuse(let status): refuse(packet, status, by: controller)
        case .execute(let command, let events, let settlesStyle):
            for event in events { context.controllers.emit(event, to: controller) }
            execute(command, by: controller, settlesStyle: settlesStyle)
        }
    }

    private func activity(of controller: Int) -> ControllerStates {
        ControllerStates(
            hasLinks: links.hasLinks(controller), isScanning: scanners.isScanning(controller),
            isInitiating: initiators.isInitiating(controller), isAdvertising: advertising.isAdvertising(controller),
            sets: advertising.extendedSets(of: controller))
    }

    /// Sets the timer of the held commands and events.
    mutating func scheduleHeldItems() {
        guard context.controllers.characters.needsTimer else { return }
        guard let deadline = context.controllers.characters.takeDeadline() else { return }
        let timer = context.characterTimer ?? context.timers.add(.heldItems)
        context.characterTimer = timer
        context.timers.schedule(timer, at: deadline)
    }

    /// Executes the commands and sends the events that are due.
    mutating func releaseHeldItems() {
        while let (controller, item) = context.controllers.characters.takeDue() {
            switch item {
            case .command(let packet): performInCharacter(packet, by: controller, isDelayed: true)
            case .event(let event): context.controllers.queue(.event(event), to: controller)
            case .hardwareError(let restarts):
                if restarts {
                    reset(controller)
                    context.controllers.characters.endHang(of: controller)
                }
                context.controllers.emit(HardwareError(hardwareCode: Hang.hardwareCode), to: controller)
            }
        }
    }
}
