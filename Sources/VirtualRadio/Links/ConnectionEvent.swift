// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// When the data PDUs of a link are exchanged within its connection events (Core 5.4, Vol 6, Part B, 4.5.1 and 4.5.6).
///
/// In an exchange the central sends a PDU, and the peripheral answers it; a side without data sends an empty PDU. Both are
/// delivered when the exchange begins. The first exchange of an event is at its anchor point, each other one where the
/// previous one ended. States:
/// - closed: the next exchange is at the next anchor point.
/// - open: after an exchange in which a side had more data (its MD bit), or for `refillTime` after the last data if a host
///   used all buffers of its controller in this event, so that it had to wait. Data that arrives meanwhile is exchanged in
///   the same event. It closes at its limit: the next anchor point, or the maximum length that the host gave.
/// - waiting: another link uses the radio of one of the controllers. The exchange has the turn after those that wait
///   already.
///
/// The first exchange of an event takes place even if it exceeds the limit, the others do not.
struct ConnectionEvent: Sendable {
    /// When an exchange begins.
    enum Start: Hashable, Sendable {
        case now
        /// At this time, because a radio is in use until then.
        case later(AirTime)
        /// Not in this event, which has closed.
        case inNextEvent
    }

    /// The time for a host that sends without a pause to fill the buffers of its controller again, in microseconds. It is
    /// notified while the other packets still wait, but a host that shares its processor with others may be late.
    private static let refillTime: Int64 = 50_000
    /// Between two packets, in microseconds: T_IFS (Core 5.4, Vol 6, Part B, 4.1.1).
    private static let interFrameSpace: Int64 = 150

    /// When it closes at the latest.
    private var limit: AirTime = .min
    /// When it closes, unless more data arrives before; the least time if it is closed.
    private var end: AirTime = .min
    /// The end of the last exchange.
    private var next: AirTime = .min
    /// When the exchange begins that waits for a radio.
    private var turn: AirTime?
    /// Whether no exchange has begun.
    private var isNew = false
    /// Whether a host was notified of completed packets after it had used all buffers of its controller.
    private var isRefilling = false

    /// Whether more exchanges may follow.
    var isOpen: Bool { end > .min }

    /// When the next exchange is, if there is data; `nil` if it is not in this event.
    func timeOfExchange(at now: AirTime) -> AirTime? {
        if let turn, turn >= now { return turn }
        let time = max(now, next)
        return time < end ? time : nil
    }

    /// Whether it has ended by its limit.
    func isOver(at now: AirTime) -> Bool { now >= limit }

    /// Begins an event; an exchange that waits keeps its turn.
    mutating func begin(at now: AirTime, until limit: AirTime) {
        self.limit = limit
        end = limit
        next = now
        isNew = true
        isRefilling = false
    }

    /// Begins an exchange now, or finds when it begins.
    /// - Parameters:
    ///   - duration: with the spaces, in microseconds.
    ///   - free: when the radios of both controllers are free.
    mutating func start(lasting duration: Int64, at now: AirTime, whenFree free: AirTime) -> Start {
        if turn == now {
            turn = nil
            isNew = false
            return .now
        }
        guard isNew || max(now, free) + duration <= limit else {
            close()
            return .inNextEvent
        }
        isNew = false
        guard free > now else { return .now }
        turn = free
        return .later(free)
    }

    /// Ends an exchange, or an event without any.
    /// - Parameter hasMore: whether a side has more data.
    mutating func finishExchange(at time: AirTime, hasMore: Bool) {
        next = time
        guard time < limit, hasMore || isRefilling else { return close() }
        end = hasMore ? limit : min(limit, time + Self.refillTime)
    }

    /// A host was notified of completed packets after it had used all buffers of its controller: it is about to send more.
    mutating func expectRefill() { isRefilling = true }

    mutating func close() {
        end = .min
        turn = nil
    }

    // MARK: - Airtime

    /// The duration of an exchange in microseconds: both PDUs, and a space after each.
    static func duration(_ central: DataPDU, _ peripheral: DataPDU) -> Int64 {
        central.airtime + interFrameSpace + peripheral.airtime + interFrameSpace
    }
}

/// A data PDU on the air; one without payload is empty.
struct DataPDU: Hashable, Sendable {
    /// Payload bytes.
    let octets: Int
    /// 1 or 2.
    let phy: UInt8
    let isEncrypted: Bool

    /// In microseconds (Core 5.4, Vol 6, Part B, 2.1 and 2.2): preamble, access address, header, payload, MIC and CRC.
    var airtime: Int64 {
        let length = Int64(octets + (isEncrypted && octets > 0 ? 4 : 0))
        return phy == 2 ? (11 + length) * 4 : (10 + length) * 8
    }
}
