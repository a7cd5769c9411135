// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// The two ends of a connection.
enum LinkSide: Int, Sendable {
    case central = 0
    case peripheral = 1

    var other: LinkSide { self == .central ? .peripheral : .central }
}

/// A packet of a host on its way.
struct OutgoingData: Sendable {
    let payload: [UInt8]
    let startsMessage: Bool
    /// Octets that have crossed already.
    var sent = 0
    /// What it counts of the buffers.
    let cost: Int
}

/// Octets and microseconds of the largest data PDU (Core 5.4, Vol 6, Part B, 4.5.10).
struct DataLength: Hashable, Sendable {
    var octets: UInt16
    var time: UInt16

    /// The largest data PDU on a PHY, in octets of payload: as many as are allowed, and as fit into the time with
    /// preamble, access address, header, CRC, and the MIC that is counted in any case.
    func fragmentLimit(phy: UInt8) -> Int {
        min(Int(octets), phy == 2 ? Int(time) / 4 - 15 : Int(time) / 8 - 14)
    }

    static let initial = DataLength(octets: 27, time: 328)
    static let supported = DataLength(octets: 251, time: 2120)
    static let octetRange: ClosedRange<UInt16> = 27...251
    static let timeRange: ClosedRange<UInt16> = 328...17_040
}

/// What one controller has of a connection.
struct LinkEnd: Sendable {
    let controller: Int
    let handle: UInt16
    let address: PackedAddress
    /// Whether the controller still keeps the connection: not when it is gone or was reset.
    var isPresent = true
    var outgoing = RingBuffer<OutgoingData>()
    /// What of the controller's buffers is taken by `outgoing`.
    var outgoingCost = 0
    /// Packets that have crossed since the host was last told.
    var completed: UInt16 = 0
    /// Packets that its host has and has not said to be done with, when the host counts.
    var heldByHost: UInt16 = 0
    /// What the host asked for.
    var wantedDataLength = DataLength.initial
    /// What is in force for sending.
    var dataLength = DataLength.initial { didSet { fragmentLimit = dataLength.fragmentLimit(phy: transmitPHY) } }
    /// 1 or 2: the PHY it sends with.
    var transmitPHY: UInt8 = 1 { didSet { fragmentLimit = dataLength.fragmentLimit(phy: transmitPHY) } }
    /// What follows from both: the most octets in a data PDU.
    private(set) var fragmentLimit = Int(DataLength.initial.octets)

    init(controller: Int, handle: UInt16, address: PackedAddress, isPresent: Bool = true) {
        self.controller = controller
        self.handle = handle
        self.address = address
        self.isPresent = isPresent
    }
}

/// What the two controllers of a link settle between themselves, a connection event each.
enum LinkProcedure: Hashable, Sendable {
    case dataLength
    case features(LinkSide)
    case version(LinkSide)
    /// Preferred PHYs of the side, bit 0 for 1M and bit 1 for 2M.
    case physical(LinkSide, transmit: UInt8, receive: UInt8)
}

/// How far a change of the connection parameters is.
enum ConnectionUpdate: Hashable, Sendable {
    case requested(LinkSide, ConnectionParameters)
    /// The other host has been asked.
    case asked(LinkSide, ConnectionParameters, deadline: AirTime)
    /// In force from this connection event on.
    case scheduled(LinkSide, ConnectionParameters, instant: Int64)
}

/// How far encryption is. Nothing is enciphered on a virtual air, where packets cannot be overheard; whether both hosts have
/// the same key decides whether they understand each other.
enum LinkEncryption: Hashable, Sendable {
    case off
    case requested(LongTermKeyQuestion)
    case asked(LongTermKeyQuestion, deadline: AirTime)
    case on
}

/// What a central starts encryption with.
struct LongTermKeyQuestion: Hashable, Sendable {
    let random: UInt64
    let diversifier: UInt16
    let key: [UInt8]
    /// Whether the link was encrypted before.
    let isRefresh: Bool
}

/// A connection of two controllers.
struct Link: Sendable {
    /// How long a host may take to answer before the link is given up (Core 5.4, Vol 6, Part B, 5.2).
    static let responseTimeout: Int64 = 40_000_000
    /// Connection events between a decision and its instant (Core 5.4, Vol 6, Part B, 5.1.1).
    static let instantDistance: Int64 = 6
    /// Between two packets (Core 5.4, Vol 6, Part B, 4.1.1).
    static let interFrameSpace: Int64 = 150

