// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The two ends of a connection.
enum LinkSide: Int, Sendable {
    case central = 0
    case peripheral = 1

    var other: LinkSide { self == .central ? .peripheral : .central }
}

/// A data packet of a host that has not completely crossed the link.
struct OutgoingData: Sendable {
    let payload: [UInt8]
    let startsMessage: Bool
    /// Bytes that have crossed.
    fileprivate(set) var sent = 0
    /// The number of controller buffers that it occupies.
    let cost: Int

    init(payload: [UInt8], startsMessage: Bool, cost: Int) {
        self.payload = payload
        self.startsMessage = startsMessage
        self.cost = cost
    }
}

/// One controller's end of a connection.
struct LinkEnd: Sendable {
    let controller: Int
    let handle: ConnectionHandle
    let address: PackedAddress
    /// Whether the controller still has the connection: not after its removal or reset.
    fileprivate(set) var isPresent: Bool
    fileprivate(set) var outgoing = RingBuffer<OutgoingData>()
    /// The number of controller buffers that `outgoing` occupies.
    fileprivate(set) var outgoingCost = 0
    /// Packets that have crossed since the last report to the host.
    fileprivate(set) var completed: UInt16 = 0
    /// Packets that the host has received and not reported as completed, if it uses flow control.
    fileprivate(set) var heldByHost: UInt16 = 0
    /// The data length that the host requested.
    fileprivate(set) var wantedDataLength: DataLength
    /// The data length for sending.
    fileprivate(set) var dataLength = DataLength.initial {
        didSet { fragmentLimit = dataLength.fragmentLimit(phy: transmitPHY) }
    }
    /// The PHY for sending: 1 or 2.
    fileprivate(set) var transmitPHY: UInt8 = 1 {
        didSet { fragmentLimit = dataLength.fragmentLimit(phy: transmitPHY) }
    }
    /// The largest payload of a data PDU in bytes, cached (hot path).
    private(set) var fragmentLimit = Int(DataLength.initial.octets)

    init(
        controller: Int, handle: ConnectionHandle, address: PackedAddress, wantedDataLength: DataLength,
        isPresent: Bool = true
    ) {
        self.controller = controller
        self.handle = handle
        self.address = address
        self.wantedDataLength = wantedDataLength
        self.isPresent = isPresent
    }
}

/// A procedure between the two controllers of a link; each takes one connection event.
enum LinkProcedure: Hashable, Sendable {
    case dataLength
    case features(LinkSide)
    case version(LinkSide)
    case physical(LinkSide, PreferredPHYs)
}

/// A connection of two controllers, with its procedures.
///
/// Hosts request procedures, which run one at a time in connection events (`runProcedure`). Three of them have states:
/// - Connection update: requested -> asked (the other host decides, or its silence ends the link) -> scheduled (until
///   the instant) -> none. An update without a question goes from requested to scheduled.
/// - Encryption: off -> requested -> asked (the peripheral's host provides the key) -> starting (three PDUs, each in a
///   connection event) -> on, or off without a key. A refresh begins at on; without a key it ends the link. Data pauses
///   from requested to starting. Nothing is enciphered, because packets of the air cannot be overheard; whether both hosts
///   have the same key decides.
/// - Termination: requested by one side; takes effect when the data sent before has crossed, or at the deadline.
///
/// With peripheral latency, the peripheral skips connection events (Core 5.4, Vol 6, Part B, 4.5.1): after one that took
/// place, it attends each `latency + 1`th. What the central sends waits for such an event. The peripheral attends each event
/// while it has something to send, or waits for an acknowledgment, for more data (the MD bit), for the answer to a PDU of a
/// procedure, or for an instant. Events that it attends without data are not simulated: their numbers follow from the last
/// one that took place.
///
/// A link whose other end is gone is lost at `lossDeadline`. A link may have a silent side, whose packets do not arrive:
/// then there are no connection events, and the other end is lost at `lossDeadline` unless the silence ends before.
/// `Links` runs the events, and closes and frees links.
struct Link: Sendable {
    /// Time limit for the answer of a host, in microseconds (Core 5.4, Vol 6, Part B, 5.2).
    private static let responseTimeout: Int64 = 40_000_000
    /// Connection events between a decision and its instant (Core 5.4, Vol 6, Part B, 5.1.1).
    private static let instantDistance: Int64 = 6

