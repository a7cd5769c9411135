// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Tells an advertiser's interval from the times between its advertisements.
public enum IntervalEstimate {
    /// The mean of the random delay of 0 to 10 ms behind every interval (Core 5.4, Vol 6, Part B, 4.4.2.2.1).
    private static let meanDelay = Duration.milliseconds(5)
    /// Less than the shortest interval: one event that was reported on two channels.
    private static let shortestGap = Duration.milliseconds(15)

    /// What people set, in ms: the intervals of Apple's accessory design guidelines, and round numbers.
    private static let customary: [Duration] = [
        20, 30, 50, 100, 152.5, 200, 211.25, 300, 318.75, 400, 417.5, 500, 546.25, 600, 700, 760, 800, 852.5, 900,
        1000, 1022.5, 1285, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 10240,
    ].map { .microseconds(Int64($0 * 1000)) }

    /// The customary interval that fits the gaps, or the ticks nearest to them where none does.
    ///
    /// The median is taken of the gaps that are not much longer than the shortest ones, so that advertisements that were
    /// missed do not count.
    /// - Parameter gaps: the times between consecutive advertisements.
    /// - Returns: an interval of 20 ms to 10.24 s; `nil` for fewer than three gaps.
    public static func interval(gaps: [Duration]) -> AdvertisingInterval? {
        let sorted = gaps.filter { $0 >= shortestGap }.sorted()
        guard sorted.count >= 3 else { return nil }
        let single = sorted.prefix { $0 * 2 <= sorted[sorted.count / 10] * 3 }
        let middle = (single[(single.count - 1) / 2] + single[single.count / 2]) / 2 - meanDelay
        let distance = { (candidate: Duration) in candidate > middle ? candidate - middle : middle - candidate }
        if let nearest = customary.min(by: { distance($0) < distance($1) }),
            distance(nearest) <= max(.milliseconds(3), nearest / 50)
        {
            return AdvertisingInterval(nearest: nearest)
        }
        let range = AdvertisingInterval.legacyRange
        return AdvertisingInterval(nearest: max(middle, .zero)).map { min(max($0, range.lowerBound), range.upperBound) }
    }
}
