// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Crypto
import CryptoExtras
import HCI

/// AES-128 and AES-CMAC (Core 5.4, Vol 3, Part H, 2.2.1 and 2.2.5), most significant byte first.
enum SecurityCipher {
    /// The function e: encrypts one block with a key, both of 16 bytes. No caller passes
    /// blocks or keys of other lengths; the result is then 16 zeros.
    static func block(_ block: [UInt8], key: [UInt8]) -> [UInt8] {
        var bytes = block
        guard bytes.count == 16, (try? AES.permute(&bytes, key: SymmetricKey(data: key))) != nil else {
            return [UInt8](repeating: 0, count: 16)
        }
        return bytes
    }

    /// AES-CMAC of a message of any length with a key of 16 bytes.
    static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        // This cannot fail with a key of 16 bytes.
        guard var code = try? AES.CMAC(key: SymmetricKey(data: key)) else { return [UInt8](repeating: 0, count: 16) }
        code.update(data: message)
        return code.finalize().withUnsafeBytes { Array($0) }
    }
}

/// The functions of legacy pairing (Core 5.4, Vol 3, Part H, 2.2.3 and 2.2.4). Values are in the order of the wire.
enum LegacyPairingFunctions {
    /// The function c1: the confirm value of a random number.
    /// - Parameters:
    ///   - request: the seven bytes of the Pairing Request.
    ///   - response: the seven bytes of the Pairing Response.
    static func confirmValue(
        key: Octets<16>, random: Octets<16>, request: [UInt8], response: [UInt8], initiator: PeerAddress,
        responder: PeerAddress
    ) -> Octets<16> {
        let types = [initiator, responder].map { UInt8($0.type.isRandomKind ? 1 : 0) }
        let first = Octets<16>(padding: types + request.prefix(7) + response.prefix(7))
        let addresses: [UInt8] = Array(responder.address.octets.reversed()) + Array(initiator.address.octets.reversed())
        let second = Octets<16>(padding: addresses)
        let inner = (random ^ first).encrypted(with: key)
        return (inner ^ second).encrypted(with: key)
    }

    /// The function s1: the short term key, from the halves of both random numbers.
    static func shortTermKey(key: Octets<16>, responder: Octets<16>, initiator: Octets<16>) -> Octets<16> {
        Octets<16>(padding: initiator.bytes.prefix(8) + responder.bytes.prefix(8)).encrypted(with: key)
    }

    /// The temporary key for a passkey; 0 for Just Works (Core 5.4, Vol 3, Part H, 2.3.5.2 and 2.3.5.3).
    static func temporaryKey(passkey: UInt32) -> Octets<16> { Octets<16>(padding: passkey.littleEndianBytes) }
}

extension Octets where count == 16 {
    /// Exclusive or.
    static func ^ (left: Self, right: Self) -> Self { Self(padding: zip(left.bytes, right.bytes).map { $0 ^ $1 }) }

    /// The function e (Core 5.4, Vol 3, Part H, 2.2.1).
    func encrypted(with key: Octets<16>) -> Octets<16> {
        Self(padding: SecurityCipher.block(bytes.reversed(), key: key.bytes.reversed()).reversed())
    }

    /// The key reduced to its `size` least significant bytes (Core 5.4, Vol 3, Part H, 2.3.4).
    func shortened(to size: UInt8) -> Self { Self(padding: bytes.prefix(Int(size))) }
}

/// The functions of LE Secure Connections (Core 5.4, Vol 3, Part H, 2.2.6 to 2.2.11). Values are in the order of the
/// wire; the messages that they form for the cipher have the most significant byte first.
enum SecureConnectionsFunctions {
    /// The function f4: the confirm value of a random number.
    static func confirmValue(
        own: Octets<32>, peer: Octets<32>, random: Octets<16>, input: UInt8
    ) -> Octets<16> {
        code(of: big(own) + big(peer) + [input], key: big(random))
    }

    /// The function f5: the key for the check values, and the long term key.
    static func keys(
        secret: Octets<32>, initiator: PairingNonce, responder: PairingNonce
    ) -> (check: Octets<16>, longTerm: Octets<16>) {
        let intermediate = SecurityCipher.authenticationCode(of: big(secret), key: salt)
        var tail: [UInt8] = [0x62, 0x74, 0x6C, 0x65]
        for part in [big(initiator.random), big(responder.random), initiator.address.bigEndian] { tail += part }
        tail += responder.address.bigEndian + [0x01, 0x00]
        return (code(of: [0] + tail, key: intermediate), code(of: [1] + tail, key: intermediate))
    }

