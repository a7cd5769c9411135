// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import BluetoothCore
import HCI

extension LEHost {
    /// Asks for other parameters of a connection; `.connectionUpdated` or `.connectionUpdateFailed` tells the outcome.
    ///
    /// A central sets them; a peripheral asks its central for them.
    package mutating func updateConnection(_ connection: ConnectionIdentifier, to parameters: ConnectionParameters) {
        guard let index = index(of: connection) else { return }
        guard parameters.isValid else { return emit(.connectionUpdateFailed(connection, .invalidParameters)) }
        switch connections[index].link.role {
        case .central: update(at: index, to: parameters)
        case .peripheral:
            let request = ConnectionParameterUpdateRequest(
                minimumInterval: parameters.interval.lowerBound, maximumInterval: parameters.interval.upperBound,
                latency: parameters.latency, timeout: parameters.supervisionTimeout)
            let outputs = connections[index].signalling.request(request, at: now)
            if outputs.isEmpty { emit(.connectionUpdateFailed(connection, .busy)) }
            perform(outputs, of: connection)
        }
        flush()
    }

    /// Sets parameters, after those that are on their way.
    mutating func update(at index: Int, to parameters: ConnectionParameters) {
        guard !connections[index].isUpdating else {
            connections[index].nextUpdate = parameters
            return
        }
        let command = LEConnectionUpdate(
            connectionHandle: connections[index].handle, minimumConnectionInterval: parameters.interval.lowerBound,
            maximumConnectionInterval: parameters.interval.upperBound, maximumLatency: parameters.latency,
            supervisionTimeout: parameters.supervisionTimeout)
        let identifier = connections[index].link.id
        connections[index].isUpdating = true
        send(command, then: .connection(identifier, .update))
    }

    /// Takes the end of an update, and begins the next one that was asked for.
    mutating func finishUpdate(at index: Int, _ failure: LEHostFailure?) {
        let connection = connections[index]
        connections[index].isUpdating = false
        connections[index].nextUpdate = nil
        if let failure { emit(.connectionUpdateFailed(connection.link.id, failure)) }
        if let next = connection.nextUpdate { update(at: index, to: next) }
    }

    /// Takes the outcome of an update, whoever asked for it.
    mutating func receive(_ event: LEConnectionUpdateComplete) {
        guard let index = index(of: event.connectionHandle) else { return }
        guard event.status == .success else {
            guard connections[index].isUpdating else { return }
            return finishUpdate(at: index, .connection(event.status))
        }
        connections[index].link.interval = event.connectionInterval
        connections[index].link.latency = event.peripheralLatency
        connections[index].link.supervisionTimeout = event.supervisionTimeout
        if !connections[index].isUnwanted { emit(.connectionUpdated(connections[index].link)) }
        finishUpdate(at: index, nil)
    }

    /// Takes a peer's wish in the link layer: what is possible is accepted.
    mutating func receive(_ event: LERemoteConnectionParameterRequest) {
        guard index(of: event.connectionHandle) != nil else { return }
        let isPossible = ConnectionParameterUpdateRequest(
            minimumInterval: event.minimumConnectionInterval, maximumInterval: event.maximumConnectionInterval,
            latency: event.maximumLatency, timeout: event.supervisionTimeout
        ).isPossible
        if isPossible {
            _ = request(
                LERemoteConnectionParameterRequestReply(
                    connectionHandle: event.connectionHandle,
                    minimumConnectionInterval: event.minimumConnectionInterval,
                    maximumConnectionInterval: event.maximumConnectionInterval,
                    maximumLatency: event.maximumLatency, supervisionTimeout: event.supervisionTimeout),
                then: .unattended)
        } else {
            _ = request(
                LERemoteConnectionParameterRequestNegativeReply(connectionHandle: event.connectionHandle),
                then: .unattended)
        }
    }

    /// Does what the signalling channel of a connection wants done.
    mutating func perform(_ outputs: [SignallingChannel.Output], of connection: ConnectionIdentifier) {
        for output in outputs {
            guard let index = index(of: connection) else { return }
            switch output {
            case .send(let payload): send(payload, on: .signalling, at: index)
            case .updateConnectionParameters(let request): accept(request, at: index)
            case .connectionParameterUpdateAnswered(.accepted): break
            case .connectionParameterUpdateAnswered(.some):
                emit(.connectionUpdateFailed(connection, .connection(.unacceptableConnectionParameters)))
            case .connectionParameterUpdateAnswered(nil): emit(.connectionUpdateFailed(connection, .timedOut))
            }
        }
    }

    private mutating func accept(_ request: ConnectionParameterUpdateRequest, at index: Int) {
        guard request.minimumInterval <= request.maximumInterval else { return }
        let parameters = ConnectionParameters(
            interval: request.minimumInterval...request.maximumInterval, latency: request.latency,
            supervisionTimeout: request.timeout)
        update(at: index, to: parameters)
    }
}
