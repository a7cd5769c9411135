// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import HCI

extension LEHost {
    /// Takes the payload of a frame on the security manager's channel.
    mutating func receiveSecurity(_ payload: [UInt8], at index: Int) {
        let setup = pairingSetup(at: index)
        let now = now
        let outputs = connections[index].securityManager.receive(payload, setup: setup, at: now, random: &random)
        perform(outputs, of: connections[index].link.id)
    }

    /// What a pairing on a connection would begin with; `nil` when there can be none.
    func pairingSetup(at index: Int) -> PairingSetup? {
        let connection = connections[index]
        let link = connection.link
        guard let scope = scope(of: link.advertisingSet), let settings = scope.pairing else { return nil }
        let peer = PeerAddress(link.peerAddress, type: link.peerAddressType)
        let identity =
            link.role == .central
            ? configuration.centralAddress.identity
            : link.advertisingSet.flatMap { self.index(of: $0) }.flatMap { sets[$0].privateAddress.first?.identity }
        return PairingSetup(
            role: link.role == .central ? .initiator : .responder, settings: settings,
            acceptance: scope.acceptance, own: connection.ownAddress, peer: peer, identity: identity,
            mustBeAuthenticated: link.identity.flatMap { scope.bond(of: $0) }?.isAuthenticated ?? false,
            authenticatedPeers: scope.bonds.filter(\.isAuthenticated).map(\.peer),
            wait: scope.attempts.wait(of: link.identity ?? peer, at: now))
    }

    /// Does what the security manager of a connection wants done.
    mutating func perform(_ outputs: [SecurityManager.Output], of connection: ConnectionIdentifier) {
        for output in outputs {
            guard let index = index(of: connection) else { return }
            switch output {
            case .send(let payload): send(payload, on: .securityManager, at: index)
            case .securityRequested(let requirements): receiveWish(requirements, at: index)
            case .pairing(.encrypt(let key)): encrypt(at: index, Bond.Key(key), .pairing)
            case .pairing(.consentWanted): emit(.pairingRequested(connection))
            case .pairing(.passkeyShown(let digits)): emit(.displayPasskey(connection, digits))
            case .pairing(.passkeyWanted): emit(.passkeyWanted(connection))
            case .pairing(.comparisonWanted(let number)): emit(.comparisonWanted(connection, number))
            case .pairing(.promised(let bond)): promise(bond, at: index)
            case .pairing(.finished(let result)): finishPairing(result, at: index)
            case .pairing(.failed(let failure)): failPairing(failure, at: index)
            case .pairing(.send): break
            }
        }
    }

    mutating func send(_ pdu: SecurityManagerPDU, at index: Int) {
        send(pdu.serialized(), on: .securityManager, at: index)
    }

    /// A peripheral wants the link encrypted (Core 5.4, Vol 3, Part H, 2.4.6).
    private mutating func receiveWish(_ requirements: AuthenticationRequirements, at index: Int) {
        let link = connections[index].link
        guard let setup = pairingSetup(at: index), !connections[index].isEncrypting else { return }
        let wantsProtection = requirements.contains(.protection)
        if link.security.isEncrypted, link.security.isAuthenticated || !wantsProtection { return }
        if let bond = link.identity.flatMap({ self.bond(of: $0, for: nil) }), let key = bond.centralKey,
            setup.settings.isSatisfied(by: bond), bond.isAuthenticated || !wantsProtection
        {
            return encrypt(at: index, key, .bond(bond.peer))
        }
        switch setup.acceptance {
        case .never: send(.pairingFailed(.pairingNotSupported), at: index)
        case .ask:
            guard !connections[index].isConsentWanted else { return }
            connections[index].isConsentWanted = true
            emit(.pairingRequested(link.id))
        case .always:
            let now = now
            perform(connections[index].securityManager.start(setup, at: now), of: link.id)
        }
    }

    private mutating func promise(_ bond: Bond, at index: Int) {
        let link = connections[index].link
        withScope(of: link.advertisingSet) { scope in
            _ = scope.endPromise(on: link.id)
            scope.promised.append((link.id, bond))
        }
        emit(.bondChanged(link.advertisingSet, bond))
    }

    /// Takes a bond back whose pairing does not come about; one that was there before stays.
    mutating func withdrawPromise(on link: LEConnection) {
        guard scope(of: link.advertisingSet)?.promised.isEmpty == false else { return }
        var withdrawn: Bond?
        withScope(of: link.advertisingSet) { withdrawn = $0.endPromise(on: link.id) }
        if let withdrawn { emit(.bondWithdrawn(link.advertisingSet, withdrawn.peer)) }
    }

    private mutating func finishPairing(_ result: PairingResult, at index: Int) {
        let link = connections[index].link
        var bond = result.bond
        if let client = connections[index].bearer.server?.client { bond.client = client }
        let met = PeerAddress(link.peerAddress, type: link.peerAddressType)
        var forgotten: PeerAddress?
        withScope(of: link.advertisingSet) { scope in
            _ = scope.endPromise(on: link.id)
            scope.attempts.forget(met)
            scope.attempts.forget(bond.peer)
            if result.isBonded { forgotten = scope.keep(bond) }
        }
        if result.isBonded {
            connections[index].link.identity = bond.peer
            connections[index].keyInUse = .bond(bond.peer)
        }
        emit(.paired(link.id, bond, isBonded: result.isBonded))
        if let forgotten { emit(.bondForgotten(link.advertisingSet, forgotten)) }
    }

    private mutating func failPairing(_ failure: PairingError, at index: Int) {
        let link = connections[index].link
        let now = now
        if failure.isAttempt {
            let peer = link.identity ?? PeerAddress(link.peerAddress, type: link.peerAddressType)
            withScope(of: link.advertisingSet) { $0.attempts.note(peer, at: now) }
        }
        withdrawPromise(on: link)
        emit(.pairingFailed(link.id, failure))
    }

    /// Takes down what a bonded client wants, where that has changed.
    mutating func keepClientState(of connection: ConnectionIdentifier) {
        guard let index = index(of: connection), case .bond(let peer) = connections[index].keyInUse,
            connections[index].link.security.isEncrypted, let client = connections[index].bearer.server?.client
        else { return }
        let set = connections[index].link.advertisingSet
        guard var bond = scope(of: set)?.bonds.first(where: { $0.peer == peer }), bond.client != client else { return }
        bond.client = client
        withScope(of: set) { scope in
            for place in scope.bonds.indices where scope.bonds[place].peer == peer { scope.bonds[place] = bond }
        }
        emit(.bondChanged(set, bond))
    }
}