    private enum Update: Hashable, Sendable {
        case requested(LinkSide, LinkParameters)
        case asked(LinkSide, LinkParameters, deadline: AirTime)
        case scheduled(LinkSide, LinkParameters, instant: Int64)
    }

    private enum Encryption: Hashable, Sendable {
        case off
        case requested(KeyRequest)
        case asked(KeyRequest, deadline: AirTime)
        /// The PDU of the next connection event, and the key that the peripheral's host provided.
        case starting(KeyRequest, StartPDU, key: [UInt8])
        case on
    }

    /// The PDUs with which both controllers start encryption (Core 5.4, Vol 6, Part B, 5.1.3.1).
    private enum StartPDU: Hashable, Sendable {
        /// LL_START_ENC_REQ of the peripheral.
        case request
        /// LL_START_ENC_RSP of the central, the first PDU that is encrypted: the peripheral is encrypted.
        case centralResponse
        /// LL_START_ENC_RSP of the peripheral: the central is encrypted.
        case peripheralResponse
    }

    private struct KeyRequest: Hashable, Sendable {
        let random: UInt64
        let diversifier: UInt16
        let key: [UInt8]
        /// Whether the link was encrypted before.
        let isRefresh: Bool
    }

    let timer: TimerIdentifier
    private(set) var isOpen = true
    private(set) var termination: (side: LinkSide, reason: HCIStatus, deadline: AirTime)?
    private(set) var lossDeadline: AirTime = .never
    private(set) var lossReason = HCIStatus.connectionTimeout
    /// The reason with which the peripheral ends it when the first packet of the central arrives; `nil`: it does not.
    var failure: HCIStatus?
    /// The side whose packets do not arrive; `nil` for none.
    private(set) var silentSide: LinkSide?

    /// Whether data crosses at once, without connection events.
    private let isImmediate: Bool
    private var ends: InlineArray<2, LinkEnd>
    private var interval: UInt16
    private var latency: UInt16
    private var supervisionTimeout: UInt16
    /// In units of 0.625 ms; 0 for no maximum.
    private var maximumEventLength: UInt16
    /// The time of the connection event with the number `anchorEvent`.
    private var anchor: AirTime
    private var anchorEvent: Int64 = 0
    /// The number of the last connection event that had something to do.
    private var lastEvent: Int64 = -1
    /// The exchanges of data in it.
    private var event = ConnectionEvent()
    /// The number of an event that the peripheral attends, from which on it skips `latency` events each time.
    private var attendedEvent: Int64 = 0
    /// Whether the peripheral has sent data in the present exchange.
    private var peripheralHasSent = false
    private var procedures: [LinkProcedure] = []
    /// The side that requests the data length.
    private var dataLengthSide = LinkSide.central
    private var update: Update?
    private var encryption = Encryption.off

    init(
        timer: TimerIdentifier, central: LinkEnd, peripheral: LinkEnd, _ parameters: LinkParameters,
        anchor: AirTime, timing: ConnectionTiming
    ) {
        self.timer = timer
        isImmediate = timing == .immediate
        ends = [central, peripheral]
        interval = parameters.minimumInterval
        latency = parameters.latency
        supervisionTimeout = parameters.supervisionTimeout
        maximumEventLength = parameters.maximumEventLength
        self.anchor = anchor
        if central.wantedDataLength != .initial || peripheral.wantedDataLength != .initial {
            procedures.append(.dataLength)
        }
    }

    /// Accesses an end in place (inlined: hot path).
    @inline(__always)
    private(set) subscript(side: LinkSide) -> LinkEnd {
        _read { yield ends[side.rawValue] }
        _modify { yield &ends[side.rawValue] }
    }

    /// The controller that receives the data of a side; `nil` if no data may cross now. Mutating, so that
    /// it is called in place: otherwise the link is copied for each packet.
    mutating func receiverOfData(from side: LinkSide) -> Int? {
        self[side].outgoing.isEmpty || isPaused ? nil : self[side.other].controller
    }

