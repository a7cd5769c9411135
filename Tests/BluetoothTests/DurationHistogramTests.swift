// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@Suite struct DurationHistogramTests {
    @Test func boundsBelongToTheirClass() {
        var histogram = DurationHistogram()
        for duration: Int64 in [0, 100, 101, 1_000_000, 1_000_001] { histogram.add(duration) }
        #expect(histogram.counts == [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1])
        #expect(histogram.sum == 2_000_202)
    }
}
