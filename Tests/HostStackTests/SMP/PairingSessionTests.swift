// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// Two pairings joined without hosts, so that the PDUs between them can be changed.
struct SessionPair {
    var initiator: PairingSession
    var responder: PairingSession
    var random = RandomSource(SplitMix64(seed: 11))
    /// The outputs of each side other than PDUs.
    var initiatorOutputs: [PairingOutput] = []
    var responderOutputs: [PairingOutput] = []
    /// Called for each PDU: returns the PDUs that arrive instead.
    var change: (PairingRole, SecurityManagerPDU) -> [SecurityManagerPDU] = { [$1] }

    init(
        _ initiator: PairingSettings, _ responder: PairingSettings, identity: LocalIdentity? = nil,
        authenticatedPeers: [PeerAddress] = []
    ) {
        let addresses = [PeerAddress(.random(1), type: .random), PeerAddress(.random(2), type: .random)]
        func setup(_ role: PairingRole, _ settings: PairingSettings) -> PairingSetup {
            let isInitiator = role == .initiator
            return PairingSetup(
                role: role, settings: settings, acceptance: .always, own: addresses[isInitiator ? 0 : 1],
                peer: addresses[isInitiator ? 1 : 0], identity: identity, mustBeAuthenticated: false,
                authenticatedPeers: isInitiator ? [] : authenticatedPeers, wait: nil)
        }
        self.initiator = PairingSession(setup(.initiator, initiator))
        self.responder = PairingSession(setup(.responder, responder))
    }

    /// Runs to the end, with an encrypted link and careful users.
    mutating func run() {
        if initiator.request == nil { initiator.start() }
        while true {
            let first = initiator.takeOutputs()
            let second = responder.takeOutputs()
            if first.isEmpty, second.isEmpty { return }
            for output in first { take(output, of: .initiator) }
            for output in second { take(output, of: .responder) }
        }
    }

    private mutating func take(_ output: PairingOutput, of role: PairingRole) {
        if role == .initiator { initiatorOutputs.append(output) } else { responderOutputs.append(output) }
        switch output {
        case .send(let pdu):
            for changed in change(role, pdu) { deliver(changed, from: role) }
        case .encrypt:
            responder.receiveEncryption(random: &random)
            initiator.receiveEncryption(random: &random)
        case .passkeyShown(let digits):
            if role == .initiator {
                responder.replyPasskey(digits, random: &random)
            } else {
                initiator.replyPasskey(digits, random: &random)
            }
        case .comparisonWanted, .confirmationWanted:
            if role == .initiator {
                initiator.replyComparison(true, random: &random)
            } else {
                responder.replyComparison(true, random: &random)
            }
        case .consentWanted, .passkeyWanted, .promised, .finished, .failed: break
        }
    }

    private mutating func deliver(_ pdu: SecurityManagerPDU, from role: PairingRole) {
        if role == .responder { return initiator.receive(pdu, random: &random) }
        if case .pairingRequest(let features) = pdu, responder.request == nil {
            return responder.receiveRequest(features, isConsented: true, random: &random)
        }
        responder.receive(pdu, random: &random)
    }

    func failure(_ role: PairingRole) -> PairingError? {
        for case .failed(let failure) in role == .initiator ? initiatorOutputs : responderOutputs { return failure }
        return nil
    }

    func result(_ role: PairingRole) -> PairingResult? {
        for case .finished(let result) in role == .initiator ? initiatorOutputs : responderOutputs { return result }
        return nil
    }
}

@Suite struct PairingSessionTests {
    private static let identity = LocalIdentity(
        address: PeerAddress(.random(9), type: .random), resolvingKey: Octets(padding: 1...16))
    private static let works = PairingSettings()
    private static let legacy = PairingSettings(secureConnections: .off)
    private static let compares = PairingSettings(inputOutput: .displayYesNo, requiresAuthentication: true)
    private static let shows = PairingSettings(inputOutput: .display, requiresAuthentication: true)
    private static let enters = PairingSettings(inputOutput: .keyboard, requiresAuthentication: true)

    @Test func changedCheckValueIsDetected() {
        for role in [PairingRole.initiator, .responder] {
            var pair = SessionPair(Self.works, Self.works)
            pair.change = { sender, pdu in
                if case .pairingKeyCheck(let value) = pdu, sender == role {
                    return [.pairingKeyCheck(value ^ Octets(padding: [1]))]
                }
                return [pdu]
            }
            pair.run()
            let other = role == .initiator ? PairingRole.responder : .initiator
            #expect(pair.failure(other) == .failed(.keyCheckFailed))
            #expect(pair.failure(role) == .rejected(.keyCheckFailed))
        }
    }

