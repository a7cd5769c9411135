// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The connections of all controllers (Core 5.4, Vol 6, Part B, 4.5).
///
/// The timer of a link is set to the earliest of: its next exchange of data (`ConnectionEvent`), its next connection event
/// with a procedure that the peripheral attends, a timeout, and the instant of a connection update. Without any of these, the
/// timer is off. Each method that changes a link calls `schedule` afterwards.
///
/// The radio of a controller is in one exchange at a time: the links of a controller take turns, exchange by exchange. An
/// event without data takes no time of the radio, nor does advertising or scanning.
struct Links: Sendable {
    /// The connections of one controller.
    private struct Host: Sendable {
        /// Indices of links.
        var links: [Int32] = []
        var lastHandle: UInt16 = 0
        var flow = HostFlowControl()
        /// When its radio is free, after the exchanges of its links that have begun or have a turn.
        var radioFree: AirTime = .min
    }

    /// The buffers of a host that uses flow control (Core 5.4, Vol 4, Part E, 4.2).
    private struct HostFlowControl: Sendable {
        var isOn = false
        var total: UInt16 = 0
        var used: UInt16 = 0

        /// Whether packets are counted: only after the host has reported its buffers.
        var isCounting: Bool { isOn && total > 0 }
        var hasRoom: Bool { !isCounting || used < total }
    }

    private var links: [Link] = []
    private var free: [Int] = []
    /// The connections of each controller, by its index.
    private var hosts: [Host] = []

    /// Reads a link in place.
    subscript(index: Int) -> Link {
        @inline(__always) _read { yield links[index] }
    }

    // MARK: - Controllers

    mutating func addController(_ index: Int) {
        if index == hosts.count { hosts.append(Host()) } else { hosts[index] = Host() }
    }

    /// Drops all links of a controller without an event for its host, and resets its flow control and its handles.
    mutating func reset(_ controller: Int, _ context: inout AirContext) {
        for link in hosts[controller].links { abandon(Int(link), by: controller, &context) }
        hosts[controller] = Host()
    }

    func hasLinks(_ controller: Int) -> Bool { !hosts[controller].links.isEmpty }
    func canAdd(to controller: Int) -> Bool { hosts[controller].links.count < Capabilities.connectionLimit }

    func isConnected(_ controller: Int, to peer: PackedAddress) -> Bool {
        hosts[controller].links.contains { link in
            links[Int(link)][links[Int(link)].side(of: controller).other].address == peer
        }
    }

    /// The index of a controller's link, and the controller's side.
    func find(_ handle: ConnectionHandle, of controller: Int) -> (index: Int, side: LinkSide)? {
        for link in hosts[controller].links {
            let side = links[Int(link)].side(of: controller)
            if links[Int(link)][side].handle == handle { return (Int(link), side) }
        }
        return nil
    }

    // MARK: - New links

    /// Adds a link and reports it to both hosts.
    /// - Returns: the handle of the peripheral.
    mutating func add(
        central: Initiator, _ peripheral: Int, _ address: PackedAddress, _ context: inout AirContext
    ) -> ConnectionHandle {
        let index = insert(central: central, peripheral, address, &context)
        hosts[peripheral].links.append(Int32(index))
        links[index].reportConnection(to: .central, &context)
        links[index].reportConnection(to: .peripheral, &context)
        schedule(index, &context)
        return links[index][.peripheral].handle
    }

    /// Adds a link that only the central has, because the peripheral has refused the connection. It is lost after six
    /// intervals.
    mutating func addRefused(
        central: Initiator, _ peripheral: Int, _ address: PackedAddress, _ context: inout AirContext
    ) {
        let index = insert(central: central, peripheral, address, isRefused: true, &context)
        links[index].refuse(at: context.now)
        links[index].reportConnection(to: .central, &context)
        schedule(index, &context)
    }

