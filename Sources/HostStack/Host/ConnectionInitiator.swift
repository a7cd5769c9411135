// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The connections that the owner requested as central. Each has its own time limit, and a silent peer delays no other.
///
///     idle --(begin)--> requested --(the controller accepts)--> connecting --(connection, or failure)--> idle
///     requested or connecting --(timeout, cancelled, or another request)--> cancelling --(the end, or a timeout)--> idle
///
/// The controller initiates one connection at a time: to one peer, or to any device on its filter accept list (Core 5.4,
/// Vol 4, Part E, 7.8.12 and 7.8.16). A single request names its peer. Several requests with the same parameters are a group,
/// which uses the list. The list cannot be changed while the controller initiates, so a request that joins or leaves the
/// group cancels the command, and the others begin again. Requests with other parameters, and those that the list has no room
/// for, wait for the end of the group.
///
/// A controller that cannot scan and make a connection at the same time refuses the command while the scan is on. The
/// requests then wait until the scan rests.
///
/// A peer with a bond may use private addresses. A request for one *searches* first: the host scans until the peer was received,
/// then the request waits with the address that it has now. A command for a private address that takes too long is cancelled, and the
/// search begins again, since the address may have changed.
///
///     searching --(received)--> waiting --(begin)--> in the group --(connection)--> done
///     in the group --(no connection within the time of an address)--> searching
struct ConnectionInitiator: HostPart {
    /// The number of requests that may wait.
    private static let capacity = 64

    /// The time for a connection to a private address, after which it may have changed: longer than the longest advertising
    /// interval.
    private static let addressTimeout = Duration.seconds(12)

    private struct Request: Hashable, Sendable {
        /// The peer as the owner requested it.
        let peer: PeerAddress
        let parameters: ConnectionParameters
        let timeout: Duration
        /// The peer of the bond, if it may use private addresses.
        var identity: PeerAddress?
        /// The address of the command.
        var address: PeerAddress
        /// The time limit for the peer, from the first time that the controller was to look for it.
        var deadline: Duration?
        /// The time limit for the present address of a peer that is searched for.
        var addressDeadline: Duration?
        /// Why it is given up, once the controller has cancelled the command.
        var failure: LEHostFailure?
        /// Whether it is searched for again, once the controller has cancelled the command.
        var searchesAgain = false

        /// Whether it is for this peer.
        func isFor(_ peer: PeerAddress) -> Bool { self.peer == peer || identity == peer }

        /// When there is something to do while the controller looks for the peer.
        var nextDeadline: Duration? { failure == nil && !searchesAgain ? deadline.orEarlier(addressDeadline) : nil }

        mutating func begin(at now: Duration) {
            deadline = deadline ?? now + timeout
            if identity != nil { addressDeadline = now + ConnectionInitiator.addressTimeout }
        }

        func isOverdue(at now: Duration) -> Bool {
            guard failure == nil, let deadline else { return false }
            return deadline <= now
        }
    }

    private enum State: Hashable, Sendable {
        case idle
        /// The command is on its way.
        case requested
        /// The controller looks for the peers.
        case connecting
        /// The controller is to give up, until this time.
        case cancelling(Duration)
    }

    /// What the host does after the reply to a command.
    enum Outcome {
        case nothing
        /// Pause the scan, and begin again when it rests.
        case pauseScanning
        /// The command has ended: begin what waited for its end.
        case ended
    }

    /// The requests whose peers have not been received yet.
    private var searching: [Request] = []
    private var waiting: [Request] = []
    /// The requests of the command that the controller executes.
    private var group: [Request] = []
    /// The number of peers of the group that the controller has on its list.
    private var listed = 0
    /// The room of the list, as far as the controller has reported it; 1 for a controller that does not use the list.
    private var listCapacity = Int.max
    private var state = State.idle

    /// When there is something to do without an event: the earliest time limit of a peer or of the cancellation.
    var deadline: Duration? {
        var earliest: Duration?
        if case .cancelling(let limit) = state { earliest = limit }
        for request in searching { earliest = earliest.orEarlier(request.deadline) }
        for request in waiting { earliest = earliest.orEarlier(request.deadline) }
        for request in group { earliest = earliest.orEarlier(request.nextDeadline) }
        return earliest
    }

    /// Whether a peer is searched for, so that the host must scan.
    var isSearching: Bool { !searching.isEmpty }

    /// Whether the controller makes a connection, or gives one up.
    var isBusy: Bool { state != .idle }

    /// Whether a request can begin.
    var canBegin: Bool { state == .idle && !waiting.isEmpty }

    /// Whether the connection that the controller made with a peer is still requested.
    func expectsConnection(to peer: PeerAddress) -> Bool { place(of: peer).map { group[$0].failure == nil } ?? false }

    /// The place of a peer in the group. The only request of a command is meant in any case: a controller that resolves
    /// addresses may report another address of its peer.
    private func place(of peer: PeerAddress) -> Int? {
        group.count == 1 ? 0 : group.firstIndex { $0.address == peer }
    }

