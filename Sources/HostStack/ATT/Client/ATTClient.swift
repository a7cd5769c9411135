// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The attribute client of one connection: one request at a time (Core 5.4, Vol 3, Part F, 3.3.2 and 3.3.3).
///
/// What a server sends that answers nothing, and what cannot be read, is left alone.
package struct ATTClient: Sendable {
    /// How long a transaction may take.
    package static let transactionTimeout = Duration.seconds(30)

    private struct Request: Sendable {
        let token: ATTToken
        let pdu: ATTPDU
    }

    private let capacity: Int
    private var underWay: (token: ATTToken, opcode: ATTOpcode, deadline: Duration)?
    private var waiting: [Request] = []
    /// Whether nothing can be asked any more.
    private(set) var isClosed = false

    /// A client on a new connection, which lets so many requests wait.
    package init(waitingRequests: Int = 64) { capacity = waitingRequests }

    /// When `advance(to:)` has something to do.
    package var nextDeadline: Duration? { underWay?.deadline }

    /// Sends a request, as soon as those before it are answered; `.response` follows in every case.
    package mutating func request(
        _ request: ATTPDU, as token: ATTToken, at now: Duration
    ) -> [ATTClientOutput] {
        guard !isClosed else { return [.response(token, .failure(.closed))] }
        guard underWay != nil else { return send(Request(token: token, pdu: request), at: now) }
        guard waiting.count < capacity else { return [.response(token, .failure(.tooManyRequests))] }
        waiting.append(Request(token: token, pdu: request))
        return []
    }

    /// Sends a command, which nobody answers.
    package mutating func command(_ command: ATTPDU) -> [ATTClientOutput] {
        isClosed ? [] : [.send(command.serialized())]
    }

    /// Takes one PDU of the server.
    package mutating func receive(_ pdu: [UInt8], at now: Duration) -> [ATTClientOutput] {
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
            guard response.request == underWay?.opcode else { return [] }
            return finish(.failure(.refused(response.error, response.handle)), at: now)
        default:
            return opcode == expected ? finish(.success(pdu), at: now) : []
        }
    }

    /// Takes the time.
    package mutating func advance(to now: Duration) -> [ATTClientOutput] {
        guard let underWay, now >= underWay.deadline else { return [] }
        self.underWay = nil
        return [.response(underWay.token, .failure(.timedOut))] + close() + [.failed]
    }

    /// The link is gone: all requests fail.
    package mutating func close() -> [ATTClientOutput] {
        let tokens = (underWay.map { [$0.token] } ?? []) + waiting.map(\.token)
        isClosed = true
        underWay = nil
        waiting = []
        return tokens.map { .response($0, .failure(.closed)) }
    }

    /// The opcode of the response that is awaited: a response has the number behind its request.
    private var expected: ATTOpcode? {
        underWay.map { ATTOpcode(rawValue: $0.opcode.rawValue &+ 1) }
    }

    private mutating func send(_ request: Request, at now: Duration) -> [ATTClientOutput] {
        underWay = (request.token, request.pdu.opcode, now + Self.transactionTimeout)
        return [.send(request.pdu.serialized())]
    }

    private mutating func finish(_ result: Result<ATTPDU, ATTClientError>, at now: Duration) -> [ATTClientOutput] {
        guard let token = underWay?.token else { return [] }
        underWay = nil
        let next = waiting.isEmpty ? [] : send(waiting.removeFirst(), at: now)
        return [.response(token, result)] + next
    }
}
