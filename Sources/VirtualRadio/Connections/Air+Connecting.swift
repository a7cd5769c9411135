// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

// MARK: - From an advertisement to a connection

extension Air {
    /// Lets an initiator that receives an advertising event connect; whether one did.
    mutating func connectInitiator(toSet set: Int) -> Bool {
        while let place = initiators.firstIndex(where: { wants($0, set: set) }) {
            let initiator = initiators.remove(at: place)
            guard takes(initiator, set: set) else {
                addRefusedLink(central: initiator, set: set)
                continue
            }
            connect(initiator, toSet: set)
            return true
        }
        return false
    }

    private mutating func connect(_ initiator: Initiator, toSet set: Int) {
        stopAdvertising(set)
        let link = addLink(central: initiator, set: set)
        announce(link, side: .central)
        announce(link, side: .peripheral)
        if let handle = sets[set].handle {
            emit(
                LEAdvertisingSetTerminated(
                    advertisingHandle: handle,
                    connectionHandle: ConnectionHandle(links[link][.peripheral].handle),
                    completedExtendedAdvertisingEvents: sets[set].completedEvents), to: sets[set].controller)
        }
        scheduleLink(link)
    }

    /// Whether an initiator receives a connectable set and requests a connection (Core 5.4, Vol 6, Part B, 4.3.5).
    ///
    /// A request to an extended advertiser that refuses it gets no AUX_CONNECT_RSP and the initiator goes on, as if it had
    /// not been made.
    private func wants(_ initiator: Initiator, set index: Int) -> Bool {
        let set = sets[index]
        guard initiator.schedule.channelBit(at: now) & set.channels != 0, initiator.controller != set.controller,
            initiator.isExtended || set.properties.contains(.legacy)
        else { return false }
        if set.properties.contains(.directed), set.target != initiator.ownAddress { return false }
        if let peer = initiator.peer {
            guard peer == set.address else { return false }
        } else if !accepts(set.address, controller: initiator.controller) {
            return false
        }
        guard controllers[initiator.controller].host.links.count < Controller.connectionLimit else { return false }
        return set.properties.contains(.legacy) || takes(initiator, set: index)
    }

    /// Whether an advertiser takes the request of an initiator (Core 5.4, Vol 6, Part B, 4.3.2).
    private func takes(_ initiator: Initiator, set index: Int) -> Bool {
        let set = sets[index]
        let needsAcceptance =
            set.filterPolicy.contains(.connectionRequestsOfList) && !set.properties.contains(.directed)
        if needsAcceptance, !accepts(initiator.ownAddress, controller: set.controller) { return false }
        return controllers[set.controller].host.links.count < Controller.connectionLimit
    }

    /// A link that only its central has: the CONNECT_IND, which nothing answers, was refused. It is lost when six
    /// connection intervals have passed (Core 5.4, Vol 6, Part B, 4.5).
    private mutating func addRefusedLink(central: Initiator, set: Int) {
        let link = addLink(central: central, set: set, isRefused: true)
        links[link].lossReason = .connectionFailedToBeEstablished
        links[link].lossDeadline = now + 6 * links[link].intervalMicroseconds
        announce(link, side: .central)
        scheduleLink(link)
    }

    private mutating func addLink(central: Initiator, set: Int, isRefused: Bool = false) -> Int {
        let index = freeLinks.popLast() ?? links.count
        let peripheral = sets[set].controller
        var ends: InlineArray<2, LinkEnd> = [
            LinkEnd(
                controller: central.controller, handle: nextHandle(central.controller), address: central.ownAddress),
            LinkEnd(
                controller: peripheral, handle: isRefused ? 0 : nextHandle(peripheral), address: sets[set].address,
                isPresent: !isRefused),
        ]
        for side in 0..<2 {
            ends[side].wantedDataLength = controllers[ends[side].controller].host.suggestedDataLength
        }
        // The transmit window begins 1.25 ms after the request (Core 5.4, Vol 6, Part B, 4.5.3).
        let anchor = configuration.timing == .immediate ? now : now + 1250
        var link = Link(
            timer: timers.add(.link(Int32(index))), ends: ends, interval: central.parameters.minimumInterval,
            latency: central.parameters.latency, supervisionTimeout: central.parameters.supervisionTimeout,
            anchor: anchor)
        if ends[0].wantedDataLength != .initial || ends[1].wantedDataLength != .initial {
            link.procedures.append(.dataLength)
        }
        if index == links.count { links.append(link) } else { links[index] = link }
        controllers[central.controller].host.links.append(Int32(index))
        if !isRefused { controllers[peripheral].host.links.append(Int32(index)) }
        return index
    }