    // MARK: - From the owner

    /// - Parameter identity: the peer of the bond, if it may use private addresses.
    mutating func connect(
        to peer: PeerAddress, identity: PeerAddress?, parameters: ConnectionParameters, timeout: Duration,
        _ context: inout HostContext
    ) {
        guard searching.count + waiting.count + group.count <= Self.capacity else {
            return context.emit(.connectionFailed(peer, .busy))
        }
        var request = Request(
            peer: peer, parameters: parameters, timeout: timeout, identity: identity, address: peer)
        guard identity == nil else {
            request.deadline = context.now + timeout
            searching.append(request)
            return
        }
        wait(request, &context)
    }

    private mutating func wait(_ request: Request, _ context: inout HostContext) {
        waiting.append(request)
        if canJoin(request, group) { interrupt(&context) }
    }

    /// Whether a request can be added to the requests of a command.
    private func canJoin(_ request: Request, _ group: [Request]) -> Bool {
        guard let first = group.first, group.count < listCapacity else { return false }
        return first.parameters == request.parameters && !group.contains { $0.address == request.address }
    }

    /// Cancels all requests for a peer.
    mutating func cancel(_ peer: PeerAddress, _ context: inout HostContext) {
        for request in searching + waiting where request.isFor(peer) {
            context.emit(.connectionFailed(request.peer, .cancelled))
        }
        searching.removeAll { $0.isFor(peer) }
        waiting.removeAll { $0.isFor(peer) }
        giveUp(.cancelled, &context) { $0.isFor(peer) }
    }

    // MARK: - From other parts of the host

    /// A connectable advertisement of a bonded peer was received from this address.
    /// - Returns: whether a request waited for it.
    mutating func receive(_ address: PeerAddress, of identity: PeerAddress, _ context: inout HostContext) -> Bool {
        guard isSearching else { return false }
        let found = searching.filter { $0.identity == identity }
        guard !found.isEmpty else { return false }
        searching.removeAll { $0.identity == identity }
        for var request in found {
            request.address = address
            wait(request, &context)
        }
        return true
    }

    /// The host cannot scan: the controller looks for the addresses that are known.
    mutating func endSearch(_ context: inout HostContext) {
        let requests = searching
        searching = []
        for request in requests { wait(request, &context) }
    }

    /// Begins the next requests; `canBegin` is true.
    mutating func begin(ownAddressType: OwnAddressType, _ context: inout HostContext) {
        var others: [Request] = []
        for var request in waiting {
            guard group.isEmpty || canJoin(request, group) else {
                others.append(request)
                continue
            }
            request.begin(at: context.now)
            group.append(request)
        }
        waiting = others
        listed = 0
        state = .requested
        if group.count > 1 {
            context.send(LEClearFilterAcceptList(), then: .connecting(.clearList))
            for request in group {
                context.send(
                    LEAddDeviceToFilterAcceptList(addressType: request.address.type, address: request.address.address),
                    then: .connecting(.addToList(request.address)))
            }
        }
        context.send(
            command(ownAddressType: ownAddressType, isExtended: context.knownCapabilities.hasExtendedConnecting),
            then: .connecting(.create))
    }

    /// Cancels requests whose peers took too long, and drops a command that the controller does not cancel in time.
    /// - Returns: whether the command has ended.
    mutating func advance(_ context: inout HostContext) -> Bool {
        let now = context.now
        for request in searching + waiting where request.isOverdue(at: now) {
            context.emit(.connectionFailed(request.peer, .timedOut))
        }
        searching.removeAll { $0.isOverdue(at: now) }
        waiting.removeAll { $0.isOverdue(at: now) }
        if case .cancelling(let limit) = state, limit <= now { return end(nil, &context) }
        giveUp(.timedOut, &context) { $0.isOverdue(at: now) }
        var isAny = false
        for place in group.indices {
            guard let deadline = group[place].nextDeadline, deadline <= now else { continue }
            group[place].searchesAgain = true
            isAny = true
        }
        if isAny { interrupt(&context) }
        return false
    }

    private mutating func giveUp(
        _ reason: LEHostFailure, _ context: inout HostContext, where isMeant: (Request) -> Bool
    ) {
        var isAny = false
        for place in group.indices where group[place].failure == nil && isMeant(group[place]) {
            group[place].failure = reason
            isAny = true
        }
        if isAny { interrupt(&context) }
    }

    /// Cancels the command, so that other requests can begin.
    private mutating func interrupt(_ context: inout HostContext) {
        switch state {
        case .idle, .cancelling: return
        case .requested, .connecting: break
        }
        state = .cancelling(context.now + context.configuration.commandTimeout * 2)
        context.send(LECreateConnectionCancel(), then: .connecting(.cancel))
    }

    // MARK: - From the controller