    // MARK: - State

    private var intervalMicroseconds: Int64 { Int64(interval) * 1250 }
    /// The time for the exchanges of a connection event.
    private var eventMicroseconds: Int64 {
        maximumEventLength == 0 ? intervalMicroseconds : min(intervalMicroseconds, Int64(maximumEventLength) * 625)
    }
    private var timeoutMicroseconds: Int64 { Int64(supervisionTimeout) * 10_000 }
    private var isEncrypted: Bool { encryption == .on }

    /// Whether encryption is starting or its key is being refreshed: no data crosses then (Core 5.4, Vol 6, Part B,
    /// 5.1.3.1 and 5.1.3.2).
    var isPaused: Bool {
        switch encryption {
        case .requested, .asked, .starting: true
        case .off, .on: false
        }
    }

    /// Whether both controllers still have the link.
    var isWhole: Bool { self[.central].isPresent && self[.peripheral].isPresent }

    /// Whether connection events take place.
    var isActive: Bool { isWhole && silentSide == nil }

    private var parameters: LinkParameters {
        LinkParameters(
            minimumInterval: interval, maximumInterval: interval, latency: latency,
            supervisionTimeout: supervisionTimeout)
    }

    /// Whether a procedure waits for the next connection event.
    var hasProcedure: Bool {
        switch encryption {
        case .requested, .starting: return true
        case .asked: return false
        case .off, .on: break
        }
        if !procedures.isEmpty { return true }
        if case .requested = update { return true }
        return false
    }

    /// Whether a requested termination can take effect: the data sent before it has crossed, or cannot cross.
    var isReadyToEnd: Bool {
        termination.map { self[$0.side].outgoing.isEmpty || isPaused } ?? false
    }

    /// When the answer of a host or the end of the link is due.
    var waitDeadline: AirTime {
        var deadline = min(lossDeadline, termination?.deadline ?? .never)
        if case .asked(_, _, let answer) = update { deadline = min(deadline, answer) }
        if case .asked(_, let answer) = encryption { deadline = min(deadline, answer) }
        return deadline
    }

    /// The time of the instant of a scheduled connection update; never if there is none.
    var updateInstant: AirTime {
        if case .scheduled(_, _, let instant) = update { return time(ofEvent: instant) }
        return .never
    }

    /// Which side a controller is.
    func side(of controller: Int) -> LinkSide { self[.central].controller == controller ? .central : .peripheral }

    /// The number of buffers that the outgoing data of a controller occupies.
    func outgoingCost(of controller: Int) -> Int { self[side(of: controller)].outgoingCost }

    // MARK: - Connection events

    /// The number of the first connection event that has not taken place at `time`.
    func nextEventNumber(at time: AirTime) -> Int64 {
        let (whole, rest) = (time - anchor).quotientAndRemainder(dividingBy: intervalMicroseconds)
        return max(lastEvent + 1, anchorEvent + max(0, rest > 0 ? whole + 1 : whole))
    }

    func time(ofEvent number: Int64) -> AirTime { anchor + (number - anchorEvent) * intervalMicroseconds }

    /// The number of the first connection event that has not taken place at `time`, and that the peripheral attends.
    /// Mutating, so that the link is not copied for a call (hot path).
    @inline(__always)
    mutating func nextAttendedEvent(at time: AirTime) -> Int64 {
        let next = nextEventNumber(at: time)
        return latency == 0 ? next : attendedEvent(from: next)
    }

    @inline(never)
    private mutating func attendedEvent(from next: Int64) -> Int64 {
        guard !peripheralAttendsEachEvent else { return next }
        guard next > attendedEvent else { return attendedEvent }
        let period = Int64(latency) + 1
        return attendedEvent + (next - attendedEvent + period - 1) / period * period
    }

    /// Whether the peripheral attends each event: it has something to send, or waits for a PDU of a procedure.
    private var peripheralAttendsEachEvent: Bool {
        if isImmediate { return true }
        if !isPaused, !self[.peripheral].outgoing.isEmpty { return true }
        if termination?.side == .peripheral { return true }
        if case .starting = encryption { return true }
        switch update {
        case .requested(.peripheral, _), .asked, .scheduled: return true
        case .requested(.central, _), nil: break
        }
        return procedures.contains { procedure in
            switch procedure {
            case .dataLength: dataLengthSide == .peripheral
            case .features(let side), .version(let side), .physical(let side, _): side == .peripheral
            }
        }
    }

