// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The client of the attribute profile on one connection: one procedure at a time (Core 5.4, Vol 3, Part G, 4).
package struct GATTClient: Sendable {
    private struct Waiting: Sendable {
        let token: ATTToken
        let procedure: GATTProcedure
    }

    /// The longest PDU that may be sent now, in octets.
    package private(set) var mtu = ATTBearer.minimumMTU
    /// The longest PDU that this client takes, in octets.
    package let maximumMTU: UInt16

    private let capacity: Int
    private var client = ATTClient()
    private var underWay: (token: ATTToken, machine: any ProcedureMachine)?
    private var waiting: [Waiting] = []
    private var hasExchangedMTU = false

    /// A client on a new connection, which takes PDUs of so many octets (at least 23) and lets so many procedures wait.
    package init(maximumMTU: UInt16 = 517, waitingProcedures: Int = 64) {
        self.maximumMTU = max(maximumMTU, UInt16(ATTBearer.minimumMTU))
        capacity = waitingProcedures
    }

    /// When `advance(to:)` has something to do.
    package var nextDeadline: Duration? { client.nextDeadline }

    /// Begins a procedure, as soon as those before it have ended; `.completed` with this token follows in every case.
    package mutating func start(
        _ procedure: GATTProcedure, as token: ATTToken, at now: Duration
    ) -> [GATTClientOutput] {
        guard !client.isClosed else { return [.completed(token, .failure(.closed))] }
        guard waiting.count < capacity else { return [.completed(token, .failure(.tooManyRequests))] }
        waiting.append(Waiting(token: token, procedure: procedure))
        return startWaiting(at: now)
    }

    /// Takes one PDU of the server.
    package mutating func receive(_ pdu: [UInt8], at now: Duration) -> [GATTClientOutput] {
        let outputs = client.receive(pdu, at: now)
        return take(outputs, at: now)
    }

    /// Takes the time.
    package mutating func advance(to now: Duration) -> [GATTClientOutput] {
        let outputs = client.advance(to: now)
        return take(outputs, at: now)
    }

    /// The link is gone: all procedures fail.
    package mutating func close() -> [GATTClientOutput] {
        _ = client.close()
        let tokens = (underWay.map { [$0.token] } ?? []) + waiting.map(\.token)
        underWay = nil
        waiting = []
        return tokens.map { .completed($0, .failure(.closed)) }
    }

    /// Takes over what the server of the same bearer agreed on.
    mutating func setMTU(_ mtu: Int) { self.mtu = mtu }
}

extension GATTClient {
    /// Begins procedures until one has to wait for the server.
    private mutating func startWaiting(at now: Duration) -> [GATTClientOutput] {
        var outputs: [GATTClientOutput] = []
        while underWay == nil, !waiting.isEmpty {
            let next = waiting.removeFirst()
            if next.procedure == .exchangeMTU, hasExchangedMTU {
                // It is done once a connection.
                outputs.append(.completed(next.token, .success(.mtu(mtu))))
                continue
            }
            var machine = next.procedure.machine(maximumMTU: maximumMTU)
            let step = machine.start(mtu: mtu)
            underWay = (next.token, machine)
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
                guard let step = underWay?.machine.receive(response, mtu: mtu) else { continue }
                results += perform(step, at: now)
            }
        }
        return results + (client.isClosed ? [] : startWaiting(at: now))
    }

    /// Does what the procedure that is under way wants.
    private mutating func perform(_ step: ProcedureStep, at now: Duration) -> [GATTClientOutput] {
        guard let token = underWay?.token else { return [] }
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
        guard let token = underWay?.token else { return [] }
        underWay = nil
        return [.completed(token, result)]
    }
}
