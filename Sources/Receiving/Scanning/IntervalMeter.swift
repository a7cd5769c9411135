// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Measures the time between a device's advertising events from when they were heard.
///
/// Events that were missed make gaps of several intervals, so the interval is the mean of those recent gaps that are
/// not much longer than the shortest. It has in it the random delay of up to 10 ms that the link layer adds to each
/// event (Core 5.4, Vol 6, Part B, 4.4.2.2.1), 5 ms in the mean.
struct IntervalMeter: Hashable, Sendable {
    /// Less than this, and an event was heard on two of its channels: no interval is shorter than 20 ms.
    private static let shortestGap = Duration.milliseconds(10)
    private static let capacity = 16

    private var lastEvent: Duration?
    private var gaps: [Duration] = []
    private var next = 0

    /// The mean interval; `nil` before the second event.
    var interval: Duration? {
        guard let shortest = gaps.min() else { return nil }
        let single = gaps.filter { $0 * 2 < shortest * 3 }
        return single.reduce(.zero, +) / single.count
    }

    /// An advertisement, not a scan response, was heard.
    mutating func hear(at time: Duration) {
        guard let lastEvent else {
            lastEvent = time
            return
        }
        let gap = time - lastEvent
        guard gap >= Self.shortestGap else { return }
        self.lastEvent = time
        if gaps.count < Self.capacity {
            gaps.append(gap)
        } else {
            gaps[next] = gap
            next = (next + 1) % Self.capacity
        }
    }
}