    /// A connection handle that the controller does not use: they go round, so that an old one is not soon a new one.
    private mutating func nextHandle(_ controller: Int) -> UInt16 {
        let used = controllers[controller].host.links.map { link in
            links[Int(link)][links[Int(link)].side(of: controller)].handle
        }
        var handle = controllers[controller].host.lastHandle
        repeat { handle = handle % ConnectionHandle.range.upperBound.rawValue + 1 } while used.contains(handle)
        controllers[controller].host.lastHandle = handle
        return handle
    }
}

// MARK: - What the hosts are told

extension Air {
    private mutating func announce(_ index: Int, side: LinkSide) {
        let end = links[index][side]
        emitConnectionComplete(
            ConnectionOutcome(
                handle: end.handle, role: side == .central ? .central : .peripheral,
                peer: links[index][side.other].address, interval: links[index].interval,
                latency: links[index].latency, supervisionTimeout: links[index].supervisionTimeout),
            to: end.controller)
        emit(
            LEChannelSelectionAlgorithm(connectionHandle: ConnectionHandle(end.handle), algorithm: .algorithm2),
            to: end.controller)
    }

    /// A set ended by itself.
    mutating func endAdvertising(_ index: Int, status: HCIStatus) {
        stopAdvertising(index)
        let set = sets[index]
        if let handle = set.handle {
            emit(
                LEAdvertisingSetTerminated(
                    status: status, advertisingHandle: handle, completedExtendedAdvertisingEvents: set.completedEvents),
                to: set.controller)
        } else {
            emitConnectionComplete(
                ConnectionOutcome(status: status, role: .peripheral, peer: set.target), to: set.controller)
        }
    }

    /// What became of an attempt to connect.
    struct ConnectionOutcome {
        var status = HCIStatus.success
        var handle: UInt16 = 0
        var role: ConnectionRole
        var peer = PackedAddress.zero
        var interval: UInt16 = 0
        var latency: UInt16 = 0
        var supervisionTimeout: UInt16 = 0
    }

    /// The enhanced event where the host wants it, else the other.
    mutating func emitConnectionComplete(_ outcome: ConnectionOutcome, to controller: Int) {
        let masks = controllers[controller].host.masks
        let handle = ConnectionHandle(outcome.handle)
        let type = AddressType(rawValue: outcome.peer.type)
        let interval = ConnectionInterval(UInt32(outcome.interval))
        let timeout = SupervisionTimeout(UInt32(outcome.supervisionTimeout))
        if masks.allows(lowEnergy: LEEnhancedConnectionComplete.subeventCode) {
            emit(
                LEEnhancedConnectionComplete(
                    status: outcome.status, connectionHandle: handle, role: outcome.role, peerAddressType: type,
                    peerAddress: outcome.peer.address, connectionInterval: interval,
                    peripheralLatency: outcome.latency, supervisionTimeout: timeout), to: controller)
        } else {
            emit(
                LEConnectionComplete(
                    status: outcome.status, connectionHandle: handle, role: outcome.role, peerAddressType: type,
                    peerAddress: outcome.peer.address, connectionInterval: interval,
                    peripheralLatency: outcome.latency, supervisionTimeout: timeout), to: controller)
        }
    }
}
