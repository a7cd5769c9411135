// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Crypto
import CryptoExtras
import HCI

/// Random numbers and key pairs that hosts request from their controllers.
struct Cryptography: Sendable {
    /// One source for all controllers; `nil` derives the numbers of each from the seed and its name.
    private var source: (any RandomNumberGenerator & Sendable)?
    /// By the index of the controller.
    private var owners: [Owner] = []

    private struct Owner: Sendable {
        var numbers: SplitMix64
        /// The private key that the host requested last.
        var secret: KeyAgreement.Secret?
    }

    init(numbers: (any RandomNumberGenerator & Sendable)?) { source = numbers }

    mutating func addController(_ index: Int, _ draws: Draws) {
        let owner = Owner(numbers: SplitMix64(seed: draws.bits(0, 0), stream: 0))
        if index == owners.count { owners.append(owner) } else { owners[index] = owner }
    }

    mutating func reset(_ controller: Int) { owners[controller].secret = nil }

    fileprivate mutating func nextNumber(of controller: Int) -> UInt64 {
        source?.next() ?? owners[controller].numbers.next()
    }

    fileprivate mutating func makeKeyPair(of controller: Int) {
        owners[controller].secret = KeyAgreement.makeSecret { nextNumber(of: controller) }
    }

    fileprivate func secret(of controller: Int) -> KeyAgreement.Secret? { owners[controller].secret }
}

/// The security function e (Core 5.4, Vol 3, Part H, 2.2.1): AES-128 of one block.
private enum BlockCipher {
    /// Encrypts 16 bytes with a key of 16 bytes; both, and the result, have the least significant byte first.
    /// - Returns: `nil` if one of them does not have 16 bytes.
    static func encrypt(_ block: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard block.count == 16, key.count == 16 else { return nil }
        var octets = Array(block.reversed())
        do {
            try AES.permute(&octets, key: SymmetricKey(data: Array(key.reversed())))
        } catch {
            return nil
        }
        return octets.reversed()
    }
}

/// Diffie-Hellman on the curve P-256 (Core 5.4, Vol 3, Part H, 2.3.5.6.1), for hosts that leave it to their controllers.
/// All numbers have the least significant byte first.
private enum KeyAgreement {
    typealias Secret = P256.KeyAgreement.PrivateKey

    /// The public debug key, which sniffers recognise (Core 5.4, Vol 3, Part H, 2.3.5.6.1).
    static let debugSecret = try? Secret(
        rawRepresentation: [
            0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10, 0x3F, 0x50, 0x4A, 0xFF,
            0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6, 0xCD, 0x3C, 0x1A, 0xBD,
        ] as [UInt8])

    /// A private key; not secret if the numbers are derived from a known seed.
    static func makeSecret(from next: () -> UInt64) -> Secret {
        while true {
            let words = (0..<4).map { _ in next() }
            let octets = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
            // Almost every 256-bit number is a valid key; 0 and numbers from the order of the curve up are not.
            if let secret = try? Secret(rawRepresentation: octets) { return secret }
        }
    }

    /// The coordinates of the public key.
    static func point(of secret: Secret) -> (x: Octets<32>, y: Octets<32>) {
        let octets = Array(secret.publicKey.rawRepresentation)
        return (Octets(padding: octets.prefix(32).reversed()), Octets(padding: octets.suffix(32).reversed()))
    }

    /// The secret shared with the owner of a public key.
    /// - Returns: `nil` if the point is not on the curve.
    static func shared(_ secret: Secret, _ x: Octets<32>, _ y: Octets<32>) -> Octets<32>? {
        let point = Array((y.bytes + x.bytes).reversed())
        guard let key = try? P256.KeyAgreement.PublicKey(rawRepresentation: point),
            let shared = try? secret.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        return Octets(padding: shared.withUnsafeBytes { $0.reversed() })
    }
}

// MARK: - Commands

extension CommandTable {
    /// Random numbers, AES, and keys of LE Secure Connections (Core 5.4, Vol 4, Part E, 7.8.22, 7.8.23, 7.8.36 and 7.8.37).
    static var cryptographyCommands: [CommandHandler] {
        [
            .returning(LERand.self) { air, controller, _ in
                .init(randomNumber: air.cryptography.nextNumber(of: controller))
            },
            .returning(LEEncrypt.self) { _, _, command throws(HCIStatus) in
                guard let block = BlockCipher.encrypt(command.plaintextData.bytes, key: command.key.bytes) else {
                    throw .unspecifiedError
                }
                return .init(encryptedData: Octets(padding: block))
            },
            .starting(LEReadLocalP256PublicKey.self) { air, controller, _ in
                air.cryptography.makeKeyPair(of: controller)
            } then: { air, controller, _ in
                guard let secret = air.cryptography.secret(of: controller) else { return }
                let (x, y) = KeyAgreement.point(of: secret)
                air.context.controllers.emit(
                    LEReadLocalP256PublicKeyComplete(keyXCoordinate: x, keyYCoordinate: y), to: controller)
            },
            .starting(LEGenerateDHKey.self) { air, controller, _ throws(HCIStatus) in
                guard air.cryptography.secret(of: controller) != nil else { throw .commandDisallowed }
            } then: { air, controller, command in
                guard let secret = air.cryptography.secret(of: controller) else { return }
                air.emitSharedSecret(secret, command.keyXCoordinate, command.keyYCoordinate, to: controller)
            },
            .starting(LEGenerateDHKeyVersion2.self) { air, controller, command throws(HCIStatus) in
                guard command.keyType <= 1 else { throw .invalidCommandParameters }
                guard command.keyType == 1 || air.cryptography.secret(of: controller) != nil else {
                    throw .commandDisallowed
                }
            } then: { air, controller, command in
                let own = air.cryptography.secret(of: controller)
                guard let secret = command.keyType == 1 ? KeyAgreement.debugSecret : own else { return }
                air.emitSharedSecret(secret, command.keyXCoordinate, command.keyYCoordinate, to: controller)
            },
        ]
    }
}

extension Air {
    /// Reports the secret shared with the owner of a public key, or that the key is invalid.
    fileprivate mutating func emitSharedSecret(
        _ secret: KeyAgreement.Secret, _ x: Octets<32>, _ y: Octets<32>, to controller: Int
    ) {
        let invalid = LEGenerateDHKeyComplete(
            status: .invalidCommandParameters, dhKey: Octets(padding: [UInt8](repeating: 0xFF, count: 32)))
        context.controllers.emit(
            KeyAgreement.shared(secret, x, y).map { LEGenerateDHKeyComplete(dhKey: $0) } ?? invalid, to: controller)
    }
}
