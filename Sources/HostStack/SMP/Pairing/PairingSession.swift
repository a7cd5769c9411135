// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The start conditions of a pairing.
struct PairingSetup: Sendable {
    let role: PairingRole
    var settings: PairingSettings
    let acceptance: PairingAcceptance
    /// The addresses that the connection was made with.
    let own: PeerAddress
    let peer: PeerAddress
    /// The identity of this device behind private addresses; `nil` without one.
    let identity: LocalIdentity?
    /// Whether the present bond is authenticated: then a bond without authentication may not replace it.
    let mustBeAuthenticated: Bool
    /// The identity addresses of all peers with authenticated bonds, which a pairing without authentication may not
    /// claim.
    let authenticatedPeers: [PeerAddress]
    /// The time that the peer must still wait after a failed pairing; `nil` if it need not wait.
    let wait: Duration?
}

/// The result of a pairing.
struct PairingResult: Hashable, Sendable {
    var bond: Bond
    /// Whether both devices save the bond.
    var isBonded: Bool
}

/// An output of a pairing.
enum PairingOutput: Hashable, Sendable {
    case send(SecurityManagerPDU)
    /// Encrypt the link with this key, as its central.
    case encrypt(Octets<16>)
    /// Ask the owner whether to pair: answer with `replyConsent`.
    case consentWanted
    /// Show this passkey.
    case passkeyShown(UInt32)
    /// Ask the user for the passkey: answer with `replyPasskey`.
    case passkeyWanted
    /// Ask the user to compare this number: answer with `replyComparison`.
    case comparisonWanted(UInt32)
    /// Ask the user whether to pair, although the pairing just works: answer with `replyComparison`.
    case confirmationWanted
    /// Save this bond: the PDUs that follow give the peer the key, although the pairing may still fail.
    case promised(Bond)
    /// The pairing succeeded. PDUs with keys may follow.
    case finished(PairingResult)
    /// The pairing failed; nothing follows.
    case failed(PairingError)
}

/// One pairing of two devices, in either role, legacy or LE Secure Connections (Core 5.4, Vol 3, Part H, 2.3 and 2.4).
///
/// The pairing takes PDUs, answers of the user and the encryption of the link, and returns outputs. Its steps:
///
/// * `consent` (responder): the request is received and the owner must agree; then `exchange`.
/// * `response` (initiator): the request is sent; the response starts `exchange`.
/// * `exchange`: a `PairingExchange` authenticates the devices and agrees on the key of the link.
/// * `encryption`: the link is being encrypted with that key. Keys of the peer may arrive before the controller reports
///   the encryption; they are held back.
/// * `keys`: a `KeyExchange` distributes keys, the responder's keys first.
/// * `end`: finished or failed.
struct PairingSession: Sendable {
    private enum Step: Hashable, Sendable {
        case consent
        case response
        case exchange
        case encryption
        case keys
        case end
    }

    /// The number of PDUs that are held back until the controller reports the encryption of the link.
    private static let earlyCapacity = 8

    private let setup: PairingSetup
    private var step: Step
    /// The features of the initiator; `nil` before the pairing has started.
    private(set) var request: PairingFeatures?
    /// The agreement that follows from the features of both devices; `nil` until both are known.
    private(set) var agreement: PairingAgreement?
    private var exchange: PairingExchange?
    /// The key that encrypts the link at the end of the exchange.
    private(set) var linkKey: Octets<16>?
    private var early: [SecurityManagerPDU] = []
    private var keys = KeyExchange()
    private var outputs: [PairingOutput] = []

    /// A pairing that the peer's Pairing Request starts, or `start()`.
    init(_ setup: PairingSetup) {
        self.setup = setup
        step = setup.role == .initiator ? .response : .consent
    }

    /// Whether the pairing has finished or failed.
    var isOver: Bool { step == .end }
    /// The key that the central may encrypt the link with now.
    var keyForLink: Octets<16>? { step == .encryption ? linkKey : nil }

    /// Removes and returns the outputs so far.
    mutating func takeOutputs() -> [PairingOutput] {
        defer { outputs = [] }
        return outputs
    }

    private mutating func send(_ pdu: SecurityManagerPDU) { outputs.append(.send(pdu)) }

    /// Ends the pairing, and sends the peer the reason.
    private mutating func fail(_ reason: PairingFailedReason) {
        send(.pairingFailed(reason))
        end(.failed(reason))
    }

