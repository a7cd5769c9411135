// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras

/// AES-128 as the security functions use it (Core 5.4, Vol 3, Part H, 2.2.1 and 2.2.5).
///
/// Everything here has the most significant octet first, as the specification writes its formulas.
enum SecurityCipher {
    /// The function e: one block under a key, both of 16 octets.
    ///
    /// Blocks and keys of other lengths do not come here; they give 16 zeros.
    static func block(_ block: [UInt8], key: [UInt8]) -> [UInt8] {
        var octets = block
        guard octets.count == 16, (try? AES.permute(&octets, key: SymmetricKey(data: key))) != nil else {
            return [UInt8](repeating: 0, count: 16)
        }
        return octets
    }

    /// AES-CMAC of a message of any length under a key of 16 octets.
    static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        // A key of 16 octets is one, so this cannot fail.
        guard var code = try? AES.CMAC(key: SymmetricKey(data: key)) else { return [UInt8](repeating: 0, count: 16) }
        code.update(data: message)
        return code.finalize().withUnsafeBytes { Array($0) }
    }
}