    /// Lets a new link fail: at once, or when the first packet of its central arrives.
    mutating func fail(
        _ handle: ConnectionHandle, of peripheral: Int, _ fault: (phase: ConnectionFault.Phase, reason: HCIStatus),
        _ context: inout AirContext
    ) {
        guard let (index, _) = find(handle, of: peripheral) else { return }
        if fault.phase == .request {
            links[index].failure = fault.reason
        } else {
            end(index, by: .peripheral, fault.reason, &context)
        }
    }

    /// Makes a link, and adds it to the links of its central.
    private mutating func insert(
        central: Initiator, _ peripheral: Int, _ address: PackedAddress, isRefused: Bool = false,
        _ context: inout AirContext
    ) -> Int {
        let index = free.popLast() ?? links.count
        let first = LinkEnd(
            controller: central.controller, handle: nextHandle(central.controller), address: central.ownAddress,
            wantedDataLength: context.controllers.suggestedDataLength(of: central.controller))
        let second = LinkEnd(
            controller: peripheral, handle: isRefused ? ConnectionHandle(0) : nextHandle(peripheral), address: address,
            wantedDataLength: context.controllers.suggestedDataLength(of: peripheral))
        // The transmit window begins 1.25 ms after the request (Core 5.4, Vol 6, Part B, 4.5.3).
        let timing = context.configuration.timing
        let anchor = timing == .immediate ? context.now : context.now + 1250
        let link = Link(
            timer: context.timers.add(.link(Int32(index))), central: first, peripheral: second, central.parameters,
            anchor: anchor, timing: timing)
        if index == links.count { links.append(link) } else { links[index] = link }
        hosts[central.controller].links.append(Int32(index))
        return index
    }

    /// An unused connection handle of a controller; handles rotate, so that an old one is not reused soon.
    private mutating func nextHandle(_ controller: Int) -> ConnectionHandle {
        let used = hosts[controller].links.map { links[Int($0)][links[Int($0)].side(of: controller)].handle }
        var handle = hosts[controller].lastHandle
        repeat {
            handle = handle % ConnectionHandle.range.upperBound.rawValue + 1
        } while used.contains(ConnectionHandle(handle))
        hosts[controller].lastHandle = handle
        return ConnectionHandle(handle)
    }

    // MARK: - Scheduling

    /// Sets the timer of a link to its next deadline, or cancels the timer if there is none.
    private mutating func schedule(_ index: Int, _ context: inout AirContext) {
        guard links[index].isOpen else { return }
        var deadline = links[index].waitDeadline
        if links[index].isActive {
            deadline = min(deadline, links[index].updateInstant, timeOfWork(index, &context))
        }
        if deadline == .never {
            context.timers.cancel(links[index].timer)
        } else {
            context.timers.schedule(links[index].timer, at: max(deadline, context.now))
        }
    }

    /// Schedules all links of a controller; call it when room for packets has become free.
    mutating func scheduleAll(of controller: Int, _ context: inout AirContext) {
        for link in hosts[controller].links { schedule(Int(link), &context) }
    }

    private mutating func timeOfEvent(_ index: Int, _ now: AirTime, _ timing: ConnectionTiming) -> AirTime {
        if timing == .immediate { return now }
        let next = links[index].nextAttendedEvent(at: now)
        return links[index].time(ofEvent: next)
    }

    /// When the link has data to exchange, a procedure or a termination; never without any. Data and procedures that wait
    /// for room in an outbox or in a host's buffers do not count: `scheduleAll` schedules the link again when there is room.
    private mutating func timeOfWork(_ index: Int, _ context: inout AirContext) -> AirTime {
        let timing = context.configuration.timing
        var time = AirTime.never
        if canSend(index, from: .central, &context) || canSend(index, from: .peripheral, &context) {
            time = timing == .immediate ? context.now : links[index].timeOfExchange(at: context.now)
        } else {
            reportCompletedPackets(index, &context)
        }
        if links[index].isReadyToEnd || links[index].hasProcedure && hasRoomAtBothEnds(index, &context) {
            time = min(time, timeOfEvent(index, context.now, timing))
        }
        return time
    }

