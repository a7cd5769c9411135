// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

// What the owner requests of connections, one by one or all of a role: their end, their parameters, attributes, pairing. The
// life of connections, which concerns the other parts of the host, is in LEHost.swift.

extension LEHost {
    /// Ends a connection; `.disconnected` reports when it has ended.
    package mutating func disconnect(
        _ connection: ConnectionIdentifier, reason: HCIStatus = .remoteUserTerminatedConnection
    ) {
        guard let index = connections.index(of: connection) else { return }
        connections[index].end(reason: reason, &context)
        flush()
    }

    /// Requests other connection parameters; `.connectionUpdated` or `.connectionUpdateFailed` reports the outcome.
    ///
    /// A central sets them; a peripheral asks its central for them.
    package mutating func updateConnection(_ connection: ConnectionIdentifier, to parameters: ConnectionParameters) {
        guard let index = connections.index(of: connection) else { return }
        guard parameters.isValid else {
            return context.emit(.connectionUpdateFailed(connection, .invalidParameters))
        }
        connections[index].update(to: parameters, &context)
        flush()
    }

    /// Reads the RSSI of a connection's peer; `.rssi` reports it, unless the connection ends before.
    package mutating func readRSSI(of connection: ConnectionIdentifier) {
        guard let index = connections.index(of: connection) else { return }
        connections[index].readRSSI(&context)
        flush()
    }
}

// MARK: - Attributes

extension LEHost {
    /// Answers a central's request: with the value read, with nothing for a write, or with an error for the central.
    package mutating func respond(
        to token: ATTToken, of connection: ConnectionIdentifier, with result: Result<[UInt8], ATTError>
    ) {
        guard let index = connections.index(of: connection) else { return }
        connections[index].respond(to: token, with: result, &context)
        flush()
    }

    /// Sends a value to a central, by notification or indication as the central subscribed.
    /// - Returns: `false` if the central has not subscribed, or if too much data waits to be sent already.
    @discardableResult
    package mutating func notify(
        _ value: [UInt8], of handle: AttributeHandle, to connection: ConnectionIdentifier
    ) -> Bool {
        guard let index = connections.index(of: connection),
            connections[index].notify(value, of: handle, &context)
        else { return false }
        flush()
        return true
    }

    /// What a central subscribed to, of the characteristic whose value has this handle.
    package func subscription(
        to handle: AttributeHandle, of connection: ConnectionIdentifier
    ) -> ClientCharacteristicConfiguration {
        connections.index(of: connection).map { connections[$0].subscription(to: handle) } ?? []
    }

    /// Starts a procedure on the attributes of a peer, after those that were started before; `.completed` reports the
    /// outcome.
    /// - Returns: the token of the procedure; `nil` if there is no such connection.
    @discardableResult
    package mutating func start(_ procedure: GATTProcedure, on connection: ConnectionIdentifier) -> ATTToken? {
        guard let index = connections.index(of: connection), !connections[index].isUnwanted else { return nil }
        lastToken += 1
        let token = ATTToken(lastToken)
        connections[index].start(procedure, as: token, &context)
        flush()
        return token
    }

    /// Sets the attributes that peripherals find in this host; `nil` for none.
    ///
    /// Connections that had attributes get the new ones at once, with an indication of Service Changed if the
    /// peripheral subscribed to it. Connections without attributes stay without.
    package mutating func setCentralDatabase(_ database: AttributeDatabase?) {
        centralDatabase = database
        guard let database else { return }
        for index in connections.indices where connections[index].link.role == .central {
            _ = connections[index].replaceDatabase(database, &context)
            flush()
        }
    }
}

// MARK: - Pairing and bonds

// `nil` in the place of an advertising set is the host as central.
extension LEHost {
    /// Sets how an advertising set pairs; `nil` if it does not, and refuses its peers' requests.
    package mutating func setPairing(
        _ settings: PairingSettings?, acceptance: PairingAcceptance = .always, for set: AdvertisingSetIdentifier?
    ) {
        context.registry.setPairing(settings, acceptance: acceptance, for: set)
    }

    /// Restores the saved bonds of an advertising set. Existing connections are not affected.
    package mutating func setBonds(_ bonds: [Bond], for set: AdvertisingSetIdentifier?) {
        context.registry.restore(bonds, for: set)
    }