    /// The time since the last event that the peripheral attended, in whole intervals.
    private func skippedMicroseconds(at now: AirTime) -> Int64 {
        let last = nextEventNumber(at: now) - 1
        guard latency > 0, last >= 0, !peripheralAttendsEachEvent else { return 0 }
        guard last >= attendedEvent else { return (last - lastEvent) * intervalMicroseconds }
        return (last - attendedEvent) % (Int64(latency) + 1) * intervalMicroseconds
    }

    /// Begins the next connection event, which applies a connection update at its instant.
    /// - Returns: the number of the event.
    mutating func beginEvent(_ context: inout AirContext) -> Int64 {
        let number = nextEventNumber(at: context.now)
        // With immediate timing an event has no fixed place, so that another can follow at the same time.
        lastEvent = isImmediate ? number - 1 : number
        applyUpdate(atEvent: number, &context)
        attendedEvent = number + Int64(latency) + 1
        if !isImmediate { event.begin(at: context.now, until: context.now + eventMicroseconds) }
        return number
    }

    /// Whether the connection event may have more exchanges of data.
    var isEventOpen: Bool { event.isOpen }

    /// When the next exchange of data takes place, if there is data.
    mutating func timeOfExchange(at now: AirTime) -> AirTime {
        if let time = event.timeOfExchange(at: now) { return time }
        return time(ofEvent: nextAttendedEvent(at: now))
    }

    /// Whether an exchange of data may take place now.
    func isExchangeDue(at now: AirTime) -> Bool { event.timeOfExchange(at: now) == now }

    /// Begins an exchange now, or finds when it begins.
    /// - Parameter free: when the radios of both controllers are free.
    mutating func startExchange(lasting duration: Int64, at now: AirTime, whenFree free: AirTime)
        -> ConnectionEvent.Start
    {
        // An exchange that waited for a radio may be in a later event than the one that it waited in.
        if event.isOver(at: now) {
            let number = anchorEvent + (now - anchor) / intervalMicroseconds
            event.begin(at: now, until: time(ofEvent: number) + eventMicroseconds)
            lastEvent = max(lastEvent, number)
        }
        return event.start(lasting: duration, at: now, whenFree: free)
    }

    /// Ends an exchange, or a connection event without any.
    mutating func finishExchange(at time: AirTime) {
        let hasMore = !isPaused && !(self[.central].outgoing.isEmpty && self[.peripheral].outgoing.isEmpty)
        // The peripheral attends the next event, too, for an acknowledgment or for more data.
        attendedEvent = lastEvent + (hasMore || peripheralHasSent ? 1 : Int64(latency) + 1)
        peripheralHasSent = false
        event.finishExchange(at: time, hasMore: hasMore)
    }

    /// A host was notified of completed packets after it had used all buffers of its controller.
    mutating func expectRefill() { event.expectRefill() }

    // MARK: - Data

    /// Queues a packet of a side's host.
    mutating func enqueue(_ data: OutgoingData, from side: LinkSide) {
        self[side].outgoing.append(data)
        self[side].outgoingCost += data.cost
    }

    /// Payload bytes of the next data PDU of a side; `nil` without data.
    func nextFragment(from side: LinkSide) -> Int? {
        self[side].outgoing.first.map { min($0.payload.count - $0.sent, self[side].fragmentLimit) }
    }

    /// Moves bytes of the first packet of a side across the link.
    /// - Returns: the packet as it was before, with the receiving controller and its handle of the link; `nil` without data.
    mutating func cross(
        _ octets: Int, from side: LinkSide
    ) -> (data: OutgoingData, receiver: Int, handle: ConnectionHandle)? {
        guard let data = ends[side.rawValue].outgoing.first else { return nil }
        if side == .peripheral { peripheralHasSent = true }
        let end = data.sent + octets
        if end < data.payload.count {
            ends[side.rawValue].outgoing.first?.sent = end
        } else {
            _ = ends[side.rawValue].outgoing.popFirst(isBusy: true)
            ends[side.rawValue].outgoingCost -= data.cost
            ends[side.rawValue].completed += 1
        }
        return (data, self[side.other].controller, self[side.other].handle)
    }

