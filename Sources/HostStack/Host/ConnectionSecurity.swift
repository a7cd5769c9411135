// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The pairing and the encryption of one connection.
///
/// It connects the security manager, which pairs, with the controller, which encrypts, and with the bonds of the
/// `SecurityRegistry`. A key is *in use* from the moment when the link is being encrypted with it: the key of the
/// pairing under way, or the key of a bond.
///
///     open --(pairing, or a bond's key)--> encrypting --(Encryption Change)--> encrypted
///     encrypting --(refused, or failed)--> open
///
/// Commands and events go to the context. The returned actions are for the connection's other channels.
struct ConnectionSecurity: Sendable {
    /// What the connection does next.
    enum Action {
        /// Send this payload on the security manager's channel.
        case send([UInt8])
        /// Restore the attribute client's state of the bond that the link is encrypted with.
        case restore(ATTClientState)
    }

    /// The source of a link's key.
    private enum KeySource: Hashable, Sendable {
        /// The pairing under way.
        case pairing
        /// The bond with this peer.
        case bond(PeerAddress)
    }

    private static let refusal = Action.send(SecurityManagerPDU.pairingFailed(.pairingNotSupported).serialized())

    private let handle: ConnectionHandle
    /// The address of this end of the connection.
    private let ownAddress: PeerAddress
    private var manager = SecurityManager()
    /// The key that the link is being encrypted with, or was last.
    private var keyInUse: KeySource?
    /// Whether the controller is to encrypt and has not reported the outcome.
    private var isEncrypting = false
    /// The peripheral's request for security that the owner is to decide about.
    private var undecidedRequest: AuthenticationRequirements?
    /// A request that came while the link is being encrypted with the key of a bond: that may not provide what is requested.
    private var heldRequest: AuthenticationRequirements?

    init(handle: ConnectionHandle, ownAddress: PeerAddress) {
        self.handle = handle
        self.ownAddress = ownAddress
    }

    /// When `advance(…)` has something to do.
    var nextDeadline: Duration? { manager.nextDeadline }

    /// Whether a pairing is under way.
    var isPairing: Bool { manager.isPairing }

    /// The peer whose bond's key is in use.
    var bondInUse: PeerAddress? {
        if case .bond(let peer) = keyInUse { peer } else { nil }
    }

    // MARK: - From the owner

    /// Encrypts the link, after a pairing unless there is a bond that satisfies the settings.
    /// - Parameters:
    ///   - settings: how to pair; `nil` as the registry says.
    ///   - identity: the identity behind the private addresses of this end.
    ///   - renewing: whether to pair although there is a bond.
    mutating func pair(
        _ link: inout LEConnection, _ settings: PairingSettings?, identity: LocalIdentity?, client: ATTClientState?,
        renewing: Bool, _ context: inout HostContext
    ) -> [Action] {
        guard var setup = context.registry.setup(for: link, own: ownAddress, identity: identity, at: context.now) else {
            context.emit(.pairingFailed(link.id, .notPossible))
            return []
        }
        if let settings { setup.settings = settings }
        // The procedure in progress answers this request, too.
        guard !isEncrypting, !manager.isBusy else { return [] }
        let request = undecidedRequest
        if !renewing {
            if setup.settings.isSatisfied(by: link.security) {
                context.emit(.securityChanged(link.id, link.security))
                return []
            }
            if link.role == .central, let bond = link.identity.flatMap({ context.registry.bond(of: $0, for: nil) }),
                setup.settings.isSatisfied(by: bond), let key = bond.centralKey
            {
                (undecidedRequest, heldRequest) = (nil, request)
                return encrypt(key, .bond(bond.peer), &link, client, &context)
            }
        }
        undecidedRequest = nil
        let outputs =
            link.role == .central
            ? manager.start(setup, at: context.now)
            : manager.requestSecurity(setup.settings.requirements, at: context.now)
        return perform(outputs, &link, client, &context)
    }

