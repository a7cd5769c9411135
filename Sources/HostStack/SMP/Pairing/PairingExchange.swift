// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The authentication of two devices that pair, up to the key that encrypts their link (Core 5.4, Vol 3, Part H, 2.3.5.5
/// and 2.3.5.6).
///
/// In both generations a side first sends a confirm value, which binds it to its random number, and then the number. The
/// steps:
///
/// * `publicKey` (LE Secure Connections only): the peer's public key.
/// * `passkey` (initiator only): the user must enter the passkey. A responder waits in `confirmValue` meanwhile.
/// * `confirmValue`, then `randomNumber`: once; with LE Secure Connections and a passkey, once for each of its 20 bits.
/// * `comparison`: the user compares two numbers, where that is the method; or confirms a pairing that just works.
/// * `keyCheck` (LE Secure Connections only): both sides prove that they have the same key.
/// * `end`: finished or failed.
struct PairingExchange: Sendable {
    /// An action for the pairing.
    enum Action: Hashable, Sendable {
        case send(SecurityManagerPDU)
        /// Show this passkey.
        case showPasskey(UInt32)
        /// Ask the user for the passkey.
        case askForPasskey
        /// Ask the user to compare this number.
        case compare(UInt32)
        /// Ask the user to confirm a pairing that just works.
        case confirm
        /// Encrypt the link with this key.
        case finish(Octets<16>)
        case fail(PairingFailedReason)
    }

    private enum Step: Hashable, Sendable {
        case publicKey
        case passkey
        case confirmValue
        case randomNumber
        case comparison
        case keyCheck
        case end
    }

    /// The number of bits of a passkey, which LE Secure Connections compares one by one.
    private static let rounds = 20

    private let role: PairingRole
    private let agreement: PairingAgreement
    private let own: PeerAddress
    private let peer: PeerAddress
    private let request: PairingFeatures
    private let response: PairingFeatures
    private let fixedPasskey: UInt32?
    private let confirmsJustWorks: Bool
    private var step = Step.confirmValue
    private var actions: [Action] = []

    /// 0 without a passkey.
    private var passkey: UInt32 = 0
    /// Whether the passkey is known, or none is needed.
    private(set) var isPasskeyKnown = false
    /// The bit of the passkey that is compared now.
    private var round = 0
    private var ownRandom = Octets<16>.zero
    private var peerRandom = Octets<16>.zero
    private var peerConfirmValue: Octets<16>?

    private var keyPair: PairingKeyPair?
    private var peerPublicKey: PairingPublicKey?
    private var sharedSecret: Octets<32>?
    private var checkKey = Octets<16>.zero
    private var longTermKey = Octets<16>.zero
    private var peerCheckValue: Octets<16>?

    /// The exchange after both features are known.
    /// - Parameters:
    ///   - passkey: the passkey to show; `nil` for a random one.
    ///   - confirmsJustWorks: whether the user confirms a pairing that just works.
    init(
        role: PairingRole, agreement: PairingAgreement, own: PeerAddress, peer: PeerAddress, request: PairingFeatures,
        response: PairingFeatures, passkey: UInt32?, confirmsJustWorks: Bool
    ) {
        self.role = role
        self.agreement = agreement
        self.own = own
        self.peer = peer
        self.request = request
        self.response = response
        fixedPasskey = passkey
        self.confirmsJustWorks = confirmsJustWorks
    }

    /// Whether the user is comparing numbers.
    var isComparing: Bool { step == .comparison }

    private var isSecureConnections: Bool { agreement.isSecureConnections }
    private var usesPasskey: Bool { agreement.method.usesPasskey }
    private var isInitiator: Bool { role == .initiator }

    /// Removes and returns the actions so far.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    private mutating func send(_ pdu: SecurityManagerPDU) { actions.append(.send(pdu)) }

    private mutating func fail(_ reason: PairingFailedReason) {
        step = .end
        actions.append(.fail(reason))
    }

    /// Starts the exchange.
    mutating func begin(random: inout RandomSource) {
        if isSecureConnections {
            let pair = PairingKeyPair(random: &random)
            keyPair = pair
            step = .publicKey
            if isInitiator { send(.pairingPublicKey(pair.publicKey)) }
        } else {
            preparePasskey(random: &random)
            step = .confirmValue
            if isInitiator { sendConfirmValueWhenReady(random: &random) }
        }
    }