    /// Takes the reply to a command.
    /// - Parameter canPauseScanning: whether the scan is on and not about to be paused.
    mutating func finish(
        _ step: InitiatorStep, _ reply: CommandReply, canPauseScanning: Bool, _ context: inout HostContext
    ) -> Outcome {
        if step == .create, state == .requested, reply.isUnknownCommand,
            context.capabilities?.hasExtendedConnecting == true
        {
            // Some controllers report extended commands that they do not have.
            context.capabilities?.hasExtendedConnecting = false
            restart(&context)
            return .ended
        }
        switch (step, state, reply.failure) {
        case (.addToList(let peer), _, nil): if place(of: peer) != nil { listed += 1 }
        case (.addToList(let peer), .requested, .some), (.addToList(let peer), .cancelling, .some):
            leaveList(peer, &context)
        case (.create, .requested, nil): state = .connecting
        case (.create, .requested, .some(let failure)):
            // A controller need not support scanning and connecting at the same time.
            if reply.status == .commandDisallowed, canPauseScanning {
                restart(&context)
                return .pauseScanning
            }
            return end(failure, &context) ? .ended : .nothing
        case (.create, .cancelling, .some(let failure)):
            // Those that were not given up, and had the same command, begin again once.
            return end(group.count > 1 ? nil : failure, &context) ? .ended : .nothing
        default: break
        }
        return .nothing
    }

    /// The list has no room for a peer: it waits for the end of the others, or for its turn if the list cannot be used.
    private mutating func leaveList(_ peer: PeerAddress, _ context: inout HostContext) {
        guard let place = group.firstIndex(where: { $0.address == peer }) else { return }
        listCapacity = max(listed, 1)
        if listed > 0 {
            waiting.append(group.remove(at: place))
        } else {
            interrupt(&context)
        }
    }

    /// The controller could not make the connection to a peer; a controller that gave up reports no peer.
    /// - Returns: whether the command has ended.
    mutating func fail(_ status: HCIStatus, of peer: PeerAddress, _ context: inout HostContext) -> Bool {
        if case .cancelling = state { return end(nil, &context) }
        guard group.count > 1, let place = place(of: peer) else { return end(.connection(status), &context) }
        group[place].failure = .connection(status)
        return end(nil, &context)
    }

    /// The controller made a connection.
    mutating func complete(_ peer: PeerAddress, _ context: inout HostContext) {
        if let place = place(of: peer), group[place].failure == nil { group.remove(at: place) }
        _ = end(nil, &context)
    }

    /// The controller restarts: the requests that were under way begin again.
    mutating func restart(_ context: inout HostContext) { _ = end(nil, &context) }

    /// Ends the command. Requests that were given up fail, the others begin again, or fail for this reason.
    /// - Returns: whether there was a command.
    private mutating func end(_ failure: LEHostFailure?, _ context: inout HostContext) -> Bool {
        guard isBusy else { return false }
        let requests = group
        group = []
        listed = 0
        state = .idle
        var remaining: [Request] = []
        for var request in requests {
            if let failure = request.failure ?? failure {
                context.emit(.connectionFailed(request.peer, failure))
            } else if request.searchesAgain {
                request.searchesAgain = false
                request.addressDeadline = nil
                searching.append(request)
            } else {
                remaining.append(request)
            }
        }
        waiting.insert(contentsOf: remaining, at: 0)
        return true
    }
}

extension ConnectionInitiator {
    /// The command that connects to the peer of the only request of the group, or to any on the list, scanning without a break
    /// for 60 ms on each channel.
    private func command(ownAddressType: OwnAddressType, isExtended: Bool) -> HCICommandPacket {
        let scan = ScanTime(96)
        let parameters = group[0].parameters
        let usesList = group.count > 1
        let policy: InitiatorFilterPolicy = usesList ? .filterAcceptList : .peerAddress
        let peer = usesList ? PeerAddress(.zero, type: .public) : group[0].address
        guard isExtended else {
            return HCICommandPacket(
                LECreateConnection(
                    scanInterval: scan, scanWindow: scan, initiatorFilterPolicy: policy, peerAddressType: peer.type,
                    peerAddress: peer.address, ownAddressType: ownAddressType,
                    minimumConnectionInterval: parameters.interval.lowerBound,
                    maximumConnectionInterval: parameters.interval.upperBound, maximumLatency: parameters.latency,
                    supervisionTimeout: parameters.supervisionTimeout))
        }
        let create = LEExtendedCreateConnection.Parameters(
            scanInterval: scan, scanWindow: scan, minimumConnectionInterval: parameters.interval.lowerBound,
            maximumConnectionInterval: parameters.interval.upperBound, maximumLatency: parameters.latency,
            supervisionTimeout: parameters.supervisionTimeout)
        return HCICommandPacket(
            LEExtendedCreateConnection(
                initiatorFilterPolicy: policy, ownAddressType: ownAddressType, peerAddressType: peer.type,
                peerAddress: peer.address, parameters: [create]))
    }
}

/// A command of the initiator.
enum InitiatorStep: Hashable, Sendable {
    case clearList
    case addToList(PeerAddress)
    case create
    case cancel
}
