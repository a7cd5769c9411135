// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// What a pairing begins with.
struct PairingSetup: Sendable {
    let role: PairingRole
    let settings: PairingSettings
    let acceptance: PairingAcceptance
    /// The addresses that the connection was made with.
    let own: PeerAddress
    let peer: PeerAddress
    /// Who this device is behind private addresses; `nil` when it has none.
    let identity: LocalIdentity?
    /// The present bond is authenticated, so that no lesser one may take its place.
    let mustBeAuthenticated: Bool
    /// The peers, by their identities, whose bonds no lesser one may take the place of.
    let authenticatedPeers: [PeerAddress]
    /// How long the peer has to wait yet, since a pairing failed; `nil` when it need not.
    let wait: Duration?
}

/// What two devices know of each other when they have paired.
struct PairingResult: Hashable, Sendable {
    var bond: Bond
    /// Whether both want to keep it.
    var isBonded: Bool
}

/// What a pairing wants done.
enum PairingOutput: Hashable, Sendable {
    case send(SecurityManagerPDU)
    /// Encrypt the link with this key, as its central.
    case encrypt(Octets<16>)
    case consentWanted
    case passkeyShown(UInt32)
    case passkeyWanted
    case comparisonWanted(UInt32)
    /// The peer will have the key with what is sent behind this, though the pairing may still fail.
    case promised(Bond)
    /// It has come about. Keys may be sent behind it.
    case finished(PairingResult)
    /// It has failed; nothing follows.
    case failed(PairingError)
}

/// One pairing of two devices, of either role and generation (Core 5.4, Vol 3, Part H, 2.3 and 2.4).
struct PairingSession: Sendable {
    /// What is waited for.
    enum Step: Hashable, Sendable {
        /// The owner's consent, as responder.
        case consent
        /// The peer's features, as initiator.
        case response
        /// The peer's public key.
        case publicKey
        /// The passkey from the user, as initiator; the responder meanwhile waits for what the initiator sends.
        case passkey
        case confirmValue
        case randomNumber
        /// The user's word on two numbers.
        case comparison
        case keyCheck
        /// The link's encryption.
        case encryption
        /// The peer's keys.
        case keys
        /// Nothing more.
        case end
    }

    /// How many PDUs are kept that overtook the controller's word that the link is encrypted.
    static let earlyCapacity = 8

    let setup: PairingSetup
    var step: Step
    var request: PairingFeatures?
    var response: PairingFeatures?
    var agreement: PairingAgreement?

    /// 0 without one.
    var passkey: UInt32 = 0
    var isPasskeyKnown = false
    /// Which bit of the passkey is under way.
    var round = 0
    var ownRandom = Octets<16>.zero
    var peerRandom = Octets<16>.zero
    var peerConfirmValue: Octets<16>?

    var keyPair: PairingKeyPair?
    var peerPublicKey: PairingPublicKey?
    var sharedSecret: Octets<32>?
    var checkKey = Octets<16>.zero
    var peerCheckValue: Octets<16>?

    /// What encrypts the link at the end of the pairing.
    var linkKey: Octets<16>?
    var early: [SecurityManagerPDU] = []
    var distribution = KeyExchange()

    var outputs: [PairingOutput] = []

    /// A pairing that the peer's Pairing Request begins, or that begins with `start()`.
    init(_ setup: PairingSetup) {
        self.setup = setup
        step = setup.role == .initiator ? .response : .consent
    }

    var isOver: Bool { step == .end }
    /// The key that the link may be encrypted with now, as peripheral.
    var keyForLink: Octets<16>? { step == .encryption ? linkKey : nil }

    mutating func takeOutputs() -> [PairingOutput] {
        defer { outputs = [] }
        return outputs
    }

    mutating func send(_ pdu: SecurityManagerPDU) { outputs.append(.send(pdu)) }

    /// Ends it, and tells the peer why.
    mutating func fail(_ reason: PairingFailedReason) {
        send(.pairingFailed(reason))
        end(.failed(reason))
    }

    mutating func end(_ failure: PairingError) {
        step = .end
        outputs.append(.failed(failure))
    }
}

// MARK: - From the peer

