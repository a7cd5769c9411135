// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras

/// The security function e (Core 5.4, Vol 3, Part H, 2.2.1): AES-128 on one block.
enum BlockCipher {
    /// Encrypts 16 octets with a key of 16; both, and the result, have the least significant octet first.
    /// - Returns: `nil` when one of them is not 16 octets.
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