    let timer: TimerIdentifier
    var ends: InlineArray<2, LinkEnd>
    var interval: UInt16
    var latency: UInt16
    var supervisionTimeout: UInt16
    /// When the connection event of number `anchorEvent` is.
    var anchor: AirTime
    var anchorEvent: Int64 = 0
    /// The number of the latest connection event that took place with something to do.
    var lastEvent: Int64 = -1
    var procedures: [LinkProcedure] = []
    var update: ConnectionUpdate?
    var encryption = LinkEncryption.off
    /// Who ends it, why, and when at the latest.
    var termination: (side: LinkSide, reason: HCIStatus, deadline: AirTime)?
    /// When an end whose peer is gone notices.
    var lossDeadline: AirTime = .never
    var lossReason = HCIStatus.connectionTimeout
    var isOpen = true

    /// An end in its place: to be called for it costs more than to look at it.
    @inline(__always)
    subscript(side: LinkSide) -> LinkEnd {
        _read { yield ends[side.rawValue] }
        _modify { yield &ends[side.rawValue] }
    }

    var intervalMicroseconds: Int64 { Int64(interval) * 1250 }
    var timeoutMicroseconds: Int64 { Int64(supervisionTimeout) * 10_000 }
    var isEncrypted: Bool { encryption == .on }
    /// Whether encryption is being started or its key exchanged: nothing else passes meanwhile (Core 5.4, Vol 6, Part B,
    /// 5.1.3.1 and 5.1.3.2).
    var isPaused: Bool {
        switch encryption {
        case .requested, .asked: true
        case .off, .on: false
        }
    }
    /// Whether both controllers still have it.
    var isWhole: Bool { self[.central].isPresent && self[.peripheral].isPresent }

    /// What is in force.
    var parameters: ConnectionParameters {
        ConnectionParameters(
            minimumInterval: interval, maximumInterval: interval, latency: latency,
            supervisionTimeout: supervisionTimeout)
    }

    /// Whether something is to be settled at the next connection event.
    var hasProcedure: Bool {
        switch encryption {
        case .requested: return true
        case .asked: return false
        case .off, .on: break
        }
        if !procedures.isEmpty { return true }
        if case .requested = update { return true }
        return false
    }

    /// Whether the end that a host asked for need not wait: the data before it has crossed, or cannot.
    var isReadyToEnd: Bool {
        termination.map { self[$0.side].outgoing.isEmpty || isPaused } ?? false
    }

    /// When a host's answer, or the end of the link, is due.
    var waitDeadline: AirTime {
        var deadline = min(lossDeadline, termination?.deadline ?? .never)
        if case .asked(_, _, let answer) = update { deadline = min(deadline, answer) }
        if case .asked(_, let answer) = encryption { deadline = min(deadline, answer) }
        return deadline
    }

    /// The number of the first connection event that has not taken place at `time`.
    func nextEventNumber(at time: AirTime) -> Int64 {
        let (whole, rest) = (time - anchor).quotientAndRemainder(dividingBy: intervalMicroseconds)
        return max(lastEvent + 1, anchorEvent + max(0, rest > 0 ? whole + 1 : whole))
    }

    /// When the connection event of this number is.
    func time(ofEvent number: Int64) -> AirTime { anchor + (number - anchorEvent) * intervalMicroseconds }

    /// Which side a controller is.
    func side(of controller: Int) -> LinkSide { self[.central].controller == controller ? .central : .peripheral }

    /// What of a controller's buffers is taken by what it still has to send.
    func outgoingCost(of controller: Int) -> Int { self[side(of: controller)].outgoingCost }

    /// The first packet of a side, as it was, of which so many octets more have crossed now; `nil` when there is none.
    mutating func cross(_ octets: Int, from side: LinkSide) -> OutgoingData? {
        guard let data = ends[side.rawValue].outgoing.first else { return nil }
        let end = data.sent + octets
        if end < data.payload.count {
            ends[side.rawValue].outgoing.first?.sent = end
        } else {
            _ = ends[side.rawValue].outgoing.popFirst(isBusy: true)
            ends[side.rawValue].outgoingCost -= data.cost
            ends[side.rawValue].completed += 1
        }
        return data
    }

    /// Octets of the next data PDU of a side; `nil` when it has none.
    func nextFragment(from side: LinkSide) -> Int? {
        self[side].outgoing.first.map { min($0.payload.count - $0.sent, self[side].fragmentLimit) }
    }

    /// Microseconds that a data PDU of so many octets, or an empty one, takes (Core 5.4, Vol 6, Part B, 2.1 and 2.2).
    func airtime(octets: Int, from side: LinkSide) -> Int64 {
        let integrityCheck = isEncrypted && octets > 0 ? 4 : 0
        let length = Int64(octets + integrityCheck)
        return self[side].transmitPHY == 2 ? (11 + length) * 4 : (10 + length) * 8
    }
}