    /// Ends the pairing without sending anything.
    mutating func end(_ error: PairingError) {
        step = .end
        outputs.append(.failed(error))
    }

    /// Ends the pairing for the owner, and sends the peer the reason that fits the present step.
    mutating func cancel() {
        let reason: PairingFailedReason =
            if step == .consent {
                .pairingNotSupported
            } else if step == .exchange, exchange?.isComparing == true {
                .numericComparisonFailed
            } else {
                exchange?.isPasskeyKnown == true ? .unspecified : .passkeyEntryFailed
            }
        send(.pairingFailed(reason))
        end(.cancelled)
    }

    // MARK: - The peer

    /// Takes one PDU of the peer.
    mutating func receive(_ pdu: SecurityManagerPDU, random: inout RandomSource) {
        switch (pdu, step) {
        case (_, .end), (.keypressNotification, _): break
        case (.pairingFailed(let reason), _): end(.rejected(reason))
        // The peripheral sent its Security Request before it received our Pairing Request.
        case (.securityRequest, _) where setup.role == .initiator: break
        case (.unknown, _): fail(.commandNotSupported)
        case (.pairingResponse(let features), .response): receiveResponse(features, random: &random)
        case (_, .exchange): perform { $0.receive(pdu, random: &random) }
        case (_, .encryption) where pdu.carriesKey && early.count < Self.earlyCapacity: early.append(pdu)
        case (_, .keys): receiveKey(pdu)
        default: fail(.unspecified)
        }
    }

    /// Takes a PDU that cannot be parsed.
    mutating func receiveMalformed() {
        guard !isOver else { return }
        fail(.invalidParameters)
    }

    // MARK: - Features

    /// Starts the pairing, as initiator.
    mutating func start() {
        let wanted: KeyDistribution = setup.settings.isBonding ? [.encryption, .identity] : []
        let initiatorKeys = setup.identity == nil ? wanted.subtracting(.identity) : wanted
        start(features(initiatorKeys: initiatorKeys, responderKeys: wanted))
    }

    /// Starts the pairing with these features, as initiator.
    mutating func start(_ features: PairingFeatures) {
        request = features
        step = .response
        send(.pairingRequest(features))
    }

    /// Takes the peer's Pairing Request, as responder.
    mutating func receiveRequest(_ features: PairingFeatures, isConsented: Bool, random: inout RandomSource) {
        guard features.isAllowed else { return fail(.invalidParameters) }
        request = features
        if isConsented { return respond(random: &random) }
        step = .consent
        outputs.append(.consentWanted)
    }

    /// Takes the owner's answer to `.consentWanted`.
    mutating func replyConsent(_ isGranted: Bool, random: inout RandomSource) {
        guard step == .consent, request != nil else { return }
        if isGranted { respond(random: &random) } else { fail(.pairingNotSupported) }
    }

    private mutating func respond(random: inout RandomSource) {
        guard let request else { return }
        var own: KeyDistribution = [.encryption, .signing]
        if setup.identity != nil { own.insert(.identity) }
        let isBonding = request.requirements.wantsBonding && setup.settings.isBonding
        let response = features(
            initiatorKeys: isBonding ? request.initiatorKeys.intersection([.encryption, .identity, .signing]) : [],
            responderKeys: isBonding ? request.responderKeys.intersection(own) : [])
        guard let agreement = agree(request, response) else { return }
        send(.pairingResponse(response))
        beginExchange(agreement, request, response, random: &random)
    }

    private mutating func receiveResponse(_ response: PairingFeatures, random: inout RandomSource) {
        guard let request, response.isAllowed, response.initiatorKeys.isSubset(of: request.initiatorKeys),
            response.responderKeys.isSubset(of: request.responderKeys)
        else { return fail(.invalidParameters) }
        guard let agreement = agree(request, response) else { return }
        beginExchange(agreement, request, response, random: &random)
    }

    private func features(initiatorKeys: KeyDistribution, responderKeys: KeyDistribution) -> PairingFeatures {
        PairingFeatures(
            inputOutput: InputOutputCapability(setup.settings.inputOutput), requirements: setup.settings.requirements,
            maximumKeySize: setup.settings.maximumKeySize, initiatorKeys: initiatorKeys, responderKeys: responderKeys)
    }

