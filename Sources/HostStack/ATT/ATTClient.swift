// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The failure of a request to a server, or of a procedure.
package enum ATTClientError: Error, Hashable, Sendable {
    /// The server refused it, because of this attribute.
    case refused(ATTError, AttributeHandle)
    /// The response is malformed, or does not belong to the request.
    case malformedResponse
    /// The server did not answer within 30 seconds; the bearer can no longer be used.
    case timedOut
    /// The bearer can no longer be used, or the link has ended.
    case closed
    /// Too many requests are waiting.
    case tooManyRequests
    /// The value does not fit into a PDU, or is too long for an attribute.
    case tooLong
    /// The server returned a changed part of a prepared write, so nothing was written.
    case preparedValueMismatch
}

/// An output of an attribute client.
enum ATTClientOutput: Hashable, Sendable {
    /// Send this PDU on the attribute channel.
    case send([UInt8])
    /// A request has ended.
    case response(ATTToken, Result<ATTPDU, ATTClientError>)
    /// The server notified a value.
    case notification(AttributeHandle, [UInt8])
    /// The server indicated a value; it has been confirmed.
    case indication(AttributeHandle, [UInt8])
    /// The server did not answer in time. No more requests are possible; disconnect the link.
    case failed
}

/// The attribute client of one connection: one request at a time (Core 5.4, Vol 3, Part F, 3.3.2 and 3.3.3).
///
/// Responses without a request, and malformed PDUs, are ignored.
package struct ATTClient: Sendable {
    /// The time limit of a transaction.
    package static let transactionTimeout = Duration.seconds(30)

    private struct Request: Sendable {
        let token: ATTToken
        let pdu: ATTPDU
    }

    private let capacity: Int
    private var pending: (token: ATTToken, opcode: ATTOpcode, deadline: Duration)?
    private var waiting: [Request] = []
    /// Whether no more requests are possible.
    private(set) var isClosed = false

    /// The client of a new connection, with a queue for this number of requests.
    init(waitingRequests: Int = 64) { capacity = waitingRequests }

    /// The next time at which `advance(to:)` must be called.
    var nextDeadline: Duration? { pending?.deadline }

    /// Sends a request after earlier ones are answered; `.response` follows in every case.
    mutating func request(
        _ request: ATTPDU, as token: ATTToken, at now: Duration
    ) -> [ATTClientOutput] {
        guard !isClosed else { return [.response(token, .failure(.closed))] }
        guard pending != nil else { return send(Request(token: token, pdu: request), at: now) }
        guard waiting.count < capacity else { return [.response(token, .failure(.tooManyRequests))] }
        waiting.append(Request(token: token, pdu: request))
        return []
    }

    /// Sends a command, which has no response.
    mutating func command(_ command: ATTPDU) -> [ATTClientOutput] {
        isClosed ? [] : [.send(command.serialized())]
    }

    /// Takes one PDU of the server.
    mutating func receive(_ pdu: [UInt8], at now: Duration) -> [ATTClientOutput] {
        guard !isClosed, let first = pdu.first else { return [] }
        let opcode = ATTOpcode(rawValue: first)
        guard let pdu = try? ATTPDU(parsing: pdu) else {
            return opcode == expected ? finish(.failure(.malformedResponse), at: now) : []
        }
        switch pdu {
        case .handleValueNotification(let notification):
            return [.notification(notification.handle, notification.value)]
        case .multipleHandleValueNotification(let notification):
            return notification.entries.map { .notification($0.handle, $0.value) }
        case .handleValueIndication(let indication):
            return [
                .send(ATTHandleValueConfirmation().pduBytes), .indication(indication.handle, indication.value),
            ]
        case .errorResponse(let response):
            guard response.request == pending?.opcode else { return [] }
            return finish(.failure(.refused(response.error, response.handle)), at: now)
        default:
            return opcode == expected ? finish(.success(pdu), at: now) : []
        }
    }

    /// Ends a request that has timed out.
    mutating func advance(to now: Duration) -> [ATTClientOutput] {
        guard let pending, now >= pending.deadline else { return [] }
        self.pending = nil
        return [.response(pending.token, .failure(.timedOut))] + close() + [.failed]
    }

    /// The link has ended: all requests fail.
    mutating func close() -> [ATTClientOutput] {
        let tokens = (pending.map { [$0.token] } ?? []) + waiting.map(\.token)
        isClosed = true
        pending = nil
        waiting = []
        return tokens.map { .response($0, .failure(.closed)) }
    }

    /// The opcode of the expected response: the opcode of the request plus 1.
    private var expected: ATTOpcode? {
        pending.map { ATTOpcode(rawValue: $0.opcode.rawValue &+ 1) }
    }

    private mutating func send(_ request: Request, at now: Duration) -> [ATTClientOutput] {
        pending = (request.token, request.pdu.opcode, now + Self.transactionTimeout)
        return [.send(request.pdu.serialized())]
    }

    private mutating func finish(_ result: Result<ATTPDU, ATTClientError>, at now: Duration) -> [ATTClientOutput] {
        guard let token = pending?.token else { return [] }
        pending = nil
        let next = waiting.isEmpty ? [] : send(waiting.removeFirst(), at: now)
        return [.response(token, result)] + next
    }
}
