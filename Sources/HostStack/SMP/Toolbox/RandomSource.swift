// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Where a host's keys, nonces and passkeys come from.
package struct RandomSource: Sendable {
    private var generator: any RandomNumberGenerator & Sendable

    /// The numbers of this generator: those of the system unless a test wants to know them.
    package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = generator
    }

    /// So many random octets.
    package mutating func octets(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            let word: UInt64 = generator.next()
            octets += word.littleEndianBytes.prefix(count - octets.count)
        }
        return octets
    }

    /// Six decimal digits: 0 to 999,999.
    package mutating func passkey() -> UInt32 { UInt32.random(in: 0...999_999, using: &generator) }
}
