// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
package import HCI

extension LEHost {
    /// How many connections there may be: more than controllers have.
    static let maximumConnections = 256

    /// The connections that there are, in the order of their making.
    package var currentConnections: [LEConnection] { connections.filter { !$0.isUnwanted }.map(\.link) }

    /// Ends a connection; `.disconnected` tells when it is gone.
    package mutating func disconnect(
        _ connection: ConnectionIdentifier, reason: HCIStatus = .remoteUserTerminatedConnection
    ) {
        endConnection(connection, reason: reason)
        flush()
    }

    mutating func endConnection(_ connection: ConnectionIdentifier, reason: HCIStatus) {
        guard let index = index(of: connection), !connections[index].isEnding else { return }
        connections[index].isEnding = request(
            Disconnect(connectionHandle: connections[index].handle, reason: reason),
            then: .connection(connection, .disconnect))
    }

    func index(of connection: ConnectionIdentifier) -> Int? { connections.firstIndex { $0.link.id == connection } }
    func index(of handle: ConnectionHandle) -> Int? { connections.firstIndex { $0.handle == handle } }

    /// Takes a connection that the controller made, or could not make.
    mutating func receive(_ details: LinkDetails, _ status: HCIStatus) {
        guard status == .success else { return receiveFailure(status) }
        if let index = index(of: details.handle) {
            // Some controllers say it in both events.
            if connections[index].link.isSame(as: details) { return }
            endConnection(at: index, reason: .unspecifiedError)
        }
        switch details.role {
        case .central: beginAsCentral(details)
        case .peripheral: beginAsPeripheral(details)
        }
    }

    private mutating func receiveFailure(_ status: HCIStatus) {
        guard initiator.isBusy else { return }
        if case .cancelling(let reason) = initiator.state { return endConnecting(reason) }
        endConnecting(.connection(status))
    }

    private mutating func beginAsCentral(_ details: LinkDetails) {
        var isUnwanted = initiator.current == nil
        if case .cancelling = initiator.state { isUnwanted = true }
        let identifier = begin(details, set: nil, isUnwanted: isUnwanted)
        if isUnwanted, let identifier { endConnection(identifier, reason: .remoteUserTerminatedConnection) }
        if case .cancelling(let reason) = initiator.state { return endConnecting(reason) }
        finishInitiator()
        continueAfterConnecting()
    }

    private mutating func beginAsPeripheral(_ details: LinkDetails) {
        if legacy != nil { return beginFromLegacy(details) }
        if let set = links.takeSet(of: details.handle) {
            begin(details, set: set)
        } else if let set = onlyConnectableSet {
            begin(details, set: set)
        } else {
            links.hold(details, at: now)
        }
    }

    private mutating func beginFromLegacy(_ details: LinkDetails) {
        let set = legacy?.lastOnAir
        legacy?.advertiser.acknowledge(.disable)
        legacy?.holder = nil
        legacy?.end = nil
        begin(details, set: set)
        continueAdvertising()
    }

    /// The set that a central must have connected to, where there is one only.
    private var onlyConnectableSet: AdvertisingSetIdentifier? {
        let candidates = sets.filter {
            $0.advertiser.isEnabled && $0.advertiser.parameters?.pdu.isConnectable == true
        }
        return candidates.count == 1 ? candidates.first?.set : nil
    }

    /// Takes the set that a connection was made through.
    mutating func assign(_ set: AdvertisingSetIdentifier, to handle: ConnectionHandle) {
        if let pending = links.takePending(handle) {
            begin(pending.details, set: set)
            for data in pending.data { receive(data) }
        } else if index(of: handle) == nil {
            links.remember(set, of: handle)
        }
    }

    /// Begins connections whose set the controller did not name in time.
    mutating func advanceLinks() {
        while let pending = links.takeExpired(at: now) {
            let candidates = sets.filter { $0.advertiser.parameters?.pdu.isConnectable == true }
            let set = candidates.first { $0.advertiser.isEnabled }?.set
            begin(pending.details, set: set)
            for data in pending.data { receive(data) }
        }
    }

