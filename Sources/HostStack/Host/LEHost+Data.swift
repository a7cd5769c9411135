// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension LEHost {
    /// Takes data of a peer.
    mutating func receive(_ data: ACLDataPacket) {
        guard let index = index(of: data.handle) else {
            _ = links.keep(data)
            return
        }
        guard !connections[index].isUnwanted else { return }
        let identifier = connections[index].link.id
        let isStart = data.boundary != .continuing
        for output in connections[index].reassembler.receive(data.payload, isStart: isStart) {
            if case .frame(let frame) = output { receive(frame, of: identifier) }
        }
    }

    private mutating func receive(_ frame: L2CAPFrame, of connection: ConnectionIdentifier) {
        guard let index = index(of: connection) else { return }
        switch frame.channel {
        case .attribute: perform(connections[index].bearer.receive(frame.payload, at: now), of: connection)
        case .signalling: perform(connections[index].signalling.receive(frame.payload), of: connection)
        case .securityManager:
            receiveSecurity(frame.payload, at: index)
        default: break
        }
    }

    /// Queues a payload for a peer. A peer that makes this host answer more than it takes in is not worth its memory.
    mutating func send(_ payload: [UInt8], on channel: ChannelIdentifier, at index: Int) {
        guard connections[index].outgoing.hasRoom else {
            return endConnection(connections[index].link.id, reason: .remoteDeviceTerminatedLowResources)
        }
        connections[index].outgoing.append(
            L2CAPFrame(channel: channel, payload: payload), fragmentLength: knownCapabilities.dataLength)
    }

    /// Gives the controller what it has room for, a packet of each connection in turn.
    mutating func sendData() {
        while dataCredits.available > 0, let index = nextSender, let part = connections[index].outgoing.popFirst() {
            dataCredits.spend()
            dataCredits.lastSender = connections[index].link.id
            connections[index].packetsInController += 1
            outputs.append(
                .send(
                    .acl(
                        ACLDataPacket(
                            handle: connections[index].handle,
                            boundary: part.isStart ? .firstNonFlushable : .continuing, payload: part.octets))))
        }
    }

    /// Whose turn it is: the first with data behind the one that sent last.
    private var nextSender: Int? {
        let last = dataCredits.lastSender?.rawValue ?? 0
        // By index: an element is large, and would be copied to be looked at.
        let indices = connections.indices
        return indices.first { !connections[$0].outgoing.isEmpty && connections[$0].link.id.rawValue > last }
            ?? indices.first { !connections[$0].outgoing.isEmpty }
    }

    /// Takes the controller's word on what it has sent.
    mutating func receive(_ event: NumberOfCompletedPackets) {
        for entry in event.completedPackets {
            guard let index = index(of: entry.connectionHandle) else { continue }
            let count = min(Int(entry.count), connections[index].packetsInController)
            connections[index].packetsInController -= count
            dataCredits.give(back: count)
        }
    }
}
