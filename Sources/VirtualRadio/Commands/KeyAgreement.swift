// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import HCI

/// Diffie-Hellman on the curve P-256 (Core 5.4, Vol 3, Part H, 2.3.5.6.1), for hosts that leave it to their controllers.
/// All numbers have the least significant octet first.
enum KeyAgreement {
    typealias Secret = P256.KeyAgreement.PrivateKey

    /// The secret that is no secret: sniffers look for its public half (Core 5.4, Vol 3, Part H, 2.3.5.6.1).
    static let debugSecret = try? Secret(
        rawRepresentation: [
            0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10, 0x3F, 0x50, 0x4A, 0xFF,
            0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6, 0xCD, 0x3C, 0x1A, 0xBD,
        ] as [UInt8])

    /// The secret half of a key pair; where the numbers come from a seed, who knows the seed knows it too.
    static func makeSecret(from numbers: inout any RandomNumberGenerator & Sendable) -> Secret {
        while true {
            let words = (0..<4).map { _ in numbers.next() }
            let octets = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
            // Almost every number of 256 bits is a secret; 0 and those beyond the order of the curve are not.
            if let secret = try? Secret(rawRepresentation: octets) { return secret }
        }
    }

    /// The public half: a point.
    static func point(of secret: Secret) -> (x: Octets<32>, y: Octets<32>) {
        let octets = Array(secret.publicKey.rawRepresentation)
        return (Octets(padding: octets.prefix(32).reversed()), Octets(padding: octets.suffix(32).reversed()))
    }

    /// What both sides know.
    /// - Returns: `nil` when the other's point is not on the curve.
    static func shared(_ secret: Secret, _ x: Octets<32>, _ y: Octets<32>) -> Octets<32>? {
        let point = Array((y.bytes + x.bytes).reversed())
        guard let key = try? P256.KeyAgreement.PublicKey(rawRepresentation: point),
            let shared = try? secret.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        return Octets(padding: shared.withUnsafeBytes { $0.reversed() })
    }
}
