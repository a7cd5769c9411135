// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The functions of LE Secure Connections (Core 5.4, Vol 3, Part H, 2.2.6 to 2.2.11). Numbers are in the order of the
/// wire; what is put together for the cipher has the most significant octet first.
enum SecureConnectionsFunctions {
    /// The function f4: what is sent of a random number before the number itself.
    static func confirmValue(
        own: Octets<32>, peer: Octets<32>, random: Octets<16>, input: UInt8
    ) -> Octets<16> {
        code(of: big(own) + big(peer) + [input], key: big(random))
    }

    /// The function f5: the key that checks what both know, and the long term key.
    static func keys(
        secret: Octets<32>, initiator: PairingNonce, responder: PairingNonce
    ) -> (check: Octets<16>, longTerm: Octets<16>) {
        let intermediate = SecurityCipher.authenticationCode(of: big(secret), key: salt)
        let tail =
            [0x62, 0x74, 0x6C, 0x65] + big(initiator.random) + big(responder.random) + initiator.address.bigEndian
            + responder.address.bigEndian + [0x01, 0x00]
        return (code(of: [0] + tail, key: intermediate), code(of: [1] + tail, key: intermediate))
    }

    /// The function f6: the check value of the side whose nonce is `own`.
    /// - Parameter features: input and output capability, out of band flag and authentication requirements of that side,
    ///   as they were sent.
    static func checkValue(
        key: Octets<16>, own: PairingNonce, peer: PairingNonce, passkey: UInt32, features: [UInt8]
    ) -> Octets<16> {
        let input = Octets<16>(padding: passkey.littleEndianBytes)
        let message =
            big(own.random) + big(peer.random) + big(input) + features.reversed() + own.address.bigEndian
            + peer.address.bigEndian
        return code(of: message, key: big(key))
    }

    /// The function g2, as people compare it: six decimal digits.
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

    /// The function h6: another key from a key, by a name of four letters.
    static func derivedKey(from key: Octets<16>, name: String) -> Octets<16> {
        code(of: Array(name.utf8), key: big(key))
    }

    /// The function h7: another key from a key, by a salt.
    static func derivedKey(from key: Octets<16>, salt: Octets<16>) -> Octets<16> { code(of: big(key), key: big(salt)) }

    private static let salt: [UInt8] = [
        0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83, 0xBE,
    ]

    private static func code(of message: [UInt8], key: [UInt8]) -> Octets<16> {
        Octets<16>(padding: SecurityCipher.authenticationCode(of: message, key: key).reversed())
    }

    private static func big<let count: Int>(_ octets: Octets<count>) -> [UInt8] { octets.bytes.reversed() }
}

/// What one side brings to the keys: its random number and its address.
struct PairingNonce: Hashable, Sendable {
    var random: Octets<16>
    var address: PeerAddress
}

extension PeerAddress {
    /// The kind, then the address, both with the most significant octet first.
    fileprivate var bigEndian: [UInt8] { [type.isRandomKind ? 1 : 0] + address.octets }
}

extension AddressType {
    /// Whether it is a random address rather than a public one, resolved or not.
    var isRandomKind: Bool { rawValue & 1 == 1 }
}