    /// Whether a side has data, and the other side's host has room for it.
    private mutating func canSend(_ index: Int, from side: LinkSide, _ context: inout AirContext) -> Bool {
        guard let receiver = links[index].receiverOfData(from: side) else { return false }
        if context.controllers.hasRoom(receiver), hosts[receiver].flow.hasRoom { return true }
        context.controllers.awaitRoom(of: receiver)
        return false
    }

    private func hasRoomAtBothEnds(_ index: Int, _ context: inout AirContext) -> Bool {
        for side in [LinkSide.central, .peripheral] where !context.controllers.hasRoom(links[index][side].controller) {
            context.controllers.awaitRoom(of: links[index][side].controller)
            return false
        }
        return true
    }

    // MARK: - Connection events

    /// Runs a link when its timer is due: a connection event, an exchange in it, or a timeout.
    mutating func run(_ index: Int, _ context: inout AirContext) {
        guard links[index].isOpen else { return }
        if context.now >= links[index].waitDeadline { return expire(index, &context) }
        if links[index].isActive {
            let timing = context.configuration.timing
            let isEvent = timeOfEvent(index, context.now, timing) <= context.now
            if isEvent, let reason = beginEvent(index, &context) { return closeBoth(index, reason, &context) }
            if timing == .immediate || links[index].isExchangeDue(at: context.now) {
                if let failure = links[index].failure, canSend(index, from: .central, &context) {
                    return end(index, by: .peripheral, failure, &context)
                }
                if timing == .immediate { exchangeAll(index, &context) } else { exchange(index, &context) }
                if links[index].isReadyToEnd, !isContinuing(index, &context) {
                    return finishTermination(index, &context)
                }
            }
        }
        schedule(index, &context)
    }

    /// Begins a connection event, in which a procedure may run.
    /// - Returns: the reason to close the link; `nil` to keep it open.
    private mutating func beginEvent(_ index: Int, _ context: inout AirContext) -> HCIStatus? {
        let number = links[index].beginEvent(&context)
        guard links[index].hasProcedure, hasRoomAtBothEnds(index, &context) else { return nil }
        return links[index].runProcedure(atEvent: number, &context)
    }

    /// Exchanges the next data PDUs, unless the radio of a controller is in use or the rest of the event is too short. The
    /// central sends first (Core 5.4, Vol 6, Part B, 4.5.1).
    private mutating func exchange(_ index: Int, _ context: inout AirContext) {
        let fromCentral = nextFragment(index, from: .central, &context)
        let fromPeripheral = nextFragment(index, from: .peripheral, &context)
        if fromCentral != nil || fromPeripheral != nil {
            let duration = links[index].durationOfExchange(fromCentral ?? 0, fromPeripheral ?? 0)
            switch startExchange(index, lasting: duration, at: context.now) {
            case .now: break
            case .later: return
            case .inNextEvent: return reportCompletedPackets(index, &context)
            }
            if let fromCentral { deliver(index, octets: fromCentral, from: .central, &context) }
            if let fromPeripheral { deliver(index, octets: fromPeripheral, from: .peripheral, &context) }
            links[index].finishExchange(at: context.now + duration)
        } else {
            links[index].finishExchange(at: context.now)
        }
        reportCompletedPackets(index, &context)
    }

    /// Whether more data is exchanged in the present connection event.
    private mutating func isContinuing(_ index: Int, _ context: inout AirContext) -> Bool {
        links[index].isEventOpen
            && (canSend(index, from: .central, &context) || canSend(index, from: .peripheral, &context))
    }

    /// Begins an exchange, or reserves the radios of both controllers for its turn.
    private mutating func startExchange(
        _ index: Int, lasting duration: Int64, at now: AirTime
    ) -> ConnectionEvent.Start {
        let ends = (links[index][.central].controller, links[index][.peripheral].controller)
        let free = max(hosts[ends.0].radioFree, hosts[ends.1].radioFree)
        let start = links[index].startExchange(lasting: duration, at: now, whenFree: free)
        let time: AirTime? =
            switch start {
            case .now: now
            case .later(let turn): turn
            case .inNextEvent: nil
            }
        if let time {
            hosts[ends.0].radioFree = max(hosts[ends.0].radioFree, time + duration)
            hosts[ends.1].radioFree = max(hosts[ends.1].radioFree, time + duration)
        }
        return start
    }

