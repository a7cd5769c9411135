// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The functions of legacy pairing (Core 5.4, Vol 3, Part H, 2.2.3 and 2.2.4). Numbers are in the order of the wire.
enum LegacyPairingFunctions {
    /// The function c1: what is sent of a random number before the number itself.
    /// - Parameters:
    ///   - request: the seven octets of the Pairing Request.
    ///   - response: the seven octets of the Pairing Response.
    static func confirmValue(
        key: Octets<16>, random: Octets<16>, request: [UInt8], response: [UInt8], initiator: PeerAddress,
        responder: PeerAddress
    ) -> Octets<16> {
        let types = [initiator, responder].map { UInt8($0.type.isRandomKind ? 1 : 0) }
        let first = Octets<16>(padding: types + request.prefix(7) + response.prefix(7))
        let second = Octets<16>(padding: responder.address.octets.reversed() + initiator.address.octets.reversed())
        let inner = (random ^ first).encrypted(with: key)
        return (inner ^ second).encrypted(with: key)
    }

    /// The function s1: the short term key, from the halves of both random numbers.
    static func shortTermKey(key: Octets<16>, responder: Octets<16>, initiator: Octets<16>) -> Octets<16> {
        Octets<16>(padding: initiator.bytes.prefix(8) + responder.bytes.prefix(8)).encrypted(with: key)
    }

    /// The temporary key of a passkey; 0 for Just Works (Core 5.4, Vol 3, Part H, 2.3.5.2 and 2.3.5.3).
    static func temporaryKey(passkey: UInt32) -> Octets<16> { Octets<16>(padding: passkey.littleEndianBytes) }
}

extension Octets where count == 16 {
    /// Bit by bit, one or the other.
    static func ^ (left: Self, right: Self) -> Self { Self(padding: zip(left.bytes, right.bytes).map { $0 ^ $1 }) }

    /// The function e (Core 5.4, Vol 3, Part H, 2.2.1).
    func encrypted(with key: Octets<16>) -> Octets<16> {
        Self(padding: SecurityCipher.block(bytes.reversed(), key: key.bytes.reversed()).reversed())
    }

    /// The key with no more than so many octets of it left, from the least significant on
    /// (Core 5.4, Vol 3, Part H, 2.3.4).
    func shortened(to size: UInt8) -> Self { Self(padding: bytes.prefix(Int(size))) }
}
