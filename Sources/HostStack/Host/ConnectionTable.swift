// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The connections of a host, in the order in which they were made, and the controller's buffers for their data.
///
/// The controller reports the set that a central connected to in a separate event, before or after the connection.
/// Until both have arrived, the connection is *pending* (`PendingLinks`), and its data is held back.
struct ConnectionTable: Sendable {
    /// More connections than controllers support.
    private static let capacity = 256

    private var connections: [HostConnection] = []
    /// Connections whose set is not known yet.
    var pending = PendingLinks()
    private var credits = DataCredits()
    private var lastIdentifier: UInt32 = 0

    // MARK: - Lookup

    var indices: Range<Int> { connections.indices }
    var hasRoom: Bool { connections.count < Self.capacity }

    /// The states that the owner sees.
    var links: [LEConnection] { connections.filter { !$0.isUnwanted }.map(\.link) }

    /// Accesses a connection in place: it is large, and a copy for each packet would cost more than its handling.
    subscript(index: Int) -> HostConnection {
        _read { yield connections[index] }
        _modify { yield &connections[index] }
    }

    // By index here and below: a connection is large, and a loop over the elements would copy each.

    func index(of connection: ConnectionIdentifier) -> Int? {
        connections.indices.first { connections[$0].link.id == connection }
    }

    func index(of handle: ConnectionHandle) -> Int? { connections.indices.first { connections[$0].handle == handle } }

    // MARK: - Begin and end

    mutating func makeIdentifier() -> ConnectionIdentifier {
        lastIdentifier &+= 1
        return ConnectionIdentifier(rawValue: lastIdentifier)
    }

    /// Adds a connection.
    /// - Returns: its index.
    mutating func append(_ connection: HostConnection) -> Int {
        connections.append(connection)
        return connections.count - 1
    }

    /// Removes a connection that has ended; the controller's buffers for it are free.
    mutating func remove(at index: Int) -> HostConnection {
        let connection = connections.remove(at: index)
        credits.release(connection.packetsInController)
        return connection
    }

    /// Begins to use a controller that is ready.
    mutating func start(dataPackets: Int) { credits = DataCredits(packets: dataPackets) }

    /// The controller restarts: all connections are gone.
    /// - Returns: the connections that there were.
    mutating func reset() -> [HostConnection] {
        defer {
            connections = []
            pending = PendingLinks()
            credits = DataCredits()
        }
        return connections
    }

    // MARK: - Time

    /// When a channel of a connection has something to do, as of the last `noteDeadlines()`.
    var deadline: Duration? { connections.indices.reduce(nil) { $0.orEarlier(connections[$1].nextDeadline) } }

    mutating func noteDeadlines() {
        for index in connections.indices { connections[index].noteDeadline() }
    }

    /// Does what is due on the channels.
    mutating func advance(_ context: inout HostContext) {
        for index in connections.indices {
            guard let deadline = connections[index].nextDeadline, deadline <= context.now else { continue }
            connections[index].advance(&context)
        }
    }

    // MARK: - Data

    /// Gives the controller the data that it has room for, a packet of each connection in turn.
    mutating func sendData(_ context: inout HostContext) {
        while credits.available > 0, let index = nextSender, let packet = connections[index].nextPacket() {
            credits.spend(for: connections[index].link.id)
            context.send(packet)
        }
    }

    /// The next connection with data after the one that sent last.
    private var nextSender: Int? {
        let last = credits.lastSender?.rawValue ?? 0
        var first: Int?
        for index in connections.indices where connections[index].hasOutgoing {
            if connections[index].link.id.rawValue > last { return index }
            if first == nil { first = index }
        }
        return first
    }

    /// The controller has sent packets.
    mutating func receive(_ event: NumberOfCompletedPackets) {
        for entry in event.completedPackets {
            guard let index = index(of: entry.connectionHandle) else { continue }
            credits.release(connections[index].completePackets(Int(entry.count)))
        }
    }
}

/// The properties of a new connection, from either of the events that report it.
struct LinkDetails: Hashable, Sendable {
    let handle: ConnectionHandle
    let role: LEConnection.Role
    let peer: PeerAddress
    let interval: ConnectionInterval
    let latency: UInt16
    let supervisionTimeout: SupervisionTimeout

    init(_ event: LEConnectionComplete) {
        handle = event.connectionHandle
        role = event.role == .central ? .central : .peripheral
        peer = PeerAddress(event.peerAddress, type: event.peerAddressType)
        interval = event.connectionInterval
        latency = event.peripheralLatency
        supervisionTimeout = event.supervisionTimeout
    }

    init(_ event: LEEnhancedConnectionComplete) {
        handle = event.connectionHandle
        role = event.role == .central ? .central : .peripheral
        peer = PeerAddress(event.peerAddress, type: event.peerAddressType)
        interval = event.connectionInterval
        latency = event.peripheralLatency
        supervisionTimeout = event.supervisionTimeout
    }

    /// Whether this is the connection that an event reports.
    func describes(_ link: LEConnection) -> Bool { role == link.role && peer == link.peer }
}

/// Connections and advertising sets whose counterpart has not been reported yet.
struct PendingLinks: Sendable {
    /// A connection whose set is not known yet.
    struct Link: Sendable {
        let details: LinkDetails
        let deadline: Duration
        /// The data that it has received meanwhile.
        var data: [ACLDataPacket] = []
    }

    /// The number of connections, of sets, and of packets of one connection that are held.
    private static let capacity = 16
    /// The time that the controller may take to report the set.
    private static let patience = Duration.milliseconds(500)

    private var links: [Link] = []
    private var sets: [(handle: ConnectionHandle, set: AdvertisingSetIdentifier)] = []

    /// When the set of a connection is overdue.
    var deadline: Duration? { links.map(\.deadline).min() }

    /// Holds a connection until its set is reported.
    mutating func hold(_ details: LinkDetails, at now: Duration) {
        links.removeAll { $0.details.handle == details.handle }
        if links.count >= Self.capacity { links.removeFirst() }
        links.append(Link(details: details, deadline: now + Self.patience))
    }

    /// Holds data of a connection that is held itself; other data is dropped.
    mutating func hold(_ data: ACLDataPacket) {
        guard let index = links.firstIndex(where: { $0.details.handle == data.handle }),
            links[index].data.count < Self.capacity
        else { return }
        links[index].data.append(data)
    }

    mutating func takeLink(_ handle: ConnectionHandle) -> Link? {
        links.firstIndex { $0.details.handle == handle }.map { links.remove(at: $0) }
    }

    mutating func takeOverdueLink(at now: Duration) -> Link? {
        links.firstIndex { $0.deadline <= now }.map { links.remove(at: $0) }
    }

    /// Holds the set of a connection that is not reported yet.
    mutating func hold(_ set: AdvertisingSetIdentifier, of handle: ConnectionHandle) {
        _ = takeSet(of: handle)
        if sets.count >= Self.capacity { sets.removeFirst() }
        sets.append((handle, set))
    }

    mutating func takeSet(of handle: ConnectionHandle) -> AdvertisingSetIdentifier? {
        sets.firstIndex { $0.handle == handle }.map { sets.remove(at: $0).set }
    }
}