    /// The bonds of an advertising set, to be saved in this order; the bonds of pairings under way are last.
    package func bonds(of set: AdvertisingSetIdentifier?) -> [Bond] { context.registry.bonds(of: set) }

    /// Removes a bond. A link that is encrypted with it stays encrypted.
    package mutating func removeBond(of peer: PeerAddress, for set: AdvertisingSetIdentifier?) {
        context.registry.removeBond(of: peer, for: set)
        for index in connections.indices
        where connections[index].link.advertisingSet == set || configuration.hasOneIdentity {
            connections[index].forgetBond(with: peer)
        }
    }

    /// The bonded peer that has this address, which may be private; `nil` if no bond's key resolves it.
    package func identity(of address: PeerAddress, for set: AdvertisingSetIdentifier? = nil) -> PeerAddress? {
        context.registry.bond(of: address, for: set)?.peer
    }

    /// Whether a pairing is under way on a connection. The link may be encrypted already, with keys still to come.
    package func isPairing(_ connection: ConnectionIdentifier) -> Bool {
        connections.index(of: connection).map { connections[$0].isPairing } ?? false
    }

    /// Encrypts a link, after a pairing unless there is a bond that satisfies the settings.
    ///
    /// A peripheral can only ask its central to do it. If a pairing is under way already, its outcome answers this
    /// request too. `.securityChanged`, after a pairing also `.paired`, or `.pairingFailed` or `.encryptionFailed`
    /// reports the outcome.
    /// - Parameters:
    ///   - settings: how to pair on this connection; `nil` as `setPairing` says.
    ///   - renewing: whether to pair although there is a bond.
    package mutating func pair(
        _ connection: ConnectionIdentifier, _ settings: PairingSettings? = nil, renewing: Bool = false
    ) {
        guard let index = connections.index(of: connection), !connections[index].isUnwanted else { return }
        let identity = localIdentity(in: connections[index].link)
        connections[index].secure(&context) {
            $0.pair(&$1, settings, identity: identity, client: $2, renewing: renewing, &$3)
        }
        flush()
    }

    /// Answers `.pairingRequested`.
    /// - Parameter settings: how a central pairs that a peripheral requested to do so; `nil` as `setPairing` says.
    package mutating func replyPairing(
        _ isGranted: Bool, of connection: ConnectionIdentifier, _ settings: PairingSettings? = nil
    ) {
        guard let index = connections.index(of: connection) else { return }
        let identity = localIdentity(in: connections[index].link)
        connections[index].secure(&context) {
            $0.replyPairing(isGranted, settings, &$1, identity: identity, client: $2, &$3)
        }
        flush()
    }

    /// Answers `.passkeyWanted` with the six digits that were entered, 0 to 999,999; `nil` if none will be.
    package mutating func replyPasskey(_ digits: UInt32?, of connection: ConnectionIdentifier) {
        guard let index = connections.index(of: connection) else { return }
        connections[index].secure(&context) { $0.replyPasskey(digits, &$1, client: $2, &$3) }
        flush()
    }

    /// Answers `.comparisonWanted`: whether both devices show the same number; or `.confirmationWanted`: whether to pair.
    package mutating func replyComparison(_ areEqual: Bool, of connection: ConnectionIdentifier) {
        guard let index = connections.index(of: connection) else { return }
        connections[index].secure(&context) { $0.replyComparison(areEqual, &$1, client: $2, &$3) }
        flush()
    }

    /// Cancels the pairing under way, or the request for one; `.pairingFailed` follows if there is any.
    package mutating func cancelPairing(of connection: ConnectionIdentifier) {
        guard let index = connections.index(of: connection) else { return }
        connections[index].secure(&context) { $0.cancelPairing(&$1, client: $2, &$3) }
        flush()
    }

    /// The identity behind the private addresses of this end of a connection.
    func localIdentity(in link: LEConnection) -> LocalIdentity? {
        switch link.role {
        case .central: configuration.centralAddress.identity
        case .peripheral: link.advertisingSet.flatMap { advertising.identity(of: $0) }
        }
    }
}