    /// The duration of an exchange of data PDUs, or empty ones, in microseconds.
    func durationOfExchange(_ central: Int, _ peripheral: Int) -> Int64 {
        ConnectionEvent.duration(
            DataPDU(octets: central, phy: self[.central].transmitPHY, isEncrypted: isEncrypted),
            DataPDU(octets: peripheral, phy: self[.peripheral].transmitPHY, isEncrypted: isEncrypted))
    }

    /// The number of packets of a side that have crossed since the last call.
    mutating func takeCompleted(_ side: LinkSide) -> UInt16 {
        let count = self[side].completed
        if count > 0 { self[side].completed = 0 }
        return count
    }

    /// Counts a packet that the host of a side received.
    mutating func countHeldPacket(_ side: LinkSide) { self[side].heldByHost += 1 }
    /// Counts packets that the host of a side has completed.
    mutating func releaseHeldPackets(_ count: UInt16, _ side: LinkSide) { self[side].heldByHost -= count }

    // MARK: - The end

    /// Requests the termination by one side. The second request of the two sides has no effect: its host gets the
    /// reason of the first.
    mutating func terminate(by side: LinkSide, _ reason: HCIStatus, at now: AirTime) throws(HCIStatus) {
        if let termination {
            guard termination.side != side else { throw .commandDisallowed }
            return
        }
        termination = (side, reason, now + timeoutMicroseconds)
    }

    /// Loses the end of one side without notice: the other end notices after the supervision timeout, or after six
    /// intervals if no connection event has taken place (Core 5.4, Vol 6, Part B, 4.5.2).
    mutating func loseEnd(_ side: LinkSide, at now: AirTime) {
        // The peer of a silent side has received nothing since the silence began.
        if silentSide != side { expectLoss(from: now) }
        self[side].isPresent = false
    }

    /// Makes a side silent: from now on none of its packets arrives, so the other end is lost as in `loseEnd`. Then the
    /// silent end receives nothing either, and is lost after the same time again.
    mutating func silence(_ side: LinkSide, at now: AirTime) {
        guard isActive else { return }
        event.close()
        expectLoss(from: now)
        silentSide = side
    }

    /// Packets of a side arrive again.
    mutating func endSilence(of side: LinkSide) {
        guard silentSide == side, isWhole else { return }
        silentSide = nil
        lossDeadline = .never
    }

    /// The supervision timeout counts from the last event that the peripheral attended (Core 5.4, Vol 6, Part B, 4.5.2).
    private mutating func expectLoss(from now: AirTime) {
        let isEstablished = anchorEvent > 0 || now >= anchor
        lossReason = isEstablished ? .connectionTimeout : .connectionFailedToBeEstablished
        let skipped = isActive ? skippedMicroseconds(at: now) : 0
        lossDeadline = isEstablished ? now + timeoutMicroseconds - skipped : now + 6 * intervalMicroseconds
    }

    /// Makes a link that only its central has: the peripheral refused the CONNECT_IND, which has no answer. The central
    /// notices after six intervals (Core 5.4, Vol 6, Part B, 4.5).
    mutating func refuse(at now: AirTime) {
        self[.peripheral].isPresent = false
        lossReason = .connectionFailedToBeEstablished
        lossDeadline = now + 6 * intervalMicroseconds
    }

    /// Frees the data of a closed link.
    mutating func close() {
        isOpen = false
        self[.central].outgoing.removeAll()
        self[.peripheral].outgoing.removeAll()
    }
}

// MARK: - Procedures

extension Link {
    /// Requests a procedure at the next connection event; one of a kind at a time.
    mutating func request(_ procedure: LinkProcedure) throws(HCIStatus) {
        let isPending = procedures.contains { pending in
            if case (.physical(let one, _), .physical(let other, _)) = (pending, procedure) { return one == other }
            return pending == procedure
        }
        guard !isPending else { throw .commandDisallowed }
        procedures.append(procedure)
    }