    /// Exchanges all data, without regard to airtime.
    private mutating func exchangeAll(_ index: Int, _ context: inout AirContext) {
        while true {
            let fromCentral = nextFragment(index, from: .central, &context)
            let fromPeripheral = nextFragment(index, from: .peripheral, &context)
            if fromCentral == nil, fromPeripheral == nil { break }
            if let fromCentral { deliver(index, octets: fromCentral, from: .central, &context) }
            if let fromPeripheral { deliver(index, octets: fromPeripheral, from: .peripheral, &context) }
        }
        reportCompletedPackets(index, &context)
    }

    /// Payload bytes of the next data PDU of a side; `nil` without data, or if the receiver has no room.
    private mutating func nextFragment(_ index: Int, from side: LinkSide, _ context: inout AirContext) -> Int? {
        canSend(index, from: side, &context) ? links[index].nextFragment(from: side) : nil
    }

    private mutating func deliver(_ index: Int, octets: Int, from side: LinkSide, _ context: inout AirContext) {
        guard let (data, receiver, handle) = links[index].cross(octets, from: side), octets > 0 else { return }
        let isWhole = octets == data.payload.count
        let packet = ACLDataPacket(
            handle: handle,
            boundary: data.startsMessage && data.sent == 0 ? .firstFlushable : .continuing,
            payload: isWhole ? data.payload : Array(data.payload[data.sent..<data.sent + octets]))
        if hosts[receiver].flow.isCounting {
            hosts[receiver].flow.used += 1
            links[index].countHeldPacket(side.other)
        }
        context.controllers.send(.acl(packet), to: receiver)
    }

    private mutating func reportCompletedPackets(_ index: Int, _ context: inout AirContext) {
        reportCompletedPackets(index, .central, &context)
        reportCompletedPackets(index, .peripheral, &context)
    }

    /// Reports the packets of a side that have crossed to its host. While more follow in the event, a quarter of them is
    /// reported at a time, so that the host sends more before the others have crossed.
    private mutating func reportCompletedPackets(_ index: Int, _ side: LinkSide, _ context: inout AirContext) {
        guard links[index][side].completed > 0 else { return }
        if links[index].isEventOpen, canSend(index, from: side, &context) {
            let completed = Int(links[index][side].completed)
            guard completed * 3 >= links[index][side].outgoing.count else { return }
            let inUse = buffersInUse(of: links[index][side].controller) + completed
            if inUse >= Capabilities.bufferCount { links[index].expectRefill() }
        }
        let packets = CompletedPackets(
            connectionHandle: links[index][side].handle, count: links[index].takeCompleted(side))
        context.controllers.emit(
            NumberOfCompletedPackets(completedPackets: [packets]), to: links[index][side].controller)
    }

    // MARK: - Data of hosts

    /// Queues data of a host on one of its links; data of a link that has ended is ignored.
    mutating func receive(_ packet: ACLDataPacket, from controller: Int, _ context: inout AirContext) {
        guard let (index, side) = find(packet.handle, of: controller), links[index].termination?.side != side else {
            return
        }
        let cost = max(1, (packet.payload.count + Capabilities.bufferLength - 1) / Capabilities.bufferLength)
        // The limit is twice the number of buffers: a host that miscounts is tolerated, one that ignores flow control
        // is disconnected.
        guard buffersInUse(of: controller) + cost <= 2 * Capabilities.bufferCount else {
            return overflow(index, side, &context)
        }
        let data = OutgoingData(payload: packet.payload, startsMessage: packet.boundary != .continuing, cost: cost)
        links[index].enqueue(data, from: side)
        schedule(index, &context)
    }

    /// The number of buffers that the data of a host occupies.
    private func buffersInUse(of controller: Int) -> Int {
        var count = 0
        for link in hosts[controller].links { count += links[Int(link)].outgoingCost(of: controller) }
        return count
    }

