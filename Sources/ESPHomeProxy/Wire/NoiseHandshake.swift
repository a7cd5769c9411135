// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Crypto
import FoundationEssentials

/// The key of an encrypted proxy: 32 bytes that both sides have.
package struct EncryptionKey: Hashable, Sendable {
    /// The 32 bytes.
    let bytes: [UInt8]

    /// A key in base64, as Home Assistant takes it; `nil` unless it has 32 bytes. White space around it is ignored.
    package init?(base64 text: String) {
        let trimmed = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard let data = Data(base64Encoded: trimmed), data.count == 32 else { return nil }
        bytes = Array(data)
    }
}

/// The handshake `Noise_NNpsk0_25519_ChaChaPoly_SHA256` (The Noise Protocol Framework, revision 34).
///
/// There are two messages: the initiator's has its ephemeral public key and an empty payload, encrypted; so has the reply.
/// The client of the API is the initiator, which calls `initiate` and `finish`; the proxy calls `respond`.
struct NoiseHandshake {
    /// The handshake failed: another key, or a damaged message.
    struct Failure: Error {}

    private static let name = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"
    /// The text with which proxies refuse another key (esphome 2025.8, api_frame_helper_noise.cpp).
    static let macFailure = "Handshake MAC failure"
    /// The length of a tag of ChaCha20-Poly1305, in bytes.
    static let tagLength = 16
    private static let keyLength = 32

    private let ephemeral: Curve25519.KeyAgreement.PrivateKey
    private var hash: [UInt8]
    private var chainingKey: [UInt8]
    private var cipher: NoiseCipher

    /// A handshake with a key that both sides have.
    /// - Parameters:
    ///   - prologue: what both sides have said before.
    ///   - ephemeral: the key pair of this handshake; `nil` for a random one.
    init(_ key: EncryptionKey, prologue: [UInt8], ephemeral: Curve25519.KeyAgreement.PrivateKey?) {
        self.ephemeral = ephemeral ?? Curve25519.KeyAgreement.PrivateKey()
        // The name is longer than a hash.
        hash = Array(SHA256.hash(data: Array(Self.name.utf8)))
        chainingKey = hash
        cipher = NoiseCipher(key: hash)
        mixHash(prologue)
        // The token psk: both sides mix it in before the first message.
        let outputs = Self.derive(chainingKey, key.bytes, count: 3)
        chainingKey = outputs[0]
        mixHash(outputs[1])
        cipher = NoiseCipher(key: outputs[2])
    }

    /// The initiator's message.
    mutating func initiate() -> [UInt8] { mixLocalKey() + seal() }

    /// Takes the reply to the initiator's message.
    /// - Returns: the ciphers of the two directions.
    /// - Throws: `Failure`.
    mutating func finish(_ reply: some Collection<UInt8>) throws(Failure) -> MessageCiphers {
        let (remote, sealed) = try mixRemoteKey(reply)
        try mixSecret(with: remote)
        try open(sealed)
        let keys = Self.derive(chainingKey, [], count: 2)
        return MessageCiphers(receiving: NoiseCipher(key: keys[1]), sending: NoiseCipher(key: keys[0]))
    }

    /// Answers the initiator's message.
    /// - Returns: the reply, and the ciphers of the two directions.
    /// - Throws: `Failure`.
    mutating func respond(to message: some Collection<UInt8>) throws(Failure) -> (reply: [UInt8], MessageCiphers) {
        let (remote, sealed) = try mixRemoteKey(message)
        try open(sealed)
        let local = mixLocalKey()
        try mixSecret(with: remote)
        let reply = local + seal()
        let keys = Self.derive(chainingKey, [], count: 2)
        return (reply, MessageCiphers(receiving: NoiseCipher(key: keys[0]), sending: NoiseCipher(key: keys[1])))
    }

    /// The token e of a message that is sent.
    /// - Returns: the public key.
    private mutating func mixLocalKey() -> [UInt8] {
        let local = Array(ephemeral.publicKey.rawRepresentation)
        mixHash(local)
        mixKey(local)
        return local
    }

