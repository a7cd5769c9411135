// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A request that stopped to ask the owner.
enum SuspendedRequest: Sendable {
    case reading(ValueCollection)
    case writing(WriteSequence)

    /// The opcode of the request.
    fileprivate var opcode: ATTOpcode {
        switch self {
        case .reading(let collection): collection.request
        case .writing(let sequence): sequence.origin.opcode
        }
    }

    /// The attributes that are still to be read or written, starting with the one that the owner was asked for.
    fileprivate var handles: [AttributeHandle] {
        switch self {
        case .reading(let collection): collection.remaining.map(\.handle)
        case .writing(let sequence): sequence.writes.map(\.handle)
        }
    }
}

/// The requests of one client: at most one is suspended until the owner answers, and the PDUs received meanwhile wait in
/// their order.
struct RequestQueue: Sendable {
    private let capacity: Int
    private var suspended: (token: ATTToken, request: SuspendedRequest)?
    private var waiting: [[UInt8]] = []
    private var lastToken: UInt64 = 0

    /// A queue for this number of waiting PDUs.
    init(capacity: Int) { self.capacity = capacity }

    /// Whether a request waits for the owner.
    var isSuspended: Bool { suspended != nil }
    /// The number of PDUs that wait.
    var waitingCount: Int { waiting.count }
    /// The attributes that the suspended request still names; `nil` without one.
    var suspendedHandles: [AttributeHandle]? { suspended?.request.handles }

    /// A token for the next question.
    mutating func makeToken() -> ATTToken {
        lastToken += 1
        return ATTToken(lastToken)
    }

    /// Suspends a request until the question with this token is answered.
    mutating func suspend(_ request: consuming SuspendedRequest, _ token: ATTToken) { suspended = (token, request) }

    /// Removes the suspended request if its question has this token.
    mutating func resume(_ token: ATTToken) -> SuspendedRequest? {
        guard suspended?.token == token else { return nil }
        return suspended.take()?.request
    }

    /// Appends a PDU; drops it if the queue is full.
    mutating func enqueue(_ pdu: [UInt8]) {
        if waiting.count < capacity { waiting.append(pdu) }
    }

    /// Removes the next PDU; `nil` while a request is suspended, or when none waits.
    mutating func dequeue() -> [UInt8]? {
        suspended != nil || waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// Removes all requests.
    /// - Returns: the opcode of the suspended request, and the opcodes of the waiting PDUs.
    mutating func removeAll() -> (suspended: ATTOpcode?, waiting: [ATTOpcode]) {
        defer {
            suspended = nil
            waiting = []
        }
        return (suspended?.request.opcode, waiting.compactMap(\.first).map(ATTOpcode.init))
    }
}
