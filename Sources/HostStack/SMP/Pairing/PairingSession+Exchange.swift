// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import HCI

// What both generations have in common: first a value that binds a side to its random number, then the number
// (Core 5.4, Vol 3, Part H, 2.3.5.5 and 2.3.5.6).
extension PairingSession {
    /// How many bits of a passkey are compared, one after the other, with LE Secure Connections.
    private static let rounds = 20

    private var isSecureConnections: Bool { agreement?.isSecureConnections ?? false }
    private var usesPasskey: Bool { agreement?.method.usesPasskey ?? false }
    private var isInitiator: Bool { setup.role == .initiator }

    /// Shows the passkey or asks for it, where there is one.
    mutating func preparePasskey(random: inout RandomSource) {
        switch agreement?.method {
        case .passkey(let role) where role == setup.role:
            passkey = setup.settings.passkey.map { $0 % 1_000_000 } ?? random.passkey()
            isPasskeyKnown = true
            outputs.append(.passkeyShown(passkey))
        case .passkey, .passkeyEnteredByBoth: outputs.append(.passkeyWanted)
        case .justWorks, .numericComparison, nil: isPasskeyKnown = true
        }
    }

    /// Takes the six digits that the user entered; `nil` when there are none.
    mutating func replyPasskey(_ digits: UInt32?, random: inout RandomSource) {
        guard usesPasskey, !isPasskeyKnown, step == .passkey || step == .confirmValue else { return }
        guard let digits, digits <= 999_999 else { return fail(.passkeyEntryFailed) }
        passkey = digits
        isPasskeyKnown = true
        if isInitiator {
            sendConfirmValueWhenReady(random: &random)
        } else if peerConfirmValue != nil {
            answerConfirmValue(random: &random)
        }
    }

    /// Begins the exchange, or its next round, as initiator.
    mutating func sendConfirmValueWhenReady(random: inout RandomSource) {
        guard isPasskeyKnown else {
            step = .passkey
            return
        }
        sendConfirmValue(random: &random)
        step = .confirmValue
    }

    private mutating func sendConfirmValue(random: inout RandomSource) {
        ownRandom = Octets(padding: random.octets(16))
        guard let value = confirmValue(of: setup.role, ownRandom) else { return fail(.unspecified) }
        send(.pairingConfirm(value))
    }

    mutating func receiveConfirmValue(_ value: Octets<16>, random: inout RandomSource) {
        guard peerConfirmValue == nil else { return fail(.unspecified) }
        peerConfirmValue = value
        if !isInitiator {
            if isPasskeyKnown { answerConfirmValue(random: &random) }
            return
        }
        // With LE Secure Connections and without a passkey, only the responder binds itself.
        if isSecureConnections, !usesPasskey { ownRandom = Octets(padding: random.octets(16)) }
        send(.pairingRandom(ownRandom))
        step = .randomNumber
    }

    private mutating func answerConfirmValue(random: inout RandomSource) {
        sendConfirmValue(random: &random)
        if !isOver { step = .randomNumber }
    }

    mutating func receiveRandomNumber(_ value: Octets<16>, random: inout RandomSource) {
        peerRandom = value
        let mustFit = isInitiator || !isSecureConnections || usesPasskey
        if mustFit, peerConfirmValue != confirmValue(of: isInitiator ? .responder : .initiator, value) {
            return fail(.confirmValueFailed)
        }
        peerConfirmValue = nil
        if !isInitiator { send(.pairingRandom(ownRandom)) }
        guard isSecureConnections else { return finishLegacy() }
        if usesPasskey { round += 1 }
        if usesPasskey, round < Self.rounds {
            step = .confirmValue
            if isInitiator { sendConfirmValueWhenReady(random: &random) }
        } else {
            beginKeyCheck()
        }
    }

    /// What a side must have sent before its random number.
    private func confirmValue(of role: PairingRole, _ random: Octets<16>) -> Octets<16>? {
        if isSecureConnections {
            guard let own = keyPair?.publicKey.x, let peer = peerPublicKey?.x else { return nil }
            let bit = UInt8(truncatingIfNeeded: passkey >> UInt32(round)) & 1
            let isOwn = role == setup.role
            return SecureConnectionsFunctions.confirmValue(
                own: isOwn ? own : peer, peer: isOwn ? peer : own, random: random, input: usesPasskey ? 0x80 | bit : 0)
        }
        guard let request, let response else { return nil }
        return LegacyPairingFunctions.confirmValue(
            key: LegacyPairingFunctions.temporaryKey(passkey: passkey), random: random,
            request: SecurityManagerPDU.pairingRequest(request).serialized(),
            response: SecurityManagerPDU.pairingResponse(response).serialized(), initiator: address(of: .initiator),
            responder: address(of: .responder))
    }