    /// Every byte sent before the link is encrypted is checked; with LE Secure Connections, except the key size and the
    /// distributed keys (Core 5.4, Vol 3, Part H, 2.2.8).
    @Test(arguments: [(works, works), (legacy, works), (compares, compares), (shows, enters), (enters, shows)])
    func anyChangedByteIsDetected(_ initiator: PairingSettings, _ responder: PairingSettings) {
        var untouched = SessionPair(initiator, responder, identity: Self.identity)
        var sizes: [(PairingRole, Int)] = []
        untouched.change = { sender, pdu in
            if !pdu.carriesKey { sizes.append((sender, pdu.serialized().count)) }
            return [pdu]
        }
        untouched.run()
        #expect(untouched.result(.initiator) != nil && untouched.result(.responder) != nil)
        let isSecureConnections = untouched.initiator.agreement?.isSecureConnections == true
        for (index, (_, size)) in sizes.enumerated() {
            for place in 0..<size where !isSecureConnections || index > 1 || place < 4 {
                var pair = SessionPair(initiator, responder, identity: Self.identity)
                var count = 0
                pair.change = { _, pdu in
                    defer { if !pdu.carriesKey { count += 1 } }
                    guard count == index, !pdu.carriesKey else { return [pdu] }
                    var bytes = pdu.serialized()
                    bytes[place] ^= 0x01
                    return (try? SecurityManagerPDU(parsing: bytes)).map { [$0] } ?? []
                }
                pair.run()
                // The keys differ, or the initiator does not finish, or the responder fails.
                let keys = [pair.result(.initiator), pair.result(.responder)].map { $0?.bond.centralKey }
                let isSame = keys[0] != nil && pair.initiator.linkKey == pair.responder.linkKey
                #expect(!isSame || pair.failure(.responder) != nil, "byte \(place) of PDU \(index)")
            }
        }
    }

    @Test func identityOfAnAuthenticatedBondCannotBeClaimed() {
        var pair = SessionPair(
            Self.works, Self.works, identity: Self.identity, authenticatedPeers: [Self.identity.address])
        pair.run()
        #expect(pair.failure(.responder) == .failed(.keyRejected))
        #expect(pair.result(.responder) == nil)
    }

    @Test func identityIsAPublicOrStaticRandomAddress() {
        for address in ["40:00:00:00:00:01", "00:00:00:00:00:01"] {
            var pair = SessionPair(Self.works, Self.works, identity: Self.identity)
            pair.change = { sender, pdu in
                guard case .identityAddressInformation = pdu, sender == .initiator else { return [pdu] }
                return [
                    .identityAddressInformation(PeerAddress(BluetoothAddress(address) ?? .zero, type: .random))
                ]
            }
            pair.run()
            #expect(pair.failure(.responder) == .failed(.invalidParameters))
        }
    }

    @Test func resolvingKeyOfZerosIsIgnored() throws {
        var pair = SessionPair(Self.works, Self.works, identity: Self.identity)
        pair.change = { _, pdu in if case .identityInformation = pdu { [.identityInformation(.zero)] } else { [pdu] } }
        pair.run()
        let bond = try #require(pair.result(.responder)).bond
        #expect(bond.resolvingKey == nil && bond.peer == Self.identity.address)
    }

    @Test func signingKeysAreSentOnRequest() throws {
        var pair = SessionPair(Self.legacy, Self.works)
        pair.change = { _, pdu in
            switch pdu {
            case .pairingRequest(var features):
                features.initiatorKeys.insert(.signing)
                features.responderKeys.insert(.signing)
                return [.pairingRequest(features)]
            default: return [pdu]
            }
        }
        // The initiator did not request this key, so the responder's answer is out of range.
        pair.run()
        #expect(pair.failure(.initiator) == .failed(.invalidParameters))

        var asked = SessionPair(Self.legacy, Self.works)
        let features = PairingFeatures(
            inputOutput: .noInputNoOutput, requirements: .bonding, initiatorKeys: [.encryption, .signing],
            responderKeys: [.encryption, .signing, .link])
        asked.initiator.start(features)
        asked.run()
        let initiator = try #require(asked.result(.initiator)).bond
        let responder = try #require(asked.result(.responder)).bond
        #expect(initiator.ownSigningKey != nil && initiator.ownSigningKey == responder.peerSigningKey)
        #expect(responder.ownSigningKey != nil && responder.ownSigningKey == initiator.peerSigningKey)
    }

    @Test func keysBeforeTheEncryptionEventAreHeldBack() throws {
        var pair = SessionPair(Self.legacy, Self.works)
        var isEarly = false
        pair.initiator.start()
        // The responder is notified of the encryption long before the initiator.
        while !isEarly {
            for output in pair.initiator.takeOutputs() {
                switch output {
                case .send(.pairingRequest(let features)):
                    pair.responder.receiveRequest(features, isConsented: true, random: &pair.random)
                case .send(let pdu): pair.responder.receive(pdu, random: &pair.random)
                case .encrypt:
                    pair.responder.receiveEncryption(random: &pair.random)
                    isEarly = true
                default: break
                }
            }
            for case .send(let pdu) in pair.responder.takeOutputs() {
                pair.initiator.receive(pdu, random: &pair.random)
            }
        }
        #expect(pair.initiator.takeOutputs().isEmpty)
        pair.initiator.receiveEncryption(random: &pair.random)
        let outputs = pair.initiator.takeOutputs()
        guard case .finished(let result) = outputs.first else {
            Issue.record("it has not finished: \(outputs)")
            return
        }
        // The bond is saved before the peer receives the last key.
        #expect(result.bond.centralKey != nil && outputs.count == 3)
    }
}
