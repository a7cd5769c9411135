// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Damage to bytes of which nothing is known.
enum Mutation {
    private static let extremes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]

    /// Random bytes, at most so many.
    static func noise(_ maximum: Int, _ generator: inout SplitMix64) -> [UInt8] {
        generator.bytes(Int.random(in: 0...maximum, using: &generator))
    }

    /// One of the samples, damaged in up to `count` places, now and then in none.
    static func damaged(_ samples: [[UInt8]], count: Int = 4, _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = samples.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 0...count, using: &generator) { damage(&bytes, samples, &generator) }
        return bytes
    }

    private static func damage(_ bytes: inout [UInt8], _ samples: [[UInt8]], _ generator: inout SplitMix64) {
        guard let index = bytes.indices.randomElement(using: &generator) else {
            bytes = noise(8, &generator)
            return
        }
        let end = min(bytes.endIndex, index + Int.random(in: 1...8, using: &generator))
        switch Int.random(in: 0...8, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 2: bytes[index] = extremes.randomElement(using: &generator) ?? 0
        case 3: bytes.insert(contentsOf: noise(8, &generator), at: index)
        case 4: bytes.removeSubrange(index..<end)
        case 5: bytes.removeSubrange(index...)
        case 6: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 7:
            let extreme = extremes.randomElement(using: &generator) ?? 0
            for place in index..<min(bytes.endIndex, index + 4) { bytes[place] = extreme }
        default:
            let other = samples.randomElement(using: &generator) ?? []
            guard let cut = other.indices.randomElement(using: &generator) else { return }
            bytes.replaceSubrange(index..., with: other[cut...])
        }
    }
}