    mutating func requestDataLength(_ length: DataLength, by side: LinkSide) {
        self[side].wantedDataLength = length
        guard !procedures.contains(.dataLength) else { return }
        dataLengthSide = side
        procedures.append(.dataLength)
    }

    /// Runs the oldest procedure.
    /// - Returns: the reason to close the link; `nil` to keep it open.
    mutating func runProcedure(atEvent number: Int64, _ context: inout AirContext) -> HCIStatus? {
        if case .requested(let request) = encryption { return askForKey(request, &context) }
        if case .starting(let request, let pdu, let key) = encryption { return cross(pdu, of: request, key, &context) }
        if case .requested(let side, let parameters) = update {
            negotiate(by: side, parameters, atEvent: number, &context)
            return nil
        }
        switch procedures.removeFirst() {
        case .dataLength: settleDataLength(&context)
        case .features(let side):
            context.controllers.emit(
                LEReadRemoteFeaturesComplete(connectionHandle: self[side].handle, features: Capabilities.features),
                to: self[side].controller)
        case .version(let side):
            context.controllers.emit(
                ReadRemoteVersionInformationComplete(
                    connectionHandle: self[side].handle, version: Capabilities.version,
                    companyIdentifier: Capabilities.company, subversion: Capabilities.subversion),
                to: self[side].controller)
        case .physical(let side, let preferred): settlePHY(by: side, preferred, &context)
        }
        return nil
    }

    /// Data length update (Core 5.4, Vol 6, Part B, 5.1.9); reported to both hosts if something changed.
    private mutating func settleDataLength(_ context: inout AirContext) {
        let before = [self[.central].dataLength, self[.peripheral].dataLength]
        for side in [LinkSide.central, .peripheral] {
            let wanted = self[side].wantedDataLength
            self[side].dataLength = DataLength(
                octets: min(wanted.octets, DataLength.supported.octets),
                time: min(wanted.time, DataLength.supported.time))
        }
        guard before != [self[.central].dataLength, self[.peripheral].dataLength] else { return }
        for side in [LinkSide.central, .peripheral] {
            let transmit = self[side].dataLength
            let receive = self[side.other].dataLength
            context.controllers.emit(
                LEDataLengthChange(
                    connectionHandle: self[side].handle, maximumTransmitOctets: transmit.octets,
                    maximumTransmitTime: Microseconds(UInt32(transmit.time)), maximumReceiveOctets: receive.octets,
                    maximumReceiveTime: Microseconds(UInt32(receive.time))), to: self[side].controller)
        }
    }

    /// PHY update (Core 5.4, Vol 6, Part B, 5.1.10): the fastest common PHY in each direction; no change without one.
    private mutating func settlePHY(by side: LinkSide, _ preferred: PreferredPHYs, _ context: inout AirContext) {
        let peer = context.controllers.preferredPHYs(of: self[side.other].controller)
        let before = [self[side].transmitPHY, self[side.other].transmitPHY]
        if let phy = Self.fastestPHY(preferred.transmit & peer.receive) { self[side].transmitPHY = phy }
        if let phy = Self.fastestPHY(preferred.receive & peer.transmit) { self[side.other].transmitPHY = phy }
        let changed = before != [self[side].transmitPHY, self[side.other].transmitPHY]
        reportPHY(to: side, &context)
        if changed { reportPHY(to: side.other, &context) }
    }

    private static func fastestPHY(_ common: UInt8) -> UInt8? {
        if common & 0x02 != 0 { return 2 }
        return common & 0x01 != 0 ? 1 : nil
    }

    private func reportPHY(to side: LinkSide, _ context: inout AirContext) {
        context.controllers.emit(
            LEPHYUpdateComplete(
                connectionHandle: self[side].handle, transmitPHY: PHY(rawValue: self[side].transmitPHY),
                receivePHY: PHY(rawValue: self[side.other].transmitPHY)), to: self[side].controller)
    }
}

// MARK: - Connection update

