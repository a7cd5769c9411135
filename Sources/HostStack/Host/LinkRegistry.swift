// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// What a controller said of a new connection, in either of the events that say it.
struct LinkDetails: Hashable, Sendable {
    let handle: ConnectionHandle
    let role: LEConnection.Role
    let peer: PeerAddress
    let interval: ConnectionInterval
    let latency: UInt16
    let supervisionTimeout: SupervisionTimeout
}

extension LEConnection {
    /// Whether it is the connection that an event tells of.
    func isSame(as details: LinkDetails) -> Bool {
        role == details.role && PeerAddress(peerAddress, type: peerAddressType) == details.peer
    }
}

/// Connections on their way: which set a central connected to is told by an event of its own, before or after.
struct LinkRegistry: Sendable {
    /// A connection whose set is not known yet.
    struct Pending: Sendable {
        let details: LinkDetails
        let deadline: Duration
        /// What came from it meanwhile.
        var data: [ACLDataPacket] = []
    }

    /// How many connections may be on their way, and how many packets of each are kept.
    static let capacity = 16
    /// How long the controller may take to name the set.
    static let patience = Duration.milliseconds(500)

    private(set) var pending: [Pending] = []
    private var sets: [(handle: ConnectionHandle, set: AdvertisingSetIdentifier)] = []
    private var lastIdentifier: UInt32 = 0

    init() {}

    /// Goes on numbering where another left off.
    init(after other: LinkRegistry) { lastIdentifier = other.lastIdentifier }

    var deadline: Duration? { pending.map(\.deadline).min() }

    mutating func nextIdentifier() -> ConnectionIdentifier {
        lastIdentifier &+= 1
        return ConnectionIdentifier(rawValue: lastIdentifier)
    }

    /// Holds a connection back until its set is named.
    mutating func hold(_ details: LinkDetails, at now: Duration) {
        pending.removeAll { $0.details.handle == details.handle }
        if pending.count >= Self.capacity { pending.removeFirst() }
        pending.append(Pending(details: details, deadline: now + Self.patience))
    }

    /// Keeps data of a connection that is held back; `false` when there is no such connection.
    mutating func keep(_ data: ACLDataPacket) -> Bool {
        guard let index = pending.firstIndex(where: { $0.details.handle == data.handle }) else { return false }
        if pending[index].data.count < Self.capacity { pending[index].data.append(data) }
        return true
    }

    mutating func takePending(_ handle: ConnectionHandle) -> Pending? {
        pending.firstIndex { $0.details.handle == handle }.map { pending.remove(at: $0) }
    }

    mutating func takeExpired(at now: Duration) -> Pending? {
        pending.firstIndex { $0.deadline <= now }.map { pending.remove(at: $0) }
    }

    /// Remembers which set a connection was made through that is not known yet.
    mutating func remember(_ set: AdvertisingSetIdentifier, of handle: ConnectionHandle) {
        _ = takeSet(of: handle)
        if sets.count >= Self.capacity { sets.removeFirst() }
        sets.append((handle, set))
    }

    mutating func takeSet(of handle: ConnectionHandle) -> AdvertisingSetIdentifier? {
        sets.firstIndex { $0.handle == handle }.map { sets.remove(at: $0).set }
    }
}
