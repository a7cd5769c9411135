// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bluetooth

@Suite struct TextHashTests {
    /// The test vectors of FNV-1a with 64 bits.
    @Test(arguments: [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)])
    func hashIsThatOfFNV(_ text: String, _ hash: UInt64) { #expect(text.stableHash == hash) }
}
