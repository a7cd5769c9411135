// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import BluetoothCore
import HCI

extension LEHost {
    /// Answers a central's request: the value read, nothing for a write, or the error that it is told.
    package mutating func respond(
        to token: ATTToken, of connection: ConnectionIdentifier, with result: Result<[UInt8], ATTError>
    ) {
        let now = now
        withServer(of: connection) { $0.respond(token, result, at: now) }
    }

    /// Tells a central a value, by notification or indication as it wants; `false` when it wants neither, or when too
    /// much waits to be sent already.
    @discardableResult
    package mutating func notify(
        _ value: [UInt8], of handle: AttributeHandle, to connection: ConnectionIdentifier
    ) -> Bool {
        guard let index = index(of: connection), connections[index].outgoing.hasRoom,
            !subscription(to: handle, of: connection).isEmpty
        else { return false }
        let now = now
        withServer(of: connection) { $0.notify(value, of: handle, at: now) }
        return true
    }

    /// What a central wants to be told of the characteristic whose value this handle has.
    package func subscription(
        to handle: AttributeHandle, of connection: ConnectionIdentifier
    ) -> ClientCharacteristicConfiguration {
        index(of: connection).flatMap { connections[$0].bearer.server?.subscription(to: handle) } ?? []
    }

    /// Does something with the attributes of a peer, when what was begun before has ended; `.completed` tells the
    /// outcome.
    /// - Returns: the token that names it; `nil` when there is no such connection.
    @discardableResult
    package mutating func start(_ procedure: GATTProcedure, on connection: ConnectionIdentifier) -> ATTToken? {
        guard let index = index(of: connection), !connections[index].isUnwanted else { return nil }
        lastToken += 1
        let token = ATTToken(lastToken)
        let now = now
        let outputs = connections[index].bearer.withClient { $0.start(procedure, as: token, at: now) }
        perform(outputs, of: connection)
        flush()
        return token
    }

    mutating func withServer(
        of connection: ConnectionIdentifier, _ body: (inout ATTServer) -> [ATTServerOutput]
    ) {
        guard let index = index(of: connection) else { return }
        let outputs = connections[index].bearer.withServer(body)
        perform(outputs, of: connection)
        flush()
    }

    /// Does what the attribute channel of a connection wants done.
    mutating func perform(_ outputs: [ATTBearer.Output], of connection: ConnectionIdentifier) {
        // What is kept of a bonded client is kept before the client hears that it is.
        keepClientState(of: connection)
        for output in outputs {
            guard let index = index(of: connection) else { return }
            switch output {
            case .send(let pdu): send(pdu, on: .attribute, at: index)
            case .failed: endConnection(connection, reason: .remoteUserTerminatedConnection)
            case .server, .client, .mtuChanged: tell(output, of: connections[index].link)
            }
        }
    }

    /// Tells the owner what concerns it.
    mutating func tell(_ output: ATTBearer.Output, of link: LEConnection) {
        switch output {
        case .server(let output): tell(output, of: link)
        case .client(let output): tell(output, of: link.id)
        case .mtuChanged(let octets): emit(.maximumTransmissionUnitChanged(link.id, octets))
        case .send, .failed: break
        }
    }

    private mutating func tell(_ output: ATTServerOutput, of link: LEConnection) {
        switch output {
        case .read(let token, let handle, let uuid, let offset):
            emit(attributeRequest(token, of: link, handle: handle, uuid: uuid, .read(offset: offset)))
        case .write(let token, let handle, let uuid, let offset, let value, let needsResponse):
            let operation = AttributeServerRequest.Operation.write(
                offset: offset, value: value, needsResponse: needsResponse)
            emit(attributeRequest(token, of: link, handle: handle, uuid: uuid, operation))
        case .subscriptionChanged(let handle, let uuid, let configuration):
            emit(.subscriptionChanged(link.id, link.advertisingSet, handle, uuid: uuid, configuration))
        case .refused(let handle, let value, let error):
            emit(.attributeRefused(link.id, handle, write: value, error))
        case .indicationEnded(let handle, let isConfirmed):
            emit(.indicationEnded(link.id, handle, isConfirmed: isConfirmed))
        case .send, .broadcastChanged, .mtuChanged, .failed: break
        }
    }

    private func attributeRequest(
        _ token: ATTToken, of link: LEConnection, handle: AttributeHandle, uuid: BluetoothUUID,
        _ operation: AttributeServerRequest.Operation
    ) -> LEHostEvent {
        .attributeRequest(
            AttributeServerRequest(
                connection: link.id, advertisingSet: link.advertisingSet, token: token, handle: handle, uuid: uuid,
                operation: operation))
    }

    private mutating func tell(_ output: GATTClientOutput, of connection: ConnectionIdentifier) {
        switch output {
        case .completed(let token, let result): emit(.completed(connection, token, result))
        case .notification(let handle, let value): emit(.notification(connection, handle, value))
        case .indication(let handle, let value): emit(.indication(connection, handle, value))
        case .send, .mtuChanged, .failed: break
        }
    }
}

extension LEHost {
    /// When a channel of a connection has something to do.
    var connectionDeadline: Duration? {
        connections.indices.reduce(nil) { $0.orEarlier(connections[$1].nextDeadline) }
    }

    /// Gives the time to the channels of all connections.
    mutating func advanceConnections() {
        let due = connections.indices.filter { connections[$0].nextDeadline.map { $0 <= now } ?? false }
        for connection in due.map({ connections[$0].link.id }) {
            guard let index = index(of: connection) else { continue }
            let attributes = connections[index].bearer.advance(to: now)
            let signals = connections[index].signalling.advance(to: now)
            let pairing = connections[index].securityManager.advance(to: now)
            perform(attributes, of: connection)
            perform(signals, of: connection)
            perform(pairing, of: connection)
        }
    }
}
