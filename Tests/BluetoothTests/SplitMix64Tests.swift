// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@Suite struct SplitMix64Tests {
    /// The numbers that the reference implementation (Vigna, splitmix64.c) gives for this seed.
    private static let reference: [UInt64] = [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ]

    @Test func numbersAreThoseOfTheReferenceImplementation() {
        var generator = SplitMix64(seed: 1_234_567)
        #expect((0..<5).map { _ in generator.next() } == Self.reference)
    }

    @Test(arguments: 0..<5)
    func skippedNumbersAreLeftOut(_ count: Int) {
        var generator = SplitMix64(seed: 1_234_567, skipping: UInt64(count))
        #expect(generator.next() == Self.reference[count])
    }

    /// Seeded captures depend on these numbers: they must stay the same in later versions.
    @Test func streamsOfASeedStayTheSame() {
        var delays = SplitMix64(seed: 1, stream: 1)
        #expect((0..<3).map { _ in delays.upTo(10_000_000) } == [5_661_811, 9_365_743, 7_412_892])
        var noise = SplitMix64(seed: 1, stream: 2)
        #expect((0..<3).map { _ in noise.unit() } == [0.5510398757641564, 0.30179998595176394, 0.49596703016846344])
        var numbers = SplitMix64(seed: 1, stream: 2)
        #expect(
            (0..<3).map { _ in numbers.next() }
                == [10_164_891_562_630_100_948, 5_567_227_102_301_328_889, 9_148_976_874_515_430_990])
    }
}
