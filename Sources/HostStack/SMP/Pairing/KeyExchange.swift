// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// The keys that two devices distribute over the encrypted link at the end of a pairing (Core 5.4, Vol 3, Part H, 2.4.3).
struct KeyExchange: Sendable {
    private var ownKeys: KeyDistribution = []
    /// The codes of the PDUs that the peer must still send, in order.
    private var expected: [UInt8] = []
    private var ownKey: Bond.Key?
    private var ownSigningKey: Octets<16>?
    private var peerKey: Octets<16>?
    private var peerKeyName = KeyName.none
    private var peerResolvingKey: Octets<16>?
    private var peerIdentity: PeerAddress?
    private var peerSigningKey: Octets<16>?

    /// Whether the peer has sent all its keys.
    var isComplete: Bool { expected.isEmpty }
    /// Whether this device distributes a long term key.
    var hasOwnKey: Bool { ownKey != nil }

    /// Makes this device's keys, and expects the peer's keys.
    mutating func begin(_ agreement: PairingAgreement, as role: PairingRole, random: inout RandomSource) {
        let peerKeys = agreement.keys(from: role == .initiator ? .responder : .initiator)
        expected =
            (peerKeys.contains(.encryption) ? [0x06, 0x07] : []) + (peerKeys.contains(.identity) ? [0x08, 0x09] : [])
            + (peerKeys.contains(.signing) ? [0x0A] : [])
        ownKeys = agreement.keys(from: role)
        if ownKeys.contains(.encryption) {
            let name = random.bytes(10)
            ownKey = Bond.Key(
                Octets(padding: random.bytes(16)).shortened(to: agreement.keySize),
                name: KeyName(
                    encryptedDiversifier: name.prefix(2).reduce(0) { $0 << 8 | UInt16($1) },
                    randomNumber: name.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }))
        }
        if ownKeys.contains(.signing) { ownSigningKey = Octets(padding: random.bytes(16)) }
    }

    /// The PDUs that carry this device's keys.
    func pdus(of identity: LocalIdentity?) -> [SecurityManagerPDU] {
        var pdus: [SecurityManagerPDU] = []
        if let ownKey { pdus += [.encryptionInformation(ownKey.value), .centralIdentification(ownKey.name)] }
        if ownKeys.contains(.identity), let identity {
            pdus += [.identityInformation(identity.resolvingKey), .identityAddressInformation(identity.address)]
        }
        if let ownSigningKey { pdus.append(.signingInformation(ownSigningKey)) }
        return pdus
    }

    /// Takes a key of the peer.
    /// - Parameter claimed: identities that the peer may not claim.
    /// - Returns: the reason to end the pairing, if any.
    mutating func receive(_ pdu: SecurityManagerPDU, refusing claimed: [PeerAddress]) -> PairingFailedReason? {
        guard pdu.code == expected.first else { return .unspecified }
        switch pdu {
        case .encryptionInformation(let key): peerKey = key
        case .centralIdentification(let name): peerKeyName = name
        case .identityInformation(let key): peerResolvingKey = key == .zero ? nil : key
        case .identityAddressInformation(let identity):
            guard identity.isIdentity else { return .invalidParameters }
            guard !claimed.contains(identity) else { return .keyRejected }
            peerIdentity = identity
        case .signingInformation(let key): peerSigningKey = key
        default: return .unspecified
        }
        expected.removeFirst()
        return nil
    }

    /// The bond with the keys received so far.
    /// - Parameters:
    ///   - peer: the address that the connection was made with, for a peer that does not distribute its identity.
    ///   - linkKey: the key of the link, which is the long term key with LE Secure Connections.
    func bond(with peer: PeerAddress, agreement: PairingAgreement?, linkKey: Octets<16>?) -> Bond {
        let isSecureConnections = agreement?.isSecureConnections ?? false
        // A key of LE Secure Connections is used in either role.
        let common = isSecureConnections ? linkKey.map { Bond.Key($0) } : nil
        return Bond(
            peer: peerIdentity ?? peer, resolvingKey: peerResolvingKey, peripheralKey: common ?? ownKey,
            centralKey: common ?? peerKey.map { Bond.Key($0, name: peerKeyName) }, keySize: agreement?.keySize ?? 16,
            isAuthenticated: agreement?.method.isAuthenticated ?? false, isSecureConnections: isSecureConnections,
            ownSigningKey: ownSigningKey, peerSigningKey: peerSigningKey)
    }
}

extension SecurityManagerPDU {
    /// Whether the PDU belongs to the distribution of keys.
    var carriesKey: Bool { 0x06...0x0A ~= code }
}
