// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

// What a host is told of pairing by its owner. A `nil` in the place of a beacon is the host as central.
extension LEHost {
    /// How a beacon pairs, or this host as central; `nil` when it does not, and answers that to peers who want to.
    package mutating func setPairing(
        _ settings: PairingSettings?, acceptance: PairingAcceptance = .always, for set: AdvertisingSetIdentifier?
    ) {
        withScope(of: set) { scope in
            scope.pairing = settings
            scope.acceptance = acceptance
        }
        dropEmptyScopes()
    }

    /// The bonds that were kept of a beacon, or of this host as central. Connections that exist go on as they are.
    package mutating func setBonds(_ bonds: [Bond], for set: AdvertisingSetIdentifier?) {
        withScope(of: set) { $0.restore(bonds) }
        dropEmptyScopes()
    }

    /// The bonds of a beacon, or of this host as central, to be kept in this order; those of pairings that are under way
    /// come last.
    package func bonds(of set: AdvertisingSetIdentifier?) -> [Bond] { scope(of: set)?.keptBonds ?? [] }

    /// Forgets a bond. A link that is encrypted with it stays so until its end.
    package mutating func removeBond(of peer: PeerAddress, for set: AdvertisingSetIdentifier?) {
        withScope(of: set) { scope in
            scope.bonds.removeAll { $0.peer == peer }
            scope.promised.removeAll { $0.bond.peer == peer }
        }
        for index in connections.indices where connections[index].link.identity == peer {
            guard connections[index].link.advertisingSet == set else { continue }
            connections[index].link.identity = nil
            connections[index].keyInUse = connections[index].keyInUse == .bond(peer) ? nil : connections[index].keyInUse
        }
    }

    /// Who is behind an address, of which a bond may have the key; `nil` when no bond does.
    package func identity(of address: PeerAddress, for set: AdvertisingSetIdentifier? = nil) -> PeerAddress? {
        bond(of: address, for: set)?.peer
    }

    /// Has a link encrypted, with a pairing before it unless there is a bond that satisfies the policy.
    ///
    /// A peripheral can but ask its central. Where a pairing is under way already, it goes on. `.securityChanged`, after a pairing `.paired` too, or `.pairingFailed` or
    /// `.encryptionFailed` tells the outcome.
    /// - Parameter renewing: whether to pair though there is a bond.
    package mutating func pair(_ connection: ConnectionIdentifier, renewing: Bool = false) {
        defer { flush() }
        guard let index = index(of: connection), !connections[index].isUnwanted else { return }
        let link = connections[index].link
        guard let setup = pairingSetup(at: index) else { return emit(.pairingFailed(connection, .notPossible)) }
        // The outcome of what is under way is that of this wish too.
        guard !connections[index].isEncrypting, !connections[index].securityManager.isBusy else { return }
        connections[index].isConsentWanted = false
        if !renewing {
            if setup.settings.isSatisfied(by: link.security) {
                return emit(.securityChanged(connection, link.security))
            }
            if link.role == .central, let bond = link.identity.flatMap({ self.bond(of: $0, for: nil) }),
                setup.settings.isSatisfied(by: bond), let key = bond.centralKey
            {
                return encrypt(at: index, key, .bond(bond.peer))
            }
        }
        let now = now
        let outputs =
            link.role == .central
            ? connections[index].securityManager.start(setup, at: now)
            : connections[index].securityManager.requestSecurity(setup.settings.requirements, at: now)
        perform(outputs, of: connection)
    }

    /// Answers `.pairingRequested`.
    package mutating func replyPairing(_ isGranted: Bool, of connection: ConnectionIdentifier) {
        guard let index = index(of: connection) else { return }
        if connections[index].isConsentWanted {
            connections[index].isConsentWanted = false
            if isGranted { return pair(connection, renewing: true) }
            send(SecurityManagerPDU.pairingFailed(.pairingNotSupported), at: index)
            return flush()
        }
        let now = now
        let outputs = connections[index].securityManager.replyConsent(isGranted, at: now, random: &random)
        perform(outputs, of: connection)
        flush()
    }

    /// Answers `.passkeyWanted` with the six digits that were entered, 0 to 999,999; `nil` when none will be.
    package mutating func replyPasskey(_ digits: UInt32?, of connection: ConnectionIdentifier) {
        guard let index = index(of: connection) else { return }
        let now = now
        let outputs = connections[index].securityManager.replyPasskey(digits, at: now, random: &random)
        perform(outputs, of: connection)
        flush()
    }

    /// Answers `.comparisonWanted`: whether both devices show the same number.
    package mutating func replyComparison(_ areEqual: Bool, of connection: ConnectionIdentifier) {
        guard let index = index(of: connection) else { return }
        let now = now
        let outputs = connections[index].securityManager.replyComparison(areEqual, at: now)
        perform(outputs, of: connection)
        flush()
    }

    /// Ends the pairing that is under way, or the wish for one; `.pairingFailed` follows if there is any.
    package mutating func cancelPairing(of connection: ConnectionIdentifier) {
        guard let index = index(of: connection) else { return }
        if connections[index].isConsentWanted {
            replyPairing(false, of: connection)
            return emit(.pairingFailed(connection, .cancelled))
        }
        let now = now
        let outputs = connections[index].securityManager.cancel(at: now)
        perform(outputs, of: connection)
        flush()
    }
}
