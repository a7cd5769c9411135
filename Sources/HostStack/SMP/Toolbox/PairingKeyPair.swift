// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import HCI

/// A key pair on the curve P-256 for one pairing (Core 5.4, Vol 3, Part H, 2.3.5.6.1).
struct PairingKeyPair: Sendable {
    private let secret: P256.KeyAgreement.PrivateKey
    /// What the peer is told.
    let publicKey: PairingPublicKey

    /// A pair that these random numbers decide.
    init(random: inout RandomSource) {
        while true {
            // Almost every number of 256 bits is a secret; 0 and those beyond the order of the curve are not.
            if let pair = PairingKeyPair(secret: random.octets(32)) {
                self = pair
                return
            }
        }
    }

    /// The pair of a secret of 32 octets, most significant first; `nil` when it is none.
    init?(secret octets: [UInt8]) {
        guard let secret = try? P256.KeyAgreement.PrivateKey(rawRepresentation: octets) else { return nil }
        self.secret = secret
        let point = Array(secret.publicKey.rawRepresentation)
        publicKey = PairingPublicKey(
            x: Octets(padding: point.prefix(32).reversed()), y: Octets(padding: point.suffix(32).reversed()))
    }

    /// What both sides know; `nil` when the peer's key is no point of the curve.
    func sharedSecret(with peer: PairingPublicKey) -> Octets<32>? {
        let point = peer.x.bytes.reversed() + peer.y.bytes.reversed()
        guard let key = try? P256.KeyAgreement.PublicKey(rawRepresentation: Array(point)),
            let shared = try? secret.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        return Octets(padding: shared.withUnsafeBytes { $0.reversed() })
    }
}