    @discardableResult
    private mutating func begin(
        _ details: LinkDetails, set: AdvertisingSetIdentifier?, isUnwanted: Bool = false
    ) -> ConnectionIdentifier? {
        guard connections.count < Self.maximumConnections else {
            _ = request(Disconnect(connectionHandle: details.handle), then: .unattended)
            return nil
        }
        let identity = bond(of: details.peer, for: set)?.peer
        let link = LEConnection(
            id: links.nextIdentifier(), role: details.role, peerAddress: details.peer.address,
            peerAddressType: details.peer.type, advertisingSet: set, identity: identity,
            security: LinkSecurity(hasKey: identity != nil), interval: details.interval, latency: details.latency,
            supervisionTimeout: details.supervisionTimeout)
        let database =
            details.role == .central ? centralDatabase : set.flatMap { index(of: $0) }.flatMap { sets[$0].database }
        var connection = HostConnection(
            handle: details.handle, ownAddress: ownAddress(as: details.role, of: set), link: link, database: database,
            mtu: configuration.maximumTransmissionUnit)
        connection.isUnwanted = isUnwanted
        connection.bearer.setSecurity(link.security)
        connections.append(connection)
        if let set { suspendAdvertising(set, for: link.id) }
        if !isUnwanted {
            emit(.connected(link))
            askForDataLength(connection)
        }
        return link.id
    }

    private mutating func askForDataLength(_ connection: HostConnection) {
        let octets = UInt16(knownCapabilities.maximumLinkPayload)
        guard octets > 27 else { return }
        _ = request(
            LESetDataLength(
                connectionHandle: connection.handle, transmitOctets: octets, transmitTime: Self.airTime(octets)),
            then: .connection(connection.link.id, .dataLength))
    }

    /// Takes the end of a connection.
    mutating func receive(_ event: DisconnectionComplete) {
        guard event.status == .success else { return }
        _ = links.takeSet(of: event.connectionHandle)
        if let pending = links.takePending(event.connectionHandle) {
            // It ended before its set was named; the set is off the air all the same.
            return begin(pending.details, set: nil, endedFor: event.reason)
        }
        guard let index = index(of: event.connectionHandle) else { return }
        endConnection(at: index, reason: event.reason)
    }

    private mutating func begin(_ details: LinkDetails, set: AdvertisingSetIdentifier?, endedFor reason: HCIStatus) {
        begin(details, set: set)
        if let index = index(of: details.handle) { endConnection(at: index, reason: reason) }
    }

    private mutating func endConnection(at index: Int, reason: HCIStatus) {
        let connection = connections.remove(at: index)
        dataCredits.give(back: connection.packetsInController)
        tellDisconnected(connection, reason: reason)
        resumeAdvertising(after: connection.link.id)
    }

    /// Tells the owner that a connection is gone, and before what ended with it.
    mutating func tellDisconnected(_ connection: HostConnection, reason: HCIStatus) {
        guard !connection.isUnwanted else { return }
        var connection = connection
        withdrawPromise(on: connection.link)
        for case .pairing(.failed(let failure)) in connection.securityManager.abandon(.disconnected) {
            emit(.pairingFailed(connection.link.id, failure))
        }
        for output in connection.bearer.close() { tell(output, of: connection.link) }
        emit(.disconnected(connection.link, reason))
    }

    /// Takes the answer to a command about a connection.
    mutating func finish(_ step: ConnectionStep, of connection: ConnectionIdentifier, _ reply: CommandReply) {
        guard let index = index(of: connection) else { return }
        switch step {
        case .dataLength, .longTermKey: break
        case .encryption:
            guard reply.failure != nil else { break }
            receiveEncryptionFailure(reply.status ?? .unspecifiedError, at: index)
        case .signalStrength: finishSignalStrength(of: connection, reply)
        case .update: if let failure = reply.failure { finishUpdate(at: index, failure) }
        case .disconnect:
            // Without its command, the end may be asked for again.
            if reply.failure != nil { connections[index].isEnding = false }
        }
    }
}