extension PairingSession {
    /// Takes one PDU of the peer.
    mutating func receive(_ pdu: SecurityManagerPDU, random: inout RandomSource) {
        switch (pdu, step) {
        case (_, .end), (.keypressNotification, _): break
        case (.pairingFailed(let reason), _): end(.rejected(reason))
        // It crossed the request on the air.
        case (.securityRequest, _) where setup.role == .initiator: break
        case (.unknown, _): fail(.commandNotSupported)
        case (.pairingResponse(let features), .response): receiveResponse(features, random: &random)
        case (.pairingPublicKey(let key), .publicKey): receivePublicKey(key, random: &random)
        case (.pairingConfirm(let value), .confirmValue): receiveConfirmValue(value, random: &random)
        case (.pairingRandom(let value), .randomNumber): receiveRandomNumber(value, random: &random)
        case (.pairingKeyCheck(let value), .keyCheck): receiveKeyCheck(value)
        case (.pairingKeyCheck(let value), .comparison) where setup.role == .responder && peerCheckValue == nil:
            peerCheckValue = value
        case (_, .encryption) where pdu.carriesKey && early.count < Self.earlyCapacity: early.append(pdu)
        case (_, .keys): receiveKey(pdu, random: &random)
        default: fail(.unspecified)
        }
    }

    /// Something that no PDU looks like.
    mutating func receiveMalformed() {
        guard !isOver else { return }
        fail(.invalidParameters)
    }
}

extension SecurityManagerPDU {
    /// Whether it belongs to the distribution of keys.
    var carriesKey: Bool { 0x06...0x0A ~= code }
}

// MARK: - Features

extension PairingSession {
    /// Begins it, as initiator.
    mutating func start() {
        let kept: KeyDistribution = setup.settings.isBonding ? [.encryption, .identity] : []
        let features = PairingFeatures(
            inputOutput: InputOutputCapability(setup.settings.inputOutput), requirements: setup.settings.requirements,
            maximumKeySize: setup.settings.maximumKeySize,
            initiatorKeys: setup.identity == nil ? kept.subtracting(.identity) : kept, responderKeys: kept)
        request = features
        step = .response
        send(.pairingRequest(features))
    }

    /// Takes the peer's wish, as responder.
    mutating func receiveRequest(_ features: PairingFeatures, isConsented: Bool, random: inout RandomSource) {
        guard features.isAllowed else { return fail(.invalidParameters) }
        request = features
        if isConsented { return respond(random: &random) }
        step = .consent
        outputs.append(.consentWanted)
    }

    /// Takes the owner's word on the peer's wish.
    mutating func replyConsent(_ isGranted: Bool, random: inout RandomSource) {
        guard step == .consent, request != nil else { return }
        if isGranted { respond(random: &random) } else { fail(.pairingNotSupported) }
    }

    private mutating func respond(random: inout RandomSource) {
        guard let request else { return }
        var own: KeyDistribution = [.encryption, .signing]
        if setup.identity != nil { own.insert(.identity) }
        let isBonding = request.requirements.wantsBonding && setup.settings.isBonding
        let features = PairingFeatures(
            inputOutput: InputOutputCapability(setup.settings.inputOutput), requirements: setup.settings.requirements,
            maximumKeySize: setup.settings.maximumKeySize,
            initiatorKeys: isBonding ? request.initiatorKeys.intersection([.encryption, .identity, .signing]) : [],
            responderKeys: isBonding ? request.responderKeys.intersection(own) : [])
        response = features
        guard agree(request, features) else { return }
        send(.pairingResponse(features))
        beginExchange(random: &random)
    }

    private mutating func receiveResponse(_ features: PairingFeatures, random: inout RandomSource) {
        guard let request, features.isAllowed, features.initiatorKeys.isSubset(of: request.initiatorKeys),
            features.responderKeys.isSubset(of: request.responderKeys)
        else { return fail(.invalidParameters) }
        response = features
        guard agree(request, features) else { return }
        beginExchange(random: &random)
    }

    private mutating func agree(_ request: PairingFeatures, _ response: PairingFeatures) -> Bool {
        do throws(PairingFailedReason) {
            let agreement = try PairingAgreement(request: request, response: response, settings: setup.settings)
            guard agreement.method.isAuthenticated || !setup.mustBeAuthenticated else {
                throw .authenticationRequirements
            }
            self.agreement = agreement
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private mutating func beginExchange(random: inout RandomSource) {
        guard let agreement else { return }
        if agreement.isSecureConnections {
            let pair = PairingKeyPair(random: &random)
            keyPair = pair
            step = .publicKey
            if setup.role == .initiator { send(.pairingPublicKey(pair.publicKey)) }
        } else {
            preparePasskey(random: &random)
            step = .confirmValue
            if setup.role == .initiator { sendConfirmValueWhenReady(random: &random) }
        }
    }
}