    /// The token e of a message that was received.
    /// - Returns: the public key, and the encrypted payload behind it.
    private mutating func mixRemoteKey(
        _ message: some Collection<UInt8>
    ) throws(Failure) -> (key: [UInt8], payload: [UInt8]) {
        guard message.count >= Self.keyLength + Self.tagLength else { throw Failure() }
        let remote = Array(message.prefix(Self.keyLength))
        mixHash(remote)
        mixKey(remote)
        return (remote, Array(message.dropFirst(Self.keyLength)))
    }

    /// The token ee.
    private mutating func mixSecret(with remote: [UInt8]) throws(Failure) {
        do {
            let point = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: remote)
            let secret = try ephemeral.sharedSecretFromKeyAgreement(with: point)
            mixKey(secret.withUnsafeBytes { Array($0) })
        } catch {
            throw Failure()
        }
    }

    /// Encrypts the empty payload.
    private mutating func seal() -> [UInt8] {
        guard let sealed = cipher.seal([], authenticating: hash) else {
            preconditionFailure("a cipher has more than one nonce")
        }
        mixHash(sealed)
        return sealed
    }

    /// Decrypts a payload, which is not used.
    private mutating func open(_ ciphertext: [UInt8]) throws(Failure) {
        guard cipher.open(ciphertext, authenticating: hash) != nil else { throw Failure() }
        mixHash(ciphertext)
    }

    private mutating func mixHash(_ data: [UInt8]) { hash = Array(SHA256.hash(data: hash + data)) }

    private mutating func mixKey(_ material: [UInt8]) {
        let outputs = Self.derive(chainingKey, material, count: 2)
        chainingKey = outputs[0]
        cipher = NoiseCipher(key: outputs[1])
    }

    /// The function HKDF of the framework (section 4.3), which is the HKDF of RFC 5869 without information.
    private static func derive(_ chainingKey: [UInt8], _ material: [UInt8], count: Int) -> [[UInt8]] {
        let key = SymmetricKey(
            data: Array(HMAC<SHA256>.authenticationCode(for: material, using: SymmetricKey(data: chainingKey))))
        var outputs: [[UInt8]] = []
        for index in 1...UInt8(count) {
            let input = (outputs.last ?? []) + [index]
            outputs.append(Array(HMAC<SHA256>.authenticationCode(for: input, using: key)))
        }
        return outputs
    }
}

/// A key with its nonce, of one direction: `CipherState` of the framework with ChaCha20-Poly1305.
struct NoiseCipher {
    private let key: SymmetricKey
    private var nonce: UInt64 = 0

    /// A cipher with a key of 32 bytes.
    init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// Encrypts a message, and appends its tag; `nil` after the last nonce.
    mutating func seal(_ plaintext: [UInt8], authenticating data: [UInt8] = []) -> [UInt8]? {
        guard let nonce = nextNonce(),
            let box = try? ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: data)
        else { return nil }
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// Decrypts a message with its tag; `nil` if it is damaged or has another key. Then the nonce is used up, too.
    mutating func open(_ ciphertext: [UInt8], authenticating data: [UInt8] = []) -> [UInt8]? {
        guard ciphertext.count >= NoiseHandshake.tagLength, let nonce = nextNonce(),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: ciphertext.dropLast(NoiseHandshake.tagLength),
                tag: ciphertext.suffix(NoiseHandshake.tagLength)),
            let plaintext = try? ChaChaPoly.open(box, using: key, authenticating: data)
        else { return nil }
        return Array(plaintext)
    }

    /// Four zeros and the counter, least significant byte first (section 12.3).
    private mutating func nextNonce() -> ChaChaPoly.Nonce? {
        guard nonce < UInt64.max else { return nil }
        defer { nonce += 1 }
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: nonce >> (8 * UInt64($0))) }
        return try? ChaChaPoly.Nonce(data: [0, 0, 0, 0] + counter)
    }
}
