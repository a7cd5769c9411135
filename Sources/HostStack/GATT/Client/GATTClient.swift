// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// An output of a GATT client.
enum GATTClientOutput: Hashable, Sendable {
    /// Send this PDU on the attribute channel.
    case send([UInt8])
    /// A procedure has ended.
    case completed(ATTToken, Result<GATTResult, ATTClientError>)
    /// The server notified a value.
    case notification(AttributeHandle, [UInt8])
    /// The server indicated a value; it has been confirmed.
    case indication(AttributeHandle, [UInt8])
    /// Both sides have agreed on a maximum PDU length, in bytes.
    case mtuChanged(Int)
    /// The server did not answer in time. No more procedures are possible; disconnect the link.
    case failed
}

/// The GATT client of one connection: one procedure at a time, in order (Core 5.4, Vol 3, Part G, 4).
struct GATTClient: Sendable {
    private struct Waiting: Sendable {
        let token: ATTToken
        let procedure: GATTProcedure
    }

    /// The longest PDU that may be sent now, in bytes.
    private(set) var mtu = ATTBearer.minimumMTU
    /// The longest PDU that this client accepts, in bytes.
    let maximumMTU: UInt16

    private let capacity: Int
    private var client = ATTClient()
    private var current: (token: ATTToken, machine: any ProcedureMachine)?
    private var waiting: [Waiting] = []
    private var hasExchangedMTU = false

    /// The client of a new connection, with this maximum PDU length (at least 23) and a queue for this number of procedures.
    init(maximumMTU: UInt16 = 517, waitingProcedures: Int = 64) {
        self.maximumMTU = max(maximumMTU, UInt16(ATTBearer.minimumMTU))
        capacity = waitingProcedures
    }

    /// The next time at which `advance(to:)` must be called.
    var nextDeadline: Duration? { client.nextDeadline }

    /// Starts a procedure after earlier ones have ended; `.completed` with this token follows in every case.
    mutating func start(
        _ procedure: GATTProcedure, as token: ATTToken, at now: Duration
    ) -> [GATTClientOutput] {
        guard !client.isClosed else { return [.completed(token, .failure(.closed))] }
        guard waiting.count < capacity else { return [.completed(token, .failure(.tooManyRequests))] }
        waiting.append(Waiting(token: token, procedure: procedure))
        return startWaiting(at: now)
    }

    /// Takes one PDU of the server.
    mutating func receive(_ pdu: [UInt8], at now: Duration) -> [GATTClientOutput] {
        let outputs = client.receive(pdu, at: now)
        return take(outputs, at: now)
    }

    /// Ends a request that has timed out.
    mutating func advance(to now: Duration) -> [GATTClientOutput] {
        let outputs = client.advance(to: now)
        return take(outputs, at: now)
    }

    /// The link has ended: all procedures fail.
    mutating func close() -> [GATTClientOutput] {
        _ = client.close()
        let tokens = (current.map { [$0.token] } ?? []) + waiting.map(\.token)
        current = nil
        waiting = []
        return tokens.map { .completed($0, .failure(.closed)) }
    }

    /// Sets the MTU that the server on the same bearer has agreed on.
    mutating func setMTU(_ mtu: Int) { self.mtu = mtu }

    // MARK: - Steps

    /// Starts procedures until one waits for the server.
    private mutating func startWaiting(at now: Duration) -> [GATTClientOutput] {
        var outputs: [GATTClientOutput] = []
        while current == nil, !waiting.isEmpty {
            let next = waiting.removeFirst()
            if next.procedure == .exchangeMTU, hasExchangedMTU {
                // The exchange is done once per connection.
                outputs.append(.completed(next.token, .success(.mtu(mtu))))
                continue
            }
            var machine = next.procedure.machine(maximumMTU: maximumMTU)
            let step = machine.start(mtu: mtu)
            current = (next.token, machine)
            outputs += perform(step, at: now)
        }
        return outputs
    }

    private mutating func take(_ outputs: [ATTClientOutput], at now: Duration) -> [GATTClientOutput] {
        var results: [GATTClientOutput] = []
        for output in outputs {
            switch output {
            case .send(let pdu): results.append(.send(pdu))
            case .notification(let handle, let value): results.append(.notification(handle, value))
            case .indication(let handle, let value): results.append(.indication(handle, value))
            case .failed: results += close() + [.failed]
            case .response(_, let response):
                guard let step = current?.machine.receive(response, mtu: mtu) else { continue }
                results += perform(step, at: now)
            }
        }
        return results + (client.isClosed ? [] : startWaiting(at: now))
    }

    /// Performs a step of the current procedure.
    private mutating func perform(_ step: ProcedureStep, at now: Duration) -> [GATTClientOutput] {
        guard let token = current?.token else { return [] }
        switch step {
        case .request(let request):
            guard request.serialized().count <= mtu else { return finish(.failure(.tooLong)) }
            return take(client.request(request, as: token, at: now), at: now)
        case .command(let command):
            guard command.serialized().count <= mtu else { return finish(.failure(.tooLong)) }
            return take(client.command(command), at: now) + finish(.success(.done))
        case .agreed(let agreed):
            hasExchangedMTU = true
            let changed = agreed.map { [GATTClientOutput.mtuChanged($0)] } ?? []
            mtu = agreed ?? mtu
            return changed + finish(.success(.mtu(mtu)))
        case .finished(let result):
            return finish(result)
        }
    }

    private mutating func finish(_ result: Result<GATTResult, ATTClientError>) -> [GATTClientOutput] {
        guard let token = current?.token else { return [] }
        current = nil
        return [.completed(token, result)]
    }
}