    private func address(of role: PairingRole) -> PeerAddress { role == setup.role ? setup.own : setup.peer }

    private mutating func finishLegacy() {
        let key = LegacyPairingFunctions.shortTermKey(
            key: LegacyPairingFunctions.temporaryKey(passkey: passkey),
            responder: isInitiator ? peerRandom : ownRandom, initiator: isInitiator ? ownRandom : peerRandom)
        waitForEncryption(key)
    }

    private mutating func waitForEncryption(_ key: Octets<16>) {
        let key = key.shortened(to: agreement?.keySize ?? 16)
        linkKey = key
        step = .encryption
        if isInitiator { outputs.append(.encrypt(key)) }
    }
}

// MARK: - LE Secure Connections

extension PairingSession {
    mutating func receivePublicKey(_ key: PairingPublicKey, random: inout RandomSource) {
        guard let keyPair else { return fail(.unspecified) }
        // Who sends our own key back knows no secret of it (Core 5.4, Vol 3, Part H, 2.3.5.6.1).
        guard key.x != keyPair.publicKey.x else { return fail(.unspecified) }
        guard let secret = keyPair.sharedSecret(with: key) else { return fail(.invalidParameters) }
        peerPublicKey = key
        sharedSecret = secret
        if !isInitiator { send(.pairingPublicKey(keyPair.publicKey)) }
        preparePasskey(random: &random)
        step = .confirmValue
        if usesPasskey {
            if isInitiator { sendConfirmValueWhenReady(random: &random) }
        } else if !isInitiator {
            answerConfirmValue(random: &random)
        }
    }

    /// Both random numbers are known: makes the keys, and has people compare numbers where that is the method.
    private mutating func beginKeyCheck() {
        guard let sharedSecret, let own = keyPair?.publicKey.x, let peer = peerPublicKey?.x else {
            return fail(.unspecified)
        }
        let keys = SecureConnectionsFunctions.keys(
            secret: sharedSecret, initiator: nonce(of: .initiator), responder: nonce(of: .responder))
        checkKey = keys.check
        linkKey = keys.longTerm
        guard agreement?.method == .numericComparison else { return checkKeys() }
        step = .comparison
        outputs.append(
            .comparisonWanted(
                SecureConnectionsFunctions.comparisonValue(
                    initiator: isInitiator ? own : peer, responder: isInitiator ? peer : own,
                    initiatorRandom: nonce(of: .initiator).random, responderRandom: nonce(of: .responder).random)))
    }

    /// Takes the user's word on the two numbers.
    mutating func replyComparison(_ areEqual: Bool) {
        guard step == .comparison else { return }
        if areEqual { checkKeys() } else { fail(.numericComparisonFailed) }
    }

    private mutating func checkKeys() {
        step = .keyCheck
        if isInitiator {
            send(.pairingKeyCheck(checkValue(of: .initiator)))
        } else if let value = peerCheckValue {
            receiveKeyCheck(value)
        }
    }

    mutating func receiveKeyCheck(_ value: Octets<16>) {
        guard let linkKey else { return fail(.unspecified) }
        guard value == checkValue(of: isInitiator ? .responder : .initiator) else { return fail(.keyCheckFailed) }
        waitForEncryption(linkKey)
        guard !isInitiator else { return }
        // With this the peer knows that both have the key; it may have all that it waits for.
        promiseBond()
        send(.pairingKeyCheck(checkValue(of: .responder)))
    }

    private func nonce(of role: PairingRole) -> PairingNonce {
        PairingNonce(random: role == setup.role ? ownRandom : peerRandom, address: address(of: role))
    }

    private func checkValue(of role: PairingRole) -> Octets<16> {
        let features = role == .initiator ? request : response
        return SecureConnectionsFunctions.checkValue(
            key: checkKey, own: nonce(of: role), peer: nonce(of: role == .initiator ? .responder : .initiator),
            passkey: passkey, features: Array((features?.serialized() ?? []).prefix(3)))
    }
}