    private mutating func overflow(_ index: Int, _ side: LinkSide, _ context: inout AirContext) {
        context.controllers.emit(DataBufferOverflow(linkType: 1), to: links[index][side].controller)
        close(
            index, [(side, .memoryCapacityExceeded), (side.other, .remoteDeviceTerminatedLowResources)], &context)
    }

    // MARK: - Disconnection

    /// Drops a controller's end of a link without an event for its host.
    private mutating func abandon(_ index: Int, by controller: Int, _ context: inout AirContext) {
        let side = links[index].side(of: controller)
        links[index].loseEnd(side, at: context.now)
        guard links[index][side.other].isPresent else { return release(index, &context) }
        schedule(index, &context)
    }

    /// Closes a link whose timeout has expired.
    private mutating func expire(_ index: Int, _ context: inout AirContext) {
        if context.now >= links[index].lossDeadline {
            if let silent = links[index].silentSide, links[index].isWhole {
                loseEnd(silent.other, of: index, &context)
            } else {
                closeBoth(index, links[index].lossReason, &context)
            }
        } else if links[index].termination != nil {
            finishTermination(index, &context)
        } else {
            closeBoth(index, .lmpOrLLResponseTimeout, &context)
        }
    }

    private mutating func finishTermination(_ index: Int, _ context: inout AirContext) {
        guard let termination = links[index].termination else { return }
        // The reason of a silent side does not arrive.
        let reason = links[index].silentSide == nil ? termination.reason : .connectionTimeout
        close(
            index,
            [(termination.side, .connectionTerminatedByLocalHost), (termination.side.other, reason)],
            &context)
    }

    private mutating func closeBoth(_ index: Int, _ reason: HCIStatus, _ context: inout AirContext) {
        close(index, [(.central, reason), (.peripheral, reason)], &context)
    }

    /// Closes a link: reports the disconnection to the hosts that still have the link, in the order of `reasons`, and
    /// frees its index.
    private mutating func close(
        _ index: Int, _ reasons: [(side: LinkSide, reason: HCIStatus)], _ context: inout AirContext
    ) {
        for (side, reason) in reasons where links[index][side].isPresent {
            reportEnd(of: index, to: side, reason, &context)
        }
        release(index, &context)
    }

    /// Reports the end of a link to the host of a side, and frees the buffers of its packets.
    private mutating func reportEnd(
        of index: Int, to side: LinkSide, _ reason: HCIStatus, _ context: inout AirContext
    ) {
        let controller = links[index][side].controller
        hosts[controller].flow.used -= min(hosts[controller].flow.used, links[index][side].heldByHost)
        context.controllers.emit(
            DisconnectionComplete(connectionHandle: links[index][side].handle, reason: reason), to: controller)
    }

    /// Removes a link from the controllers that have it, and frees its index.
    private mutating func release(_ index: Int, _ context: inout AirContext) {
        for side in [LinkSide.central, .peripheral] where links[index][side].isPresent {
            hosts[links[index][side].controller].links.removeAll { $0 == Int32(index) }
        }
        links[index].close()
        context.timers.remove(links[index].timer)
        free.append(index)
    }
}

// MARK: - Faults

extension Links {
    /// Makes a controller silent on its present connections: nothing crosses them. Its peers lose them after the supervision
    /// timeout, and the controller after another one.
    mutating func silence(_ controller: Int, _ context: inout AirContext) {
        for link in hosts[controller].links {
            let index = Int(link)
            links[index].silence(links[index].side(of: controller), at: context.now)
            schedule(index, &context)
        }
    }

    /// Ends the silence of a controller; the connections that it still has continue.
    mutating func endSilence(of controller: Int, _ context: inout AirContext) {
        for link in hosts[controller].links {
            let index = Int(link)
            links[index].endSilence(of: links[index].side(of: controller))
            schedule(index, &context)
        }
    }

