// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The source of the keys, nonces and passkeys of a host.
package struct RandomSource: Sendable {
    private var generator: any RandomNumberGenerator & Sendable

    /// A source with this generator; by default the generator of the system. Tests pass a generator with a seed.
    package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = generator
    }

    /// Random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let word: UInt64 = generator.next()
            bytes += word.littleEndianBytes.prefix(count - bytes.count)
        }
        return bytes
    }

    /// Six decimal digits: 0 to 999,999.
    package mutating func passkey() -> UInt32 { UInt32.random(in: 0...999_999, using: &generator) }
}
