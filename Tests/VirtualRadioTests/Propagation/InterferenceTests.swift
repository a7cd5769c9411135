// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Space
import Testing

@testable import VirtualRadio

@Suite struct InterferenceTests {
    /// The share of packets of 376 µs that are lost, every 1,003 µs for 200 s.
    private static func lost(_ shares: [Double], burst: Double, rssi: Double, channel: Int, seed: UInt64 = 1) -> Double
    {
        let model = Propagation.Interference(shares: shares, burst: burst, level: -60)
        let interference = Interference(model, capture: 8, seed: seed)
        let starts = stride(from: AirTime(0), to: 200_000_000, by: 1_003)
        let lost = starts.count { interference.covers(rssi, on: channel, from: $0, to: $0 + 376) }
        return Double(lost) / Double(200_000_000 / 1_003)
    }

    @Test(arguments: [(0.1, 0.002), (0.3, 0.001), (0.5, 0.004), (0.2, 0.0005)])
    func weakPacketsAreLostByShareAndLength(share: Double, burst: Double) {
        let expected = share * (1 + 376e-6 / burst)
        let lost = Self.lost([share, 0, share], burst: burst, rssi: -80, channel: 0)
        #expect(abs(lost - expected) < 0.01, "\(lost)")
        #expect(abs(Self.lost([share, 0, share], burst: burst, rssi: -80, channel: 2) - expected) < 0.01)
        #expect(Self.lost([share, 0, share], burst: burst, rssi: -80, channel: 1) == 0)
    }

    @Test func strongPacketsAreReceived() {
        #expect(Self.lost([0.5, 0, 0], burst: 0.002, rssi: -52, channel: 0) == 0)
        #expect(Self.lost([0.5, 0, 0], burst: 0.002, rssi: -52.1, channel: 0) > 0.5)
        #expect(Self.lost([1, 0, 0], burst: 0.002, rssi: -80, channel: 0) > 0.9999)
    }

    @Test func channelsAndSeedsDiffer() {
        let models = [UInt64(1), 2].map {
            Interference(
                Propagation.Interference(shares: [0.5, 0.5, 0], burst: 0.002, level: -60), capture: 8, seed: $0)
        }
        let times = (AirTime(0)..<1000).map { $0 * 1_003 }
        let all = [(0, 0), (0, 1), (1, 0)].map { model, channel in
            times.map { models[model].covers(-80, on: channel, from: $0, to: $0 + 376) }
        }
        #expect(Set(all).count == 3)
        // Times before the start are periods like the others.
        #expect(models[0].covers(-80, on: 2, from: -5_000, to: -4_600) == false)
    }
}