    mutating func replyPairing(
        _ isGranted: Bool, _ settings: PairingSettings?, _ link: inout LEConnection, identity: LocalIdentity?,
        client: ATTClientState?, _ context: inout HostContext
    ) -> [Action] {
        if undecidedRequest != nil {
            undecidedRequest = nil
            guard isGranted else { return [Self.refusal] }
            return pair(
                &link, settings, identity: identity, client: client, renewing: true, &context)
        }
        let outputs = manager.replyConsent(isGranted, at: context.now, random: &context.random)
        return perform(outputs, &link, client, &context)
    }

    mutating func replyPasskey(
        _ digits: UInt32?, _ link: inout LEConnection, client: ATTClientState?, _ context: inout HostContext
    ) -> [Action] {
        let outputs = manager.replyPasskey(digits, at: context.now, random: &context.random)
        return perform(outputs, &link, client, &context)
    }

    mutating func replyComparison(
        _ areEqual: Bool, _ link: inout LEConnection, client: ATTClientState?, _ context: inout HostContext
    ) -> [Action] {
        let outputs = manager.replyComparison(areEqual, at: context.now, random: &context.random)
        return perform(outputs, &link, client, &context)
    }

    mutating func cancelPairing(
        _ link: inout LEConnection, client: ATTClientState?, _ context: inout HostContext
    ) -> [Action] {
        if undecidedRequest != nil {
            undecidedRequest = nil
            context.emit(.pairingFailed(link.id, .cancelled))
            return [Self.refusal]
        }
        let outputs = manager.cancel(at: context.now)
        return perform(outputs, &link, client, &context)
    }

    /// The owner removed the bond with a peer. A link that is encrypted with it stays so.
    mutating func forgetBond(with peer: PeerAddress) {
        if keyInUse == .bond(peer) { keyInUse = nil }
    }

    // MARK: - From the peer

    /// Takes the payload of a frame on the security manager's channel.
    mutating func receive(
        _ payload: [UInt8], _ link: inout LEConnection, identity: LocalIdentity?, client: ATTClientState?,
        _ context: inout HostContext
    ) -> [Action] {
        let setup = context.registry.setup(for: link, own: ownAddress, identity: identity, at: context.now)
        var actions: [Action] = []
        for output in manager.receive(payload, setup: setup, at: context.now, random: &context.random) {
            if case .securityRequested(let requirements) = output {
                guard let setup else { continue }
                actions += receiveRequest(requirements, setup, &link, client, &context)
            } else {
                actions += perform([output], &link, client, &context)
            }
        }
        return actions
    }

    /// Takes a peripheral's request to encrypt the link (Core 5.4, Vol 3, Part H, 2.4.6). A link that is encrypted with the
    /// key of a bond is encrypted again with it, which is the answer that the peripheral waits for.
    private mutating func receiveRequest(
        _ requirements: AuthenticationRequirements, _ setup: PairingSetup, _ link: inout LEConnection,
        _ client: ATTClientState?, _ context: inout HostContext
    ) -> [Action] {
        guard !isEncrypting else {
            if case .bond = keyInUse { heldRequest = requirements }
            return []
        }
        let needsProtection = requirements.contains(.protection)
        if let bond = link.identity.flatMap({ context.registry.bond(of: $0, for: nil) }), let key = bond.centralKey,
            setup.settings.isSatisfied(by: bond), bond.isAuthenticated || !needsProtection
        {
            return encrypt(key, .bond(bond.peer), &link, client, &context)
        }
        if link.security.isEncrypted, link.security.isAuthenticated || !needsProtection { return [] }
        switch setup.acceptance {
        case .never: return [Self.refusal]
        case .ask:
            if undecidedRequest == nil { context.emit(.pairingRequested(link.id)) }
            undecidedRequest = requirements
            return []
        case .always:
            return perform(manager.start(setup, at: context.now), &link, client, &context)
        }
    }