    /// One end of a link that the other end still has is lost.
    private mutating func loseEnd(_ side: LinkSide, of index: Int, _ context: inout AirContext) {
        reportEnd(of: index, to: side, links[index].lossReason, &context)
        hosts[links[index][side].controller].links.removeAll { $0 == Int32(index) }
        links[index].loseEnd(side, at: context.now)
        schedule(index, &context)
    }

    /// Ends connections of a controller at once, without an exchange of PDUs.
    /// - Parameters:
    ///   - reason: the reason for the peers.
    ///   - isWanted: whether to end the connection with the peer of this index and address.
    /// - Returns: the addresses of the peers.
    mutating func end(
        of controller: Int, _ reason: HCIStatus, _ context: inout AirContext,
        where isWanted: (Int, PackedAddress) -> Bool
    ) -> [PackedAddress] {
        var peers: [PackedAddress] = []
        for link in hosts[controller].links {
            let side = links[Int(link)].side(of: controller)
            let (peer, address) = (links[Int(link)][side.other].controller, links[Int(link)][side.other].address)
            guard isWanted(peer, address) else { continue }
            peers.append(address)
            end(Int(link), by: side, reason, &context)
        }
        return peers
    }

    /// Ends a link at once. The reason of a loss is that of both sides; with any other one, the host of the side has ended it.
    private mutating func end(_ index: Int, by side: LinkSide, _ reason: HCIStatus, _ context: inout AirContext) {
        let isLoss = reason == .connectionTimeout || reason == .connectionTerminatedMICFailure
        let ownReason = isLoss ? reason : .connectionTerminatedByLocalHost
        close(index, [(side, ownReason), (side.other, reason)], &context)
    }
}

// MARK: - Commands

extension Links {
    /// The index of the link that a command is for, and the controller's side.
    /// - Throws: `.unknownConnectionIdentifier` if there is no such link.
    func find(_ command: some ConnectionCommand, _ controller: Int) throws(HCIStatus) -> (index: Int, side: LinkSide) {
        guard let found = find(command.connectionHandle, of: controller) else { throw .unknownConnectionIdentifier }
        return found
    }

    /// Changes the link that a command is for, and schedules the link.
    mutating func change(
        _ command: some ConnectionCommand, _ controller: Int, _ context: inout AirContext,
        _ body: (inout Link, LinkSide) throws(HCIStatus) -> Void
    ) throws(HCIStatus) {
        let (index, side) = try find(command, controller)
        try body(&links[index], side)
        schedule(index, &context)
    }

    /// Changes the link of a command that has completed already, if the link still exists. Then closes the link if
    /// `body` returns a reason, else schedules it.
    mutating func settle(
        _ command: some ConnectionCommand, _ controller: Int, _ context: inout AirContext,
        _ body: (inout Link, LinkSide, inout AirContext) -> HCIStatus?
    ) {
        guard let (index, side) = find(command.connectionHandle, of: controller) else { return }
        if let reason = body(&links[index], side, &context) { return closeBoth(index, reason, &context) }
        schedule(index, &context)
    }

    mutating func setFlowControl(_ isOn: Bool, _ controller: Int) throws(HCIStatus) {
        guard hosts[controller].links.isEmpty else { throw .commandDisallowed }
        hosts[controller].flow.isOn = isOn
        hosts[controller].flow.used = 0
    }

    mutating func setHostBuffers(_ count: UInt16, _ controller: Int) { hosts[controller].flow.total = count }

    /// Frees the buffers of packets that a host has completed.
    /// - Throws: `.unknownConnectionIdentifier` if the host has no such link.
    mutating func release(
        _ packets: CompletedPackets, _ controller: Int, _ context: inout AirContext
    ) throws(HCIStatus) {
        guard let (index, side) = find(packets.connectionHandle, of: controller) else {
            throw .unknownConnectionIdentifier
        }
        let returned = min(packets.count, links[index][side].heldByHost, hosts[controller].flow.used)
        links[index].releaseHeldPackets(returned, side)
        hosts[controller].flow.used -= returned
        scheduleAll(of: controller, &context)
    }
}