    /// Takes one PDU of the peer.
    mutating func receive(_ pdu: SecurityManagerPDU, random: inout RandomSource) {
        switch (pdu, step) {
        case (.pairingPublicKey(let key), .publicKey): receivePublicKey(key, random: &random)
        case (.pairingConfirm(let value), .confirmValue): receiveConfirmValue(value, random: &random)
        case (.pairingRandom(let value), .randomNumber): receiveRandomNumber(value, random: &random)
        case (.pairingKeyCheck(let value), .keyCheck): receiveKeyCheck(value)
        case (.pairingKeyCheck(let value), .comparison) where !isInitiator && peerCheckValue == nil:
            peerCheckValue = value
        default: fail(.unspecified)
        }
    }

    // MARK: - The passkey

    /// Shows the passkey or asks for it, if the method uses one.
    private mutating func preparePasskey(random: inout RandomSource) {
        switch agreement.method {
        case .passkey(let shower) where shower == role:
            passkey = fixedPasskey.map { $0 % 1_000_000 } ?? random.passkey()
            isPasskeyKnown = true
            actions.append(.showPasskey(passkey))
        case .passkey, .passkeyEnteredByBoth: actions.append(.askForPasskey)
        // With LE Secure Connections, the confirmation takes the place of the comparison.
        case .justWorks where confirmsJustWorks && !isSecureConnections: actions.append(.confirm)
        case .justWorks, .numericComparison: isPasskeyKnown = true
        }
    }

    /// Takes the passkey that the user entered, 0 to 999,999; `nil` if the user entered none.
    mutating func replyPasskey(_ digits: UInt32?, random: inout RandomSource) {
        guard usesPasskey, !isPasskeyKnown, step == .passkey || step == .confirmValue else { return }
        guard let digits, digits <= 999_999 else { return fail(.passkeyEntryFailed) }
        setPasskey(digits, random: &random)
    }

    private mutating func setPasskey(_ digits: UInt32, random: inout RandomSource) {
        passkey = digits
        isPasskeyKnown = true
        if isInitiator {
            sendConfirmValueWhenReady(random: &random)
        } else if peerConfirmValue != nil {
            answerConfirmValue(random: &random)
        }
    }

    // MARK: - Confirm values and random numbers

    /// Starts a round, as initiator.
    private mutating func sendConfirmValueWhenReady(random: inout RandomSource) {
        guard isPasskeyKnown else {
            step = .passkey
            return
        }
        step = .confirmValue
        sendConfirmValue(random: &random)
    }

    private mutating func sendConfirmValue(random: inout RandomSource) {
        ownRandom = Octets(padding: random.bytes(16))
        guard let value = confirmValue(of: role, ownRandom) else { return fail(.unspecified) }
        send(.pairingConfirm(value))
    }

    private mutating func receiveConfirmValue(_ value: Octets<16>, random: inout RandomSource) {
        guard peerConfirmValue == nil else { return fail(.unspecified) }
        peerConfirmValue = value
        if !isInitiator {
            if isPasskeyKnown { answerConfirmValue(random: &random) }
            return
        }
        // With LE Secure Connections and without a passkey, only the responder sends a confirm value.
        if isSecureConnections, !usesPasskey { ownRandom = Octets(padding: random.bytes(16)) }
        send(.pairingRandom(ownRandom))
        step = .randomNumber
    }

    private mutating func answerConfirmValue(random: inout RandomSource) {
        step = .randomNumber
        sendConfirmValue(random: &random)
    }