    /// Takes the request that was held, now that the link is encrypted: the encryption is the answer, unless the peripheral
    /// requests more.
    private mutating func receiveHeldRequest(
        _ link: inout LEConnection, identity: LocalIdentity?, _ client: ATTClientState?, _ context: inout HostContext
    ) -> [Action] {
        guard let requirements = heldRequest else { return [] }
        heldRequest = nil
        guard requirements.contains(.protection), !link.security.isAuthenticated,
            let setup = context.registry.setup(for: link, own: ownAddress, identity: identity, at: context.now)
        else { return [] }
        return receiveRequest(requirements, setup, &link, client, &context)
    }

    mutating func advance(
        _ link: inout LEConnection, client: ATTClientState?, _ context: inout HostContext
    ) -> [Action] {
        perform(manager.advance(to: context.now), &link, client, &context)
    }

    /// The connection has ended.
    mutating func close(_ link: LEConnection, _ context: inout HostContext) {
        withdrawPromise(on: link, &context)
        for case .pairing(.failed(let failure)) in manager.abandon(.disconnected) {
            context.emit(.pairingFailed(link.id, failure))
        }
    }

    // MARK: - From the security manager

    private mutating func perform(
        _ outputs: [SecurityManager.Output], _ link: inout LEConnection, _ client: ATTClientState?,
        _ context: inout HostContext
    ) -> [Action] {
        var actions: [Action] = []
        for output in outputs {
            switch output {
            case .send(let payload): actions.append(.send(payload))
            case .pairing(.encrypt(let key)):
                actions += encrypt(Bond.Key(key), .pairing, &link, client, &context)
            case .pairing(.consentWanted): context.emit(.pairingRequested(link.id))
            case .pairing(.passkeyShown(let digits)): context.emit(.displayPasskey(link.id, digits))
            case .pairing(.passkeyWanted): context.emit(.passkeyWanted(link.id))
            case .pairing(.comparisonWanted(let number)): context.emit(.comparisonWanted(link.id, number))
            case .pairing(.confirmationWanted): context.emit(.confirmationWanted(link.id))
            case .pairing(.promised(let bond)):
                context.registry.promise(bond, on: link)
                context.emit(.bondChanged(link.advertisingSet, bond))
            case .pairing(.finished(let result)): finishPairing(result, &link, client, &context)
            case .pairing(.failed(let failure)): failPairing(failure, link, &context)
            // `receive` handles requests; a pairing's PDUs arrive as `.send`.
            case .securityRequested, .pairing(.send): break
            }
        }
        return actions
    }

    private mutating func finishPairing(
        _ result: PairingResult, _ link: inout LEConnection, _ client: ATTClientState?,
        _ context: inout HostContext
    ) {
        var bond = result.bond
        if let client { bond.client = client }
        let removed = context.registry.finishPairing(bond, isBonded: result.isBonded, on: link)
        if result.isBonded {
            link.identity = bond.peer
            keyInUse = .bond(bond.peer)
        }
        context.emit(.paired(link.id, bond, isBonded: result.isBonded))
        if let removed { context.emit(.bondForgotten(link.advertisingSet, removed)) }
    }

    private func failPairing(
        _ failure: PairingError, _ link: LEConnection, _ context: inout HostContext
    ) {
        if failure.isAttempt { context.registry.recordFailure(on: link, at: context.now) }
        withdrawPromise(on: link, &context)
        context.emit(.pairingFailed(link.id, failure))
    }

    private func withdrawPromise(
        on link: LEConnection, _ context: inout HostContext
    ) {
        guard let peer = context.registry.withdrawPromise(on: link) else { return }
        context.emit(.bondWithdrawn(link.advertisingSet, peer))
    }

    // MARK: - Encryption

    /// Encrypts the link as its central.
    private mutating func encrypt(
        _ key: Bond.Key, _ source: KeySource, _ link: inout LEConnection, _ client: ATTClientState?,
        _ context: inout HostContext
    ) -> [Action] {
        keyInUse = source
        isEncrypting = context.request(
            LEEnableEncryption(
                connectionHandle: handle, randomNumber: key.name.randomNumber,
                encryptedDiversifier: key.name.encryptedDiversifier, longTermKey: key.value),
            then: .connection(link.id, .encryption))
        if isEncrypting { return [] }
        return failEncryption(.memoryCapacityExceeded, &link, client: client, &context)
    }

