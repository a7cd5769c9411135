// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

// MARK: - Finding and scheduling

extension Air {
    /// The place of a controller's link, and the side of it that the controller is.
    func findLink(_ handle: ConnectionHandle, of controller: Int) -> (index: Int, side: LinkSide)? {
        for link in controllers[controller].host.links {
            let side = links[Int(link)].side(of: controller)
            if links[Int(link)][side].handle == handle.rawValue { return (Int(link), side) }
        }
        return nil
    }

    /// Sets the timer of a link for the next time it has something to do; a link without work costs nothing.
    mutating func scheduleLink(_ index: Int) {
        guard links[index].isOpen else { return }
        var deadline = links[index].waitDeadline
        if links[index].isWhole {
            if case .scheduled(_, _, let instant) = links[index].update {
                deadline = min(deadline, links[index].time(ofEvent: instant))
            }
            if hasWork(index) { deadline = min(deadline, nextEventTime(index)) }
        }
        if deadline == .never {
            timers.cancel(links[index].timer)
        } else {
            timers.schedule(links[index].timer, at: max(deadline, now))
        }
    }

    private func nextEventTime(_ index: Int) -> AirTime {
        if configuration.timing == .immediate { return now }
        return links[index].time(ofEvent: links[index].nextEventNumber(at: now))
    }

    /// Whether the next connection event has anything to do. What waits for room in an outbox is not counted: taking
    /// output asks again.
    private mutating func hasWork(_ index: Int) -> Bool {
        if links[index].isReadyToEnd { return true }
        if canSend(index, from: .central) || canSend(index, from: .peripheral) { return true }
        return links[index].hasProcedure && hasRoomAtBothEnds(index)
    }

    /// Whether a side has data, and the other's host can take it.
    private mutating func canSend(_ index: Int, from side: LinkSide) -> Bool {
        guard !links[index][side].outgoing.isEmpty, !links[index].isPaused else { return false }
        let receiver = links[index][side.other].controller
        if hasRoom(receiver), controllers[receiver].host.flow.hasRoom { return true }
        controllers[receiver].isAwaited = true
        return false
    }

    private mutating func hasRoomAtBothEnds(_ index: Int) -> Bool {
        for side in [LinkSide.central, .peripheral] where !hasRoom(links[index][side].controller) {
            controllers[links[index][side].controller].isAwaited = true
            return false
        }
        return true
    }
}

// MARK: - Connection events

extension Air {
    /// What a link's timer is for: a connection event, or the end of waiting.
    mutating func runLink(_ index: Int) {
        guard links[index].isOpen else { return }
        if now >= links[index].waitDeadline { return expire(index) }
        if links[index].isWhole, nextEventTime(index) <= now { runConnectionEvent(index) }
        if links[index].isOpen { scheduleLink(index) }
    }

    private mutating func runConnectionEvent(_ index: Int) {
        let number = links[index].nextEventNumber(at: now)
        links[index].lastEvent = configuration.timing == .immediate ? number - 1 : number
        applyUpdate(index, atEvent: number)
        if links[index].hasProcedure, hasRoomAtBothEnds(index) { runProcedure(index, atEvent: number) }
        exchangeData(index)
        if links[index].isReadyToEnd { finishTermination(index) }
    }

    /// Data both ways, as much as the interval has time for; the central begins (Core 5.4, Vol 6, Part B, 4.5.1).
    private mutating func exchangeData(_ index: Int) {
        var budget = configuration.timing == .immediate ? Int64.max : links[index].intervalMicroseconds
        while true {
            let fromCentral = nextFragment(index, from: .central)
            let fromPeripheral = nextFragment(index, from: .peripheral)
            if fromCentral == nil, fromPeripheral == nil { break }
            budget -= links[index].airtime(octets: fromCentral ?? 0, from: .central)
            budget -= links[index].airtime(octets: fromPeripheral ?? 0, from: .peripheral)
            budget -= 2 * Link.interFrameSpace
            guard budget >= 0 else { break }
            if let fromCentral { deliver(index, octets: fromCentral, from: .central) }
            if let fromPeripheral { deliver(index, octets: fromPeripheral, from: .peripheral) }
        }
        reportCompletedPackets(index, .central)
        reportCompletedPackets(index, .peripheral)
    }

    /// Octets of the next data PDU of a side; `nil` when there is none, or nobody to take it.
    private mutating func nextFragment(_ index: Int, from side: LinkSide) -> Int? {
        canSend(index, from: side) ? links[index].nextFragment(from: side) : nil
    }

    private mutating func deliver(_ index: Int, octets: Int, from side: LinkSide) {
        guard let data = links[index].cross(octets, from: side), octets > 0 else { return }
        let receiver = links[index][side.other].controller
        let isWhole = octets == data.payload.count
        let packet = ACLDataPacket(
            handle: ConnectionHandle(links[index][side.other].handle),
            boundary: data.startsMessage && data.sent == 0 ? .firstFlushable : .continuing,
            payload: isWhole ? data.payload : Array(data.payload[data.sent..<data.sent + octets]))
        if controllers[receiver].host.flow.isCounting {
            controllers[receiver].host.flow.used += 1
            links[index][side.other].heldByHost += 1
        }
        send(.acl(packet), to: receiver)
    }

    private mutating func reportCompletedPackets(_ index: Int, _ side: LinkSide) {
        let count = links[index][side].completed
        guard count > 0 else { return }
        links[index][side].completed = 0
        let packets = CompletedPackets(connectionHandle: ConnectionHandle(links[index][side].handle), count: count)
        emit(NumberOfCompletedPackets(completedPackets: [packets]), to: links[index][side].controller)
    }
}

// MARK: - Data of hosts

extension Air {
    /// Data of a host for one of its links; that of a link which is gone is ignored.
    mutating func receiveData(_ packet: ACLDataPacket, from controller: Int) {
        guard let (index, side) = findLink(packet.handle, of: controller), links[index].termination?.side != side else {
            return
        }
        let cost = max(1, (packet.payload.count + Controller.bufferLength - 1) / Controller.bufferLength)
        var taken = 0
        for link in controllers[controller].host.links { taken += links[Int(link)].outgoingCost(of: controller) }
        // Twice what it may send: a host that counts badly is borne with, one that does not count is not.
        guard taken + cost <= 2 * Controller.bufferCount else { return overflow(index, side) }
        let data = OutgoingData(
            payload: packet.payload, startsMessage: packet.boundary != .continuing, cost: cost)
        links[index][side].outgoing.append(data)
        links[index][side].outgoingCost += cost
        scheduleLink(index)
    }

    private mutating func overflow(_ index: Int, _ side: LinkSide) {
        emit(DataBufferOverflow(linkType: 1), to: links[index][side].controller)
        close(index, reason: .memoryCapacityExceeded, at: side)
        close(index, reason: .remoteDeviceTerminatedLowResources, at: side.other)
        freeLink(index)
    }
}