extension Link {
    mutating func requestUpdate(by side: LinkSide, _ parameters: LinkParameters) throws(HCIStatus) {
        guard parameters.isValid else { throw .invalidCommandParameters }
        guard update == nil else { throw .commandDisallowed }
        update = .requested(side, parameters)
    }

    /// Checks that the host of a side is asked for connection parameters.
    func checkUpdateIsAsked(of side: LinkSide) throws(HCIStatus) {
        guard case .asked(let initiator, _, _) = update, initiator == side.other else { throw .commandDisallowed }
    }

    /// The host of a side accepts these parameters.
    mutating func acceptUpdate(by side: LinkSide, _ parameters: LinkParameters, _ context: inout AirContext) {
        scheduleUpdate(by: side.other, parameters, afterEvent: nextEventNumber(at: context.now), &context)
    }

    /// The host of a side rejects the request. The reason of its command (Core 5.4, Vol 4, Part E, 7.8.32) does not reach the
    /// peer: "If the Host rejects this request, then the device shall issue an LL_REJECT_EXT_IND PDU with the ErrorCode set
    /// to Unacceptable Connection Parameters (0x3B)" (Vol 6, Part B, 5.1.7.2).
    mutating func refuseUpdate(by side: LinkSide, _ context: inout AirContext) {
        rejectUpdate(by: side.other, .unacceptableConnectionParameters, &context)
    }

    /// Connection parameters request (Core 5.4, Vol 6, Part B, 5.1.7): the other host decides.
    ///
    /// If its host has disabled the event, a peer rejects the request as an unsupported feature; a central then uses
    /// the connection update procedure, which the peer cannot reject.
    private mutating func negotiate(
        by side: LinkSide, _ parameters: LinkParameters, atEvent number: Int64, _ context: inout AirContext
    ) {
        let peer = self[side.other].controller
        guard context.controllers.allows(LERemoteConnectionParameterRequest.self, to: peer) else {
            if side == .central { return scheduleUpdate(by: side, parameters, afterEvent: number, &context) }
            return rejectUpdate(by: side, .unsupportedRemoteFeature, &context)
        }
        update = .asked(side, parameters, deadline: context.now + Self.responseTimeout)
        context.controllers.emit(
            LERemoteConnectionParameterRequest(
                connectionHandle: self[side.other].handle,
                minimumConnectionInterval: ConnectionInterval(UInt32(parameters.minimumInterval)),
                maximumConnectionInterval: ConnectionInterval(UInt32(parameters.maximumInterval)),
                maximumLatency: parameters.latency,
                supervisionTimeout: SupervisionTimeout(UInt32(parameters.supervisionTimeout))), to: peer)
    }

    private mutating func rejectUpdate(by side: LinkSide, _ reason: HCIStatus, _ context: inout AirContext) {
        update = nil
        reportParameters(to: side, status: reason, &context)
    }

    /// Schedules new parameters for their instant (Core 5.4, Vol 6, Part B, 5.1.1).
    private mutating func scheduleUpdate(
        by side: LinkSide, _ parameters: LinkParameters, afterEvent number: Int64, _ context: inout AirContext
    ) {
        let distance = context.configuration.timing == .immediate ? 0 : Self.instantDistance
        update = .scheduled(side, parameters, instant: number + distance)
        if distance == 0 { applyUpdate(atEvent: number, &context) }
    }

    private mutating func applyUpdate(atEvent number: Int64, _ context: inout AirContext) {
        guard case .scheduled(let side, let new, let instant) = update, number >= instant else { return }
        update = nil
        let before = parameters
        anchor = context.now
        anchorEvent = number
        interval = new.minimumInterval
        latency = new.latency
        supervisionTimeout = new.supervisionTimeout
        maximumEventLength = new.maximumEventLength
        reportParameters(to: side, &context)
        if parameters != before { reportParameters(to: side.other, &context) }
    }

    private func reportParameters(to side: LinkSide, status: HCIStatus = .success, _ context: inout AirContext) {
        context.controllers.emit(
            LEConnectionUpdateComplete(
                status: status, connectionHandle: self[side].handle,
                connectionInterval: ConnectionInterval(UInt32(interval)), peripheralLatency: latency,
                supervisionTimeout: SupervisionTimeout(UInt32(supervisionTimeout))), to: self[side].controller)
    }