    private mutating func agree(_ request: PairingFeatures, _ response: PairingFeatures) -> PairingAgreement? {
        do throws(PairingFailedReason) {
            let agreement = try PairingAgreement(request: request, response: response, settings: setup.settings)
            guard agreement.method.isAuthenticated || !setup.mustBeAuthenticated else {
                throw .authenticationRequirements
            }
            return agreement
        } catch {
            fail(error)
            return nil
        }
    }

    // MARK: - The exchange

    private mutating func beginExchange(
        _ agreement: PairingAgreement, _ request: PairingFeatures, _ response: PairingFeatures,
        random: inout RandomSource
    ) {
        self.agreement = agreement
        exchange = PairingExchange(
            role: setup.role, agreement: agreement, own: setup.own, peer: setup.peer, request: request,
            response: response, passkey: setup.settings.passkey,
            confirmsJustWorks: setup.settings.confirmsJustWorks)
        step = .exchange
        perform { $0.begin(random: &random) }
    }

    /// Takes the passkey that the user entered, 0 to 999,999; `nil` if the user entered none.
    mutating func replyPasskey(_ passkey: UInt32?, random: inout RandomSource) {
        guard step == .exchange else { return }
        perform { $0.replyPasskey(passkey, random: &random) }
    }

    /// Takes the user's answer whether both devices show the same number, or whether to pair.
    mutating func replyComparison(_ areEqual: Bool, random: inout RandomSource) {
        guard step == .exchange else { return }
        perform { $0.replyComparison(areEqual, random: &random) }
    }

    /// Gives the exchange an input, and performs its actions.
    private mutating func perform(_ input: (inout PairingExchange) -> Void) {
        guard exchange != nil else { return }
        input(&exchange!)
        for action in exchange?.takeActions() ?? [] {
            switch action {
            case .send(let pdu): send(pdu)
            case .showPasskey(let passkey): outputs.append(.passkeyShown(passkey))
            case .askForPasskey: outputs.append(.passkeyWanted)
            case .compare(let number): outputs.append(.comparisonWanted(number))
            case .confirm: outputs.append(.confirmationWanted)
            case .finish(let key): waitForEncryption(key)
            case .fail(let reason): return fail(reason)
            }
        }
    }

    private mutating func waitForEncryption(_ key: Octets<16>) {
        linkKey = key
        step = .encryption
        if setup.role == .initiator {
            outputs.append(.encrypt(key))
        } else {
            // With LE Secure Connections, the peer may already have all that it needs.
            promiseBond()
        }
    }

    // MARK: - Keys

    /// The link is encrypted with this pairing's key. The responder sends its keys first.
    mutating func receiveEncryption(random: inout RandomSource) {
        guard step == .encryption, let agreement else { return }
        step = .keys
        keys.begin(agreement, as: setup.role, random: &random)
        if setup.role == .responder {
            if keys.hasOwnKey { promiseBond() }
            sendKeys()
        }
        finishWhenComplete()
        let received = early
        early = []
        for pdu in received { receive(pdu, random: &random) }
    }

    private mutating func receiveKey(_ pdu: SecurityManagerPDU) {
        let claimed = agreement?.method.isAuthenticated == true ? [] : setup.authenticatedPeers
        if let reason = keys.receive(pdu, refusing: claimed) { return fail(reason) }
        finishWhenComplete()
    }

    private mutating func finishWhenComplete() {
        guard step == .keys, keys.isComplete else { return }
        step = .end
        // The owner saves the bond before the peer has the last key.
        outputs.append(.finished(result))
        if setup.role == .initiator { sendKeys() }
    }

    private mutating func sendKeys() {
        for pdu in keys.pdus(of: setup.identity) { send(pdu) }
    }

    /// Has the owner save, as responder, the bond that the peer may rely on before this pairing is over: the responder
    /// sends its keys first (Core 5.4, Vol 3, Part H, 3.6.1), and the peer may have saved all of them when a crash here
    /// loses ours.
    private mutating func promiseBond() {
        let result = result
        guard result.isBonded, let key = result.bond.peripheralKey else { return }
        // A key without a name is found by the peer's address, which must be one that does not change.
        guard key.name != .none || setup.peer.isIdentity else { return }
        outputs.append(.promised(result.bond))
    }

    private var result: PairingResult {
        PairingResult(
            bond: keys.bond(with: setup.peer, agreement: agreement, linkKey: linkKey),
            isBonded: agreement?.isBonding ?? false)
    }
}

extension PeerAddress {
    /// Whether the address can identify a device: a public or a static random address.
    var isIdentity: Bool { type == .public || (type == .random && address.isStaticRandom) }
}
