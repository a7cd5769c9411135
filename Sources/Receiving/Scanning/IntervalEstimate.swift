// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// Estimates an advertiser's interval from the times between its advertisements.
///
/// Advertisements that were missed make gaps of several intervals; one that was processed late makes a long gap and then
/// a short one. Neither repeats as exactly as the interval itself, so the interval is where gaps are densest. A receiver
/// that listens for half of the time may receive every other advertisement more often than two in succession; then the
/// interval is a part of where gaps are densest, if some gaps are that short and the others are multiples of it.
package enum IntervalEstimate {
    /// The mean of the random delay of 0 to 10 ms after every interval (Core 5.4, Vol 6, Part B, 4.4.2.2.1).
    private static let meanDelay = Duration.milliseconds(5)
    /// Less than the shortest interval: one event that was reported on two channels.
    static let shortestGap = Duration.milliseconds(15)
    /// Wider than the random delay: gaps of one interval that were received in time fit in.
    private static let shortestSpread = Duration.milliseconds(15)

    /// The shortest gap of one interval that is found as a part: of shorter ones almost every gap is a multiple.
    private static let shortestPart = Duration.milliseconds(75)

    /// Customary intervals, in ms: the intervals of Apple's accessory design guidelines, and round numbers.
    private static let customary: [Duration] = [
        20, 30, 50, 100, 152.5, 200, 211.25, 300, 318.75, 400, 417.5, 500, 546.25, 600, 700, 760, 800, 852.5, 900,
        1000, 1022.5, 1285, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 10240,
    ].map { .microseconds(Int64($0 * 1000)) }

    /// The customary interval that fits the gaps, or the ticks nearest to them where none does.
    /// - Parameter gaps: the times between consecutive advertisements.
    /// - Returns: an interval of 20 ms to 10.24 s; `nil` for fewer than three gaps.
    package static func interval(gaps: [Duration]) -> AdvertisingInterval? {
        let sorted = gaps.filter { $0 >= shortestGap }.sorted()
        guard sorted.count >= 3 else { return nil }
        let densest = densest(sorted)
        let middle = middle(part(of: middle(densest), in: sorted) ?? densest) - meanDelay
        let distance = { (candidate: Duration) in candidate > middle ? candidate - middle : middle - candidate }
        if let nearest = customary.min(by: { distance($0) < distance($1) }),
            distance(nearest) <= max(.milliseconds(3), nearest / 50)
        {
            return AdvertisingInterval(nearest: nearest)
        }
        let range = AdvertisingInterval.legacyRange
        return AdvertisingInterval(nearest: max(middle, .zero)).map { min(max($0, range.lowerBound), range.upperBound) }
    }

    /// The gaps that are closest together; of equally many the shorter ones. Their spread may grow with the gap, but
    /// not so much that gaps of several intervals fall together.
    private static func densest(_ sorted: [Duration]) -> [Duration] {
        var best = 0..<0
        var end = 0
        for start in sorted.indices {
            let limit = sorted[start] + max(shortestSpread, sorted[start] / 8)
            while end < sorted.count, sorted[end] <= limit { end += 1 }
            if end - start > best.count { best = start..<end }
        }
        return Array(sorted[best])
    }

    /// The gaps of the shortest interval of which the densest gaps are multiples; `nil` if they are of one interval.
    private static func part(of middle: Duration, in sorted: [Duration]) -> [Duration]? {
        // Nothing is that short beside the gaps of a beacon of which nothing is missed.
        let shortest = sorted[0] - max(shortestSpread / 2, sorted[0] / 16)
        let parts = Int(middle / max(shortestPart, shortest))
        guard parts >= 2 else { return nil }
        for part in (2...parts).reversed().lazy.map({ middle / $0 }) {
            let reach = max(shortestSpread / 2, part / 16)
            let single = sorted.filter { (part - reach...part + reach).contains($0) }
            guard single.count >= max(3, sorted.count / 8) else { continue }
            let interval = Self.middle(single)
            let multiples = sorted.filter { isMultiple($0, of: interval) }
            if multiples.count * 4 >= sorted.count * 3 { return single }
        }
        return nil
    }

    /// Whether a gap may be of several intervals, each with its random delay: within three standard deviations of
    /// 10 ms / √12, and 5 ms of the interval's own error.
    private static func isMultiple(_ gap: Duration, of interval: Duration) -> Bool {
        let count = (gap / interval).rounded()
        let milliseconds = abs(gap / interval - count) * (interval / .milliseconds(1))
        return count >= 1 && milliseconds <= 5 + 8.7 * count.squareRoot()
    }

    private static func middle(_ sorted: [Duration]) -> Duration {
        (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

/// The latest times between a device's advertising events.
struct AdvertisingGaps: Hashable, Sendable {
    private static let capacity = 48

    private var lastEvent: Duration?
    private var gaps: [Duration] = []
    private var next = 0

    /// The estimated interval; `nil` for fewer than three gaps.
    var interval: AdvertisingInterval? { IntervalEstimate.interval(gaps: gaps) }

    /// An advertisement, not a scan response, was received.
    mutating func receive(at time: Duration) {
        guard let lastEvent else {
            lastEvent = time
            return
        }
        let gap = time - lastEvent
        guard gap >= IntervalEstimate.shortestGap else { return }
        self.lastEvent = time
        if gaps.count < Self.capacity {
            gaps.append(gap)
        } else {
            gaps[next] = gap
            next = (next + 1) % Self.capacity
        }
    }
}
