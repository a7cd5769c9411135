// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The keys that go from one device to the other over the encrypted link (Core 5.4, Vol 3, Part H, 2.4.3).
struct KeyExchange: Sendable {
    /// The codes of the PDUs that the peer still has to send, in order.
    var expected: [UInt8] = []
    var ownKey: Bond.Key?
    var ownSigningKey: Octets<16>?
    var peerKey: Octets<16>?
    var peerKeyName = KeyName.none
    var peerResolvingKey: Octets<16>?
    var peerIdentity: PeerAddress?
    var peerSigningKey: Octets<16>?

    /// The codes that a distribution consists of.
    static func codes(of keys: KeyDistribution) -> [UInt8] {
        (keys.contains(.encryption) ? [0x06, 0x07] : []) + (keys.contains(.identity) ? [0x08, 0x09] : [])
            + (keys.contains(.signing) ? [0x0A] : [])
    }
}

extension PairingSession {
    /// The link is encrypted with this pairing's key: the responder sends its keys first.
    mutating func receiveEncryption(random: inout RandomSource) {
        guard step == .encryption, let agreement else { return }
        step = .keys
        let isInitiator = setup.role == .initiator
        distribution.expected = KeyExchange.codes(of: agreement.keys(from: isInitiator ? .responder : .initiator))
        makeKeys(random: &random)
        if !isInitiator {
            if distribution.ownKey != nil { promiseBond() }
            sendKeys()
        }
        finishWhenComplete()
        let waiting = early
        early = []
        for pdu in waiting { receive(pdu, random: &random) }
    }

    mutating func receiveKey(_ pdu: SecurityManagerPDU, random: inout RandomSource) {
        guard pdu.code == distribution.expected.first else { return fail(.unspecified) }
        switch pdu {
        case .encryptionInformation(let key): distribution.peerKey = key
        case .centralIdentification(let name): distribution.peerKeyName = name
        case .identityInformation(let key): distribution.peerResolvingKey = key == .zero ? nil : key
        case .identityAddressInformation(let identity):
            guard identity.isIdentity else { return fail(.invalidParameters) }
            guard agreement?.method.isAuthenticated == true || !setup.authenticatedPeers.contains(identity) else {
                return fail(.keyRejected)
            }
            distribution.peerIdentity = identity
        case .signingInformation(let key): distribution.peerSigningKey = key
        default: return fail(.unspecified)
        }
        distribution.expected.removeFirst()
        finishWhenComplete()
    }

    private mutating func finishWhenComplete() {
        guard step == .keys, distribution.expected.isEmpty else { return }
        step = .end
        // The owner keeps what there is before the peer has the last of it.
        outputs.append(.finished(result))
        if setup.role == .initiator { sendKeys() }
    }

    private mutating func makeKeys(random: inout RandomSource) {
        guard let agreement else { return }
        let keys = agreement.keys(from: setup.role)
        if keys.contains(.encryption) {
            let name = random.octets(10)
            distribution.ownKey = Bond.Key(
                Octets(padding: random.octets(16)).shortened(to: agreement.keySize),
                name: KeyName(
                    encryptedDiversifier: name.prefix(2).reduce(0) { $0 << 8 | UInt16($1) },
                    randomNumber: name.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }))
        }
        if keys.contains(.signing) { distribution.ownSigningKey = Octets(padding: random.octets(16)) }
    }

    private mutating func sendKeys() {
        guard let keys = agreement?.keys(from: setup.role) else { return }
        if let key = distribution.ownKey {
            send(.encryptionInformation(key.value))
            send(.centralIdentification(key.name))
        }
        if keys.contains(.identity), let identity = setup.identity {
            send(.identityInformation(identity.resolvingKey))
            send(.identityAddressInformation(identity.address))
        }
        if let key = distribution.ownSigningKey { send(.signingInformation(key)) }
    }

    /// Has the owner keep, as responder, what the peer can rely on before this pairing is over: the responder sends its
    /// keys first (Core 5.4, Vol 3, Part H, 3.6.1), and the peer may hold all of them when a crash here loses its own.
    mutating func promiseBond() {
        let result = result
        guard result.isBonded, let key = result.bond.peripheralKey else { return }
        // A key without a name is found by the peer's address, which must be one that stays.
        guard key.name != .none || setup.peer.isIdentity else { return }
        outputs.append(.promised(result.bond))
    }

    private var result: PairingResult {
        let isSecureConnections = agreement?.isSecureConnections ?? false
        // A key of LE Secure Connections is that of either role.
        let common = isSecureConnections ? linkKey.map { Bond.Key($0) } : nil
        let bond = Bond(
            peer: distribution.peerIdentity ?? setup.peer, resolvingKey: distribution.peerResolvingKey,
            peripheralKey: common ?? distribution.ownKey,
            centralKey: common ?? distribution.peerKey.map { Bond.Key($0, name: distribution.peerKeyName) },
            keySize: agreement?.keySize ?? 16, isAuthenticated: agreement?.method.isAuthenticated ?? false,
            isSecureConnections: isSecureConnections, ownSigningKey: distribution.ownSigningKey,
            peerSigningKey: distribution.peerSigningKey)
        return PairingResult(bond: bond, isBonded: agreement?.isBonding ?? false)
    }
}

extension PeerAddress {
    /// Whether it can stand for a device: a public or a static random address.
    var isIdentity: Bool { type == .public || (type == .random && address.isStaticRandom) }
}
