// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
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

/// The handshake `Noise_NNpsk0_25519_ChaChaPoly_SHA256` as the responder (The Noise Protocol Framework, revision 34).
///
/// There are two messages: the initiator's has its ephemeral public key and an empty payload, encrypted; so has the reply.
struct NoiseHandshake {
    /// The handshake failed: another key, or a damaged message.
    struct Failure: Error {}

    private static let name = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"
    /// The length of a tag of ChaCha20-Poly1305, in bytes.
    static let tagLength = 16
    private static let keyLength = 32

    private var hash: [UInt8]
    private var chainingKey: [UInt8]
    private var cipher: NoiseCipher

    /// A handshake with a key that both sides have.
    /// - Parameter prologue: what both sides have said before.
    init(_ key: EncryptionKey, prologue: [UInt8]) {
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

    /// Answers the initiator's message.
    /// - Parameter ephemeral: the key pair of this handshake.
    /// - Returns: the reply, and the ciphers of the two directions.
    /// - Throws: `Failure`.
    mutating func respond(
        to message: some Collection<UInt8>, ephemeral: Curve25519.KeyAgreement.PrivateKey
    ) throws(Failure) -> (reply: [UInt8], receiving: NoiseCipher, sending: NoiseCipher) {
        guard message.count >= Self.keyLength + Self.tagLength else { throw Failure() }
        let remote = Array(message.prefix(Self.keyLength))
        mixHash(remote)
        mixKey(remote)
        _ = try open(Array(message.dropFirst(Self.keyLength)))
        let local = Array(ephemeral.publicKey.rawRepresentation)
        mixHash(local)
        mixKey(local)
        do {
            let point = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: remote)
            let secret = try ephemeral.sharedSecretFromKeyAgreement(with: point)
            mixKey(secret.withUnsafeBytes { Array($0) })
        } catch {
            throw Failure()
        }
        guard let sealed = cipher.seal([], authenticating: hash) else { throw Failure() }
        mixHash(sealed)
        let keys = Self.derive(chainingKey, [], count: 2)
        return (local + sealed, NoiseCipher(key: keys[0]), NoiseCipher(key: keys[1]))
    }

    private mutating func open(_ ciphertext: [UInt8]) throws(Failure) -> [UInt8] {
        guard let plaintext = cipher.open(ciphertext, authenticating: hash) else { throw Failure() }
        mixHash(ciphertext)
        return plaintext
    }

    private mutating func mixHash(_ data: [UInt8]) { hash = Array(SHA256.hash(data: hash + data)) }

    private mutating func mixKey(_ material: [UInt8]) {
        let outputs = Self.derive(chainingKey, material, count: 2)
        chainingKey = outputs[0]
        cipher = NoiseCipher(key: outputs[1])
    }

    /// The function HKDF of the framework (section 4.3), which is that of RFC 5869 without information.
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