    /// Reports the new connection to the host of a side.
    func reportConnection(to side: LinkSide, _ context: inout AirContext) {
        let end = self[side]
        context.controllers.emit(
            ConnectionOutcome(
                handle: end.handle, role: side == .central ? .central : .peripheral, peer: self[side.other].address,
                interval: interval, latency: latency, supervisionTimeout: supervisionTimeout), to: end.controller)
        context.controllers.emit(
            LEChannelSelectionAlgorithm(connectionHandle: end.handle, algorithm: .algorithm2), to: end.controller)
    }
}

// MARK: - Encryption

extension Link {
    /// The central requests encryption, or a refresh of its key.
    mutating func requestEncryption(random: UInt64, diversifier: UInt16, key: [UInt8]) throws(HCIStatus) {
        let isRefresh = isEncrypted
        guard isRefresh || encryption == .off else { throw .commandDisallowed }
        encryption = .requested(
            KeyRequest(random: random, diversifier: diversifier, key: key, isRefresh: isRefresh))
    }

    /// Checks that the host of a side is asked for the key.
    func checkKeyIsAsked(of side: LinkSide) throws(HCIStatus) {
        guard side == .peripheral, case .asked = encryption else { throw .commandDisallowed }
    }

    /// Encryption start (Core 5.4, Vol 6, Part B, 5.1.3.1): the peripheral's host is asked for the key.
    private mutating func askForKey(_ request: KeyRequest, _ context: inout AirContext) -> HCIStatus? {
        let peripheral = self[.peripheral].controller
        guard context.controllers.allows(LELongTermKeyRequest.self, to: peripheral) else { return refuseKey(&context) }
        encryption = .asked(request, deadline: context.now + Self.responseTimeout)
        context.controllers.emit(
            LELongTermKeyRequest(
                connectionHandle: self[.peripheral].handle, randomNumber: request.random,
                encryptedDiversifier: request.diversifier), to: peripheral)
        return nil
    }

    /// The peripheral's host provides a key: the controllers start encryption at the next connection event.
    mutating func answerKey(_ key: [UInt8]) {
        guard case .asked(let request, _) = encryption else { return }
        encryption = .starting(request, .request, key: key)
    }

    /// A PDU of the start of encryption crosses. With a wrong key the message integrity check of the first encrypted one
    /// fails, which ends the connection at once; a central on a radio may notice only by its supervision timeout.
    /// - Returns: the reason to close the link; `nil` to keep it open.
    private mutating func cross(
        _ pdu: StartPDU, of request: KeyRequest, _ key: [UInt8], _ context: inout AirContext
    ) -> HCIStatus? {
        switch pdu {
        case .request: encryption = .starting(request, .centralResponse, key: key)
        case .centralResponse:
            guard key == request.key else { return .connectionTerminatedMICFailure }
            encryption = .starting(request, .peripheralResponse, key: key)
            reportEncryption(to: .peripheral, request, &context)
        case .peripheralResponse:
            encryption = .on
            reportEncryption(to: .central, request, &context)
        }
        return nil
    }

    private func reportEncryption(to side: LinkSide, _ request: KeyRequest, _ context: inout AirContext) {
        let (controller, handle) = (self[side].controller, self[side].handle)
        if request.isRefresh {
            context.controllers.emit(EncryptionKeyRefreshComplete(connectionHandle: handle), to: controller)
        } else {
            context.controllers.emit(EncryptionChange(connectionHandle: handle, encryptionEnabled: 1), to: controller)
        }
    }

    /// The peripheral's host has no key, which ends a link that was encrypted before.
    /// - Returns: the reason to close the link; `nil` to keep it open.
    mutating func refuseKey(_ context: inout AirContext) -> HCIStatus? {
        switch encryption {
        case .requested(let request), .asked(let request, _):
            if request.isRefresh { return .pinOrKeyMissing }
        case .starting, .off, .on: return nil
        }
        encryption = .off
        context.controllers.emit(
            EncryptionChange(
                status: .pinOrKeyMissing, connectionHandle: self[.central].handle, encryptionEnabled: 0),
            to: self[.central].controller)
        return nil
    }
}