    /// The central encrypts: sends the controller the key with the name in the request, if there is one.
    mutating func receive(
        _ event: LELongTermKeyRequest, _ link: inout LEConnection, _ context: inout HostContext
    ) {
        let name = KeyName(encryptedDiversifier: event.encryptedDiversifier, randomNumber: event.randomNumber)
        guard let key = longTermKey(name, &link, context) else {
            _ = context.request(
                LELongTermKeyRequestNegativeReply(connectionHandle: handle),
                then: .connection(link.id, .longTermKey))
            return context.emit(.encryptionFailed(link.id, .keyMissing))
        }
        _ = context.request(
            LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: key),
            then: .connection(link.id, .longTermKey))
    }

    private mutating func longTermKey(
        _ name: KeyName, _ link: inout LEConnection, _ context: HostContext
    ) -> Octets<16>? {
        if name == .none, let key = manager.keyForLink {
            keyInUse = .pairing
            return key
        }
        guard let bond = bond(named: name, link, context.registry), let key = bond.peripheralKey else { return nil }
        link.identity = bond.peer
        keyInUse = .bond(bond.peer)
        return key.value
    }

    /// The bond whose key a central uses: the bond with its address, else the bond whose key has this name.
    private func bond(named name: KeyName, _ link: LEConnection, _ registry: SecurityRegistry) -> Bond? {
        if let identity = link.identity {
            let own = registry.bond(of: identity, for: link.advertisingSet)
            return own?.peripheralKey?.name == name ? own : nil
        }
        return name == .none ? nil : registry.bond(named: name, for: link.advertisingSet)
    }

    /// The link is encrypted, or has a new key.
    /// - Parameter identity: the identity behind the private addresses of this end.
    mutating func finishEncryption(
        _ link: inout LEConnection, identity: LocalIdentity?, client: ATTClientState?, _ context: inout HostContext
    ) -> [Action] {
        isEncrypting = false
        switch keyInUse {
        case .pairing:
            heldRequest = nil
            setSecurity(manager.securityOfLink ?? link.security, &link, &context)
            let outputs = manager.receiveEncryption(at: context.now, random: &context.random)
            return perform(outputs, &link, client, &context)
        case .bond(let peer):
            let wasRequested = manager.endRequest()
            guard let bond = context.registry.bond(of: peer, for: link.advertisingSet) else { return [] }
            let isFirst = !link.security.isEncrypted
            if isFirst || wasRequested || link.security != bond.security {
                setSecurity(bond.security, &link, &context)
            }
            return (isFirst ? [.restore(bond.client)] : [])
                + receiveHeldRequest(&link, identity: identity, client, &context)
        case nil:
            setSecurity(LinkSecurity(isEncrypted: true), &link, &context)
            return []
        }
    }

    /// The link is no longer encrypted.
    mutating func endEncryption(_ link: inout LEConnection, _ context: inout HostContext) {
        setSecurity(LinkSecurity(hasKey: link.identity != nil), &link, &context)
    }

    /// The link could not be encrypted.
    mutating func failEncryption(
        _ status: HCIStatus, _ link: inout LEConnection, client: ATTClientState?,
        _ context: inout HostContext
    ) -> [Action] {
        isEncrypting = false
        heldRequest = nil
        switch keyInUse {
        case .pairing:
            return perform(manager.abandon(.encryption(status)), &link, client, &context)
        case .bond(let peer):
            keyInUse = nil
            let bond = context.registry.bond(of: peer, for: link.advertisingSet)
            let failure = status == .pinOrKeyMissing ? bond.map(EncryptionFailure.bondRejected) : nil
            context.emit(.encryptionFailed(link.id, failure ?? .controller(status)))
        case nil: context.emit(.encryptionFailed(link.id, .controller(status)))
        }
        return []
    }

    private func setSecurity(_ security: LinkSecurity, _ link: inout LEConnection, _ context: inout HostContext) {
        link.security = security
        context.emit(.securityChanged(link.id, security))
    }
}