    private mutating func receiveRandomNumber(_ value: Octets<16>, random: inout RandomSource) {
        peerRandom = value
        let mustMatch = isInitiator || !isSecureConnections || usesPasskey
        if mustMatch, peerConfirmValue != confirmValue(of: isInitiator ? .responder : .initiator, value) {
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

    /// The confirm value that a side must have sent before its random number.
    private func confirmValue(of side: PairingRole, _ random: Octets<16>) -> Octets<16>? {
        if isSecureConnections {
            guard let own = keyPair?.publicKey.x, let peer = peerPublicKey?.x else { return nil }
            let bit = UInt8(truncatingIfNeeded: passkey >> UInt32(round)) & 1
            let isOwn = side == role
            return SecureConnectionsFunctions.confirmValue(
                own: isOwn ? own : peer, peer: isOwn ? peer : own, random: random, input: usesPasskey ? 0x80 | bit : 0)
        }
        return LegacyPairingFunctions.confirmValue(
            key: LegacyPairingFunctions.temporaryKey(passkey: passkey), random: random,
            request: SecurityManagerPDU.pairingRequest(request).serialized(),
            response: SecurityManagerPDU.pairingResponse(response).serialized(), initiator: address(of: .initiator),
            responder: address(of: .responder))
    }

    private func address(of side: PairingRole) -> PeerAddress { side == role ? own : peer }

    private mutating func finishLegacy() {
        finish(
            LegacyPairingFunctions.shortTermKey(
                key: LegacyPairingFunctions.temporaryKey(passkey: passkey),
                responder: isInitiator ? peerRandom : ownRandom, initiator: isInitiator ? ownRandom : peerRandom))
    }

    private mutating func finish(_ key: Octets<16>) {
        step = .end
        actions.append(.finish(key.shortened(to: agreement.keySize)))
    }

    // MARK: - LE Secure Connections

    private mutating func receivePublicKey(_ key: PairingPublicKey, random: inout RandomSource) {
        guard let keyPair else { return fail(.unspecified) }
        // A peer that reflects our own key does not know its secret (Core 5.4, Vol 3, Part H, 2.3.5.6.1).
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

    /// Both random numbers are known: derives the keys, and starts the comparison where that is the method.
    private mutating func beginKeyCheck() {
        guard let sharedSecret, let ownKey = keyPair?.publicKey.x, let peerKey = peerPublicKey?.x else {
            return fail(.unspecified)
        }
        let keys = SecureConnectionsFunctions.keys(
            secret: sharedSecret, initiator: nonce(of: .initiator), responder: nonce(of: .responder))
        checkKey = keys.check
        longTermKey = keys.longTerm
        if agreement.method == .justWorks, confirmsJustWorks {
            step = .comparison
            actions.append(.confirm)
            return
        }
        guard agreement.method == .numericComparison else { return checkKeys() }
        step = .comparison
        actions.append(
            .compare(
                SecureConnectionsFunctions.comparisonValue(
                    initiator: isInitiator ? ownKey : peerKey, responder: isInitiator ? peerKey : ownKey,
                    initiatorRandom: nonce(of: .initiator).random, responderRandom: nonce(of: .responder).random)))
    }

    /// Takes the user's answer whether both devices show the same number, or whether to pair.
    mutating func replyComparison(_ areEqual: Bool, random: inout RandomSource) {
        if agreement.method == .justWorks, !isPasskeyKnown, step == .passkey || step == .confirmValue {
            if areEqual { setPasskey(0, random: &random) } else { fail(.passkeyEntryFailed) }
        } else if step == .comparison {
            if areEqual { checkKeys() } else { fail(.numericComparisonFailed) }
        }
    }

    private mutating func checkKeys() {
        step = .keyCheck
        if isInitiator {
            send(.pairingKeyCheck(checkValue(of: .initiator)))
        } else if let value = peerCheckValue {
            receiveKeyCheck(value)
        }
    }

    private mutating func receiveKeyCheck(_ value: Octets<16>) {
        guard value == checkValue(of: isInitiator ? .responder : .initiator) else { return fail(.keyCheckFailed) }
        // The responder finishes before it sends its check value, with which the peer has all that it needs.
        finish(longTermKey)
        if !isInitiator { send(.pairingKeyCheck(checkValue(of: .responder))) }
    }

    private func nonce(of side: PairingRole) -> PairingNonce {
        PairingNonce(random: side == role ? ownRandom : peerRandom, address: address(of: side))
    }

    private func checkValue(of side: PairingRole) -> Octets<16> {
        let features = side == .initiator ? request : response
        return SecureConnectionsFunctions.checkValue(
            key: checkKey, own: nonce(of: side), peer: nonce(of: side == .initiator ? .responder : .initiator),
            passkey: passkey, features: Array(features.serialized().prefix(3)))
    }
}