    /// The function f6: the check value of the side whose nonce is `own`.
    /// - Parameter features: the input and output, out-of-band flag and authentication requirements of that side, as it
    ///   sent them.
    static func checkValue(
        key: Octets<16>, own: PairingNonce, peer: PairingNonce, passkey: UInt32, features: [UInt8]
    ) -> Octets<16> {
        let input = Octets<16>(padding: passkey.littleEndianBytes)
        let message =
            big(own.random) + big(peer.random) + big(input) + features.reversed() + own.address.bigEndian
            + peer.address.bigEndian
        return code(of: message, key: big(key))
    }

    /// The function g2 as six decimal digits, which users compare.
    static func comparisonValue(
        initiator: Octets<32>, responder: Octets<32>, initiatorRandom: Octets<16>, responderRandom: Octets<16>
    ) -> UInt32 {
        comparisonCode(
            initiator: initiator, responder: responder, initiatorRandom: initiatorRandom,
            responderRandom: responderRandom) % 1_000_000
    }

    /// The function g2 with all its bits.
    static func comparisonCode(
        initiator: Octets<32>, responder: Octets<32>, initiatorRandom: Octets<16>, responderRandom: Octets<16>
    ) -> UInt32 {
        let code = SecurityCipher.authenticationCode(
            of: big(initiator) + big(responder) + big(responderRandom), key: big(initiatorRandom))
        return code.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The function h6: derives a key with a name of four letters.
    static func derivedKey(from key: Octets<16>, name: String) -> Octets<16> {
        code(of: Array(name.utf8), key: big(key))
    }

    /// The function h7: derives a key with a salt.
    static func derivedKey(from key: Octets<16>, salt: Octets<16>) -> Octets<16> { code(of: big(key), key: big(salt)) }

    private static let salt: [UInt8] = [
        0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83, 0xBE,
    ]

    private static func code(of message: [UInt8], key: [UInt8]) -> Octets<16> {
        Octets<16>(padding: SecurityCipher.authenticationCode(of: message, key: key).reversed())
    }

    private static func big<let count: Int>(_ octets: Octets<count>) -> [UInt8] { octets.bytes.reversed() }
}

/// The contribution of one side to the keys: its random number and its address.
struct PairingNonce: Hashable, Sendable {
    var random: Octets<16>
    var address: PeerAddress
}

extension PeerAddress {
    /// The type, then the address, most significant byte first.
    fileprivate var bigEndian: [UInt8] { [type.isRandomKind ? 1 : 0] + address.octets }
}

extension AddressType {
    /// Whether it is a random and not a public address, resolved or not.
    var isRandomKind: Bool { rawValue & 1 == 1 }
}

/// A key pair on the curve P-256 for one pairing (Core 5.4, Vol 3, Part H, 2.3.5.6.1).
struct PairingKeyPair: Sendable {
    private let secret: P256.KeyAgreement.PrivateKey
    /// The public key, which the peer receives.
    let publicKey: PairingPublicKey

    /// A random key pair.
    init(random: inout RandomSource) {
        while true {
            // Almost every number of 256 bits is a valid secret; 0 and those beyond the order of the curve are not.
            if let pair = PairingKeyPair(secret: random.bytes(32)) {
                self = pair
                return
            }
        }
    }

    /// The key pair of a secret of 32 bytes, most significant byte first; `nil` if the secret is invalid.
    init?(secret bytes: [UInt8]) {
        guard let secret = try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes) else { return nil }
        self.secret = secret
        let point = Array(secret.publicKey.rawRepresentation)
        publicKey = PairingPublicKey(
            x: Octets(padding: point.prefix(32).reversed()), y: Octets(padding: point.suffix(32).reversed()))
    }

    /// The secret that both sides share; `nil` if the peer's key is not a point of the curve.
    func sharedSecret(with peer: PairingPublicKey) -> Octets<32>? {
        let point: [UInt8] = Array(peer.x.bytes.reversed()) + Array(peer.y.bytes.reversed())
        guard let key = try? P256.KeyAgreement.PublicKey(rawRepresentation: point),
            let shared = try? secret.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        return Octets(padding: shared.withUnsafeBytes { $0.reversed() })
    }
}
